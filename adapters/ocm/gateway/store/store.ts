// Port of the store that keeps the objects of a served model.
//
// The gateway never reads through this port on behalf of a request. A store delivers its objects and every change of them to
// a listener, which feeds an index in memory; List, Search and Get answer from that index. Requests reach the store only as
// writes.
//
// Values are in wire form (names of JSON properties) without `kind`, `id` and `href`. A link is `{ id }`, with `href` where the
// store knows it better than the locator tree. An attribute that is not set is absent, never null.
//
// Invariants (each store holds them; `test/adapters/ocm/gateway/store.suite.ts` checks them):
//   OCM-STORE-1. The first change that a listener receives is `all`; then come changes of one object in the order of its revisions.
//   OCM-STORE-2. A write returns the object as stored. Its revision is one that the listener receives too, earlier or later, unless
//       a newer one replaced it in the meantime.
//   OCM-STORE-3. `update` applies `edit` to the newest object: a write by another client in between makes it read again, not
//       overwrite.
//   OCM-STORE-4. No write changes an attribute that `serverOwned` names, whatever `value` or `edit` brings.
//   OCM-STORE-5. An object with dependents always stays readable with `deleting` until the last one is deleted; then
//       comes `removed`. Objects inside an object, and objects with a link to it, are its dependents.
import type { Collection } from './collections.ts';

/** The members of an object by wire name. */
export type Value = Readonly<Record<string, unknown>>;

/** Names an object within its collection. */
export interface Address {
  /** Identifiers of the objects around it, outermost first: one for each path parameter of the collection. */
  readonly outer: readonly string[];
  /** Empty for a singleton. */
  readonly id: string;
}

export interface StoredObject extends Address {
  /** A whole number in decimal digits; a later state of the same object has a larger one. */
  readonly revision: string;
  /** Deleted by a client, and not gone yet. */
  readonly deleting: boolean;
  readonly value: Value;
}

export type Change =
  /** All objects of the collection. Replaces the known state: objects that are not among them are deleted. */
  | { readonly kind: 'all'; readonly objects: readonly StoredObject[] }
  | { readonly kind: 'stored'; readonly object: StoredObject }
  | { readonly kind: 'removed'; readonly address: Address; readonly revision: string };

export type ChangeListener = (change: Change) => void;

/** Authenticated caller of a request. */
export interface Caller {
  /** Empty for unauthenticated callers. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** Context of every write. */
export interface WriteContext {
  readonly caller: Caller;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CreateRequest extends WriteContext {
  readonly address: Address;
  readonly value: Value;
  /** True to check everything and to store nothing; the outcome has the object as it would be stored. */
  readonly dryRun: boolean;
}

export interface UpdateRequest extends WriteContext {
  readonly address: Address;
  /** @returns the whole new value, or why there is none; called again when the object has changed meanwhile. */
  readonly edit: (current: StoredObject) => { readonly value: Value } | Fault;
}

export interface RemoveRequest extends WriteContext {
  readonly address: Address;
}

/** Why a write had no effect, or none that is known. Reasons are shown to clients: plain sentences without anything of the store's own. */
export type Fault =
  | { readonly kind: 'notFound' }
  /** The identifier is taken. */
  | { readonly kind: 'exists' }
  | { readonly kind: 'conflict'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** Nothing was stored: clients repeat the request. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs?: number | undefined }
  /** The write may have been stored. */
  | { readonly kind: 'unknown' };

export type Outcome = { readonly kind: 'stored'; readonly object: StoredObject } | Fault;
/** `stored`: the object is in its deleting state. `removed`: it is deleted already. */
export type RemoveOutcome = Outcome | { readonly kind: 'removed'; readonly revision: string };

/** A call of a method that is none of List, Get, Add, Update and Delete. */
export interface MethodCall extends WriteContext {
  /** Address of the collection of the method's resource; `id` is empty if the resource is not one object. */
  readonly address: Address;
  /** Inputs by wire name; a body that is one value is under the wire name of its parameter. */
  readonly input: Value;
}

export interface MethodDone {
  readonly kind: 'done';
  /** Outputs by wire name. */
  readonly output: Value;
  /** True for a method without outputs whose documentation says that it answers 204, and not 200 with `{}`. */
  readonly isEmpty?: boolean;
}

export type MethodHandler = (call: MethodCall) => Promise<MethodDone | Fault>;

/** The objects of one collection of the model, or its singletons. */
/** Fields that exist in searches and orders only. */
export interface SearchField {
  readonly kind: 'text' | 'number' | 'boolean' | 'date';
  /** The value that is compared; undefined: none. It depends on the object alone. */
  readonly read: (object: StoredObject) => unknown;
}

export interface Table {
  /** Wire paths, dotted, of the attributes that the owner of the objects sets and clients do not. */
  readonly serverOwned: ReadonlySet<string>;
  /**
   * Delivers all objects and then every change, until it is stopped. What is broken meanwhile is repaired by the store, which
   * may deliver `all` again.
   *
   * @returns stops; the listener is not called any more
   */
  watch(listener: ChangeListener): () => void;
  create(request: CreateRequest): Promise<Outcome>;
  update(request: UpdateRequest): Promise<Outcome>;
  remove(request: RemoveRequest): Promise<RemoveOutcome>;
  /**
   * Whether a caller may read an object, or list with `id` undefined; `unavailable` where that is not known now. Where it is
   * absent every caller may.
   */
  readonly mayRead?: (
    caller: Caller,
    address: { outer: readonly string[]; id: string | undefined },
  ) => Promise<boolean | Fault>;
  /** Fields of searches that are no attributes, by their dotted names. */
  readonly searchFields?: ReadonlyMap<string, SearchField>;
  /** Actions, Post and Search by the name of the method as the model writes it (`LendOut`). */
  readonly methods?: ReadonlyMap<string, MethodHandler>;
}

export interface Store {
  /** Name for people: `memory`, `kubernetes`. */
  readonly name: string;
  /**
   * The table of a collection; undefined where nothing is bound to it: its methods answer 501. Called again for every
   * collection after each change of the model or of the bindings. The same collection (by path) has the same objects then; while
   * it is the same table, its watch continues.
   */
  bind(collection: Collection): Table | undefined;
  /** Store bound to a collection, for people: `memory`, `machinepools.clusters.example.com`. */
  describe(collection: Collection): string | undefined;
  /** Calls `onChange` when `bind` would answer differently: kinds come and go while the process runs. @returns stops it */
  onBindingsChanged?(onChange: () => void): () => void;
  close?(): Promise<void>;
}

/** Negative when `a` is the earlier one. */
export function compareRevisions(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Tells an object of a collection from all others. Identifiers have no line feed. */
export function addressKey({ outer, id }: Address): string {
  return outer.length === 0 ? id : `${outer.join('\n')}\n${id}`;
}
