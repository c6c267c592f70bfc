// Whoever waits for a node shares what is read of all, hears only what is new, and leaves nothing behind.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Node } from '../../../../adapters/ironic/client/node.ts';
import { LONG_PACE_MS, paced, REST_PACE_MS, SHORT_PACE_MS } from '../../../../adapters/ironic/client/pace.ts';
import { type NodeNews, type NodePoller, nodePoller } from '../../../../adapters/ironic/client/poller.ts';
import { TerminalError, TransientError } from '../../../../bus/errors.ts';
import { ManualClock, type Outcome, outcome } from '../../../bus/manual-clock.ts';
import { FakeIronic } from './fake-ironic.ts';

const test = suite('poller of Ironic');

/** The longest pause that chance makes of one. */
const LONGEST = 1.25;

interface Watching {
  readonly end: Outcome<NodeNews>;
  stop(): void;
}

interface WatchOptions {
  readonly known?: Partial<Node> | undefined;
  readonly paceMs?: number;
}

function scene({ speed = 1 } = {}) {
  const clock = new ManualClock();
  const ironic = new FakeIronic();
  const logs: string[] = [];
  const log = {
    info: (_: object, text: string) => void logs.push(text),
    warn: (_: object, text: string) => void logs.push(text),
  };
  const poller: NodePoller = nodePoller({ clock, log, ironic, speed });
  const watch = (uuid: string, options: WatchOptions = {}): Watching => {
    const known = 'known' in options ? options.known : ironic.nodes.get(uuid);
    const controller = new AbortController();
    const { signal } = controller;
    const end = outcome(poller.watch({ uuid, known, signal, paceMs: options.paceMs ?? SHORT_PACE_MS }));
    return { end, stop: () => controller.abort() };
  };
  return { clock, ironic, logs, poller, watch };
}

const stopAll = (all: readonly Watching[]): void => {
  for (const { stop } of all) stop();
};

test('a node that is as it was known is waited for; once it is not, that is told, once (IRONIC-POLLER-1)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(3);
  const watching = watch('n1');
  await clock.advance(20_000);
  assert.not.ok(watching.end.settled);
  const node = ironic.put('n1', { provision_state: 'active' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(watching.end.value, { node });
  assert.is(clock.armed, 0, 'nobody waits any more');
});

test('of which nothing is known, whatever it is, is news', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  const watching = watch('n0', { known: undefined });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(watching.end.value, { node: ironic.nodes.get('n0') });
});

test('a thousand who wait cost one list of two pages a round, and no more at any number (IRONIC-POLLER-2)', async () => {
  for (const count of [600, 1_000]) {
    const { clock, ironic, watch } = scene();
    const all = ironic.fill(count).map((uuid) => watch(uuid));
    await clock.advance(60_000);
    const rounds = ironic.lists;
    assert.ok(rounds >= Math.floor(60 / (3 * LONGEST)) && rounds <= 20, `${rounds} rounds`);
    assert.equal(ironic.requests, Array(rounds).fill(['list 1', 'list 2']).flat());
    assert.ok(all.every(({ end }) => !end.settled));
    for (const uuid of ironic.nodes.keys()) ironic.put(uuid, { provision_state: 'active' });
    await clock.advance(SHORT_PACE_MS * LONGEST);
    assert.ok(all.every(({ end }) => end.settled));
    assert.is(ironic.lists, rounds + 1);
    assert.is(clock.armed, 0);
  }
});

test('lists ask for all that is compared, and are in nobody’s trace', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  const watching = watch('n0');
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(ironic.fields, ['all']);
  const [{ namespace, traceparent, deadlineAt } = { namespace: '?', traceparent: '?', deadlineAt: 0 }] = ironic.askings;
  assert.equal([namespace, traceparent], ['', '']);
  assert.ok(deadlineAt > clock.now());
  watching.stop();
});

