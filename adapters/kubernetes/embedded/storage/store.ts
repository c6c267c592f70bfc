// Where the objects are: in memory as JSON texts, a collection for each resource, one counter of revisions for all, and
// the recent changes of each collection for those who watch. Everything that survives a restart would have to be kept
// here.
//
// Invariants:
//   S1. Every change gets a revision greater than all before it, and is the `resourceVersion` of what was written.
//   S2. A write costs nothing that grows with the number of objects; listing sorts only after names came or went.
//   S3. Listeners hear changes in the order of their revisions, each before the write that caused it returns.
import type { KubeObject } from '../json.ts';
import { type Change, type HistoryLimits, history } from './history.ts';
import { restamped, type Stored, stamped } from './stored.ts';

export type { Change } from './history.ts';
export type { Stored } from './stored.ts';

/** The lines of watches that a change was made into, by what they depend on: made once for all who watch. */
export type Frames = Map<string, Buffer>;

export interface Collection {
  /** `<group>/<plural>`. */
  readonly key: string;
  get(namespace: string, name: string): Stored | undefined;
  /** How many objects are in a namespace, or in all. */
  count(namespace?: string): number;
  /** In the order of namespace and name. `after` is `<namespace>/<name>`; only greater keys are returned. */
  list(namespace: string | undefined, after: string): Stored[];
  /** Stores an object as new or in place of the old one. */
  put(object: KubeObject): Stored;
  remove(namespace: string, name: string): Stored | undefined;
  /** The changes after a revision, or undefined when they are no longer all known. */
  changesSince(revision: number): readonly Change[] | undefined;
  /** The greatest revision after which not all changes are known. */
  forgottenRevision(): number;
  /** @param onChange  `frames` is of this change, and shared by all who listen */
  listen(onChange: (change: Change, frames: Frames) => void): () => void;
}

export interface Store {
  revision(): number;
  collection(key: string): Collection;
  collections(): Iterable<Collection>;
  /** Forgets a collection. Its objects must be gone. */
  drop(key: string): void;
  /** Hears the changes of all collections, also of those that come later. */
  listen(onChange: (collection: Collection, change: Change) => void): void;
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/**
 * @param options.remembered  most that each collection remembers of its changes
 * @param options.firstRevision  greater than all of an earlier server that somebody may remember; 1 unless told
 */
export function memoryStore({
  remembered,
  firstRevision = 1,
}: {
  readonly remembered: HistoryLimits;
  readonly firstRevision?: number;
}): Store {
  let lastRevision = firstRevision;
  const collections = new Map<string, Collection>();
  const listeners: ((collection: Collection, change: Change) => void)[] = [];

  const create = (key: string): Collection => {
    const namespaces = new Map<string, Map<string, Stored>>();
    const listening = new Set<(change: Change, frames: Frames) => void>();
    let order: string[] | undefined;
    let total = 0;
    const past = history(remembered, lastRevision);

    const emit = (change: Change): void => {
      past.add(change);
      const frames: Frames = new Map();
      for (const onChange of listening) onChange(change, frames);
      for (const onChange of listeners) onChange(collection, change);
    };

    const collection: Collection = {
      key,
      get: (namespace, name) => namespaces.get(namespace)?.get(name),
      count: (namespace) => (namespace === undefined ? total : (namespaces.get(namespace)?.size ?? 0)),
      list(namespace, after) {
        const lookUp = (path: string): Stored | undefined => {
          const slash = path.indexOf('/');
          return namespaces.get(path.slice(0, slash))?.get(path.slice(slash + 1));
        };
        let keys: string[];
        if (namespace !== undefined && order === undefined) {
          keys = [...(namespaces.get(namespace)?.keys() ?? [])].sort().map((name) => keyOf(namespace, name));
        } else {
          order ??= [...namespaces]
            .flatMap(([ns, objects]) => [...objects.keys()].map((name) => keyOf(ns, name)))
            .sort();
          keys = namespace === undefined ? order : order.filter((path) => path.startsWith(`${namespace}/`));
        }
        const found: Stored[] = [];
        for (const path of keys) {
          if (path <= after) continue;
          const stored = lookUp(path);
          if (stored !== undefined) found.push(stored);
        }
        return found;
      },
      put(object) {
        const { namespace = '', name = '' } = object.metadata;
        let objects = namespaces.get(namespace);
        if (objects === undefined) {
          objects = new Map();
          namespaces.set(namespace, objects);
        }
        const previous = objects.get(name);
        const stored = stamped(object, ++lastRevision); // S1
        objects.set(name, stored);
        if (previous === undefined) {
          total++;
          order = undefined; // S2
        }
        const type = previous === undefined ? 'ADDED' : 'MODIFIED';
        emit({ type, revision: stored.revision, stored, previous });
        return stored;
      },
      remove(namespace, name) {
        const objects = namespaces.get(namespace);
        const previous = objects?.get(name);
        if (objects === undefined || previous === undefined) return undefined;
        objects.delete(name);
        if (objects.size === 0) namespaces.delete(namespace);
        total--;
        order = undefined;
        const stored = restamped(previous, ++lastRevision); // S1
        emit({ type: 'DELETED', revision: stored.revision, stored, previous });
        return stored;
      },
      changesSince: (revision) => past.since(revision),
      forgottenRevision: () => past.forgottenRevision(),
      listen(onChange) {
        listening.add(onChange);
        return () => listening.delete(onChange);
      },
    };
    return collection;
  };

  return {
    revision: () => lastRevision,
    collection(key) {
      let found = collections.get(key);
      if (found === undefined) {
        found = create(key);
        collections.set(key, found);
      }
      return found;
    },
    collections: () => collections.values(),
    drop: (key) => void collections.delete(key),
    listen: (onChange) => void listeners.push(onChange),
  };
}
