// Histories of an adapter's kinds: objects are made, edited and deleted while processes die, answers are lost and calls hang. Each
// history follows from its seed.
import type { KubeObject } from '../../machines/object.ts';
import { mulberry32 } from '../base/clock.ts';
import type { ScriptedSystem } from './system.ts';
import { type Manifest, openWorld, type World, type WorldOptions } from './world.ts';

/** The external system of one history. */
export interface SimulatedSystem {
  readonly system: ScriptedSystem;
  readonly env: Readonly<Record<string, string>>;
  /** Ids of all resources that are there, as `status.id` has them. */
  contents(): readonly string[];
}

/** Options of `simulate`. */
export interface SimulateOptions {
  readonly adapter: WorldOptions['adapter'];
  /** A new one, empty. */
  readonly open: () => Promise<SimulatedSystem>;
  /** Objects that a history may have. What they refer to is among them, or a Secret of `secrets`. */
  readonly objects: readonly Manifest[];
  /** Another spec for an object; undefined: nothing of it can be edited. */
  readonly edit?: (manifest: Manifest, random: () => number) => Manifest | undefined;
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** 10 unless given. */
  readonly histories?: number;
  /** Seed of the first history; the others follow. 1 by default. */
  readonly seed?: number;
  /** In each history. 25 unless given. */
  readonly steps?: number;
}

/**
 * Plays histories. After each everything comes to rest: each object is available, or waits for another one, and there are just the
 * resources outside that the objects have; then all are deleted, and nothing is left at all.
 *
 * @throws {Error} names the seed and the steps of the first history that ends otherwise
 */
export async function simulate(options: SimulateOptions): Promise<void> {
  const { histories = 10, seed = 1 } = options;
  for (let each = seed; each < seed + histories; each++) await history(options, each);
}

async function history(options: SimulateOptions, seed: number): Promise<void> {
  const random = mulberry32(seed);
  const opened = await options.open();
  const world = await openWorld({ adapter: options.adapter, env: opened.env, seed });
  const steps: string[] = [];
  try {
    for (const [name, content] of Object.entries(options.secrets ?? {})) await world.secret(name, content);
    const wanted = new Map<string, Manifest>();
    for (let step = 0; step < (options.steps ?? 25); step++) {
      steps.push(await taken({ options, world, opened, wanted, random }));
      await world.clock.sleep(Math.floor(random() * 4_000));
    }
    opened.system.heal();
    await checked(world, options, opened);
  } catch (error) {
    const told = steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n');
    throw new Error(`history ${seed}: ${(error as Error).message}\n${told}`, { cause: error });
  } finally {
    await world.close();
    await opened.system.close();
  }
}

interface Stage {
  readonly options: SimulateOptions;
  readonly world: World;
  readonly opened: SimulatedSystem;
  /** Keyed by kind and name. */
  readonly wanted: Map<string, Manifest>;
  readonly random: () => number;
}

/** @returns what was done */
async function taken({ options, world, opened, wanted, random }: Stage): Promise<string> {
  const { system } = opened;
  const one = <Each>(all: readonly Each[]): Each | undefined => all[Math.floor(random() * all.length)];
  const chance = random();
  const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;
  if (chance < 0.4) {
    const manifest = one(options.objects);
    if (manifest === undefined) return 'nothing';
    // An object that is being deleted is made again once it is deleted.
    if ((await world.read(manifest.kind, manifest.metadata.name))?.metadata.deletionTimestamp !== undefined)
      return 'nothing';
    if (!wanted.has(keyOf(manifest))) {
      await world.apply(manifest);
      wanted.set(keyOf(manifest), manifest);
      return `make ${keyOf(manifest)}`;
    }
    const edited = options.edit?.(wanted.get(keyOf(manifest)) ?? manifest, random);
    if (edited === undefined) return 'nothing';
    await world.apply(edited);
    wanted.set(keyOf(edited), edited);
    return `edit ${keyOf(edited)}`;
  }
  if (chance < 0.55) {
    const manifest = one([...wanted.values()]);
    if (manifest === undefined) return 'nothing';
    wanted.delete(keyOf(manifest));
    await world.remove(manifest.kind, manifest.metadata.name);
    return `delete ${keyOf(manifest)}`;
  }
  if (chance < 0.7) {
    await world.crash();
    await world.start();
    return 'the process dies, and another one begins';
  }
  if (chance < 0.8) {
    system.fail({}, 503, 1 + Math.floor(random() * 3));
    return 'calls fail with 503';
  }
  if (chance < 0.9) {
    system.loseAnswer({});
    return 'an answer is lost';
  }
  system.hang({});
  return 'a call hangs';
}

/** Longest wait until all that is left has come to rest, in simulated milliseconds. */
const REST_MS = 240_000;

async function checked(world: World, { objects }: SimulateOptions, { contents }: SimulatedSystem): Promise<void> {
  const there = await rested(world, objects);
  const ids = there.flatMap(({ status }) => (typeof status?.['id'] === 'string' ? [status['id']] : [])).sort();
  const outside = [...contents()].sort();
  if (JSON.stringify(outside) !== JSON.stringify(ids))
    throw new Error(`outside there is ${listed(outside)}, and the objects have ${listed(ids)}`);
  for (const { metadata, kind } of there)
    if (metadata.deletionTimestamp === undefined) await world.remove(kind, metadata.name);
  for (const { kind, metadata } of objects) await world.gone(kind, metadata.name);
  if (contents().length > 0)
    throw new Error(`all objects were deleted, but the external system still has ${listed(contents())}`);
  const [first] = world.errors;
  if (first !== undefined) throw new Error(`the runtime logged an error: ${JSON.stringify(first)}`);
}

/** The objects that are there when each of them is available, or waits for another one. */
async function rested(world: World, objects: readonly Manifest[]): Promise<readonly KubeObject[]> {
  const endsAt = world.clock.now() + REST_MS;
  for (;;) {
    const read = await Promise.all(objects.map(({ kind, metadata }) => world.read(kind, metadata.name)));
    const there = read.flatMap((object) => object ?? []);
    const restless = there.find((object) => !hasComeToRest(object));
    if (restless === undefined) return there;
    if (world.clock.now() > endsAt)
      throw new Error(
        `${restless.kind}/${restless.metadata.name} does not come to rest: ${JSON.stringify(restless.status)}`,
      );
    await world.clock.sleep(500);
  }
}

function hasComeToRest({ metadata, status }: KubeObject): boolean {
  const all = (status?.['conditions'] ?? []) as readonly {
    type: string;
    status: string;
    message: string;
    observedGeneration?: number;
  }[];
  const [available, progressing] = ['Available', 'Progressing'].map((type) => all.find((each) => each.type === type));
  if (progressing?.status === 'True') return /^Waiting for (\w+\/|finalizer )/.test(progressing.message);
  const isCurrent = progressing?.observedGeneration === metadata.generation;
  return metadata.deletionTimestamp === undefined && isCurrent && available?.status === 'True';
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'nothing' : ids.join(', ');
}
