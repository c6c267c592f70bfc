// Somebody who changes the landscape all the time: creates, edits, deletes and creates again under the same name.
import { type Clock, ErrorCode, type JsonObject, TroupeError } from '../../bus/mod.ts';
import { needs, refersTo, type SampleObject } from '../actors/landscape.ts';
import type { World } from '../world/world.ts';
import { editOf } from './data-centre.ts';
import type { Teller } from './story.ts';

export interface UserDeps {
  world: World;
  clock: Clock;
  random: () => number;
  objects: readonly SampleObject[];
  tell: Teller;
}

interface Later {
  readonly at: number;
  readonly object: SampleObject;
}

/** Objects that are created at a time, at most. */
const BATCH = 6;
/** What stands on a deleted object is deleted within this time, in milliseconds. */
const FOLLOWS_WITHIN_MS = 4_000;
/** A deleted object is not created again for so long, at most, in milliseconds. */
const RESTS_MS = 6_000;

export class User {
  readonly #deps: UserDeps;
  readonly #unborn: SampleObject[];
  readonly #resting = new Map<string, number>();
  #deletions: readonly Later[] = [];
  #edits = 0;

  constructor(deps: UserDeps) {
    this.#deps = deps;
    this.#unborn = shuffled(deps.objects, deps.random);
  }

  /** Does one thing, unless the API server is away. */
  async step(): Promise<void> {
    const { clock, random, objects, world } = this.#deps;
    const due = this.#deletions.filter(({ at }) => at <= clock.now());
    this.#deletions = this.#deletions.filter((later) => !due.includes(later));
    // Something may have been created on it since.
    for (const { object } of due) await this.#deleteWithDependants(object);
    const dice = random();
    if (this.#unborn.length > 0 && dice < 0.7) {
      for (const object of this.#unborn.splice(0, 1 + Math.floor(random() * BATCH))) await this.#create(object);
      return;
    }
    const present = objects.filter(({ kind, name }) => world.follower.get(kind, name) !== undefined);
    const absent = objects.filter((object) => !present.includes(object) && this.#isRested(object));
    const chosen = pick(present, random);
    if (dice < 0.4 && absent.length > 0) {
      for (const object of shuffled(absent, random).slice(0, BATCH)) await this.#create(object);
    } else if (dice < 0.6 && chosen !== undefined) await this.#deleteWithDependants(chosen);
    else if (chosen !== undefined) await this.#edit(chosen);
  }

  /** Nothing is deleted any more, and all that is missing is created. */
  async completeAll(): Promise<void> {
    const { objects, world } = this.#deps;
    const left = this.#deletions;
    this.#deletions = [];
    for (const { object } of left) await this.#delete(object);
    for (const object of objects) {
      if (world.follower.get(object.kind, object.name) === undefined) await this.#create(object);
    }
  }

  #isRested({ kind, name }: SampleObject): boolean {
    return (
      !this.#unborn.some((other) => other.kind === kind && other.name === name) &&
      (this.#resting.get(`${kind}/${name}`) ?? 0) <= this.#deps.clock.now()
    );
  }

  /**
   * Whether it would be built on something that goes, and that it does not refer to: the gateway of a router takes an
   * address of a subnet that is being deleted, and nobody can tell that it should wait.
   */
  #wouldHold(object: SampleObject): boolean {
    const { objects, world } = this.#deps;
    return objects.some(
      (other) =>
        needs(object, other) &&
        !refersTo(object, other) &&
        (world.follower.get(other.kind, other.name)?.metadata.deletionTimestamp !== undefined ||
          this.#deletions.some((later) => later.object === other)),
    );
  }

  /** Later, if it is too early: whatever is missing in the end is created then. */
  async #create(object: SampleObject): Promise<void> {
    if (this.#wouldHold(object)) return;
    await this.#attempt(`creates ${object.kind}/${object.name}`, () => this.#deps.world.apply(object.manifest));
  }

  async #edit(object: SampleObject): Promise<void> {
    const { world } = this.#deps;
    const { kind, name, manifest } = object;
    if ((manifest['spec'] as JsonObject | undefined)?.['resource'] === undefined) return;
    const resource = editOf(world, object, `edit ${++this.#edits}`);
    if (resource === undefined) return;
    await this.#attempt(`edits ${kind}/${name}`, () => world.patch(kind, name, { spec: { resource } }));
  }

  /** At once, while others still stand on it; they follow, in any order. */
  async #deleteWithDependants(object: SampleObject): Promise<void> {
    const { clock, random } = this.#deps;
    const dependants = this.#standingOn(object);
    const later = dependants.map((other) => ({ at: clock.now() + random() * FOLLOWS_WITHIN_MS, object: other }));
    this.#deletions = [...this.#deletions, ...later];
    await this.#delete(object, dependants.length === 0 ? '' : `, on which ${dependants.length} others stand`);
  }

  async #delete(object: SampleObject, more = ''): Promise<void> {
    const { clock, random, world } = this.#deps;
    const { kind, name } = object;
    this.#resting.set(`${kind}/${name}`, clock.now() + random() * RESTS_MS);
    const present = world.follower.get(kind, name);
    if (present === undefined || present.metadata.deletionTimestamp !== undefined) return;
    const isDone = await this.#attempt(`deletes ${kind}/${name}${more}`, () => world.delete(kind, name));
    // What stands on something that goes must go too, or that would be held for ever.
    if (!isDone) this.#deletions = [...this.#deletions, { at: clock.now(), object }];
  }

  #standingOn(object: SampleObject): readonly SampleObject[] {
    const found = new Set<SampleObject>();
    const visit = (one: SampleObject): void => {
      for (const other of this.#deps.objects) {
        if (found.has(other) || !needs(other, one)) continue;
        found.add(other);
        visit(other);
      }
    };
    visit(object);
    return [...found];
  }

  /** Whether it could be told to the API server, which may be away. */
  async #attempt(what: string, run: () => Promise<unknown>): Promise<boolean> {
    const { tell } = this.#deps;
    try {
      await run();
      tell('user', what);
      return true;
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code === ErrorCode.Terminal) throw error;
      tell('user', `${what} in vain: ${error.message}`);
      return error.code === ErrorCode.Absent;
    }
  }
}

export function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** One of the deck, those with more weight more often. */
export function drawn<Item extends { readonly weight: number }>(
  deck: readonly Item[],
  random: () => number,
): Item | undefined {
  let left = random() * deck.reduce((sum, { weight }) => sum + weight, 0);
  return deck.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as Item);
}
