// Somebody who changes the objects of Windows storage all the time: creates, edits, deletes and creates them again, and does what
// their conditions ask a person to do. What is wished is written down before it is.
import { windowsContracts } from '../../adapters/csi-proxy/kinds/contracts/mod.ts';
import { resource } from '../../adapters/csi-proxy/kinds/windows-kind.ts';
import { resourcePath } from '../../adapters/kubernetes/mod.ts';
import { type Clock, ErrorCode, type JsonObject, TroupeError } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { readyOf } from '../simulation/windows-relations.ts';
import type { World } from '../world/world.ts';
import { type Estate, manifestOf, standingOn, type Thing, USERNAME } from './estate.ts';
import type { Machines } from './simulated-machines.ts';
import type { Teller } from './story.ts';
import { drawn, pick } from './user.ts';
import type { WindowsJudge } from './windows-judgement.ts';
import type { Wishes } from './windows-wishes.ts';

export interface WindowsUserDeps {
  world: World;
  clock: Clock;
  random: () => number;
  estate: Estate;
  machines: Machines;
  wishes: Wishes;
  judge: WindowsJudge;
  tell: Teller;
  /** By the name of the Secret, as what it opens has it now. */
  passwordOf: (secret: string) => string;
}

/** Objects that are created at a time, at most. */
const BATCH = 5;
/** What stands on a deleted object is deleted within this time, in milliseconds. */
const FOLLOWS_WITHIN_MS = 3_000;
/** A deleted object is not created again for so long, at most, in milliseconds. */
const RESTS_MS = 4_000;
const MERGE = 'application/merge-patch+json';
/** How often one that others stand on is deleted, next to one that nobody stands on. */
const HELD_WEIGHT = 0.15;
/** So often is an object left alone that is not yet as it was asked to be. */
const PATIENCE = 0.8;
/** How often a disk is a new one when somebody has it anew. */
const RENEWED = 0.7;

export class WindowsUser {
  readonly #deps: WindowsUserDeps;
  readonly #unborn: Thing[];
  readonly #resting = new Map<string, number>();
  #deletions: { readonly at: number; readonly thing: Thing }[] = [];
  /** What was done so far. */
  deeds = 0;

  constructor(deps: WindowsUserDeps) {
    this.#deps = deps;
    this.#unborn = [...deps.estate.things];
  }

