// Who follows the graph: what comes first, what is gathered, what is left out, and that nothing goes on afterwards.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusColor } from '../../../actors/visualizer/wire.ts';
import {
  type Address,
  addressKey,
  type Bus,
  type EventQuery,
  type JsonObject,
  type ReceivedEvent,
  TransientError,
} from '../../../bus/mod.ts';
import { ManualClock, outcome } from '../../bus/manual-clock.ts';
import { simulatedClock } from '../../world/clock.ts';
import { Page, sourceOn } from './follower.ts';
import { ScriptedWorld } from './scripted-deployment.ts';

const test = suite('following');
const NETWORKS = '/apis/openstack.k-orc.cloud/v1alpha1/networks';
const SUBNETS = '/apis/openstack.k-orc.cloud/v1alpha1/subnets';

function uidOf(index: number, incarnation = 0): string {
  return `${index.toString(16).padStart(8, '0')}-0000-4000-8000-${incarnation.toString(16).padStart(12, '0')}`;
}

function object(name: string, uid: string, more: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const metadata = { name, namespace: 'shop', uid, resourceVersion: '1', generation: 1, ...more };
  return { metadata, spec: { cloudCredentialsRef: { secretName: 'clouds', cloudName: 'x' }, ...spec } };
}

function address(name: string, plural = 'networks'): Address {
  return { realm: 'openstack', plural, namespace: 'shop', name };
}

function transition(name: string, uid: string, at: number, data: JsonObject = {}): ReceivedEvent {
  const reported = { uid, from: 'a', to: 'b', cause: 'c', tags: ['settled', 'available'], ...data };
  return { actor: address(name), type: 'transition', at, data: reported };
}

interface Scene {
  readonly world: ScriptedWorld;
  readonly clock: ManualClock;
  readonly reported: ReturnType<typeof sourceOn>;
  readonly page: Page;
}

async function scene(fill: (world: ScriptedWorld) => void = () => undefined): Promise<Scene> {
  const clock = new ManualClock();
  const world = new ScriptedWorld(clock);
  world.objects.set(NETWORKS, []);
  fill(world);
  const reported = sourceOn({ clock, bus: world.bus, client: world.client });
  return { world, clock, reported, page: new Page() };
}

test('nothing is asked of anybody until somebody follows, and nothing goes on half a minute after the last has gone (UI-SOURCE-3)', async () => {
  const { world, clock, reported, page } = await scene();
  await clock.advance(1_000);
  assert.equal([world.calls, world.open], [[], 0]);
  const first = await reported.follow(page);
  await clock.advance(1_000);
  assert.ok(world.open > 2);
  const lists = world.calls.filter((call) => call.includes('/networks?')).length;
  const second = await reported.follow(new Page());
  await first.close();
  await first.close();
  await clock.advance(60_000);
  assert.ok(world.open > 2, 'one is there still');
  await second.close();
  await clock.advance(29_000);
  const third = await reported.follow(new Page());
  await clock.advance(10_000);
  assert.is(world.calls.filter((call) => call.includes('/networks?')).length, lists, 'who comes again finds all there');
  await third.close();
  await clock.advance(31_000);
  assert.is(world.open, 0);
  const { length } = world.calls;
  await clock.advance(600_000);
  assert.is(world.calls.length, length);
  await reported.close();
  await world.bus.close();
  assert.is(clock.armed, 0);
});

test('closing ends everything at once', async () => {
  const { world, clock, reported, page } = await scene();
  await reported.follow(page);
  await clock.advance(1_000);
  await reported.close();
  assert.is(world.open, 0);
  await world.bus.close();
  assert.is(clock.armed, 0);
  try {
    await reported.follow(page);
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, 'closed');
  }
});