for (const [name, paceMs] of [
  ['short', SHORT_PACE_MS],
  ['long', LONG_PACE_MS],
  ['rest', REST_PACE_MS],
] as const) {
  test(`at the ${name} pace it is looked every ${paceMs / 1_000} s, up to a quarter later`, async () => {
    const { clock, ironic, watch } = scene();
    ironic.fill(1);
    const watching = watch('n0', { paceMs });
    const moments: number[] = [];
    let before = clock.now();
    ironic.before = async () => {
      moments.push(clock.now() - before);
      before = clock.now();
    };
    await clock.advance(paceMs * 40);
    assert.ok(moments.length >= 32 && moments.length <= 40, `${moments.length} looks`);
    assert.ok(
      moments.every((pause) => pause >= paceMs && pause <= paceMs * LONGEST),
      moments.join(),
    );
    assert.ok(new Set(moments).size > 30, 'chance is in it');
    watching.stop();
  });
}

test('chance adds nothing to a quarter', () => {
  assert.equal([paced(3_000, 0), paced(3_000, 0.5), paced(10_000, 1)], [3_000, 3_375, 12_500]);
});

test('it is looked at the pace of the most eager, for all', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(100);
  const resting = Array.from({ length: 50 }, (_, index) => watch(`n${index}`, { paceMs: REST_PACE_MS }));
  const eager = Array.from({ length: 3 }, (_, index) => watch(`n${index + 50}`));
  await clock.advance(30_000);
  const { lists } = ironic;
  assert.ok(lists >= 8 && lists <= 10, `${lists} lists`);
  ironic.put('n7', { power_state: 'power off' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.ok(resting[7]?.end.settled, 'by a list that was not made for it');
  await clock.advance(20_000);
  stopAll(eager);
  const before = ironic.lists;
  // Those at rest were served by the last one, too.
  await clock.advance(REST_PACE_MS - 4_000);
  assert.is(ironic.lists, before);
  await clock.advance(20_000);
  assert.is(ironic.lists, before + 1);
  stopAll(resting);
  assert.is(clock.armed, 0);
});

test('who comes later looks at the moments of those who are there (IRONIC-POLLER-2)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(60);
  const all: Watching[] = [];
  for (let index = 0; index < 60; index++) {
    all.push(watch(`n${index}`, { paceMs: LONG_PACE_MS }));
    await clock.advance(100);
  }
  await clock.advance(24_000);
  assert.ok(ironic.lists <= 3, `${ironic.lists} lists in 30 s`);
  stopAll(all);
});

