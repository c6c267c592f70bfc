// The order of what happened, as the versions of the API server tell it.
import { KINDS } from '../../../../adapters/openstack/kinds/registry.ts';
import type { Reference } from '../../../../machines/kind.ts';
import { isNeeded } from '../../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Raw } from '../../../world/watched-objects.ts';

const BY_KIND = new Map(KINDS.map((kind) => [kind.kind, kind]));

/** All that was seen of a namespace. */
export interface Seen {
  /** `<kind>/<name>` of all that was there at any time. */
  everSeen(): readonly string[];
  /** Oldest first. */
  history(kind: string, name: string): readonly Raw[];
  /** Versions of the lists that a watch of the kind began with anew: what came before each may not have been seen. */
  gaps(kind: string): readonly string[];
}

/**
 * I1, as far as it can be seen: when an object has its resource, everything that it refers to has one as well, and the
 * guard that keeps it. @returns how many references were looked at: what a watch missed cannot be judged
 */
export function judgeOrder(seen: Seen, violate: (what: string) => void): number {
  let looked = 0;
  for (const key of seen.everSeen()) {
    const [kind = '', name = ''] = key.split('/');
    const history = seen.history(kind, name);
    for (const uid of new Set(history.map(({ metadata }) => metadata.uid))) {
      const recorded = history.find((version) => version.metadata.uid === uid && isBuilt(version));
      if (recorded === undefined) continue;
      for (const reference of BY_KIND.get(kind)?.references(recorded as unknown as KubeObject) ?? []) {
        // What an update needs may come, and go, while it is there.
        if (!isNeeded(reference, false)) continue;
        const lacks = lackOf(seen, reference, versionOf(recorded), [kind, reference.kind]);
        if (lacks === undefined) continue;
        looked++;
        if (lacks !== '')
          violate(`I1: ${key} has its resource, and ${reference.kind}/${reference.name} has no ${lacks}`);
      }
    }
  }
  return looked;
}

/** What the target of a reference lacked then; empty: nothing; undefined: it was not seen. */
function lackOf(
  seen: Seen,
  { kind, name, finalizers }: Reference,
  at: bigint,
  kinds: readonly string[],
): string | undefined {
  const target = seen.history(kind, name).findLast((version) => versionOf(version) <= at);
  const missing = finalizers.find((finalizer) => target?.metadata.finalizers?.includes(finalizer) !== true);
  const isUnbuilt = kind !== 'Secret' && (target === undefined || !isBuilt(target));
  if (missing === undefined && !isUnbuilt) return '';
  // A version between this one and the list may have been missed.
  if (kinds.some((each) => seen.gaps(each).some((gap) => BigInt(gap) >= at))) return undefined;
  return isUnbuilt ? 'resource' : `guard '${missing}'`;
}

/** It says what it stands for in the cloud. */
function isBuilt(version: Raw): boolean {
  return BY_KIND.get(version.kind)?.externalId(version as unknown as KubeObject) !== undefined;
}

function versionOf({ metadata }: Raw): bigint {
  return BigInt(metadata.resourceVersion);
}