test('changes are gathered: at most ten batches a second, the last value of each object, and no more than 2,000 steps', async () => {
  const { world, clock, reported, page } = await scene((each) => each.objects.set(NETWORKS, [object('n', uidOf(1))]));
  await reported.follow(page);
  await clock.advance(1_000);
  assert.is(page.tree('Network', 'n')?.tone, StatusColor.Unseen);
  for (let step = 0; step < 3_000; step += 1) world.hear(transition('n', uidOf(1), clock.now(), { to: `${step}` }));
  await clock.advance(99);
  assert.is(page.batches.length, 0);
  await clock.advance(1);
  assert.is(page.batches.length, 1);
  assert.equal([page.steps.length, page.missed], [2_000, 1_000]);
  assert.equal(
    page.batches[0]?.trees.map(({ state, tone }) => [state, tone]),
    [['2999', StatusColor.Available]],
  );
  for (let at = 0; at < 1_000; at += 10) {
    world.hear(transition('n', uidOf(1), clock.now()));
    await clock.advance(10);
  }
  await clock.advance(100);
  assert.ok(page.batches.length <= 12, `${page.batches.length}`);
  assert.is(page.steps.length, 2_100);
  await reported.close();
});

test('a state is shown of its own incarnation, and an older one never after a newer (UI-OBJECT-GRAPH-1, UI-OBJECT-GRAPH-2)', async () => {
  const { world, clock, reported, page } = await scene((each) => {
    each.objects.set(NETWORKS, [object('n', uidOf(1, 2)), object('kept', uidOf(2))]);
    each.kept.push(
      transition('n', uidOf(1, 1), 5),
      transition('kept', uidOf(2), 7, { to: 'resting', tags: ['settled'] }),
    );
  });
  await reported.follow(page);
  await clock.advance(1_000);
  const { state, since, tone } = page.tree('Network', 'kept') ?? {};
  assert.equal([state, since, tone], ['resting', 7, StatusColor.Unavailable]);
  assert.is(page.tree('Network', 'n')?.state, '');
  world.hear(transition('n', uidOf(1, 2), 20, { to: 'new', tags: ['busy'] }));
  world.hear(transition('n', uidOf(1, 2), 10, { to: 'old' }));
  await clock.advance(200);
  assert.equal([page.tree('Network', 'n')?.state, page.tree('Network', 'n')?.tone], ['new', StatusColor.Busy]);
  world.hear({
    ...transition('n', uidOf(1, 2), 30),
    type: 'quarantined',
    data: { uid: uidOf(1, 2), from: 'new', error: 'x' },
  });
  await clock.advance(200);
  assert.equal([page.tree('Network', 'n')?.tone, page.steps.at(-1)?.failure], [StatusColor.Quarantined, 'x']);
  world.report(NETWORKS, 'DELETED', object('n', uidOf(1, 2), { resourceVersion: '2' }));
  world.report(NETWORKS, 'ADDED', object('n', uidOf(1, 3), { resourceVersion: '3' }));
  await clock.advance(200);
  assert.equal([page.tree('Network', 'n')?.state, page.tree('Network', 'n')?.uid], ['', uidOf(1, 3)]);
  world.report(NETWORKS, 'DELETED', object('n', uidOf(1, 3), { resourceVersion: '4' }));
  await clock.advance(200);
  assert.is(page.tree('Network', 'n'), undefined);
  await reported.close();
});

test('after the bus was away the graph is told anew, with what was missed', async () => {
  const { world, clock, reported, page } = await scene((each) => each.objects.set(NETWORKS, [object('n', uidOf(1))]));
  await reported.follow(page);
  await clock.advance(1_000);
  world.connected(false);
  world.kept.push(transition('n', uidOf(1), clock.now(), { to: 'missed' }));
  await clock.advance(5_000);
  assert.equal(page.troubles, [{ what: 'the bus is away' }]);
  world.connected(true);
  await clock.advance(1_000);
  assert.equal([page.snapshots, page.tree('Network', 'n')?.state], [2, 'missed']);
  assert.equal(page.troubles.at(-1), { what: undefined });
  await reported.close();
});

