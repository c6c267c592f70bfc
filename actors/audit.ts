// Asks the API server who still refers to a deleted object (P7, P8).
import { compareVersions, type ObjectList, type Objects, type Resource } from '../adapters/kubernetes/mod.ts';
import { AbsentError, addressKey } from '../bus/mod.ts';
import type { AuditOutput } from '../machines/guard.ts';
import type { Life, ObjectActor } from './object-actor.ts';
import { type Registry, resourceOf } from './registry.ts';

/**
 * One list for each kind that may hold one of `finalizers`. Claims of objects that are gone, replaced or refer to this
 * one no more are dropped from the table.
 *
 * @returns the finalizers that may go: every object of their kinds that refers to this one has a claim in the table, of
 * its own uid, that was seen to end or has yielded this incarnation; and the revision of the table that this was found under
 */
export async function auditGuards(
  { objects, registry }: { objects: Objects; registry: Registry },
  actor: ObjectActor,
  { uid }: Life,
  finalizers: readonly string[],
): Promise<AuditOutput> {
  const { namespace } = actor.address;
  const kinds = [...new Set(finalizers.flatMap((finalizer) => registry.claimants(finalizer)))];
  const lists = await Promise.all(
    kinds.map(async (kind) => ({ kind, list: await listed(objects, resourceOf(kind), namespace) })),
  );
  const holding = new Set<string>();
  for (const { kind, list } of lists) {
    const referring = new Map<string, string>();
    for (const object of list.items) {
      const from = { realm: kind.realm, plural: kind.plural, namespace, name: object.metadata.name };
      const wanted = kind
        .references(object)
        .filter((reference) => addressKey(registry.target(from, reference)) === actor.key)
        .flatMap((reference) => reference.finalizers);
      if (wanted.length === 0) continue;
      const key = addressKey(from);
      referring.set(key, object.metadata.uid);
      const claim = actor.claims.get(key);
      const yielded = claim?.uid === object.metadata.uid && claim.notOn.includes(uid);
      // Its tombstone comes before its own finalizer goes, so the object may still be there for a moment.
      const ended = actor.claims.endedUid(key) === object.metadata.uid;
      if (!yielded && !ended) for (const finalizer of wanted) holding.add(finalizer);
    }
    for (const [key, claim] of [...actor.claims.entries()]) {
      if (claim.from.realm !== kind.realm || claim.from.plural !== kind.plural || referring.get(key) === claim.uid)
        continue;
      // A claim that is newer than the list is not judged by it.
      if (compareVersions(claim.resourceVersion, list.resourceVersion) <= 0) actor.dropClaim(key);
    }
  }
  actor.reconsider();
  return { free: finalizers.filter((finalizer) => !holding.has(finalizer)), revision: actor.claims.revision };
}

/** A kind that the API server does not serve has no objects. */
async function listed(objects: Objects, resource: Resource, namespace: string): Promise<ObjectList> {
  try {
    return await objects.list(resource, namespace);
  } catch (error) {
    if (error instanceof AbsentError) return { items: [], resourceVersion: '0', serverTime: 0 };
    throw error;
  }
}
