// Objects in memory, of any model: for tests, demonstrations and the development of clients. What it does not do: it runs
// nothing that would make an object ready, and it forgets everything with the process.
//
// Invariants:
//   OCM-MEMORY-1. Every change is delivered before the write that made it answers.
//   OCM-MEMORY-2. An object is removed when it is deleted and nothing holds it: no object inside it, no link to it. Singletons
//       inside an object go with it and hold nothing.
import type { StructType } from '../../model/mod.ts';
import type { Collection } from './collections.ts';
import { linksIn, outerOfLink, typeKey } from './links.ts';
import { withMembersOf } from './paths.ts';
import {
  type Address,
  addressKey,
  type ChangeListener,
  type CreateRequest,
  type Fault,
  type MethodHandler,
  type Outcome,
  type RemoveOutcome,
  type RemoveRequest,
  type SearchField,
  type Store,
  type StoredObject,
  type Table,
  type UpdateRequest,
  type Value,
} from './store.ts';

export interface MemoryStoreOptions {
  /** Attributes that clients cannot set, by collection path; as dotted wire paths. */
  readonly serverOwned?: Readonly<Record<string, readonly string[]>>;
  /** Actions, Post and Search, by collection path and the method's name. */
  readonly methods?: Readonly<Record<string, Readonly<Record<string, MethodHandler>>>>;
  /** Fields of searches that are no attributes, by collection path and name. */
  readonly searchFields?: Readonly<Record<string, Readonly<Record<string, SearchField>>>>;
  /** Collections that are not served; all others are. */
  readonly unbound?: ReadonlySet<string>;
  /** Keeps a deleted object readable until the promise settles: the work of a finalizer. */
  readonly finalize?: (collection: Collection, object: StoredObject) => Promise<void>;
}

interface Kept {
  object: StoredObject;
  /** Keys of what the object depends on. */
  holds: readonly string[];
  finalizing: boolean;
}

/** A store in memory with what its owner does beside clients. */
export interface MemoryStore extends Store {
  /** Writes as the owner of the objects, which may set every attribute; creates what is not there. */
  put(collection: Collection, address: Address, value: Value): StoredObject;
  /** Makes `bind` answer for a collection, or not any more, and tells the gateway. */
  setBound(path: string, isBound: boolean): void;
}

export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const tables = new Map<string, MemoryTable>();
  const unbound = new Set(options.unbound);
  const observers = new Set<() => void>();
  const shared = new Shared(tables);
  const bind = (collection: Collection): MemoryTable => {
    const key = `${collection.path} ${collection.singleton}`;
    const table = tables.get(key) ?? new MemoryTable(shared, options);
    tables.set(key, table);
    table.collection = collection;
    return table;
  };
  return {
    name: 'memory',
    bind: (collection) => (unbound.has(collection.path) ? undefined : bind(collection)),
    describe: ({ path }) => (unbound.has(path) ? undefined : 'memory'),
    onBindingsChanged(onChange) {
      observers.add(onChange);
      return () => observers.delete(onChange);
    },
    put: (collection, address, value) => bind(collection).put(address, value),
    setBound(path, isBound) {
      if (isBound) unbound.delete(path);
      else unbound.add(path);
      for (const observer of observers) observer();
    },
  };
}

/** State that all tables of a store share. */
class Shared {
  readonly #tables: ReadonlyMap<string, MemoryTable>;
  #revision = 0;
  /** Number of objects that hold an object, by its keys. */
  readonly #holders = new Map<string, number>();

  constructor(tables: ReadonlyMap<string, MemoryTable>) {
    this.#tables = tables;
  }