test('few of many are read by themselves, and the others’ list comes at their own pace (IRONIC-POLLER-3)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1_000);
  const resting = Array.from({ length: 900 }, (_, index) => watch(`n${index}`, { paceMs: REST_PACE_MS }));
  await clock.advance(REST_PACE_MS * LONGEST);
  assert.is(ironic.lists, 1);
  const eager = ['n950', 'n951'].map((uuid) => watch(uuid));
  await clock.advance(30_000);
  assert.is(ironic.lists, 1);
  assert.ok(ironic.reads.length >= 16 && ironic.reads.length <= 20, `${ironic.reads.length} reads`);
  assert.equal([...new Set(ironic.reads)], ['read n950', 'read n951']);
  ironic.put('n951', { provision_state: 'active' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal([eager[0]?.end.settled, eager[1]?.end.settled], [false, true]);
  // Thirty of them are dearer than a list.
  const more = Array.from({ length: 30 }, (_, index) => watch(`n${index + 901}`));
  const { length } = ironic.reads;
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.is(ironic.reads.length, length);
  assert.is(ironic.lists, 2);
  stopAll([...resting, ...eager, ...more]);
});

test('who waits for a node that is read by itself hears of it too, at whatever pace (IRONIC-POLLER-3)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1_000);
  const first = watch('n0', { known: undefined });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.is(ironic.lists, 1);
  const resting = [watch('n1', { paceMs: REST_PACE_MS * 5 }), watch('n2', { paceMs: REST_PACE_MS * 5 })];
  const eager = watch('n1');
  for (const uuid of ['n1', 'n2']) ironic.put(uuid, { provision_state: 'active' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal([resting[0]?.end.settled, resting[1]?.end.settled, eager.end.settled], [true, false, true]);
  assert.equal(ironic.reads, ['read n1']);
  stopAll([first, ...resting]);
});

test('where all that are read by themselves fail, that is a look that failed (IRONIC-POLLER-4)', async () => {
  const { clock, ironic, logs, watch } = scene();
  ironic.fill(1_000);
  const resting = watch('n0', { paceMs: REST_PACE_MS * 100 });
  const first = watch('n1', { known: undefined });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.ok(first.end.settled);
  const eager = watch('n2');
  ironic.failure = () => new TransientError('connection refused');
  await clock.advance(120_000);
  assert.ok(ironic.reads.length <= 6, `${ironic.reads.length} reads`);
  assert.equal(logs, ['listing nodes of Ironic failed; will retry']);
  stopAll([resting, eager]);
});

test('two who wait for one node are told both, of one read', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(200);
  const first = watch('n0', { paceMs: REST_PACE_MS });
  await clock.advance(REST_PACE_MS * LONGEST);
  first.stop();
  const both = [watch('n1'), watch('n1')];
  ironic.put('n1', { provision_state: 'active' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(ironic.reads, ['read n1']);
  assert.ok(both.every(({ end }) => end.settled));
});

test('what a list lacks is gone only where Ironic says so of itself (IRONIC-POLLER-4)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(3);
  ironic.overlooked.add('n0');
  const [overlooked, gone] = [watch('n0'), watch('n1')];
  ironic.nodes.delete('n1');
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(ironic.reads, ['read n0', 'read n1']);
  assert.not.ok(overlooked.end.settled);
  assert.equal(gone.end.value, { gone: true });
  ironic.put('n0', { provision_state: 'active' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(overlooked.end.value, { node: ironic.nodes.get('n0') });
});

test('a read of itself that failed tells nothing of the node, and nothing of others (IRONIC-POLLER-4)', async () => {
  const { clock, ironic, logs, watch } = scene();
  ironic.fill(3);
  ironic.overlooked.add('n0');
  ironic.failure = (request) => (request === 'read n0' ? new TransientError('500') : undefined);
  const [odd, other] = [watch('n0'), watch('n1')];
  await clock.advance(SHORT_PACE_MS * LONGEST * 4);
  assert.ok(ironic.lists >= 4, 'as often as ever');
  assert.not.ok(odd.end.settled);
  assert.equal(logs, []);
  ironic.put('n1', { provision_state: 'active' });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.ok(other.end.settled);
  odd.stop();
});

test('a node that nobody may ask for ends its own watch alone', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  ironic.failure = (request) => (request === 'read a/b' ? new TerminalError('no uuid') : undefined);
  const [wrong, right] = [watch('a/b'), watch('n0')];
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.instance(wrong.end.error, TerminalError);
  assert.not.ok(right.end.settled);
  right.stop();
});

test('a list that failed is told to nobody, is made again ever later, and is one line in the log (IRONIC-POLLER-4)', async () => {
  const { clock, ironic, logs, watch } = scene();
  ironic.fill(3);
  const all = ['n0', 'n1', 'missing'].map((uuid) => watch(uuid));
  const moments: number[] = [];
  ironic.failure = () => {
    moments.push(clock.now());
    return new TransientError('connection refused');
  };
  await clock.advance(300_000);
  assert.ok(all.every(({ end }) => !end.settled));
  const pauses = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
  for (const [index, least] of [6_000, 12_000, 24_000, 48_000, 60_000, 60_000].entries()) {
    const pause = pauses[index] ?? least;
    assert.ok(pause >= least && pause <= least * LONGEST, `${pauses}`);
  }
  assert.equal(logs, ['listing nodes of Ironic failed; will retry']);
  ironic.failure = () => undefined;
  ironic.put('n1', { provision_state: 'active' });
  await clock.advance(REST_PACE_MS * LONGEST);
  assert.equal(
    all.map(({ end }) => end.value),
    [undefined, { node: ironic.nodes.get('n1') }, { gone: true }],
  );
  assert.is(logs[1], 'listing nodes of Ironic restored');
  const { lists } = ironic;
  await clock.advance(15_000);
  assert.ok(ironic.lists >= lists + 4, 'at its pace again');
  stopAll(all);
});

test('of machines that are faster than real ones it is made again so many times as soon', async () => {
  const { clock, ironic, watch } = scene({ speed: 10 });
  ironic.fill(1);
  const watching = watch('n0', { paceMs: SHORT_PACE_MS / 10 });
  let failures = 0;
  ironic.failure = () => {
    failures++;
    return new TransientError('connection refused');
  };
  await clock.advance(30_000);
  assert.ok(failures >= 6, `${failures}`);
  watching.stop();
});

test('a list that broke off after some pages has told what these said, and nothing of the others', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(4);
  ironic.pageSize = 2;
  const all = ['n0', 'n3'].map((uuid) => watch(uuid));
  ironic.put('n0', { provision_state: 'active' });
  ironic.nodes.delete('n3');
  ironic.failure = (request) => (request === 'list 2' ? new TransientError('500') : undefined);
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.equal(
    all.map(({ end }) => end.settled),
    [true, false],
  );
  assert.equal(ironic.reads, []);
  stopAll(all);
});

test('Ironic is left alone for as long as it asks to be', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  const watching = watch('n0');
  ironic.failure = () => new TransientError('maintenance', { retryAfterMs: 200_000 });
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.is(ironic.lists, 1);
  await clock.advance(195_000);
  assert.is(ironic.lists, 1);
  watching.stop();
});

test('what was asked for before the watch began is not told (IRONIC-POLLER-1)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(2);
  const first = watch('n0');
  const gate = Promise.withResolvers<void>();
  ironic.before = () => gate.promise;
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.is(ironic.lists, 1);
  // The list under way is older than what is known here.
  const second = watch('n1', { known: { ...(ironic.nodes.get('n1') as Node), provision_state: 'available' } });
  gate.resolve();
  await clock.settle();
  assert.not.ok(second.end.settled);
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.is(ironic.lists, 2);
  assert.ok(second.end.settled);
  first.stop();
});

