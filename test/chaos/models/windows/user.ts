// Users of Windows storage, who change all objects all the time, and do what their conditions ask a person to do. What is wished is
// written down before it is.

import { resourcePath } from '../../../../adapters/kubernetes/mod.ts';
import { windowsContracts } from '../../../../adapters/windows/contracts/mod.ts';
import { resource } from '../../../../adapters/windows/kinds/windows-kind.ts';
import { ErrorCode, type JsonObject, TroupeError } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { readyOf } from '../../../simulation/models/windows/relations.ts';
import type { World } from '../../../world/world.ts';
import { Churn } from '../../churn.ts';
import type { Run } from '../../model.ts';
import { pick } from '../../random.ts';
import { type Estate, manifestOf, type Thing, USERNAME } from './estate.ts';
import type { WindowsJudge } from './invariants.ts';
import type { Machines } from './simulated-machines.ts';
import type { Wishes } from './wishes.ts';

export interface WindowsUserDeps extends Pick<Run, 'clock' | 'random' | 'attempt' | 'report' | 'passwords'> {
  world: World;
  estate: Estate;
  machines: Machines;
  wishes: Wishes;
  judge: WindowsJudge;
}

const MERGE = 'application/merge-patch+json';
/** How often one that others stand on is deleted, next to one that nobody stands on. */
const HELD_WEIGHT = 0.15;
/** So often is an object left alone that is not yet as it was asked to be. */
const PATIENCE = 0.8;
/** How often a disk is a new one when somebody has it anew. */
const RENEWED = 0.7;

export class WindowsUser {
  readonly #deps: WindowsUserDeps;
  readonly #churn: Churn<Thing>;
  /** When what was on a disk was given away, in milliseconds since the epoch, by the key of its object. */
  readonly #givenAwayAt = new Map<string, number>();
  /** What was done so far. */
  deeds = 0;

  constructor(deps: WindowsUserDeps) {
    this.#deps = deps;
    const { clock, random, estate } = deps;
    const needs = (one: Thing, { key }: Thing): boolean => one.on.includes(key);
    this.#churn = new Churn(clock, random, {
      items: estate.things,
      keyOf: ({ key }) => key,
      needs,
      state: (thing) => this.#state(thing),
      // What stands on something that goes would have to go, too.
      mayCreate: (thing) => !estate.things.some((other) => needs(thing, other) && this.#state(other) === 'going'),
      create: (thing) => this.#create(thing),
      edit: (present) => this.#editOne(present),
      remove: (thing) => this.#remove(thing),
      mend: (thing) => this.#mend(thing),
      weightOf: (thing) => {
        if (this.#lackOf(thing) !== undefined && random() <= PATIENCE) return 0;
        return thing.renewed !== undefined || this.#churn.standingOn(thing).length === 0 ? 1 : HELD_WEIGHT;
      },
      chances: { first: 0.8, again: 0.45, deletion: 0.7 },
      batch: 5,
      followsWithinMs: 3_000,
      restsMs: 4_000,
    });
  }

  step(): Promise<void> {
    return this.#churn.step();
  }

  /** What is missing is created. @returns what is not yet as asked for */
  async completeAll(): Promise<readonly string[]> {
    await this.#churn.complete();
    return this.#deps.estate.things.flatMap((thing) => this.#lackOf(thing) ?? []);
  }

