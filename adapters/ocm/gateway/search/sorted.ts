// Objects in an order that changes keep up.
import type { StoredObject } from '../store/store.ts';
import type { Comparison } from './order.ts';

export class SortedObjects {
  readonly #compare: Comparison;
  readonly #objects: StoredObject[];

  constructor(objects: Iterable<StoredObject>, compare: Comparison) {
    this.#compare = compare;
    this.#objects = [...objects].sort(compare);
  }

  get objects(): readonly StoredObject[] {
    return this.#objects;
  }

  add(object: StoredObject): void {
    this.#objects.splice(this.#position(object), 0, object);
  }

  remove(object: StoredObject): void {
    const at = this.#position(object);
    if (this.#objects[at] === object) this.#objects.splice(at, 1);
  }

  /** Position of the first object that does not come before it. */
  #position(object: StoredObject): number {
    let [low, high] = [0, this.#objects.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#objects[middle];
      if (other !== undefined && this.#compare(other, object) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
