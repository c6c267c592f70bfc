// The objects of a collection, by namespace and name.
//
// Invariants:
//   KSIM-ORDERED-OBJECTS-1. A write costs nothing that grows with the number of objects; listing sorts only after names came or went.
import type { Stored } from './stored.ts';

export interface OrderedObjects {
  get(namespace: string, name: string): Stored | undefined;
  /** Number of objects in a namespace, or in all. */
  count(namespace?: string): number;
  /** In the order of namespace and name. `after` is `<namespace>/<name>`; only greater keys are returned. */
  list(namespace: string | undefined, after: string): Stored[];
  /** Puts an object in its place, or takes away what is there. */
  set(namespace: string, name: string, stored: Stored | undefined): void;
}

export function orderedObjects(): OrderedObjects {
  const namespaces = new Map<string, Map<string, Stored>>();
  let order: string[] | undefined;
  let total = 0;

  const get = (namespace: string, name: string): Stored | undefined => namespaces.get(namespace)?.get(name);
  const keysOf = (namespace: string): string[] =>
    [...(namespaces.get(namespace)?.keys() ?? [])].map((name) => `${namespace}/${name}`);
  const keys = (namespace: string | undefined): string[] => {
    if (namespace !== undefined && order === undefined) return keysOf(namespace).sort();
    order ??= [...namespaces.keys()].flatMap(keysOf).sort();
    return namespace === undefined ? order : order.filter((path) => path.startsWith(`${namespace}/`));
  };

  return {
    get,
    count: (namespace) => (namespace === undefined ? total : (namespaces.get(namespace)?.size ?? 0)),
    list(namespace, after) {
      const found: Stored[] = [];
      for (const path of keys(namespace)) {
        if (path <= after) continue;
        const slash = path.indexOf('/');
        const stored = get(path.slice(0, slash), path.slice(slash + 1));
        if (stored !== undefined) found.push(stored);
      }
      return found;
    },
    set(namespace, name, stored) {
      const objects = namespaces.get(namespace) ?? new Map<string, Stored>();
      const isThere = objects.has(name);
      if (stored === undefined) objects.delete(name);
      else objects.set(name, stored);
      if (objects.size === 0) namespaces.delete(namespace);
      else namespaces.set(namespace, objects);
      if (isThere === (stored !== undefined)) return;
      total += isThere ? -1 : 1;
      order = undefined; // KSIM-ORDERED-OBJECTS-1
    },
  };
}
