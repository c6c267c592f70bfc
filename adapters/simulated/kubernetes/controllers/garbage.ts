// Garbage collection by owner references: dependents are deleted when the last of their owners is deleted.
//
// Invariants:
//   KSIM-GARBAGE-1. An object goes when all owners it names are known not to exist; an owner of a kind that is not served is not
//       known to be anything.

import type { OwnerReference } from '../base/kube-object.ts';
import { deleteObject } from '../objects/lifecycle.ts';
import type { Api } from '../resources/api.ts';
import type { Collection } from '../storage/store.ts';
import type { Facts } from '../storage/stored.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

interface Place {
  readonly collection: Collection;
  readonly namespace: string;
  readonly name: string;
}

const textOf = ({ collection, namespace, name }: Place): string => `${collection.key}\n${namespace}\n${name}`;

/** Follows the store. Work is done after the write that caused it has returned. */
export function collectGarbage(api: Api): void {
  const { store, registry } = api;
  const living = new Map<string, Place>();
  const dependents = new Map<string, Map<string, Place>>();

  const relink = (owners: readonly OwnerReference[] | undefined, place: Place, isLinked: boolean): void => {
    for (const { uid } of owners ?? []) {
      const known = dependents.get(uid) ?? new Map<string, Place>();
      if (isLinked) known.set(textOf(place), place);
      else known.delete(textOf(place));
      if (known.size === 0) dependents.delete(uid);
      else dependents.set(uid, known);
    }
  };
  const isServed = ({ apiVersion, kind }: OwnerReference): boolean =>
    registry.all().some((resource) => resource.apiVersion === apiVersion && resource.kind === kind);
  const isGone = (owner: OwnerReference): boolean => !living.has(owner.uid) && isServed(owner);

  const settle = (place: Place): void => {
    const { collection, namespace, name } = place;
    const stored = collection.get(namespace, name);
    const { ownerReferences = [], deletionTimestamp } = stored?.metadata ?? {};
    if (stored === undefined || deletionTimestamp !== undefined || ownerReferences.length === 0) return;
    const left = ownerReferences.filter((owner) => !isGone(owner));
    if (left.length === ownerReferences.length) return;
    if (left.length > 0) {
      const { object } = stored;
      collection.put({ ...object, metadata: { ...object.metadata, ownerReferences: left } });
    } else {
      remove(place); // KSIM-GARBAGE-1
    }
  };
  const remove = ({ collection, namespace, name }: Place): void => {
    const [resource] = registry.ofStoreKey(collection.key);
    if (resource === undefined || collection.get(namespace, name) === undefined) return;
    const preconditions = { uid: undefined, resourceVersion: undefined };
    deleteObject(api, resource, collection, namespace, name, { preconditions, dryRun: false, propagation: '' });
  };
  const release = ({ collection, namespace, name }: Place, finalizer: string): void => {
    const object = collection.get(namespace, name)?.object;
    if (object === undefined) return;
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    if (finalizers.length === 0) collection.remove(namespace, name);
    else collection.put({ ...object, metadata: { ...object.metadata, finalizers } });
  };
  const dependentsOf = (uid: string): Place[] => [...(dependents.get(uid)?.values() ?? [])];

  const blocks = ({ collection, namespace, name }: Place, owner: string): boolean => {
    const { ownerReferences = [] } = collection.get(namespace, name)?.metadata ?? {};
    return ownerReferences.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true);
  };

  const propagate = (place: Place, { finalizers = [], uid = '', deletionTimestamp }: Facts): void => {
    if (deletionTimestamp === undefined) return;
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependentsOf(uid)) {
        const current = dependent.collection.get(dependent.namespace, dependent.name)?.object;
        if (current === undefined) continue;
        const left = (current.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
        const { ownerReferences: _, ...metadata } = current.metadata;
        dependent.collection.put({
          ...current,
          metadata: left.length === 0 ? metadata : { ...metadata, ownerReferences: left },
        });
      }
      release(place, ORPHAN);
    } else if (finalizers.includes(FOREGROUND)) {
      for (const dependent of dependentsOf(uid)) if (blocks(dependent, uid)) remove(dependent);
      // The others follow when the owner is deleted.
      if (!dependentsOf(uid).some((dependent) => blocks(dependent, uid))) release(place, FOREGROUND);
    }
  };

  store.follow((collection, { type, stored: { metadata }, previous }) => {
    const { namespace = '', name = '', uid = '', ownerReferences } = metadata;
    const place: Place = { collection, namespace, name };
    relink(previous?.metadata.ownerReferences, place, false);
    if (type === 'DELETED') {
      living.delete(uid);
      const orphans = dependentsOf(uid);
      const owners = ownerReferences ?? [];
      if (orphans.length === 0 && owners.length === 0) return;
      queueMicrotask(() => {
        for (const orphan of orphans) settle(orphan);
        // An owner that waits for its dependents may go now.
        for (const owner of owners) {
          const waiting = living.get(owner.uid);
          const current = waiting?.collection.get(waiting.namespace, waiting.name)?.metadata;
          if (waiting !== undefined && current?.uid === owner.uid) propagate(waiting, current);
        }
      });
      return;
    }
    if (!living.has(uid)) living.set(uid, place); // an object stays where it is
    relink(ownerReferences, place, true);
    if (ownerReferences?.some(isGone)) queueMicrotask(() => settle(place));
    const held = metadata.finalizers ?? [];
    if (metadata.deletionTimestamp !== undefined && (held.includes(FOREGROUND) || held.includes(ORPHAN))) {
      queueMicrotask(() => {
        const current = collection.get(namespace, name)?.metadata;
        if (current?.uid === uid) propagate(place, current);
      });
    }
  });
}
