// The objects of a collection around which are the same outer objects, with the indexes that their queries use.
//
// Invariants:
//   OCM-BUCKET-1. A query gives what a walk over all objects would give: indexes only choose which objects are looked at.
//   OCM-BUCKET-2. Indexes are made for queries that come, and kept up by changes. There are at most MOST_INDEXES and MOST_ORDERS.
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import type { CompiledSearch, Plan } from './compile.ts';
import { type Key, valueKey } from './constants.ts';
import type { Field } from './fields.ts';
import { BY_ID, type Order } from './order.ts';
import { SortedObjects } from './sorted.ts';
import type { Spending } from './tests.ts';

const MOST_INDEXES = 16;
const MOST_ORDERS = 8;
/** Fewer objects are looked at one by one. */
const FEW = 64;
/** Share of the objects that is sorted per query; more than that is taken from the order of all. */
const SMALL_PART = 1 / 8;
/** Cost limit of one query: tens of milliseconds. */
const MOST_STEPS = 20_000_000;

type Entries = Map<Key | undefined, Set<StoredObject>>;
interface FieldIndex {
  readonly field: Field;
  readonly entries: Entries;
}

export class Bucket {
  readonly #byId = new Map<string, StoredObject>();
  readonly #orders = new Map<string, SortedObjects>();
  readonly #indexes = new Map<string, FieldIndex>();

  get(id: string): StoredObject | undefined {
    return this.#byId.get(id);
  }

  get size(): number {
    return this.#byId.size;
  }

  put(object: StoredObject): void {
    this.delete(object.id);
    this.#byId.set(object.id, object);
    for (const order of this.#orders.values()) order.add(object);
    for (const index of this.#indexes.values()) addTo(index, object);
  }

  delete(id: string): void {
    const object = this.#byId.get(id);
    if (object === undefined) return;
    this.#byId.delete(id);
    for (const order of this.#orders.values()) order.remove(object);
    for (const { field, entries } of this.#indexes.values()) {
      const key = keyOf(field, object);
      const entry = entries.get(key);
      entry?.delete(object);
      if (entry?.size === 0) entries.delete(key);
    }
  }

  /**
   * The objects that pass, in order.
   *
   * @throws {RefusedRequest} 400: the query costs too much
   */
  query(search: CompiledSearch | undefined, order: Order = BY_ID): readonly StoredObject[] {
    if (search === undefined) return this.#inOrder(order).objects;
    let steps = 0;
    const spending: Spending = {
      spend(count) {
        steps += count;
        if (steps > MOST_STEPS) refuse(400, 'The search takes too long: ask for less, or with fewer expressions');
      },
    };
    const passes = (object: StoredObject): boolean => {
      spending.spend(search.size);
      return search.test(object, spending) === true;
    };
    const candidates = this.size <= FEW ? undefined : this.#candidates(search.plan);
    if (candidates !== undefined && candidates.length <= this.size * SMALL_PART) {
      return candidates.filter(passes).sort(order.compare);
    }
    return this.#inOrder(order).objects.filter(passes);
  }

  #inOrder({ key, compare }: Order): SortedObjects {
    const known = this.#orders.get(key);
    const order = known ?? new SortedObjects(this.#byId.values(), compare);
    remember(this.#orders, key, order, MOST_ORDERS);
    return order;
  }

  /** Each once. */
  #candidates(plan: Plan | undefined): readonly StoredObject[] | undefined {
    if (plan === undefined) return undefined;
    const sets = this.#chosen(plan);
    const [only] = sets;
    return only !== undefined && sets.length === 1 ? [...only] : [...new Set(sets.flatMap((set) => [...set]))];
  }

  /** The sets whose union has all that can pass. */
  #chosen(plan: Plan): readonly ReadonlySet<StoredObject>[] {
    if (plan.form === 'lookup') {
      const { entries } = this.#index(plan.field);
      const keys = new Set<Key | undefined>(plan.absent ? [...plan.keys, undefined] : plan.keys);
      return [...keys].flatMap((key) => entries.get(key) ?? []);
    }
    const chosen = plan.parts.map((part) => this.#chosen(part));
    if (plan.form === 'union') return chosen.flat();
    return chosen.reduce((least, sets) => (count(sets) < count(least) ? sets : least));
  }

  #index(field: Field): FieldIndex {
    const known = this.#indexes.get(field.path);
    const index: FieldIndex = known ?? { field, entries: new Map() };
    if (known === undefined) for (const object of this.#byId.values()) addTo(index, object);
    remember(this.#indexes, field.path, index, MOST_INDEXES);
    return index;
  }
}

function addTo({ field, entries }: FieldIndex, object: StoredObject): void {
  const key = keyOf(field, object);
  const entry = entries.get(key) ?? new Set();
  entries.set(key, entry.add(object));
}

function keyOf({ one, kind }: Field, object: StoredObject): Key | undefined {
  return valueKey(one(object), kind);
}

function count(sets: readonly ReadonlySet<StoredObject>[]): number {
  return sets.reduce((total, { size }) => total + size, 0);
}

/** Puts an entry last, and forgets the one that was not used for the longest time. */
function remember<V>(entries: Map<string, V>, key: string, value: V, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
