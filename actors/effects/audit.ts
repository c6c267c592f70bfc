// Asks the API server who still refers to a deleted object (P7, P8).
//
// Invariants:
//   AUDIT-1. A query is always answered from lists that began after it; a claimant that is not in them is deleted.
//   AUDIT-2. A thousand questions at once are two lists of a kind in a namespace, not a thousand.
//   AUDIT-3. A claimant with unreadable references always keeps all its claims, and does not affect other claimants.
//   AUDIT-4. The end of a claim frees nothing that its claimant refers to again: what it had built before may be there still (P8).
//   AUDIT-5. A claim without finalizers never holds an object, and ends only with its claimant: such a claimant only
//       watches, without a reference.
//   AUDIT-6. A claimant that is being deleted without its own finalizer holds nothing, also when the end of its claim is lost: it
//       can neither have built anything nor begin to, as the API server takes no finalizer any more (I1).

import { together } from '../../adapters/http/batch.ts';
import { compareVersions, type Objects } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Address, addressKey } from '../../bus/mod.ts';
import type { AuditOutput } from '../../machines/deletion-guard.ts';
import type { Kind } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import type { ObjectActor } from '../object/object-actor.ts';
import type { Incarnation } from '../object/object-context.ts';
import { type Registry, resourceOf } from '../object/registry.ts';

/** Subject of an audit: the actor of a deleted object, with its claims. */
export type Audited = Pick<ObjectActor, 'address' | 'key' | 'claims' | 'dropClaim' | 'recheckClaims'>;

interface Referrer {
  readonly key: string;
  readonly uid: string;
  readonly finalizers: readonly string[];
}

/** Objects of one kind, in one namespace or in all, by the keys of their dependencies. */
interface Referrers {
  readonly resourceVersion: string;
  readonly byTarget: ReadonlyMap<string, readonly Referrer[]>;
  /** All that were listed. */
  readonly listed: ReadonlyMap<string, { readonly uid: string; readonly generation: number }>;
}

/** Target of objects with unreadable references. It is no key of an object. */
const ANYTHING = '*';

export class Audits {
  readonly #objects: Pick<Objects, 'list'>;
  readonly #registry: Registry;
  readonly #readings = together<undefined, Referrers>();

  constructor({ objects, registry }: { objects: Pick<Objects, 'list'>; registry: Registry }) {
    this.#objects = objects;
    this.#registry = registry;
  }

