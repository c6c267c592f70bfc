// Indexes for queries of many objects: sets of objects by value, orders, and remembered results of tests. All of it is made for queries
// that come, and kept up by changes.
//
// Invariants:
//   OCM-INDEXES-1. What they give is what a walk over all objects would give, also for a model that has changed.
//   OCM-INDEXES-2. There are at most MOST_LOOKUPS, MOST_ORDERS and MOST_RESULTS of them.
import type { StoredObject } from '../store/store.ts';
import { Bits } from './bits.ts';
import type { Access, Leaf, SearchNode } from './compile.ts';
import { type Key, valueKey } from './constants.ts';
import type { Field, FieldScope } from './fields.ts';
import { ascendingBy, compareSortKeys, type Order, sortKeysOf } from './order.ts';
import { SortedSlots } from './sorted.ts';
import type { Spending } from './spending.ts';

const MOST_LOOKUPS = 16;
const MOST_ORDERS = 16;
const MOST_RESULTS = 64;
/** Fewer objects are looked at one by one. */
export const FEW = 64;

/** The objects with one value of a field. */
interface Entry {
  readonly slots: Set<number>;
  /** The same, for a value that many have. */
  bits: Bits | undefined;
}

interface Lookup {
  readonly field: Field;
  readonly entries: Map<Key | undefined, Entry>;
}

/** Results of the test of a leaf so far. */
interface Results {
  readonly known: Bits;
  readonly yes: Bits;
  readonly no: Bits;
}

export class Indexes {
  #scope: FieldScope | undefined;
  /** Objects have small numbers, which are used again. */
  readonly #objects: (StoredObject | undefined)[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #capacity = 1_024;
  readonly #all = new Bits(this.#capacity);
  readonly #orders = new Map<string, SortedSlots>();
  readonly #lookups = new Map<string, Lookup>();
  readonly #results = new Map<string, Results>();

  constructor(objects: Iterable<StoredObject>) {
    for (const object of objects) this.put(object);
  }