  async writeSecrets(): Promise<void> {
    for (const { secret } of this.#deps.estate.locks) await this.writeSecret(secret);
  }

  async writeSecret(secret: string): Promise<void> {
    const { attempt, world, passwords } = this.#deps;
    const write = (): Promise<void> => world.secret(secret, { username: USERNAME, password: passwords.of(secret) });
    await attempt(`writes Secret/${secret}`, write);
  }

  async deleteSecret(secret: string): Promise<void> {
    const { attempt, world } = this.#deps;
    await attempt(`deletes Secret/${secret}`, () => world.delete('Secret', secret));
  }

  /** All objects are about to be deleted. */
  wishAllGone(): void {
    for (const { key } of this.#deps.estate.things) this.#deps.wishes.deleted(key);
  }

  /** Paths of objects. */
  present(): readonly string[] {
    const { things } = this.#deps.estate;
    return things.filter((thing) => this.#state(thing) !== 'absent').map((thing) => this.#path(thing));
  }

  #state(thing: Thing): 'absent' | 'present' | 'going' {
    const object = this.#object(thing);
    if (object === undefined) return 'absent';
    return object.metadata.deletionTimestamp === undefined ? 'present' : 'going';
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

  /** Unless one before it is there still; of that nothing may be left (M5). */
  async #create(thing: Thing): Promise<void> {
    const { attempt, world, wishes, judge, machines, random, report } = this.#deps;
    await attempt(`creates ${thing.key}`, async () => {
      const present = await this.#read(thing);
      if (present !== undefined) {
        wishes.known(thing.key, present.metadata.uid);
        return false;
      }
      const sights = await machines.call.look();
      if (wishes.lifeAt(thing.key) !== undefined) judge.judgeEnd(thing, sights);
      if (thing.renewed !== undefined && random() < RENEWED) {
        report('user', `has a new disk ${thing.renewed}`);
        const isNew = await machines.call.renew(thing.node, thing.renewed);
        if (isNew) this.#givenAwayAt.set(thing.key, this.#deps.clock.now());
      }
      wishes.created(thing.key, thing.spec);
      const path = resourcePath(resource(thing.kind, thing.plural), world.namespace);
      const { body } = await world.client.call({ method: 'POST', path, body: manifestOf(thing) });
      wishes.known(thing.key, String((body['metadata'] as JsonObject)['uid']));
      this.deeds++;
      return true;
    });
  }

  async #editOne(present: readonly Thing[]): Promise<void> {
    const { random } = this.#deps;
    const chosen = pick(
      present.filter(({ edits }) => edits.length > 0),
      random,
    );
    const edit = pick(chosen?.edits ?? [], random);
    if (chosen !== undefined && edit !== undefined) await this.#edit(chosen, edit);
    for (const thing of present) await this.#remedy(thing);
  }

  async #edit(thing: Thing, spec: JsonObject): Promise<void> {
    const { attempt, world, wishes } = this.#deps;
    wishes.edited(thing.key, spec);
    const call = { method: 'PATCH', path: this.#path(thing), contentType: MERGE, body: { spec } } as const;
    await attempt(`edits ${thing.key}: ${JSON.stringify(spec)}`, () => world.client.call(call));
    this.deeds++;
  }

  async #remove(thing: Thing): Promise<boolean> {
    const { attempt, world, wishes } = this.#deps;
    wishes.deleted(thing.key);
    const remove = (): Promise<unknown> => world.client.call({ method: 'DELETE', path: this.#path(thing) });
    const isDone = (await attempt(`deletes ${thing.key}`, remove)) !== 'unknown';
    if (isDone) this.deeds++;
    return isDone;
  }

  async #mend(thing: Thing): Promise<void> {
    if (this.#state(thing) === 'present') await this.#remedy(thing);
    else for (const user of this.#churn.standingOn(thing)) await this.#churn.delete(user);
  }

  /** What a condition asks a person to do. */
  async #remedy(thing: Thing): Promise<void> {
    const object = this.#object(thing);
    if (thing.says !== undefined || object === undefined) return;
    if (object.metadata.deletionTimestamp !== undefined) return;
    const { reason, message } = readyOf(object);
    const seenAt = /discardFileSystemSeen: '([^']+)'/.exec(String(message))?.[1];
    if (seenAt !== undefined && this.#isGivenAway(thing, seenAt)) {
      const policy = thing.kind === 'WindowsVolume' ? { formatPolicy: 'IfUnknown' } : {};
      await this.#edit(thing, { ...policy, discardFileSystemSeen: seenAt });
      return;
    }
    if (thing.kind !== 'WindowsVolume') return;
    const isUnknown = object.spec?.['formatPolicy'] === 'IfUnknown';
    if (reason === 'NotFormatted' && !isUnknown) await this.#edit(thing, { formatPolicy: 'IfUnknown' });
    if (reason === 'FormatUncertain') await this.#churn.delete(thing);
  }

  /** The file system was on a disk, or on the disk of a volume, before what was on that was given away. */
  #isGivenAway({ key, on }: Thing, seenAt: string): boolean {
    return [key, ...on].some((disk) => Date.parse(seenAt) <= (this.#givenAwayAt.get(disk) ?? Number.NEGATIVE_INFINITY));
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
}

/** All that there are, as they were seen last, and Secrets left out. */
export function storageObjects({ follower }: Pick<World, 'follower'>): readonly KubeObject[] {
  const kinds = windowsContracts.map(({ kind }) => kind);
  return follower.all().filter(({ kind }) => kinds.includes(kind)) as unknown as readonly KubeObject[];
}
