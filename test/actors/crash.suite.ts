// A process that is killed at any moment loses nothing and makes nothing twice (I4, I9).
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../actors/base/clock.ts';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import { inWorld, type World } from '../world/world.ts';
import { applyAbsent, isOneToOne, isUp, landscape, needs, type SampleObject } from './landscape.ts';
import { TroupeProcess } from './processes.ts';

export interface CrashOptions {
  /** Kills while the landscape comes up and changes, and while it goes. */
  readonly kills: { readonly up: number; readonly down: number };
  readonly leaseMs: number;
  /** Time that each call to the simulated cloud takes, in milliseconds, so that kills find calls under way. */
  readonly latencyMs?: number;
  readonly seed: number;
  /** Longest wait for the end of each part, in milliseconds. */
  readonly limitMs: number;
  readonly onFigure: (line: string) => void;
}

/** A process that does nothing is killed after this long, in milliseconds. */
const IDLE_MS = 4_000;
/** A process is killed after so many events at most. */
const EVENTS_LIMIT = 150;

export function describeCrashes(test: Test, openGround: OpenGround, options: CrashOptions): void {
  const { kills, leaseMs, latencyMs = 0, seed, limitMs, onFigure } = options;
  test(`a landscape outlives ${kills.up + kills.down} kills; seed ${seed} (I4, I9)`, () =>
    inWorld(openGround, { runtime: 'stopped', leaseMs }, async (world) => {
      const random = mulberry32(seed);
      const start = (): TroupeProcess => new TroupeProcess(world, { TROUPE_LEASE_MS: String(leaseMs) });
      let running: TroupeProcess | undefined;
      const killed = async (): Promise<string> => {
        running = start();
        const events = 1 + Math.floor(random() * EVENTS_LIMIT);
        const [from, until] = [world.events.length, world.clock.now() + leaseMs + IDLE_MS];
        while (world.events.length - from < events && world.clock.now() < until) await world.clock.sleep(2);
        await running.kill();
        assert.equal(running.said, []);
        const done = world.events.slice(from).at(-1);
        running = undefined;
        return `${world.events.length - from} events, last ${done?.actor.plural} ${done?.type} ${done?.data['to'] ?? done?.data['path']}`;
      };
      try {
        await world.observe();
        if (world.ground.simulator !== undefined) world.simulator.setLatency(latencyMs);
        await world.outside(world.name('public'));
        const files = landscape(world);
        const objects = files.flat();
        const startedAt = world.clock.now();
        for (let count = 0; count < kills.up; count++) {
          // The landscape comes in parts, and changes under way, so that every process finds something to do.
          const file = files[count];
          if (file !== undefined) await world.apply(...file.map(({ manifest }) => manifest));
          else await change(world, objects, random, count);
          onFigure(`kill ${count + 1}: ${await killed()}`);
        }
        for (const file of files.slice(kills.up)) await world.apply(...file.map(({ manifest }) => manifest));
        running = start();
        await within(world, limitMs, 'everything is available', async () => {
          await applyAbsent(world, objects);
          const missing = objects.filter(({ kind, name }) => !isUp(world, { kind, name }));
          if (missing.length === 0) return undefined;
          const reported = await Promise.all(missing.map(({ kind, name }) => world.read(kind, name)));
          return missing
            .map(({ kind, name }, index) => `${kind}/${name}: ${JSON.stringify(reported[index]?.status)}`)
            .join();
        });
        await isOneToOne(world, objects);
        onFigure(`up after ${kills.up} kills in ${seconds(world, startedAt)}, ${world.events.length} events`);

        const deletedAt = world.clock.now();
        await running.kill();
        await world.deleteNamespace();
        for (let count = 0; count < kills.down; count++)
          onFigure(`kill ${count + 1} of the deletion: ${await killed()}`);
        running = start();
        await within(world, limitMs, 'everything is gone', async () => {
          const left = world.follower.all();
          return left.length === 0 ? undefined : left.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join();
        });
        await world.namespaceGone();
        onFigure(`gone after ${kills.down} kills in ${seconds(world, deletedAt)}`);
        for (const collection of ['ports', 'routers', 'security-groups', 'subnets', 'projects'] as const) {
          assert.equal(await world.contents(collection), []);
        }
        assert.equal(
          (await world.contents('networks')).map(({ name }) => name),
          [world.name('public')],
        );
        await running.stop();
        assert.equal(
          running.lines.filter(({ level }) => Number(level) >= 50),
          [],
        );
        running = undefined;
      } finally {
        await running?.kill();
      }
    }));
}

export interface TakeoverOptions {
  readonly leaseMs: number;
  readonly onFigure: (line: string) => void;
}

const TAKEOVER_MARGIN_MS = 2_000;
const OBJECTS = 24;

