// Users who change objects all the time: they create, edit, delete and create again under the same name. What stands on a
// deleted object is deleted after it, in any order.
import type { Clock } from '../../bus/mod.ts';
import { drawn, shuffled } from './random.ts';

/** What users do, by the objects that they have. */
export interface Habits<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Whether it stands on the other one, by one step. */
  readonly needs: (item: Item, other: Item) => boolean;
  /** `going`: it is marked as deleted. */
  readonly state: (item: Item) => 'absent' | 'present' | 'going';
  /** Whether it can be created now, as far as other objects are concerned. */
  readonly mayCreate: (item: Item, isFollowed: (other: Item) => boolean) => boolean;
  readonly create: (item: Item) => Promise<void>;
  readonly edit: (present: readonly Item[]) => Promise<void>;
  /** @param standing  how many others stand on it @returns whether the API server knows it */
  readonly remove: (item: Item, standing: number) => Promise<boolean>;
  /** What a user does with each one that is there, in the end. */
  readonly mend?: (item: Item) => Promise<void>;
  /** How often it is deleted, next to the others; 0: never as it is. */
  readonly weightOf: (item: Item) => number;
  /** Chances, in this order, that one of those that never were is created, one that was, and that one is deleted. */
  readonly chances: { readonly first: number; readonly again: number; readonly deletion: number };
  /** Objects that are created at a time, at most. */
  readonly batch: number;
  /** What stands on a deleted object is deleted within this time, in milliseconds. */
  readonly followsWithinMs: number;
  /** A deleted object is not created again for so long, at most, in milliseconds. */
  readonly restsMs: number;
}

interface Later<Item> {
  readonly at: number;
  readonly item: Item;
}

export class Churn<Item> {
  readonly #habits: Habits<Item>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: () => number;
  readonly #unborn: Item[];
  readonly #resting = new Map<string, number>();
  #deletions: readonly Later<Item>[] = [];

  constructor(clock: Pick<Clock, 'now'>, random: () => number, habits: Habits<Item>) {
    this.#clock = clock;
    this.#random = random;
    this.#habits = habits;
    this.#unborn = shuffled(habits.items, random);
  }

  /** Does one thing, unless the API server is away. */
  async step(): Promise<void> {
    const { items, state, weightOf, edit, batch, chances } = this.#habits;
    const random = this.#random;
    const due = this.#deletions.filter(({ at }) => at <= this.#clock.now());
    this.#deletions = this.#deletions.filter((later) => !due.includes(later));
    // Something may have been created on it since.
    for (const { item } of due) await this.#deleteWithDependents(item);
    const dice = random();
    if (this.#unborn.length > 0 && dice < chances.first) {
      for (const item of this.#unborn.splice(0, 1 + Math.floor(random() * batch))) await this.#create(item);
      return;
    }
    const present = items.filter((item) => state(item) !== 'absent');
    const absent = items.filter((item) => !present.includes(item) && this.#isRested(item));
    if (dice < chances.again && absent.length > 0) {
      for (const item of shuffled(absent, random).slice(0, batch)) await this.#create(item);
    } else if (dice < chances.deletion) {
      const chosen = drawn(
        present.map((item) => ({ item, weight: weightOf(item) })),
        random,
      );
      if (chosen !== undefined) await this.#deleteWithDependents(chosen.item);
    } else await edit(present);
  }

  /** Nothing is deleted any more but what has to follow, and all that is missing is created. */
  async complete(): Promise<void> {
    const { items, state, mend } = this.#habits;
    const left = this.#deletions;
    this.#deletions = [];
    for (const { item } of left) await this.delete(item);
    for (const item of items) {
      if (state(item) === 'absent') await this.#create(item);
      else await mend?.(item);
    }
  }

  async delete(item: Item, standing = 0): Promise<void> {
    const { keyOf, state, remove, restsMs } = this.#habits;
    this.#resting.set(keyOf(item), this.#clock.now() + this.#random() * restsMs);
    if (state(item) !== 'present') return;
    // What stands on something that goes must go too, or that would be held for ever.
    if (!(await remove(item, standing))) this.#deletions = [...this.#deletions, { at: this.#clock.now(), item }];
  }

  /** All that stands on it, be it by several steps. */
  standingOn(item: Item): readonly Item[] {
    return standingOn(this.#habits, item);
  }

  /** At once, while others still stand on it; they follow, in any order. */
  async #deleteWithDependents(item: Item): Promise<void> {
    const dependents = this.standingOn(item);
    const { followsWithinMs } = this.#habits;
    const later = dependents.map((each) => ({
      at: this.#clock.now() + this.#random() * followsWithinMs,
      item: each,
    }));
    this.#deletions = [...this.#deletions, ...later];
    await this.delete(item, dependents.length);
  }

  /** Later, if it is too early: whatever is missing in the end is created then. */
  async #create(item: Item): Promise<void> {
    const isFollowed = (other: Item): boolean => this.#deletions.some((later) => later.item === other);
    if (this.#habits.mayCreate(item, isFollowed)) await this.#habits.create(item);
  }

  #isRested(item: Item): boolean {
    const until = this.#resting.get(this.#habits.keyOf(item)) ?? 0;
    return !this.#unborn.includes(item) && until <= this.#clock.now();
  }
}

/** All that stands on an item, be it by several steps. */
export function standingOn<Item>({ items, needs }: Pick<Habits<Item>, 'items' | 'needs'>, item: Item): readonly Item[] {
  const found = new Set<Item>();
  const visit = (one: Item): void => {
    for (const other of items) {
      if (found.has(other) || !needs(other, one)) continue;
      found.add(other);
      visit(other);
    }
  };
  visit(item);
  return [...found];
}
