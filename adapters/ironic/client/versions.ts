// API version that is negotiated with an Ironic, and the features of that version.
//
// Invariants:
//   IRONIC-VERSIONS-1. Nothing is asked in a version that the server does not allow.
//   IRONIC-VERSIONS-2. An Ironic that lacks features is used with those that it has, from LEAST on.
import { TransientError } from '../../../bus/errors.ts';

/** Features that not every version has. The values appear in messages. */
export const Feature = {
  FirmwareComponents: 'firmware components',
  Servicing: 'servicing of deployed nodes',
  VirtualMedia: 'attaching of virtual media',
  VirtualMediaQuery: 'query of attached virtual media',
  DisablePowerOff: 'disable_power_off',
  Health: 'health of nodes',
  DeploymentAbort: 'abort of waiting deployments',
} as const;
export type Feature = (typeof Feature)[keyof typeof Feature];

/** Features by the version, 1.N, that introduced them. @see Ironic: REST API version history */
const BROUGHT_BY: readonly (readonly [minor: number, feature: Feature])[] = [
  [86, Feature.FirmwareComponents],
  [87, Feature.Servicing],
  [89, Feature.VirtualMedia],
  [93, Feature.VirtualMediaQuery],
  [95, Feature.DisablePowerOff],
  [109, Feature.Health],
  [110, Feature.DeploymentAbort],
];
/** Versions that are asked for, the best first: 1.N. */
const ASKED: readonly number[] = [110, 109, 95, 93, 89];
/** Brought the result of inspections, without which no host gets anywhere: 1.N. */
const LEAST = 81;

/** An Ironic as it is used. */
export interface Choice {
  /** Asked for in every call: `1.95`. */
  readonly version: string;
  /** The highest that the server knows. */
  readonly maximum: string;
  readonly features: readonly Feature[];
  /** Features that only a newer Ironic has. */
  readonly missing: readonly Feature[];
}

/** Features of an Ironic in a version such as `1.95`; none if the version is not valid. */
export function featuresOf(version: string): readonly Feature[] {
  const minor = minorOf(version);
  return minor === undefined ? [] : BROUGHT_BY.flatMap(([from, feature]) => (from <= minor ? [feature] : []));
}

/**
 * The version to use: the best of those that are asked for; of a server below all of them the highest that it has.
 *
 * @param document  the answer of `GET /v1`, or of the root
 * @throws {TransientError} it is no such document, or no version fits
 */
export function choose(document: unknown): Choice {
  const { version: maximum, min_version: minimum } = versionIn(document);
  const most = minorOf(maximum);
  if (typeof maximum !== 'string' || most === undefined) {
    throw new TransientError('what answers as Ironic names no version of its API; see whether the endpoint is right');
  }
  const least = minorOf(minimum) ?? 0;
  if (most < LEAST) {
    throw new TransientError(`Ironic knows its API up to version ${maximum}, and 1.${LEAST} is the least that is used`);
  }
  const minor = ASKED.find((each) => each <= most) ?? most;
  // mutant: ironic-version-too-new if -> false
  if (minor < least) {
    throw new TransientError(
      `Ironic knows its API from version ${minimum} on, and 1.${ASKED[0]} is the last that is used`,
    );
  }
  const version = `1.${minor}`;
  const features = featuresOf(version);
  const missing = BROUGHT_BY.flatMap(([, feature]) => (features.includes(feature) ? [] : [feature]));
  return { version, maximum, features, missing };
}

/** Headers that say the version, in both of the forms that servers read. */
export function versionHeaders(version: string): Readonly<Record<string, string>> {
  return { 'x-openstack-ironic-api-version': version, 'openstack-api-version': `baremetal ${version}` };
}

interface VersionNames {
  readonly version?: unknown;
  readonly min_version?: unknown;
}

/** `GET /v1` returns one version, the root returns all; an endpoint may lead to either. */
function versionIn(document: unknown): VersionNames {
  if (!isObject(document)) return {};
  const { version, default_version: standard } = document;
  return [version, standard].find(isObject) ?? {};
}

/** N of `1.N`. */
function minorOf(version: unknown): number | undefined {
  const [, minor] = (typeof version === 'string' && /^1\.(\d{1,6})$/.exec(version)) || [];
  return minor === undefined ? undefined : Number(minor);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
