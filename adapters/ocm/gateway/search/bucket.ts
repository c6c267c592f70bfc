// The objects of a collection around which are the same outer objects, and queries of them.
//
// Invariants:
//   OCM-BUCKET-1. A query gives what a walk over all objects would give, and costs no more than MOST_STEPS.
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import { type CompiledSearch, truthOf } from './compile.ts';
import { FEW, Indexes, sorted } from './indexes.ts';
import { BY_ID, type Order } from './order.ts';
import type { Spending } from './spending.ts';

/** Cost limit of one query: tens of milliseconds. */
const MOST_STEPS = 20_000_000;

/** A part of what a query finds. */
export interface Page {
  /** Number of all that it finds. */
  readonly total: number;
  /** In order. */
  readonly objects: readonly StoredObject[];
}

export class Bucket {
  readonly #byId = new Map<string, StoredObject>();
  /** From the first query of many objects on. */
  #indexes: Indexes | undefined;

  get(id: string): StoredObject | undefined {
    return this.#byId.get(id);
  }

  get size(): number {
    return this.#byId.size;
  }

  put(object: StoredObject): void {
    this.#byId.set(object.id, object);
    this.#indexes?.put(object);
  }

  delete(id: string): void {
    this.#byId.delete(id);
    this.#indexes?.delete(id);
  }

  /**
   * @param from  position of the first object of the page
   * @throws {RefusedRequest} 400: the query costs too much
   */
  query(
    search: CompiledSearch | undefined,
    order: Order = BY_ID,
    from = 0,
    to: number = Number.POSITIVE_INFINITY,
  ): Page {
    let steps = 0;
    const spending: Spending = {
      spend(count) {
        steps += count;
        if (steps > MOST_STEPS) refuse(400, 'The search takes too long: ask for less, or with fewer expressions');
      },
    };
    if (this.#indexes === undefined && this.size <= FEW) {
      const all = [...this.#byId.values()];
      const matches = search === undefined ? all : all.filter((each) => truthOf(search.root, each, spending) === true);
      return { total: matches.length, objects: sorted(matches, order).slice(from, to) };
    }
    this.#indexes ??= new Indexes(this.#byId.values());
    const scope = search?.scope ?? order.scope;
    if (scope !== undefined) this.#indexes.use(scope);
    const matches = search && this.#indexes.matches(search.root, spending);
    const total = matches === undefined ? this.size : matches.count();
    return { total, objects: this.#indexes.page(order, matches, total, from, to) };
  }
}