test('a slow Ironic is left alone for as long as it took (IRONIC-POLLER-5)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  const watching = watch('n0');
  ironic.before = () => clock.sleep(20_000);
  await clock.advance(SHORT_PACE_MS * LONGEST + 20_000);
  assert.is(ironic.lists, 1);
  await clock.advance(19_000);
  assert.is(ironic.lists, 1);
  await clock.advance(2_000);
  assert.is(ironic.lists, 2);
  watching.stop();
});

test('who stops waiting hears so, and takes his timer along; others go on', async () => {
  const { clock, ironic, poller, watch } = scene();
  ironic.fill(2);
  const [one, other] = [watch('n0'), watch('n1', { paceMs: REST_PACE_MS })];
  one.stop();
  await clock.settle();
  assert.instance(one.end.error, TransientError);
  await clock.advance(SHORT_PACE_MS * LONGEST);
  assert.is(ironic.lists, 0);
  const late = outcome(
    poller.watch({ uuid: 'n0', known: undefined, signal: AbortSignal.abort(), paceMs: SHORT_PACE_MS }),
  );
  await clock.settle();
  assert.instance(late.error, TransientError);
  poller.close();
  await clock.settle();
  assert.is(other.end.error?.message, 'the adapter was closed');
  assert.is(clock.armed, 0);
});

test('who stops during a list is told nothing by it, nor read by himself', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  const gate = Promise.withResolvers<void>();
  ironic.before = () => gate.promise;
  const [gone, changed] = [watch('missing'), watch('n0', { known: undefined })];
  await clock.advance(SHORT_PACE_MS * LONGEST);
  gone.stop();
  changed.stop();
  gate.resolve();
  await clock.settle();
  assert.equal(ironic.requests, ['list 1']);
  assert.ok([gone, changed].every(({ end }) => end.error instanceof TransientError));
  assert.is(clock.armed, 0);
});

test('a process that stood still asks for nothing before its other timers have run (HTTP-POLL-ROUNDS-3)', async () => {
  const { clock, ironic, watch } = scene();
  ironic.fill(1);
  const watching = watch('n0');
  // The lease, whose end is told by a timer that is overdue as well.
  clock.setTimeout(() => watching.stop(), 10_000);
  await clock.standStill(60_000);
  await clock.advance(60_000);
  assert.equal(ironic.requests, []);
});

test.run();
