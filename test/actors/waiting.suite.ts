// What waiting costs, and how it ends: no error, no call to the cloud, no timer, no write (I6, EXTERNAL-RESOURCE-6); and a reaction to readiness
// that waits for no timer (I7).
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { SimulatedClock } from '../world/clock.ts';
import type { OpenGround } from '../world/environments.ts';
import { CREDENTIALS, checkIn, type Event, type World } from '../world/world.ts';

/** How long waiting objects are watched, in milliseconds. */
const WATCHED_MS = 2_000;
/**
 * Between two looks, in milliseconds, and so many in a row must equal the one before until the watch begins: what is under way is
 * listed for a second, and what may wait is published a second after whatever happened last.
 */
const SETTLE_MS = 1_200;
const EQUAL_LOOKS = 2;
const WAITING = 20;
const PAIRS = 24;

export interface WaitingOptions {
  /** Told the figures, for the report. */
  readonly onFigure: (line: string) => void;
}

export function describeWaiting(test: Test, openGround: OpenGround, { onFigure }: WaitingOptions): void {
  const check = checkIn(test, openGround);

  for (const [title, credentials, awaited] of [
    ['a network that is not there', 'present', /Waiting for Network\/.* to be created/],
    ['credentials that are not there', 'absent', new RegExp(`Waiting for Secret/${CREDENTIALS} to be created`)],
  ] as const) {
    check(
      `waiting for ${title} makes no error, no call, no timer and no write (I6)`,
      async (world) => {
        const timersBefore = await restingTimers(world);
        const names = Array.from({ length: WAITING }, (_, index) => world.name(`waits${index}`));
        await world.apply(...names.map((name) => subnet(world, name, world.name('missing'))));
        for (const name of names) await world.progressing('Subnet', name, 'Progressing', awaited);

        const before = await settledState(world);
        await world.clock.sleep(WATCHED_MS);
        const after = await state(world);

        assert.equal(after, before);
        assert.equal(
          world.events.filter(({ type }) => type === 'call'),
          [],
        );
        assert.equal(world.lines('warn'), []);
        assert.ok((after['timers'] as number) <= timersBefore, `timers: ${world.clock.pending().join()}`);
      },
      credentials === 'absent' ? { credentials: 'absent' } : {},
    );
  }

  check('a dependency that is being made makes its dependents look once, and wait in silence', async (world) => {
    const net = world.name('pending');
    await world.apply(world.unmanaged('Network', net, { filter: { name: world.name('nothing') } }));
    await world.progressing('Network', net, 'Progressing', 'Waiting for OpenStack resource to be created externally');
    const names = Array.from({ length: WAITING }, (_, index) => world.name(`waits${index}`));
    await world.apply(...names.map((name) => subnet(world, name, net)));
    for (const name of names)
      await world.progressing('Subnet', name, 'Progressing', `Waiting for Network/${net} to be ready`);
    await world.eventually('everybody has looked', () => {
      const looking = names.filter(
        (name) => world.eventsOf('Subnet', name, 'transition').at(-1)?.data['to'] !== 'claiming.awaitingDependencies',
      );
      return looking.length === 0 ? undefined : looking.join();
    });
    const before = await settledState(world);
    await world.clock.sleep(WATCHED_MS);
    assert.equal(await state(world), before);
    assert.equal(world.lines('warn'), []);
  });

  check('what somebody takes away of the status of an object that waits is there again (I6)', async (world) => {
    const net = world.name('missing');
    const name = world.name('waits');
    await world.apply(subnet(world, name, net));
    const awaited = `Waiting for Network/${net} to be created`;
    await world.progressing('Subnet', name, 'Progressing', awaited);
    const answer = await world.client.call({
      method: 'PATCH',
      path: `${world.path('Subnet', name)}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { conditions: null } },
    });
    const { metadata, status = {} } = answer.body as unknown as KubeObject;
    assert.is(status['conditions'], undefined);
    const isLater = (version: string): boolean => BigInt(version) > BigInt(metadata.resourceVersion);
    await world.until('Subnet', name, 'told of again', (object) => isLater(object.metadata.resourceVersion));
    await world.progressing('Subnet', name, 'Progressing', awaited);
    const before = await settledState(world);
    await world.clock.sleep(WATCHED_MS);
    assert.equal(await state(world), before, 'once');
  });

  check('a dependent is asked for as soon as its dependency is ready, and waits for no timer (I7)', async (world) => {
    const reactions = await reactionsOf(world);
    onFigure(`one after another: ${figures(reactions)}`);
    assert.ok(Math.min(...reactions) >= 0, figures(reactions));
    // Simulated time passes by timers alone. What real time it takes is for test/bench to say.
    if (world.ground.clock instanceof SimulatedClock) assert.is(Math.max(...reactions), 0, figures(reactions));
  });

  check('many at once are asked for one after another, none before its dependency is ready (I1)', async (world) => {
    const pairs = Array.from({ length: PAIRS }, (_, index) => ({
      net: world.name(`net${index}`),
      name: world.name(`sub${index}`),
    }));
    await world.apply(
      ...pairs.map(({ net, name }) => subnet(world, name, net)),
      ...pairs.map(({ net }) => world.managed('Network', net)),
    );
    for (const { name } of pairs) await world.available('Subnet', name);
    const reactions: number[] = [];
    for (const { net, name } of pairs) reactions.push(startOf(await posted(world, name)) - readyAt(world, net));
    onFigure(`${PAIRS} pairs at once: ${figures(reactions)}`);
    assert.ok(Math.min(...reactions) >= 0, figures(reactions));
  });
}

/** Makes pairs one after another. @returns for each the time from the network's readiness to the subnet's request */
async function reactionsOf(world: World): Promise<readonly number[]> {
  const pairs = Array.from({ length: PAIRS }, (_, index) => ({
    net: world.name(`net${index}`),
    name: world.name(`sub${index}`),
  }));
  await world.apply(...pairs.map(({ net, name }) => subnet(world, name, net)));
  for (const { name } of pairs) await world.progressing('Subnet', name, 'Progressing', /Waiting for Network/);
  const reactions: number[] = [];
  for (const { net, name } of pairs) {
    await world.apply(world.managed('Network', net));
    await world.available('Subnet', name);
    reactions.push(startOf(await posted(world, name)) - readyAt(world, net));
  }
  return reactions;
}

function subnet(world: World, name: string, networkRef: string): JsonObject {
  return world.managed('Subnet', name, { networkRef, ipVersion: 4, cidr: '192.0.2.0/24' });
}

/** Everything that a waiting object could change. */
async function state(world: World): Promise<JsonObject> {
  const { GET: _reads, ...writes } = world.ground.api?.requests() ?? {};
  const mail = await world.mail();
  return {
    versions: world.follower.all().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`),
    // This test's own requests are none while it watches.
    writes,
    mail: Math.max(0, ...mail.map(({ sequence }) => sequence)),
    events: world.events.length,
    lines: world.lines('info').map(({ msg }) => String(msg)),
    cloud: world.ground.simulator === undefined ? {} : { ...world.ground.simulator.calls() },
    // On a cluster that others use the runtime serves them too.
    timers: world.ground.api === undefined ? 0 : world.clock.pending().length,
  };
}

/** The state, once the last writes have come round as mail. */
async function settledState(world: World): Promise<JsonObject> {
  let settled = await state(world);
  let equal = 0;
  await world.eventually('nothing changes any more', async () => {
    const before = JSON.stringify(settled);
    await world.clock.sleep(SETTLE_MS);
    settled = await state(world);
    equal = JSON.stringify(settled) === before ? equal + 1 : 0;
    return equal >= EQUAL_LOOKS ? undefined : JSON.stringify(settled);
  });
  return settled;
}

/** Timers of a runtime that has nothing to do, once each of its watches is open. */
async function restingTimers(world: World): Promise<number> {
  // See `state`.
  if (world.ground.api === undefined) return 0;
  let timers = -1;
  await world.eventually('no timer is added any more', async () => {
    const before = timers;
    await world.clock.sleep(SETTLE_MS);
    timers = world.clock.pending().length;
    return timers === before ? undefined : `${timers} timers`;
  });
  return timers;
}

/** When the network was ready for others: its change to `available`. */
function readyAt(world: World, net: string): number {
  const event = world.eventsOf('Network', net, 'transition').find(({ data }) => data['to'] === 'idle.available');
  assert.ok(event, `'${net}' never became available`);
  return (event as Event).at;
}

/** The request that created the subnet; its event may come after the object that says so. */
async function posted(world: World, name: string): Promise<Event> {
  const find = (): Event | undefined =>
    world.eventsOf('Subnet', name, 'call').find(({ data }) => data['method'] === 'POST' && data['path'] === '/subnets');
  await world.eventually(`'${name}' is asked for`, () => (find() === undefined ? 'no such event' : undefined));
  return find() as Event;
}

/** When a call began: its event comes at its end. */
function startOf({ at, data }: Event): number {
  return at - Number(data['durationMs']);
}

function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.floor(ordered.length / 2)] ?? Number.NaN;
}

function figures(values: readonly number[]): string {
  const show = (value: number): string => value.toFixed(2);
  return `median ${show(median(values))} ms, least ${show(Math.min(...values))}, most ${show(Math.max(...values))}`;
}