  nextRevision(): string {
    this.#revision += 1;
    return String(this.#revision);
  }

  isHeld(keys: readonly string[], own: readonly string[]): boolean {
    return keys.some((key) => (this.#holders.get(key) ?? 0) > own.filter((each) => each === key).length);
  }

  /** Replaces what an object holds; what nothing holds any more may go. */
  hold(before: readonly string[], now: readonly string[]): void {
    for (const key of now) this.#holders.set(key, (this.#holders.get(key) ?? 0) + 1);
    for (const key of before) {
      const count = (this.#holders.get(key) ?? 0) - 1;
      if (count > 0) this.#holders.set(key, count);
      else this.#holders.delete(key);
    }
    const released = new Set(before.filter((key) => !this.#holders.has(key)));
    if (released.size > 0) for (const table of this.#tables.values()) table.removeReleased(released);
  }

  /** Key of the object that a link leads to; undefined where the holder of the link does not say where it is. */
  targetOf(type: StructType, id: string, holder: StoredObject, collection: Collection): string | undefined {
    for (const { collection: target } of this.#tables.values()) {
      if (target.singleton || typeKey(target.type) !== typeKey(type)) continue;
      const outer = outerOfLink(target, holder, collection);
      if (outer !== undefined) return placeKey(target, outer, id);
    }
    return undefined;
  }

  removeSingletonsIn(collection: Collection, address: Address): void {
    for (const table of this.#tables.values()) table.removeSingletonsIn(collection, address);
  }
}

class MemoryTable implements Table {
  declare collection: Collection;
  readonly #shared: Shared;
  readonly #options: MemoryStoreOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #listeners = new Set<ChangeListener>();
  /** Those in their deleting state. */
  readonly #deleting = new Set<string>();

  constructor(shared: Shared, options: MemoryStoreOptions) {
    this.#shared = shared;
    this.#options = options;
  }

  get serverOwned(): ReadonlySet<string> {
    return new Set(this.#options.serverOwned?.[this.collection.path]);
  }

  get searchFields(): ReadonlyMap<string, SearchField> {
    return new Map(Object.entries(this.#options.searchFields?.[this.collection.path] ?? {}));
  }

  get methods(): ReadonlyMap<string, MethodHandler> {
    return new Map(Object.entries(this.#options.methods?.[this.collection.path] ?? {}));
  }

  watch(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    listener({ kind: 'all', objects: [...this.#kept.values()].map(({ object }) => object) });
    return () => this.#listeners.delete(listener);
  }

  async create({ address, value, dryRun }: CreateRequest): Promise<Outcome> {
    if (this.#kept.has(addressKey(address))) return { kind: 'exists' };
    const allowed = withMembersOf(value, {}, this.serverOwned);
    if (dryRun) return { kind: 'stored', object: { ...address, revision: '0', deleting: false, value: allowed } };
    return { kind: 'stored', object: this.put(address, allowed) };
  }

  async update({ address, edit }: UpdateRequest): Promise<Outcome> {
    const kept = this.#kept.get(addressKey(address));
    if (kept === undefined) return { kind: 'notFound' };
    const edited = edit(kept.object);
    if ('kind' in edited) return edited satisfies Fault;
    // mutant: memory-status-from-outside () -> $1
    const value = withMembersOf(edited.value, kept.object.value, this.serverOwned);
    return { kind: 'stored', object: this.put(address, value) };
  }

  async remove({ address }: RemoveRequest): Promise<RemoveOutcome> {
    const key = addressKey(address);
    const kept = this.#kept.get(key);
    if (kept === undefined) return { kind: 'notFound' };
    if (!kept.object.deleting) {
      kept.object = { ...kept.object, deleting: true, revision: this.#shared.nextRevision() };
      this.#deleting.add(key);
      this.#deliver(kept.object);
      const work = this.#options.finalize?.(this.collection, kept.object);
      kept.finalizing = work !== undefined;
      const finish = (): void => {
        kept.finalizing = false;
        this.#removeIfFree(key);
      };
      work?.then(finish, finish);
    }
    return this.#removeIfFree(key) ?? { kind: 'stored', object: kept.object };
  }

  put(address: Address, value: Value): StoredObject {
    const key = addressKey(address);
    const known = this.#kept.get(key);
    const object: StoredObject = {
      outer: address.outer,
      id: address.id,
      revision: this.#shared.nextRevision(),
      deleting: known?.object.deleting ?? false,
      value,
    };
    const holds = this.#holdsOf(object);
    this.#kept.set(key, { object, holds, finalizing: known?.finalizing ?? false });
    this.#deliver(object);
    this.#shared.hold(known?.holds ?? [], holds);
    return object;
  }

  removeReleased(released: ReadonlySet<string>): void {
    for (const key of this.#deleting) {
      const object = this.#kept.get(key)?.object;
      if (object !== undefined && this.#keysOf(object).some((each) => released.has(each))) this.#removeIfFree(key);
    }
  }

  removeSingletonsIn(outside: Collection, { outer, id }: Address): void {
    if (!this.collection.singleton) return;
    const at = this.collection.outer.findIndex((each) => each?.path === outside.path);
    if (at < 0) return;
    const path = [...outer, id];
    for (const [key, { object }] of this.#kept) {
      if (at + 1 === path.length && path.every((each, index) => object.outer[index] === each)) this.#drop(key);
    }
  }

  #removeIfFree(key: string): RemoveOutcome | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || !kept.object.deleting || kept.finalizing) return undefined;
    if (this.#shared.isHeld(this.#keysOf(kept.object), kept.holds)) return undefined;
    return { kind: 'removed', revision: this.#drop(key) };
  }

  #drop(key: string): string {
    const kept = this.#kept.get(key);
    const revision = this.#shared.nextRevision();
    if (kept === undefined) return revision;
    const { outer, id } = kept.object;
    this.#kept.delete(key);
    this.#deleting.delete(key);
    for (const listener of this.#listeners) listener({ kind: 'removed', address: { outer, id }, revision });
    if (!this.collection.singleton) this.#shared.removeSingletonsIn(this.collection, kept.object);
    this.#shared.hold(kept.holds, []);
    return revision;
  }

  #deliver(object: StoredObject): void {
    for (const listener of this.#listeners) listener({ kind: 'stored', object });
  }

  /** An object is held by its place and, by links that do not say where it is, by its type. */
  #keysOf({ outer, id }: StoredObject): string[] {
    return this.collection.singleton
      ? []
      : [placeKey(this.collection, outer, id), `${typeKey(this.collection.type)} ${id}`];
  }

  #holdsOf(object: StoredObject): string[] {
    const { collection } = this;
    const { outer, value } = object;
    if (collection.singleton) return [];
    const places = collection.outer.flatMap((each, index) =>
      each === undefined ? [] : [placeKey(each, outer.slice(0, index), outer[index] ?? '')],
    );
    const links = linksIn(collection.type, value).map(
      // mutant: memory-holds-any ?? -> $2
      ({ type, id }) => this.#shared.targetOf(type, id, object, collection) ?? `${typeKey(type)} ${id}`,
    );
    return [...places, ...links];
  }
}

function placeKey({ path }: Collection, outer: readonly string[], id: string): string {
  return `${path} ${addressKey({ outer, id })}`;
}
