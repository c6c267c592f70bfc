// The store of objects: in memory as JSON texts, a collection for each resource, one counter of revisions for all, and
// the recent changes of each collection for watches. With a journal, what is shown to clients survives a crash.
//
// Invariants:
//   KSIM-STORE-1. Every change gets a revision greater than all before it, and is the `resourceVersion` of what was written.
//   KSIM-STORE-2. Changes are applied, followed and shown in the order of their revisions.
//   KSIM-STORE-3. Who follows the store hears a change before the write that caused it returns. Who watches hears it when it is
//       settled: at once without a journal, else when the journal has it.
import type { KubeObject } from '../base/kube-object.ts';
import { type Change, type History, type HistoryLimits, history } from './history.ts';
import { type OrderedObjects, orderedObjects } from './ordered-objects.ts';
import { type Entry, type Journal, settlement } from './settlement.ts';
import { restamped, type Stored, stamped } from './stored.ts';

export type { Change } from './history.ts';
export type { Stored } from './stored.ts';

/** The lines of watches that a change was made into, by what they depend on: made once for all who watch. */
export type Frames = Map<string, Buffer>;

export interface Collection extends Omit<OrderedObjects, 'set'> {
  /** `<group>/<plural>`. */
  readonly key: string;
  /** Stores an object as new or in place of the old one. */
  put(object: KubeObject): Stored;
  remove(namespace: string, name: string): Stored | undefined;
  /** The changes after a revision, or undefined when they are no longer all known. The last ones may not be settled. */
  changesSince(revision: number): readonly Change[] | undefined;
  /** The greatest revision after which not all changes are known. */
  forgottenRevision(): number;
  /** As `follow` of the store, for one collection. */
  follow(onChange: (change: Change) => void): void;
  /**
   * Receives changes when they are settled, for clients.
   *
   * @param onChange  `frames` is of this change, and shared by all who listen
   */
  listen(onChange: (change: Change, frames: Frames) => void): () => void;
}

export interface Store {
  /** Revision of the last change, whether it is settled or not. */
  revision(): number;
  /** Revision of the last change that listeners have received. */
  shownRevision(): number;
  /**
   * Waits until nothing can take back what is in the store now: an answer that was made from it may go out then.
   * Undefined when there is nothing to wait for; resolves to an error when what was not settled has been undone.
   */
  settled(): Promise<Error | undefined> | undefined;
  collection(key: string): Collection;
  collections(): Iterable<Collection>;
  /** Forgets a collection. Its objects must be deleted. */
  drop(key: string): void;
  /**
   * Receives the objects of all collections: existing ones as ADDED, and then every change as it happens.
   * An undone change is received as the opposite change.
   */
  follow(onChange: (collection: Collection, change: Change) => void): void;
  /** Goes on from the revision of an earlier process, of which changes before are not known. Comes before all else. */
  restoreRevision(revision: number): void;
  /** Brings back an object of an earlier process, as it was at that revision. */
  restore(key: string, stored: Stored): void;
  /** Brings back a change that came after that, in the order of revisions. */
  restoreChange(key: string, change: RestoredChange): void;
  /** Waits until all is settled. What is written later is written to memory only, and never settled. */
  close(): Promise<void>;
}

/** The state of an object at a revision: `stored`, or nothing. */
export interface RestoredChange {
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
  readonly stored: Stored | undefined;
}

export interface StoreOptions {
  /** Most that each collection remembers of its changes. */
  readonly remembered: HistoryLimits;
  /** Greater than all of an earlier server that a client may remember; 1 by default. */
  readonly firstRevision?: number;
  readonly journal?: Journal;
}

/** A collection, and what only the store does with it. */
interface Part {
  readonly collection: Collection;
  readonly objects: OrderedObjects;
  readonly past: History;
  readonly listening: Set<(change: Change, frames: Frames) => void>;
  readonly following: ((change: Change) => void)[];
}

const asAdded = (stored: Stored): Change => ({ type: 'ADDED', revision: stored.revision, stored, previous: undefined });

interface Applied extends Entry {
  readonly part: Part;
}