  put(object: StoredObject): void {
    this.delete(object.id);
    const slot = this.#free.pop() ?? this.#objects.length;
    if (slot >= this.#capacity) this.#grow();
    this.#objects[slot] = object;
    this.#slots.set(object.id, slot);
    this.#all.add(slot);
    for (const order of this.#orders.values()) order.add(slot, object);
    for (const lookup of this.#lookups.values()) addTo(lookup, slot, object);
  }

  delete(id: string): void {
    const slot = this.#slots.get(id);
    const object = slot === undefined ? undefined : this.#objects[slot];
    if (slot === undefined || object === undefined) return;
    for (const order of this.#orders.values()) order.remove(slot);
    for (const { field, entries } of this.#lookups.values()) {
      const key = keyOf(field, object);
      const entry = entries.get(key);
      entry?.slots.delete(slot);
      entry?.bits?.delete(slot);
      if (entry?.slots.size === 0) entries.delete(key);
    }
    // mutant: gateway-stale-results drop
    for (const { known } of this.#results.values()) known.delete(slot);
    this.#all.delete(slot);
    this.#objects[slot] = undefined;
    this.#slots.delete(id);
    this.#free.push(slot);
  }

  /** Fields of another model may have other types: what was made for the last one is forgotten. */
  use(scope: FieldScope): void {
    // mutant: gateway-old-fields if -> $ || this.#scope !== undefined
    if (this.#scope === scope) return;
    this.#scope = scope;
    this.#orders.clear();
    this.#lookups.clear();
    this.#results.clear();
  }

  /** Objects for which a search is true. */
  matches(root: SearchNode, spending: Spending): Bits {
    return this.#where(root, true, this.#all, spending);
  }

  /** A part of some objects, or of all, in order. @param total  how many they are */
  page(order: Order, matches: Bits | undefined, total: number, from: number, to: number): StoredObject[] {
    if (total === 0 || from >= total) return [];
    if (matches !== undefined && total <= FEW && !this.#orders.has(order.key)) {
      return sorted(this.#objectsOf(matches), order).slice(from, to);
    }
    const { slots } = this.#order(order);
    const page: StoredObject[] = [];
    if (matches === undefined) return this.#at(slots.slice(from, to));
    let seen = 0;
    for (const slot of slots) {
      const object = matches.has(slot) ? this.#objects[slot] : undefined;
      if (object === undefined || seen++ < from) continue;
      page.push(object);
      if (seen >= Math.min(to, total)) break;
    }
    return page;
  }

  /** Those among some objects for which a condition is true, or those for which it is false. Neither has what is unknown. */
  #where(node: SearchNode, wanted: boolean, among: Bits, spending: Spending): Bits {
    spending.spend(this.#capacity >>> 5);
    if (node.form === 'leaf') return this.#ofLeaf(node, wanted, among, spending);
    if (node.form === 'not') return this.#where(node.part, !wanted, among, spending);
    if ((node.form === 'and') === wanted) {
      return node.parts.reduce((left, part) => this.#where(part, wanted, left, spending), among);
    }
    const found = new Bits(this.#capacity);
    const rest = among.copy();
    for (const part of node.parts) {
      const more = this.#where(part, wanted, rest, spending);
      found.unite(more);
      rest.subtract(more);
    }
    return found;
  }

  #ofLeaf(leaf: Leaf, wanted: boolean, among: Bits, spending: Spending): Bits {
    if (among.count() <= FEW) return this.#tested(leaf, wanted, among, spending);
    if (wanted && leaf.access !== undefined) return this.#accessed(leaf.access).intersect(among);
    const results = this.#resultsOf(leaf);
    among
      .copy()
      .subtract(results.known)
      .each((slot) => {
        const object = this.#objects[slot];
        if (object === undefined) return;
        spending.spend(1);
        const truth = leaf.test(object, spending);
        results.known.add(slot);
        if (truth === true) results.yes.add(slot);
        else results.yes.delete(slot);
        if (truth === false) results.no.add(slot);
        else results.no.delete(slot);
      });
    return (wanted ? results.yes : results.no).copy().intersect(among);
  }

  #tested({ test }: Leaf, wanted: boolean, among: Bits, spending: Spending): Bits {
    const found = new Bits(this.#capacity);
    among.each((slot) => {
      const object = this.#objects[slot];
      if (object !== undefined && test(object, spending) === wanted) found.add(slot);
    });
    return found;
  }

  #accessed(access: Access): Bits {
    const found = new Bits(this.#capacity);
    if (access.form === 'lookup') {
      const { entries } = this.#lookup(access.field);
      for (const key of access.absent ? [...access.keys, undefined] : access.keys) {
        const entry = entries.get(key);
        if (entry === undefined) continue;
        if (entry.slots.size <= this.#capacity >>> 5) for (const slot of entry.slots) found.add(slot);
        else found.unite(this.#bitsOf(entry));
      }
      return found;
    }
    if (this.#scope === undefined) throw new Error('an index has no scope');
    const order = this.#order(ascendingBy(access.field, this.#scope));
    const { from, to } = order.range(access.low, access.high);
    for (let at = from; at < to; at++) found.add(order.slots[at] ?? 0);
    return found;
  }

  #bitsOf(entry: Entry): Bits {
    const bits = entry.bits ?? new Bits(this.#capacity);
    if (entry.bits === undefined) for (const slot of entry.slots) bits.add(slot);
    entry.bits = bits;
    return bits;
  }

  #order(order: Order): SortedSlots {
    const { key } = order;
    return remembered(this.#orders, key, MOST_ORDERS, () => new SortedSlots(this.#entries(), order));
  }

  #lookup(field: Field): Lookup {
    return remembered(this.#lookups, field.key, MOST_LOOKUPS, () => {
      const lookup: Lookup = { field, entries: new Map() };
      for (const [slot, object] of this.#entries()) addTo(lookup, slot, object);
      return lookup;
    });
  }

  #resultsOf({ key }: Leaf): Results {
    return remembered(this.#results, key, MOST_RESULTS, () => ({
      known: new Bits(this.#capacity),
      yes: new Bits(this.#capacity),
      no: new Bits(this.#capacity),
    }));
  }

  *#entries(): Generator<readonly [number, StoredObject]> {
    for (const [slot, object] of this.#objects.entries()) if (object !== undefined) yield [slot, object];
  }

  #objectsOf(slots: Bits): StoredObject[] {
    const all: number[] = [];
    slots.each((slot) => all.push(slot));
    return this.#at(all);
  }

  #at(slots: readonly number[]): StoredObject[] {
    return slots.flatMap((slot) => this.#objects[slot] ?? []);
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#all.fit(this.#capacity);
    for (const { entries } of this.#lookups.values())
      for (const { bits } of entries.values()) bits?.fit(this.#capacity);
    for (const results of this.#results.values()) for (const bits of Object.values(results)) bits.fit(this.#capacity);
  }
}

/** Objects in order, each of them looked at once. */
export function sorted(objects: readonly StoredObject[], order: Order): StoredObject[] {
  return objects
    .map((object) => ({ object, keys: sortKeysOf(order, object) }))
    .sort((a, b) => compareSortKeys(order, a.keys, b.keys))
    .map(({ object }) => object);
}

function addTo({ field, entries }: Lookup, slot: number, object: StoredObject): void {
  const key = keyOf(field, object);
  const entry = entries.get(key) ?? { slots: new Set(), bits: undefined };
  entry.slots.add(slot);
  entry.bits?.add(slot);
  entries.set(key, entry);
}

function keyOf({ one, kind }: Field, object: StoredObject): Key | undefined {
  return valueKey(one(object), kind);
}

/** The value of a key, made where there is none. The one that was not used for the longest time is forgotten. */
function remembered<V>(values: Map<string, V>, key: string, most: number, make: () => V): V {
  const value = values.get(key) ?? make();
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > most && oldest !== undefined) values.delete(oldest);
  return value;
}