  /**
   * One list for each kind that may hold one of `finalizers`. Claims of deleted or replaced objects, and guarded claims
   * of objects that no longer refer to this one, are removed from the table.
   *
   * @returns the finalizers that may go: every object of their kinds that refers to this one has a claim in the table, of
   * its own uid, that has yielded this incarnation or was seen to end since its last edit; and the revision of the table that
   * this was found under
   */
  async guards(actor: Audited, { uid }: Pick<Incarnation, 'uid'>, finalizers: readonly string[]): Promise<AuditOutput> {
    const kinds = [...new Set(finalizers.flatMap((finalizer) => this.#registry.claimants(finalizer)))];
    const found = await Promise.all(
      kinds.map(async (kind) => {
        const place = placeOf(kind, actor.address);
        return { kind, place, referrers: await this.#read(kind, place) };
      }),
    );
    const holding = new Set<string>();
    for (const { kind, place, referrers } of found) {
      const referring = new Map<string, string>();
      for (const referrer of [
        ...(referrers.byTarget.get(actor.key) ?? []),
        ...(referrers.byTarget.get(ANYTHING) ?? []),
      ]) {
        referring.set(referrer.key, referrer.uid);
        const claim = actor.claims.get(referrer.key);
        const withdrawnUids = claim?.uid === referrer.uid && claim.withdrawnFrom.includes(uid);
        // Its tombstone comes before its own finalizer goes, so the object may still be there for a moment. That of a
        // reference which was edited away is of an older generation than the edit that brought it back (AUDIT-4).
        const end = actor.claims.ended(referrer.key);
        const { generation = 0 } = referrers.listed.get(referrer.key) ?? {};
        // mutant: audit-end-frees-later-claim &&.2 -> true
        const ended = end?.uid === referrer.uid && end.generation >= generation;
        if (!withdrawnUids && !ended) for (const finalizer of referrer.finalizers) holding.add(finalizer);
      }
      for (const [key, claim] of [...actor.claims.entries()]) {
        if (claim.from.realm !== kind.realm || claim.from.plural !== kind.plural) continue;
        // Watchers in other namespaces were not listed.
        if (place !== undefined && claim.from.namespace !== place) continue;
        const claimant = referrers.listed.get(key);
        // mutant: audit-drops-unguarded && -> false
        if (claim.finalizers.length === 0 && claimant?.uid === claim.uid) continue;
        if (referring.get(key) === claim.uid) continue;
        // A claim that is newer than the list is not judged by it. Generations of another incarnation prove nothing.
        // mutant: audit-drops-newer-claim drop
        // mutant: audit-keeps-claim-of-predecessor &&.1 -> claimant !== undefined
        if (claimant?.uid === claim.uid && claim.generation > claimant.generation) continue;
        if (compareVersions(claim.resourceVersion, referrers.resourceVersion) <= 0) actor.dropClaim(key);
      }
    }
    actor.recheckClaims();
    return { free: finalizers.filter((finalizer) => !holding.has(finalizer)), revision: actor.claims.revision };
  }

  /** From a list that begins now, or as soon as the one that is under way has ended (AUDIT-1). */
  #read(kind: Kind, namespace: string | undefined): Promise<Referrers> {
    return this.#readings(`${kind.realm}/${kind.plural}/${namespace ?? '*'}`, undefined, () =>
      this.#list(kind, namespace),
    );
  }

  /** References of an object, with the finalizers that it needs there. */
  #targets(kind: Kind, from: Address, object: KubeObject): ReadonlyMap<string, readonly string[]> {
    const finalizers = new Map<string, string[]>();
    if (isWithoutWork(kind, object)) return finalizers;
    try {
      for (const reference of kind.references(object)) {
        if (reference.finalizers.length === 0) continue;
        const target = addressKey(this.#registry.target(from, reference));
        finalizers.set(target, [...(finalizers.get(target) ?? []), ...reference.finalizers]);
      }
    } catch {
      // Its own actor reports the failure (I11). Without its own finalizer it has claimed nothing yet.
      const hasClaimed = object.metadata.finalizers?.includes(kind.finalizer) === true;
      // mutant: audit-forgets-claimants ?:.2 -> []
      return new Map([[ANYTHING, hasClaimed ? kind.guards : []]]);
    }
    return finalizers;
  }

  async #list(kind: Kind, namespace: string | undefined): Promise<Referrers> {
    const byTarget = new Map<string, Referrer[]>();
    const listed = new Map<string, { readonly uid: string; readonly generation: number }>();
    try {
      const { items, resourceVersion } = await this.#objects.list(resourceOf(kind), namespace);
      for (const object of items) {
        const { namespace: own = '', name } = object.metadata;
        const from = { realm: kind.realm, plural: kind.plural, namespace: own, name };
        const { uid, generation = 0 } = object.metadata;
        listed.set(addressKey(from), { uid, generation });
        for (const [target, its] of this.#targets(kind, from, object)) {
          const referrer = { key: addressKey(from), uid, finalizers: its };
          const referrers = byTarget.get(target);
          if (referrers === undefined) byTarget.set(target, [referrer]);
          else referrers.push(referrer);
        }
      }
      return { resourceVersion, byTarget, listed };
    } catch (error) {
      // A kind that the API server does not serve has no objects.
      if (error instanceof AbsentError) return { resourceVersion: '0', byTarget, listed };
      throw error;
    }
  }
}

/** Whether there is nothing that an object has built, and never will be (AUDIT-6). A kind without a finalizer does not say so. */
function isWithoutWork({ finalizer }: Kind, { metadata: { deletionTimestamp, finalizers } }: KubeObject): boolean {
  // mutant: audit-frees-living &&.1 -> true
  // mutant: audit-frees-owned &&.3 -> true
  return deletionTimestamp !== undefined && finalizer !== '' && finalizers?.includes(finalizer) !== true;
}

/** Namespace in which objects of a kind may refer to the one of that address; undefined: any. */
function placeOf({ allowsCrossNamespace }: Kind, { namespace }: Address): string | undefined {
  return allowsCrossNamespace === true || namespace === '' ? undefined : namespace;
}