export function memoryStore({ remembered, firstRevision = 1, journal }: StoreOptions): Store {
  let lastRevision = firstRevision;
  let shownRevision = firstRevision;
  /** Earliest revision: the changes before are not known. */
  let startRevision = firstRevision;
  const parts = new Map<string, Part>();
  /** Revisions at which collections were forgotten: watches of them cannot continue with their successors. */
  const dropped = new Map<string, number>();
  const followers: ((collection: Collection, change: Change) => void)[] = [];
  const show = ({ part, change }: Applied): void => {
    shownRevision = change.revision;
    const frames: Frames = new Map();
    for (const onChange of part.listening) onChange(change, frames);
  };
  const report = ({ collection, following }: Part, change: Change): void => {
    for (const onChange of following) onChange(change);
    for (const onChange of followers) onChange(collection, change);
  };
  const undo = ({ key, part, change }: Applied): void => {
    const { namespace = '', name = '' } = change.stored.metadata;
    part.past.undo(change);
    part.objects.set(namespace, name, change.previous);
    parts.set(key, part); // it may have been dropped since
  };
  const tellUndone = ({ part, change: { type, stored, previous } }: Applied): void => {
    const { revision } = previous ?? stored;
    if (previous === undefined) report(part, { type: 'DELETED', revision, stored, previous: stored });
    else if (type === 'DELETED') report(part, { type: 'ADDED', revision, stored: previous, previous: undefined });
    else report(part, { type: 'MODIFIED', revision, stored: previous, previous: stored });
  };
  const settling = journal === undefined ? undefined : settlement<Applied>({ journal, show, undo, tellUndone });

  const create = (key: string): Part => {
    const objects = orderedObjects();
    const past = history(remembered, dropped.get(key) ?? startRevision);
    const record = (type: Change['type'], stored: Stored, previous: Stored | undefined): Stored => {
      const { namespace = '', name = '' } = stored.metadata;
      objects.set(namespace, name, type === 'DELETED' ? undefined : stored);
      const change: Change = { type, revision: stored.revision, stored, previous };
      past.add(change);
      if (settling === undefined) show({ key, part, change });
      else settling.add({ key, part, change });
      report(part, change);
      return stored;
    };
    const collection: Collection = {
      key,
      get: objects.get,
      count: objects.count,
      list: objects.list,
      put(object) {
        const { namespace = '', name = '' } = object.metadata;
        const previous = objects.get(namespace, name);
        return record(
          previous === undefined ? 'ADDED' : 'MODIFIED',
          stamped(object, ++lastRevision, previous),
          previous,
        ); // KSIM-STORE-1
      },
      remove(namespace, name) {
        const previous = objects.get(namespace, name);
        if (previous === undefined) return undefined;
        return record('DELETED', restamped(previous, ++lastRevision), previous); // KSIM-STORE-1
      },
      changesSince: past.since,
      forgottenRevision: past.forgottenRevision,
      follow(onChange) {
        for (const stored of objects.list(undefined, '')) onChange(asAdded(stored));
        part.following.push(onChange);
      },
      listen(onChange) {
        part.listening.add(onChange);
        return () => part.listening.delete(onChange);
      },
    };
    const part: Part = { collection, objects, past, listening: new Set(), following: [] };
    return part;
  };
  const partOf = (key: string): Part => {
    const part = parts.get(key) ?? create(key);
    parts.set(key, part);
    return part;
  };

  return {
    revision: () => lastRevision,
    shownRevision: () => shownRevision,
    settled: () => settling?.settled(),
    collection: (key) => partOf(key).collection,
    collections: () => [...parts.values()].map(({ collection }) => collection),
    drop(key) {
      parts.delete(key);
      dropped.set(key, lastRevision);
    },
    follow(onChange) {
      for (const { collection, objects } of parts.values()) {
        for (const stored of objects.list(undefined, '')) {
          onChange(collection, asAdded(stored));
        }
      }
      followers.push(onChange);
    },
    restoreRevision(revision) {
      lastRevision = revision;
      shownRevision = revision;
      startRevision = revision;
    },
    restore(key, stored) {
      const { namespace = '', name = '' } = stored.metadata;
      partOf(key).objects.set(namespace, name, stored);
    },
    restoreChange(key, { revision, namespace, name, stored }) {
      const { objects, past } = partOf(key);
      const previous = objects.get(namespace, name);
      lastRevision = revision;
      shownRevision = revision;
      objects.set(namespace, name, stored);
      if (stored !== undefined) {
        past.add({ type: previous === undefined ? 'ADDED' : 'MODIFIED', revision, stored, previous });
      } else if (previous !== undefined) {
        past.add({ type: 'DELETED', revision, stored: restamped(previous, revision), previous });
      }
    },
    close: async () => settling?.close(),
  };
}