export function describeTakeover(test: Test, openGround: OpenGround, { leaseMs, onFigure }: TakeoverOptions): void {
  test(`two processes share the work; when one is killed, its objects go on within a lease and ${TAKEOVER_MARGIN_MS / 1_000} s`, () =>
    inWorld(openGround, { runtime: 'stopped', leaseMs }, async (world) => {
      const processes: TroupeProcess[] = [];
      try {
        await world.observe();
        for (const name of ['one', 'two']) {
          processes.push(new TroupeProcess(world, { TROUPE_LEASE_MS: String(leaseMs), POD_NAME: name }));
        }
        const [one, two] = processes as [TroupeProcess, TroupeProcess];
        await within(world, 4 * leaseMs + 10_000, 'both hold shards', async () => {
          const [ofOne, ofTwo] = [shardsOf(one), shardsOf(two)];
          return ofOne > 0 && ofTwo > 0 ? undefined : `${ofOne} and ${ofTwo}`;
        });
        const names = Array.from({ length: OBJECTS }, (_, index) => world.name(`n${index}`));
        await world.apply(...names.map((name) => world.managed('Network', name)));
        for (const name of names) await world.available('Network', name);
        const [byOne, byTwo] = [workTraceparent(one), workTraceparent(two)];
        assert.ok(byOne.size > 0 && byTwo.size > 0, `one did ${byOne.size}, two did ${byTwo.size}`);
        assert.is(byOne.size + byTwo.size, OBJECTS, 'an object has one host');

        await one.kill();
        const killedAt = world.clock.now();
        const description = 'after the kill';
        for (const name of names) await world.patch('Network', name, { spec: { resource: { description } } });
        for (const name of names) {
          await world.until(
            'Network',
            name,
            'changed',
            ({ status }) => status?.resource?.['description'] === description,
          );
        }
        const changedMs = world.clock.now() - killedAt;
        // When work on an object goes on; how long the cloud then takes to change it is not the takeover's affair.
        const wentOn = [...byOne].map((name) => world.eventsOf('Network', name).find(({ at }) => at > killedAt)?.at);
        const tookMs = Math.max(...wentOn.map((at) => (at ?? Number.POSITIVE_INFINITY) - killedAt));
        onFigure(
          `${byOne.size} of ${OBJECTS} objects moved and went on within ${Math.round(tookMs)} ms of the kill, ` +
            `lease ${leaseMs} ms; all changed after ${Math.round(changedMs)} ms`,
        );
        assert.ok(tookMs < leaseMs + TAKEOVER_MARGIN_MS, `${tookMs} ms`);
        assert.is((await world.contents('networks')).length, OBJECTS);
        await two.stop();
      } finally {
        for (const process of processes) await process.kill();
      }
    }));
}

/** Changes something of a few objects that are there. */
async function change(
  world: World,
  objects: readonly SampleObject[],
  random: () => number,
  count: number,
): Promise<void> {
  const managed = objects.filter(({ manifest }) => (manifest['spec'] as JsonObject)['resource'] !== undefined);
  await applyAbsent(world, objects);
  for (let index = 0; index < 6; index++) {
    const chosen = managed[Math.floor(random() * managed.length)];
    if (chosen === undefined || (await world.read(chosen.kind, chosen.name)) === undefined) continue;
    // Applied again as soon as it is gone: an apply before that would go with it. What others need would stay.
    if (REMOVABLE.has(chosen.kind) && index < 3 && !objects.some((object) => needs(object, chosen))) {
      await world.delete(chosen.kind, chosen.name);
      continue;
    }
    await world.patch(chosen.kind, chosen.name, { spec: { resource: { description: `change ${count}` } } });
  }
}

/** Kinds of which something is deleted under way. */
const REMOVABLE: ReadonlySet<string> = new Set(['Subnet', 'Port']);

/** How many shards a process says that it took. */
function shardsOf({ lines }: TroupeProcess): number {
  return lines.filter(({ msg }) => msg === 'shards taken over').reduce((sum, { shards }) => sum + Number(shards), 0);
}

/** The networks that a process created. */
function workTraceparent({ lines }: TroupeProcess): ReadonlySet<string> {
  return new Set(
    lines
      .filter(({ plural, to }) => plural === 'networks' && to === 'building.creating')
      .map(({ name }) => String(name)),
  );
}

async function within(
  world: World,
  limitMs: number,
  what: string,
  look: () => Promise<string | undefined>,
): Promise<void> {
  const until = world.clock.now() + limitMs;
  for (;;) {
    const instead = await look();
    if (instead === undefined) return;
    if (world.clock.now() > until) throw new Error(`not so after ${limitMs} ms: ${what}; instead ${instead}`);
    await world.clock.sleep(20);
  }
}

function seconds(world: World, since: number): string {
  return `${((world.clock.now() - since) / 1_000).toFixed(1)} s`;
}