test('a problem that outlasts an outage of the bus is still reported after the new snapshot', async () => {
  const { world, clock, page } = await scene((each) => each.objects.set(NETWORKS, [object('n', uidOf(1))]));
  const client: typeof world.client = {
    ...world.client,
    call: (request) =>
      request.path.startsWith(SUBNETS)
        ? Promise.reject(new TransientError('cannot list subnets'))
        : world.client.call(request),
  };
  const reported = sourceOn({ clock, bus: world.bus, client });
  await reported.follow(page);
  await clock.advance(1_000);
  assert.match(page.banner ?? '', 'cannot list subnets');
  world.connected(false);
  await clock.advance(1_000);
  world.connected(true);
  await clock.advance(1_000);
  assert.is(page.snapshots, 2);
  assert.match(page.banner ?? '', 'cannot list subnets');
  await reported.close();
});

/** A bus that counts reads of the whole history. */
function counted(bus: Bus): { readonly bus: Bus; readonly reads: () => number } {
  let reads = 0;
  const history = (query: EventQuery = {}): AsyncIterable<ReceivedEvent> => {
    if (query.type === 'transition' && query.only === undefined) reads += 1;
    return bus.trace.history(query);
  };
  return { bus: { ...bus, trace: { ...bus.trace, history } }, reads: () => reads };
}

test('pages that ask for the history at the same time share one answer, which is never older than a snapshot', async () => {
  const { world, clock, page } = await scene((each) => {
    each.objects.set(NETWORKS, [object('n', uidOf(1))]);
    each.kept.push(transition('n', uidOf(1), 5));
  });
  const { bus, reads } = counted(world.bus);
  const reported = sourceOn({ clock, bus, client: world.client });
  const history = (): ReturnType<typeof reported.history> => inTime(clock, reported.history(0));
  await reported.follow(page);
  await clock.advance(1_000);
  const [one, other] = await Promise.all([history(), history()]);
  assert.is(one, other);
  assert.is(await history(), one, 'the answer is kept for a few seconds');
  assert.is(reads(), 1);

  world.connected(false);
  world.kept.push(transition('n', uidOf(1), clock.now(), { to: 'missed' }));
  world.connected(true);
  await clock.advance(200);
  assert.is(page.snapshots, 2);
  const both = await Promise.all([history(), history()]);
  assert.is(both[0], both[1]);
  assert.ok(both[0].texts.includes('missed'), 'the history includes events during a lost connection');
  assert.is(reads(), 2);

  await clock.advance(60_000);
  assert.is.not(await history(), both[0]);
  await reported.close();
  await world.bus.close();
  assert.is(clock.armed, 0);
});

test('one history is read at a time: a page that needs a newer one waits for the running one', async () => {
  const { world, clock } = await scene((each) => each.objects.set(NETWORKS, [object('n', uidOf(1))]));
  const gate = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  const bus: Bus = {
    ...world.bus,
    trace: {
      ...world.bus.trace,
      async *history(query: EventQuery = {}) {
        if (query.only !== undefined) return yield* world.bus.trace.history(query);
        running += 1;
        most = Math.max(most, running);
        await gate.promise;
        running -= 1;
      },
    },
  };
  const reported = sourceOn({ clock, bus, client: world.client });
  await reported.follow(new Page());
  await clock.advance(1_000);
  const first = reported.history(0);
  await clock.advance(1);
  await reported.follow(new Page());
  await clock.advance(1);
  const [second, third] = [reported.history(0), reported.history(0)];
  await clock.advance(1);
  assert.is(running, 1);
  gate.resolve();
  assert.is.not(await inTime(clock, first), await inTime(clock, second));
  assert.is(await second, await third);
  assert.is(most, 1);
  await reported.close();
});

