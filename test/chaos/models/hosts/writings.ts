// What users wrote of hosts, in either version, and whether it reads so in both, whoever has written between: status, finalizers and
// annotations are written all the time, and what is stored in one version is read and written in the other one.
//
// Invariants:
//   TEST-WRITINGS-1. A spec reads as it was written last, field by field, in the version that it was written in and in the other one. What nobody
//       wrote is not there, but for what follows from the version that the host was created in, and what actors fill in.
//   TEST-WRITINGS-2. A write that nobody answered is done, or it is not.
import { isDeepStrictEqual } from 'node:util';
import type { Version } from '../../../../adapters/ironic/api/definitions.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { HostSpec } from '../../../../machines/bare-metal-host/host.ts';

/** A host as users know it. */
interface Writing {
  /** The version that it was created in. */
  readonly born: Version;
  /** In the words of v1alpha1. */
  readonly spec: HostSpec;
}

/** In the words of a version. Of what hosts of a rack are asked for, one field has another name. */
export function specIn(version: Version, spec: HostSpec): JsonObject {
  const { online, ...others } = spec as JsonObject & { readonly online?: boolean };
  const power = version === 'v1beta1' ? { poweredOn: online } : { online };
  return { ...others, ...(online !== undefined && (power as JsonObject)) };
}

/** What one version says aloud, and the other one means by saying nothing: where a host of no profile is installed. */
const MEANT: Readonly<Record<Version, JsonObject>> = {
  v1alpha1: { hardwareProfile: 'empty' },
  v1beta1: { rootDeviceHints: { devicePath: '/dev/sda' } },
};

export class Writings {
  /** By host: what it may be. */
  readonly #possible = new Map<string, readonly Writing[]>();

  created(host: string, writing: Writing, outcome: 'done' | 'unknown'): void {
    const before = outcome === 'done' ? [] : (this.#possible.get(host) ?? []);
    this.#possible.set(host, [...before, writing]);
  }

  /** @param change  of some fields; null takes one away */
  changed(host: string, change: HostSpec, outcome: 'done' | 'unknown'): void {
    const before = this.#possible.get(host) ?? [];
    const after = before.map(({ born, spec }) => ({ born, spec: merged(spec, change) }));
    this.#possible.set(host, outcome === 'done' ? after : [...before, ...after]);
  }

  /** @returns what is not as it was written; undefined: all is */
  read(host: string, version: Version, { architecture: _filledIn, ...spec }: JsonObject): string | undefined {
    const possible = this.#possible.get(host) ?? [];
    const fitting = possible.filter((writing) => isDeepStrictEqual(expected(writing, version), spec));
    if (fitting.length === 0) {
      const meant = possible.map((writing) => JSON.stringify(expected(writing, version))).join(', or ');
      return `host '${host}' reads in ${version} as ${JSON.stringify(spec)}, and was written as ${meant || 'nothing'}`;
    }
    this.#possible.set(host, fitting);
    return undefined;
  }
}

function expected({ born, spec }: Writing, version: Version): JsonObject {
  return { ...specIn(version, spec), ...(born !== version && MEANT[version]) };
}

function merged(spec: HostSpec, change: HostSpec): HostSpec {
  const kept = Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as HostSpec;
}
