// Which transitions of a node are told to whoever has read of its firmware, and which are not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodePoller } from '../../../../adapters/ironic/client/poller.ts';
import { nextTransition } from '../../../../adapters/ironic/steps/node-watch.ts';
import { AbsentError, TransientError } from '../../../../bus/errors.ts';
import type { JsonObject } from '../../../../bus/json.ts';
import type { Transition } from '../../../../machines/observed-node/context.ts';
import { ManualClock, type Outcome, outcome } from '../../../bus/manual-clock.ts';
import { FakeIronic } from '../client/fake-ironic.ts';

const test = suite('transitions of nodes');

const PACE_MS = 300_000;
/** The longest pause that chance makes of one. */
const ROUND_MS = PACE_MS * 1.25;
const HOUR_MS = 3_600_000;

/** As Ironic tells it: without a zone, or with one. */
const before = (at: number): string => new Date(at - HOUR_MS).toISOString().replace('Z', '');
const after = (at: number, byMs = 0): string => new Date(at + byMs).toISOString().replace('Z', '+00:00');

interface Watched {
  readonly end: Outcome<Transition>;
  readonly ironic: FakeIronic;
  readonly readAt: number;
  put(members: JsonObject): void;
  round(): Promise<void>;
  stop(): void;
}

async function watched(members: (at: number) => JsonObject, seen?: (at: number) => Transition): Promise<Watched> {
  const clock = new ManualClock();
  const ironic = new FakeIronic();
  const readAt = clock.now();
  const put = (each: JsonObject): void => void ironic.put('n0', { reservation: null, ...each });
  put({ provision_state: 'available', ...members(readAt) });
  const poller = nodePoller({ clock, log: { info: () => undefined, warn: () => undefined }, ironic });
  const controller = new AbortController();
  const { signal } = controller;
  const watch = { uuid: 'n0', seen: seen?.(readAt), readAt, pollAfterMs: PACE_MS, signal };
  const end = outcome(nextTransition(poller, watch));
  await clock.settle();
  return { end, ironic, readAt, put, round: () => clock.advance(ROUND_MS), stop: () => controller.abort() };
}

const old = (at: number): JsonObject => ({ provision_updated_at: before(at) });

test('a node that has done nothing is looked on, one list a round, and nothing is told', async () => {
  const { end, ironic, round, stop, put } = await watched(old);
  for (let rounds = 0; rounds < 4; rounds += 1) await round();
  put({ power_state: 'power on', last_error: 'power sync failed' });
  await round();
  assert.not.ok(end.settled);
  assert.ok(ironic.requests.length <= 6, ironic.requests.join());
  assert.equal(
    ironic.reads,
    ironic.requests.filter((request) => request === 'read n0'),
  );
  stop();
});

test('a transition after the reading is told when it is over (IRONIC-NODE-WATCH-1, IRONIC-NODE-WATCH-2)', async () => {
  const { end, readAt, put, round } = await watched(old);
  await round();
  for (const provision_state of ['cleaning', 'clean wait', 'cleaning']) {
    put({ provision_state, provision_updated_at: after(readAt, 1_000) });
    await round();
    assert.not.ok(end.settled, provision_state);
  }
  put({ provision_state: 'available', reservation: 'conductor-1', provision_updated_at: after(readAt, 2_000) });
  await round();
  assert.not.ok(end.settled, 'it is held');
  put({ provision_state: 'available', provision_updated_at: after(readAt, 2_000) });
  await round();
  assert.is(end.value, after(readAt, 2_000));
});

test('a transition that nobody saw under way is told, one that came before the reading is not (IRONIC-NODE-WATCH-1)', async () => {
  const missed = await watched(old);
  await missed.round();
  missed.put({ provision_updated_at: after(missed.readAt, 5_000) });
  await missed.round();
  assert.is(missed.end.value, after(missed.readAt, 5_000));
  const never = await watched(() => ({ provision_updated_at: null }));
  await never.round();
  await never.round();
  assert.not.ok(never.end.settled);
  never.stop();
});

test('between the reading and the first look something may have happened; clocks may be apart (IRONIC-NODE-WATCH-1)', async () => {
  for (const byMs of [5_000, 0, -30_000]) {
    const { end, readAt, round } = await watched((at) => ({ provision_updated_at: after(at, byMs) }));
    await round();
    assert.is(end.value, after(readAt, byMs), `${byMs}`);
  }
});

test('what was seen before is not told again (IRONIC-NODE-WATCH-1)', async () => {
  const { end, readAt, put, round } = await watched(
    (at) => ({ provision_updated_at: after(at) }),
    (at) => after(at),
  );
  await round();
  assert.not.ok(end.settled);
  put({ provision_updated_at: after(readAt, 1_000) });
  await round();
  assert.is(end.value, after(readAt, 1_000));
});

test('a node that is at work at the first look is told of when it rests (IRONIC-NODE-WATCH-2)', async () => {
  const states = ['verifying', 'wait call-back', 'inspect wait', 'service hold', 'deploying', 'deleting'];
  for (const provision_state of states) {
    const { end, readAt, put, round } = await watched((at) => ({ provision_state, provision_updated_at: before(at) }));
    await round();
    assert.not.ok(end.settled, provision_state);
    put({ provision_state: 'service failed', provision_updated_at: after(readAt, 1_000) });
    await round();
    assert.ok(end.settled, provision_state);
  }
});

test('a node that is gone, and a watch that is ended, are failures', async () => {
  const gone = await watched(old);
  gone.ironic.nodes.clear();
  await gone.round();
  assert.instance(gone.end.error, AbsentError);
  const ended = await watched(old);
  ended.stop();
  await ended.round();
  assert.instance(ended.end.error, TransientError);
});

test.run();
