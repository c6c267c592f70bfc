// Changes to the simulated cloud that come from outside.
import type { JsonObject } from '../../../bus/bus.ts';
import { bump } from './neutron-resource.ts';
import { CollectionName, type Item, type Store } from './store.ts';

/** Changes that no client of the simulated cloud made. */
export interface Drift {
  /** Stores an item as it is, with an id if it has none. @returns its id */
  add(collection: CollectionName, attributes: JsonObject): string;
  /** @throws when there is no such item */
  change(collection: CollectionName, id: string, attributes: JsonObject): void;
  /** Removes an item, in use or not. @throws when there is no such item */
  remove(collection: CollectionName, id: string): void;
}

const NEUTRON_COLLECTIONS: ReadonlySet<CollectionName> = new Set([
  CollectionName.Networks,
  CollectionName.Subnets,
  CollectionName.Ports,
  CollectionName.Routers,
  CollectionName.SecurityGroups,
  CollectionName.SecurityGroupRules,
]);
const UUIDS: ReadonlySet<CollectionName> = new Set([...NEUTRON_COLLECTIONS, CollectionName.Images]);

export function drift(store: Store): Drift {
  const existing = (collection: CollectionName, id: string): Item => {
    const item = store.collection(collection).get(id);
    if (item === undefined) throw new Error(`no '${id}' among the simulated ${collection}`);
    return item;
  };
  const isNeutron = (collection: CollectionName): boolean => NEUTRON_COLLECTIONS.has(collection);
  return {
    add(collection, attributes) {
      const id = String(attributes['id'] ?? (UUIDS.has(collection) ? store.newUuid() : store.newHexId()));
      store.collection(collection).set(id, { ...attributes, id });
      return id;
    },
    change(collection, id, attributes) {
      const item = existing(collection, id);
      Object.assign(item, attributes);
      if (isNeutron(collection)) bump(item, store);
    },
    remove(collection, id) {
      existing(collection, id);
      store.collection(collection).delete(id);
    },
  };
}
