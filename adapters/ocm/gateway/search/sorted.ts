// Slots of objects in an order that changes keep up. What an object is ordered by is computed once.
import type { StoredObject } from '../store/store.ts';
import type { Key } from './constants.ts';
import { compareSortKeys, type Order, type SortKeys, sortKeysOf } from './order.ts';
import { compareKeys } from './tests.ts';

/** A limit of the first field that objects are ordered by. */
export interface Bound {
  readonly key: Key;
  readonly isInclusive: boolean;
}

export class SortedSlots {
  readonly #order: Order;
  readonly #slots: number[] = [];
  /** Keys by slot. */
  readonly #keys: (SortKeys | undefined)[] = [];

  constructor(objects: Iterable<readonly [slot: number, object: StoredObject]>, order: Order) {
    this.#order = order;
    for (const [slot, object] of objects) {
      this.#keys[slot] = sortKeysOf(order, object);
      this.#slots.push(slot);
    }
    this.#slots.sort((a, b) => this.#compare(this.#keys[a], this.#keys[b]));
  }

  /** All, in order. */
  get slots(): readonly number[] {
    return this.#slots;
  }

  add(slot: number, object: StoredObject): void {
    const keys = sortKeysOf(this.#order, object);
    this.#keys[slot] = keys;
    this.#slots.splice(
      this.#first((other) => this.#compare(other, keys) >= 0),
      0,
      slot,
    );
  }

  remove(slot: number): void {
    const keys = this.#keys[slot];
    const at = this.#first((other) => this.#compare(other, keys) >= 0);
    if (this.#slots[at] === slot) this.#slots.splice(at, 1);
    this.#keys[slot] = undefined;
  }

  /** Positions of those whose first field has a value within the bounds; of an ascending order of values of one type. */
  range(low: Bound | undefined, high: Bound | undefined): { readonly from: number; readonly to: number } {
    // Absent values come last.
    const isPast = (value: Key | undefined, { key, isInclusive }: Bound): boolean =>
      value === undefined || (isInclusive ? compareKeys(value, key) > 0 : compareKeys(value, key) >= 0);
    const from =
      low === undefined ? 0 : this.#first((keys) => isPast(keys?.values[0], { ...low, isInclusive: !low.isInclusive }));
    const to = this.#first((keys) =>
      high === undefined ? keys?.values[0] === undefined : isPast(keys?.values[0], high),
    );
    return { from, to: Math.max(from, to) };
  }

  #compare(a: SortKeys | undefined, b: SortKeys | undefined): number {
    return a === undefined || b === undefined ? 0 : compareSortKeys(this.#order, a, b);
  }

  /** Position of the first one from which on a condition holds. */
  #first(holds: (keys: SortKeys | undefined) => boolean): number {
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.#keys[this.#slots[middle] ?? 0])) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