test('a bus that is away at first is no reason to show nothing, and is heard later', async () => {
  const { world, clock, reported, page } = await scene((each) => each.objects.set(NETWORKS, [object('n', uidOf(1))]));
  world.isAway = true;
  await reported.follow(page);
  await clock.advance(500);
  assert.equal([page.snapshots, page.trees.size], [1, 1]);
  assert.equal(page.troubles, [{ what: 'the bus is away' }]);
  world.isAway = false;
  await clock.advance(2_000);
  world.hear(transition('n', uidOf(1), clock.now(), { to: 'heard' }));
  await clock.advance(200);
  assert.is(page.tree('Network', 'n')?.state, 'heard');
  await reported.close();
});

test('hostile names, states and references come through as data, and break nothing (UI-OBJECT-GRAPH-3)', async () => {
  const names = [
    '__proto__',
    'constructor',
    'x'.repeat(253),
    'a.b-c',
    '<img src=x onerror=alert(1)>',
    '"\u2028\'`$x{}',
  ];
  const { world, clock, reported, page } = await scene((each) => {
    each.objects.set(
      NETWORKS,
      names.map((name, index) => object(name, uidOf(index))),
    );
    each.objects.set(SUBNETS, [
      object('throws', uidOf(100), {}, { resource: null, cloudCredentialsRef: null as never }),
      { ...object('odd', uidOf(101)), status: { conditions: [null, 7, { type: 'Progressing', message: { a: 1 } }] } },
      object('refers', uidOf(102), { creationTimestamp: 'soon' }, { resource: { networkRef: '__proto__' } }),
    ]);
  });
  await reported.follow(page);
  await clock.advance(1_000);
  assert.equal([...page.trees.values()].map(({ name }) => name).sort(), [...names, 'throws', 'odd', 'refers'].sort());
  for (const [index, name] of names.entries()) {
    world.hear(
      transition(name, uidOf(index), clock.now(), { to: name, cause: name, tags: [name, { x: 1 }], links: [{}] }),
    );
  }
  const odd: JsonObject = { uid: 7, from: null, to: {}, cause: [], tags: 'settled', links: 'x', failure: 3 };
  world.hear({ actor: address('refers', 'subnets'), type: 'transition', at: clock.now(), data: odd });
  world.hear({ actor: address('n', '__proto__'), type: 'transition', at: clock.now(), data: odd });
  await clock.advance(200);
  for (const name of names) assert.is(page.tree('Network', name)?.state, name);
  assert.is(page.tree('Subnet', 'odd')?.said, '');
  assert.equal(page.tree('Subnet', 'throws')?.needs, []);
  const refers = page.tree('Subnet', 'refers');
  assert.ok(refers?.needs.includes(addressKey(address('__proto__'))));
  assert.is(refers?.createdAt, 0);
  assert.not(page.steps.some((step) => Object.values(step).some((value) => typeof value === 'object')));
  assert.equal((await inTime(clock, reported.problems())).services, []);
  await reported.close();
});

test('who let an object go on is known by its uid, also when it is gone', async () => {
  const { world, clock, reported, page } = await scene((each) => {
    each.objects.set(NETWORKS, [object('n', uidOf(1)), object('other', uidOf(2))]);
  });
  await reported.follow(page);
  await clock.advance(1_000);
  const links = (index: number): JsonObject => ({
    links: [`00-${'1'.repeat(32)}-${uidOf(index).replaceAll('-', '').slice(0, 16)}-01`],
  });
  world.hear(transition('n', uidOf(1), clock.now(), links(2)));
  world.report(NETWORKS, 'DELETED', object('other', uidOf(2), { resourceVersion: '2' }));
  await clock.advance(200);
  world.hear(transition('n', uidOf(1), clock.now(), links(2)));
  world.hear(transition('n', uidOf(1), clock.now(), links(9)));
  await clock.advance(200);
  const other = addressKey(address('other'));
  assert.equal(
    page.steps.map(({ by }) => by),
    [other, other, undefined],
  );
  await reported.close();
});

