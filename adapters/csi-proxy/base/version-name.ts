// The names of API versions, `v1alpha2` for one, and their order.

export const Stability = { Alpha: 'alpha', Beta: 'beta', Stable: 'stable' } as const;
export type Stability = (typeof Stability)[keyof typeof Stability];

export interface VersionName {
  readonly name: string;
  readonly major: number;
  readonly stability: Stability;
  /** The number behind `alpha` or `beta`; 0 for a stable version. */
  readonly minor: number;
}

const NAME = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const RANK: Readonly<Record<Stability, number>> = { alpha: 0, beta: 1, stable: 2 };

/** @throws {RangeError} `name` is none */
export function parseVersionName(name: string): VersionName {
  const [, major, qualifier, minor = '0'] = NAME.exec(name) ?? [];
  if (major === undefined) throw new RangeError(`invalid version name: "${name}"`);
  const stability =
    qualifier === undefined ? Stability.Stable : qualifier === 'alpha' ? Stability.Alpha : Stability.Beta;
  return { name, major: Number(major), stability, minor: Number(minor) };
}

export function isVersionName(name: string): boolean {
  return NAME.test(name);
}

/** Oldest first: `v1alpha1`, `v1beta1`, `v1`, `v2alpha98`. */
export function compareVersionNames(a: string, b: string): number {
  const [left, right] = [parseVersionName(a), parseVersionName(b)];
  return left.major - right.major || RANK[left.stability] - RANK[right.stability] || left.minor - right.minor;
}
