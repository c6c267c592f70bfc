// long
// Hundreds of objects whose resync is overdue when a process starts, and a cloud that serves few calls at a time: nobody hears of
// anything but of what the cloud said.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inMemory } from '../world/environments.ts';
import { checkIn, condition, type World } from '../world/world.ts';

const test = suite('overdue resyncs');
const check = checkIn(test, inMemory);

const VOLUMES = 200;
const HOUR_MS = 3_600_000;
/** One call in half a second, four at a time: eight a second. */
const LATENCY_MS = 500;
const CALLS_IN_FLIGHT = 4;

/** Names of volumes that are Available and were looked at last an hour ago; no process is there. */
async function overdue(world: World, resyncPeriod: string): Promise<readonly string[]> {
  const names = Array.from({ length: VOLUMES }, (_, index) => world.name(`volume-${index}`));
  await world.apply(...names.map((name) => world.managed('Volume', name, { size: 1 }, { resyncPeriod })));
  for (const name of names) await world.available('Volume', name);
  await world.stop();
  await world.clock.sleep(HOUR_MS);
  world.simulator.setLatency(LATENCY_MS);
  return names;
}

const start = (world: World): Promise<void> =>
  world.start({ adapters: [world.openstack({ callsInFlight: CALLS_IN_FLIGHT })] });

/** When each condition changed last, by volume. */
async function changes(world: World, names: readonly string[]): Promise<readonly string[]> {
  const all: string[] = [];
  for (const name of names) {
    const object = await world.read('Volume', name);
    if (object === undefined) throw new Error(`'${name}' is gone`);
    const texts = ['Available', 'Progressing'].map((type) => {
      const { status, reason, lastTransitionTime } = condition(object, type) as unknown as Record<string, string>;
      return `${type} ${status} ${reason} ${lastTransitionTime}`;
    });
    all.push(`${name}: ${texts.join(', ')}`);
  }
  return all;
}

/** When each was looked at last, in milliseconds since the epoch. */
async function looks(world: World, names: readonly string[]): Promise<readonly number[]> {
  const objects = await Promise.all(names.map((name) => world.read('Volume', name)));
  return objects.map((object) => Date.parse(String(object?.status?.['lastSyncTime'])));
}

const isRefused = ({ msg }: { readonly msg?: unknown }): boolean => /too busy/.test(String(msg));

check('33.F4: what cannot be looked at in time says so of nothing: no condition changes', async (world) => {
  // More is due than the cloud can serve: a look each 20 seconds of 200.
  const names = await overdue(world, '20s');
  const before = await changes(world, names);
  const startedAt = world.clock.now();
  await start(world);
  for (let round = 0; round < 6; round += 1) {
    await world.clock.sleep(10_000);
    assert.equal(await changes(world, names), before, `after ${round + 1} rounds`);
  }
  assert.equal(world.logs.filter(isRefused), []);
  world.simulator.setLatency(0);
  await world.clock.sleep(60_000);
  assert.ok(
    (await looks(world, names)).every((at) => at > startedAt),
    'each was looked at in the end',
  );
  assert.equal(await changes(world, names), before);
});

check('33.F4: what is overdue is spread over half a minute', async (world) => {
  const names = await overdue(world, '30m');
  const startedAt = world.clock.now();
  await start(world);
  await world.clock.sleep(60_000);
  const at = (await looks(world, names)).map((look) => (look - startedAt) / 1_000);
  assert.ok(
    at.every((seconds) => seconds > -5 && seconds <= 45),
    `all within half a minute: ${at.join()}`,
  );
  const perPart = Array.from({ length: 6 }, (_, part) => at.filter((s) => Math.floor(s / 5) === part).length);
  assert.ok(Math.max(...perPart) < VOLUMES / 3, `not at once: ${perPart.join()}`);
});

test.run();