  /** Does one thing, unless the API server is away. */
  async step(): Promise<void> {
    const { clock, random, estate } = this.#deps;
    const due = this.#deletions.filter(({ at }) => at <= clock.now());
    this.#deletions = this.#deletions.filter((later) => !due.includes(later));
    // Something may have been created on it since.
    for (const { thing } of due) await this.#deleteWithUsers(thing);
    const dice = random();
    if (this.#unborn.length > 0 && dice < 0.8) {
      const count = 1 + Math.floor(random() * BATCH);
      for (let index = 0; index < count; index++) await this.#createOneOf(this.#unborn);
      return;
    }
    const present = estate.things.filter((thing) => this.#object(thing) !== undefined);
    const settled = present.filter((thing) => this.#lackOf(thing) === undefined || random() > PATIENCE);
    const absent = estate.things.filter((thing) => !present.includes(thing) && this.#isRested(thing));
    if (dice < 0.45 && absent.length > 0) {
      for (let index = 0; index < BATCH; index++) await this.#createOneOf(absent);
      return;
    }
    if (dice < 0.7) {
      const deck = settled.map((thing) => ({
        thing,
        weight: thing.renewed !== undefined || standingOn(estate, thing).length === 0 ? 1 : HELD_WEIGHT,
      }));
      const chosen = drawn(deck, random)?.thing;
      if (chosen !== undefined) await this.#deleteWithUsers(chosen);
      return;
    }
    const chosen = pick(
      present.filter(({ edits }) => edits.length > 0),
      random,
    );
    const edit = pick(chosen?.edits ?? [], random);
    if (chosen !== undefined && edit !== undefined) await this.#edit(chosen, edit);
    for (const thing of present) await this.#remedy(thing);
  }

  /** Nothing is deleted any more but what has to follow, and what is missing is created. @returns what is not yet as asked for */
  async completeAll(): Promise<readonly string[]> {
    const { estate } = this.#deps;
    const left = this.#deletions.splice(0);
    for (const { thing } of left) await this.#delete(thing);
    for (const thing of estate.things) {
      const object = this.#object(thing);
      // What stands on something that goes would have to go, too.
      if (object === undefined && !this.#standsOnGoing(thing)) await this.#create(thing);
      else if (object === undefined) continue;
      else if (object.metadata.deletionTimestamp === undefined) await this.#remedy(thing);
      else for (const user of standingOn(estate, thing)) await this.#delete(user);
    }
    return estate.things.flatMap((thing) => this.#lackOf(thing) ?? []);
  }

  async writeSecrets(): Promise<void> {
    for (const { secret } of this.#deps.estate.locks) await this.writeSecret(secret);
  }

  async writeSecret(secret: string): Promise<void> {
    const { world, passwordOf } = this.#deps;
    const write = (): Promise<void> => world.secret(secret, { username: USERNAME, password: passwordOf(secret) });
    await this.#attempt(`writes Secret/${secret}`, write);
  }

  async deleteSecret(secret: string): Promise<void> {
    const { world } = this.#deps;
    await this.#attempt(`deletes Secret/${secret}`, () => world.delete('Secret', secret));
  }

  /** All objects are about to be deleted. */
  wishAllGone(): void {
    for (const { key } of this.#deps.estate.things) this.#deps.wishes.deleted(key);
  }

  /** So many changes of one object. @returns the version of the last */
  async touch(times: number): Promise<string | undefined> {
    const { world, random, estate } = this.#deps;
    const thing = pick(
      estate.things.filter((each) => this.#object(each) !== undefined),
      random,
    );
    let version: string | undefined;
    for (let change = 0; change < times && thing !== undefined; change++) {
      const body = { metadata: { annotations: { 'chaos.test/change': String(change) } } };
      const answer = await world.client.call({ method: 'PATCH', path: this.#path(thing), contentType: MERGE, body });
      version = String((answer.body['metadata'] as JsonObject)['resourceVersion']);
    }
    return version;
  }

  #lackOf(thing: Thing): string | undefined {
    const object = this.#object(thing);
    if (object === undefined) return `${thing.key} is not there`;
    const { deletionTimestamp, generation, finalizers } = object.metadata;
    const { status, reason, observedGeneration } = readyOf(object);
    const isSo = thing.says === undefined ? status === 'True' : reason === thing.says;
    if (isSo && deletionTimestamp === undefined && observedGeneration === generation) return undefined;
    return `${thing.key} is not as asked for: ${JSON.stringify({ deletionTimestamp, finalizers, status: object.status })}`;
  }

  #standsOnGoing({ on }: Thing): boolean {
    const below = this.#deps.estate.things.filter(({ key }) => on.includes(key));
    return below.some((thing) => this.#object(thing)?.metadata.deletionTimestamp !== undefined);
  }

  async #createOneOf(things: Thing[]): Promise<void> {
    const [thing] = things.splice(Math.floor(this.#deps.random() * things.length), 1);
    if (thing !== undefined) await this.#create(thing);
  }

  #isRested(thing: Thing): boolean {
    return !this.#unborn.includes(thing) && (this.#resting.get(thing.key) ?? 0) <= this.#deps.clock.now();
  }

  /** Unless one before it is there still; of that nothing may be left (M5). */
  async #create(thing: Thing): Promise<void> {
    const { world, wishes, judge, machines, random, tell } = this.#deps;
    await this.#attempt(`creates ${thing.key}`, async () => {
      const present = await this.#read(thing);
      if (present !== undefined) {
        wishes.known(thing.key, present.metadata.uid);
        return false;
      }
      const { sights = [] } = await machines.ask({ ask: 'look' });
      if (wishes.lifeAt(thing.key) !== undefined) judge.judgeEnd(thing, sights);
      if (thing.renewed !== undefined && random() < RENEWED) {
        tell('user', `has a new disk ${thing.renewed}`);
        await machines.ask({ ask: 'renew', node: thing.node, page83: thing.renewed });
      }
      wishes.created(thing.key, thing.spec);
      const path = resourcePath(resource(thing.kind, thing.plural), world.namespace);
      const { body } = await world.client.call({ method: 'POST', path, body: manifestOf(thing) });
      wishes.known(thing.key, String((body['metadata'] as JsonObject)['uid']));
      this.deeds++;
      return true;
    });
  }

  async #edit(thing: Thing, spec: JsonObject): Promise<void> {
    const { world, wishes } = this.#deps;
    wishes.edited(thing.key, spec);
    const call = { method: 'PATCH', path: this.#path(thing), contentType: MERGE, body: { spec } } as const;
    await this.#attempt(`edits ${thing.key}: ${JSON.stringify(spec)}`, () => world.client.call(call));
    this.deeds++;
  }

  /** What a condition asks a person to do. */
  async #remedy(thing: Thing): Promise<void> {
    const object = this.#object(thing);
    if (thing.kind !== 'WindowsVolume' || thing.says !== undefined || object === undefined) return;
    if (object.metadata.deletionTimestamp !== undefined) return;
    const { reason } = readyOf(object);
    const isUnknown = object.spec?.['formatPolicy'] === 'IfUnknown';
    if (reason === 'NotFormatted' && !isUnknown) await this.#edit(thing, { formatPolicy: 'IfUnknown' });
    if (reason === 'FormatUncertain') await this.#delete(thing);
  }

  /** At once, while others still stand on it; they follow, in any order. */
  async #deleteWithUsers(thing: Thing): Promise<void> {
    const { clock, random, estate } = this.#deps;
    for (const other of standingOn(estate, thing))
      this.#deletions.push({ at: clock.now() + random() * FOLLOWS_WITHIN_MS, thing: other });
    await this.#delete(thing);
  }

  async #delete(thing: Thing): Promise<void> {
    const { clock, random, world, wishes } = this.#deps;
    const present = this.#object(thing);
    if (present === undefined || present.metadata.deletionTimestamp !== undefined) return;
    this.#resting.set(thing.key, clock.now() + random() * RESTS_MS);
    wishes.deleted(thing.key);
    const remove = (): Promise<unknown> => world.client.call({ method: 'DELETE', path: this.#path(thing) });
    const isDone = await this.#attempt(`deletes ${thing.key}`, remove);
    if (isDone) this.deeds++;
    else this.#deletions.push({ at: clock.now(), thing });
  }

  #object({ kind, name }: Thing): KubeObject | undefined {
    return this.#deps.world.follower.get(kind, name) as unknown as KubeObject | undefined;
  }

  async #read(thing: Thing): Promise<KubeObject | undefined> {
    try {
      const { body } = await this.#deps.world.client.call({ method: 'GET', path: this.#path(thing) });
      return body as unknown as KubeObject;
    } catch (error) {
      if (error instanceof TroupeError && error.code === ErrorCode.Absent) return undefined;
      throw error;
    }
  }

  #path({ kind, plural, name }: Thing): string {
    return resourcePath(resource(kind, plural), this.#deps.world.namespace, name);
  }

  /** Whether it could be told to the API server, which may be away; false from `run`: there was nothing to tell. */
  async #attempt(what: string, run: () => Promise<unknown>): Promise<boolean> {
    const { tell } = this.#deps;
    try {
      if ((await run()) !== false) tell('user', what);
      return true;
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code === ErrorCode.Terminal) throw error;
      tell('user', `${what} in vain: ${error.message}`);
      return error.code === ErrorCode.Absent;
    }
  }
}

/** All that there are, as they were seen last, and Secrets left out. */
export function storageObjects({ follower }: Pick<World, 'follower'>): readonly KubeObject[] {
  const kinds = windowsContracts.map(({ kind }) => kind);
  return follower.all().filter(({ kind }) => kinds.includes(kind)) as unknown as readonly KubeObject[];
}
