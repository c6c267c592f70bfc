// What somebody wishes of the objects of Windows storage, written down before the API server is told: an object that may be there
// is wanted until it may be that it was deleted.
import type { JsonObject } from '../../../../bus/mod.ts';

/** From one creation to the next. */
export interface Lifecycle {
  readonly from: number;
  /** As it was created, and what it was changed to since. */
  readonly specs: JsonObject[];
  /** Undefined: the API server has not said. */
  uid: string | undefined;
  /** When it was first asked to be deleted. */
  deletedAt: number | undefined;
}

export class Wishes {
  readonly #lives = new Map<string, Lifecycle[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  created(key: string, spec: JsonObject): void {
    const lives = this.#lives.get(key) ?? [];
    lives.push({ from: this.#now(), specs: [spec], uid: undefined, deletedAt: undefined });
    this.#lives.set(key, lives);
  }

  /** The API server has an object of this uid. */
  known(key: string, uid: string): void {
    const life = this.lifeAt(key);
    if (life !== undefined) life.uid ??= uid;
  }

  edited(key: string, change: JsonObject): void {
    this.lifeAt(key)?.specs.push(change);
  }

  deleted(key: string): void {
    const life = this.lifeAt(key);
    if (life !== undefined) life.deletedAt ??= this.#now();
  }

  /** @param at  now unless given */
  lifeAt(key: string, at = this.#now()): Lifecycle | undefined {
    return this.#lives.get(key)?.findLast(({ from }) => from <= at);
  }

  isWanted(key: string, at = this.#now()): boolean {
    const life = this.lifeAt(key, at);
    return life !== undefined && (life.deletedAt === undefined || life.deletedAt > at);
  }
}

/** All that a member of the spec was in this life. */
export function everIn({ specs }: Lifecycle, member: string): readonly unknown[] {
  return specs.flatMap((spec) => (spec[member] === undefined ? [] : [spec[member]]));
}