test('how external systems answered of late is told, and forgotten', async () => {
  const { world, clock, reported, page } = await scene();
  await reported.follow(page);
  await clock.advance(1_000);
  const call = (service: string, status: number | null): void =>
    world.hear({ actor: address('n'), type: 'call', at: clock.now(), data: { service, status } });
  for (const status of [200, 404, 409]) call('fine', status);
  for (const status of [200, 503, null]) call('network', status);
  call('image', 429);
  const { services } = await inTime(clock, reported.problems());
  assert.equal(services.map(({ service, calls, failed, last }) => [service, calls, failed, last]).sort(), [
    ['fine', 3, 0, ''],
    ['image', 1, 1, '429'],
    ['network', 3, 2, 'no answer'],
  ]);
  assert.is(await reported.problems(), await reported.problems(), 'asked again at once, it is the same answer');
  await clock.advance(310_000);
  assert.equal((await inTime(clock, reported.problems())).services, []);
  await reported.close();
});

test('5,000 objects with 500 transitions a second are one batch of changes a tenth of a second, and no request', async () => {
  const clock = simulatedClock();
  const world = new ScriptedWorld(clock);
  const COUNT = 5_000;
  const SECONDS = 4;
  const condition = {
    type: 'Progressing',
    status: 'False',
    reason: 'Success',
    message: 'up to date',
    observedGeneration: 1,
  };
  const full = (index: number, resourceVersion: string): JsonObject => ({
    ...object(`n${index}`, uidOf(index), { resourceVersion }, { resource: { networkRef: `n${index - 1}` } }),
    status: { id: uidOf(index), conditions: [condition, { ...condition, type: 'Available', status: 'True' }] },
  });
  world.objects.set(
    SUBNETS,
    Array.from({ length: COUNT }, (_, index) => full(index, '1')),
  );
  const subnet = (index: number, at: number): ReceivedEvent => ({
    ...transition(`n${index}`, uidOf(index), at),
    actor: address(`n${index}`, 'subnets'),
  });
  for (let index = 0; index < COUNT; index += 1) world.kept.push(subnet(index, 1));
  // Of kinds that are not there it is asked again and again.
  const requests = (): number => world.calls.filter((call) => call.includes(SUBNETS)).length;
  const reported = sourceOn({ clock, bus: world.bus, client: world.client });
  const page = new Page();
  await reported.follow(page);
  await page.until(clock, 'the graph', () => page.snapshots === 1);
  assert.is(page.trees.size, COUNT);
  const asked = requests();
  const beganAt = clock.now();
  let sent = 0;
  while (clock.now() < beganAt + SECONDS * 1_000) {
    for (const due = (clock.now() - beganAt) / 2; sent < due; sent += 1) {
      const index = (sent * 7) % COUNT;
      world.hear(subnet(index, clock.now()));
      world.report(SUBNETS, 'MODIFIED', full(index, `${sent + 2}`));
    }
    await clock.sleep(5);
  }
  await page.until(clock, 'the last step', () => page.steps.length + page.missed >= sent);
  assert.equal([page.missed, page.snapshots, requests() - asked], [0, 1, 0]);
  assert.ok(page.batches.length <= SECONDS * 10 + 2, `${page.batches.length} batches`);
  // Of what has changed there is one picture a batch, and none of anything else.
  const pictures = page.batches.reduce((sum, { trees }) => sum + trees.length, 0);
  assert.ok(pictures <= 2 * sent, `${pictures} pictures for ${sent} changes`);
  await reported.close();
  await world.bus.close();
});

/** The answer, with as much time as it takes. */
async function inTime<Answer>(clock: ManualClock, promise: Promise<Answer>): Promise<Answer> {
  const seen = outcome(promise);
  for (let at = 0; at < 100 && !seen.settled; at += 1) await clock.advance(1);
  return promise;
}

test.run();
