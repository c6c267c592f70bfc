import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyMachineSnapshot } from 'xstate';
import {
  type StatusContext,
  type StatusSubject,
  StatusThrottle,
  StatusWriter,
} from '../../../actors/object/status-writer.ts';
import { settledOf, statusOf } from '../../../adapters/openstack/status/conditions.ts';
import { type Clock, ConflictError, type JsonObject, type Timer } from '../../../bus/mod.ts';
import { externalResourceLife, resourceStateOf } from '../../../machines/external-resource/lifecycle.ts';
import { externalResourceMachine } from '../../../machines/external-resource/machine.ts';
import { stateOf } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { dependency, observation, view } from '../../machines/external-resource/fixtures.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('status writer');

const OBJECT: KubeObject = {
  apiVersion: 'example.org/v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'uid', resourceVersion: '1', generation: 1 },
};

/** A clock whose timers fire when they are told to. */
function stoppedClock(): Clock & { advance(delayMs: number): Promise<void> } {
  const clock = simulatedClock();
  const timers = new Map<number, { readonly at: number; run(): void }>();
  let now = 0;
  let last = 0;
  const setTimer = (run: () => void, delayMs: number): Timer => {
    timers.set(++last, { at: now + delayMs, run });
    return { id: last };
  };
  return {
    random: () => clock.random(),
    now: () => now,
    steady: () => now,
    setTimeout: setTimer,
    clearTimeout: (timer: Timer | undefined) => void timers.delete(timer?.id ?? 0),
    sleep: (delayMs, signal) =>
      new Promise((resolve) => {
        setTimer(resolve, delayMs);
        signal?.addEventListener('abort', () => resolve());
      }),
    async advance(delayMs) {
      now += delayMs;
      for (const [id, { at, run }] of timers) {
        if (at > now) continue;
        timers.delete(id);
        run();
      }
      await turned();
    },
  };
}

function contextOf(clock: Clock, throttle: StatusThrottle, writeStatus: StatusContext['writeStatus']): StatusContext {
  return { clock, log: pino({ level: 'silent' }), host: { throttle }, writeStatus, supervise: (act) => act() };
}

function start() {
  const clock = stoppedClock();
  const throttle = new StatusThrottle({ clock });
  /** The API server takes a while for each write. */
  const writer = (name: string, isUnanswered: () => boolean = () => false) => {
    const lifecycle: StatusSubject['lifecycle'] = {
      statusKey,
      status: (snapshot, { status: stored = {} }) => [
        { manager: 'status', status: { said: `${name} ${stateOf(snapshot)}` }, stored },
      ],
    };
    const context = contextOf(clock, throttle, async (_, __, status) => {
      await new Promise((resolve) => setImmediate(resolve));
      written.push(String(status['said']));
      statuses.set(name, status);
    });
    const subject = {
      lifecycle,
      get object() {
        return { ...OBJECT, status: statuses.get(name) ?? {} };
      },
      get isUnanswered() {
        return isUnanswered();
      },
      onWritten: () => undefined,
    };
    return new StatusWriter(context, subject, OBJECT.metadata.uid);
  };
  const written: string[] = [];
  /** As they are stored, by the name of the writer. */
  const statuses = new Map<string, JsonObject>();
  const enter = (to: StatusWriter, state: string, waitsFor?: string): void => {
    to.enter();
    to.consider(snapshotIn(state, { waitsFor }));
  };
  return { clock, turns: throttle, writer, written, statuses, enter };
}

/** What a life of an external resource says. */
const { statusKey } = externalResourceLife({
  view: assert.unreachable,
  status: assert.unreachable,
  ambiguity: '',
} as never);

/** A chart in a state, held by a finalizer where that matters; `waitsFor`: a network that is not ready. */
function snapshotIn(
  state: string,
  { waitsFor, context = {} }: { readonly waitsFor?: string | undefined; readonly context?: object } = {},
): AnyMachineSnapshot {
  const value = { lifecycle: nested(state.split('.')), availability: 'unusable' };
  const pending = dependency('pending', { name: waitsFor ?? '' });
  return externalResourceMachine.resolveState({
    value: value as never,
    context: {
      object: view({ finalizers: ['f'] }),
      dependencies: waitsFor === undefined ? [] : [pending],
      withdrawnUids: [],
      waiting: [],
      ...context,
    } as never,
  });
}

function nested([first = '', ...rest]: readonly string[]): unknown {
  return rest.length === 0 ? first : { [first]: nested(rest) };
}

async function turned(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('what an object did or failed at is written at once', async () => {
  for (const phase of ['idle.available', 'idle.unavailable', 'failed', 'backingOff', 'deleting.refused']) {
    const { writer, written, enter } = start();
    enter(writer('a'), phase);
    await turned();
    assert.equal(written, [`a ${phase}`]);
  }
});

test('what a write under way is saying already is not written again (I8)', async () => {
  const { writer, written, enter } = start();
  const a = writer('a');
  enter(a, 'backingOff');
  enter(a, 'backingOff');
  await turned();
  assert.is(written.length, 1);
});

test('the newest state is written after the one that is under way', async () => {
  const { writer, written, enter } = start();
  const a = writer('a');
  for (const phase of ['backingOff', 'idle.unavailable', 'idle.available']) enter(a, phase);
  await turned();
  assert.equal(written, ['a backingOff', 'a idle.available']);
});

test('a wait that is over soon is not written (I8)', async () => {
  const { clock, writer, written, enter } = start();
  const a = writer('a');
  enter(a, 'claiming.awaitingDependencies', 'b');
  await clock.advance(400);
  enter(a, 'building.adopting');
  await clock.advance(20_000);
  assert.equal(written, []);
  enter(a, 'idle.available');
  await turned();
  assert.equal(written, ['a idle.available']);
});

test('a wait that lasts is written, its newest state, once (I6, I8)', async () => {
  const { clock, writer, written, enter } = start();
  const a = writer('a');
  enter(a, 'claiming.awaitingDependencies', 'b');
  await clock.advance(300);
  enter(a, 'claiming.undetermined', 'c');
  await clock.advance(199);
  assert.equal(written, []);
  await clock.advance(1);
  assert.equal(written, ['a claiming.undetermined']);
  await clock.advance(60_000);
  assert.is(written.length, 1);
});

test('a wait is not told before all have answered, or have had time to: it may be another one then (I8, I9)', async () => {
  const { clock, writer, written, enter } = start();
  let isUnanswered = true;
  const a = writer('a', () => isUnanswered);
  enter(a, 'claiming.awaitingDependencies', 'b');
  await clock.advance(9_000);
  assert.equal(written, []);
  isUnanswered = false;
  a.consider(snapshotIn('claiming.awaitingDependencies', { waitsFor: 'c' }));
  await turned();
  await clock.advance(499);
  assert.equal(written, []);
  await clock.advance(1);
  assert.equal(written, ['a claiming.awaitingDependencies']);
  // Who never answers keeps nobody from being told.
  enter(
    writer('b', () => true),
    'claiming.awaitingDependencies',
    'c',
  );
  await clock.advance(10_000);
  await clock.advance(500);
  assert.equal(written, ['a claiming.awaitingDependencies', 'b claiming.awaitingDependencies']);
  // Nor does he keep something else from being said at once.
  const c = writer('c', () => true);
  enter(c, 'claiming.awaitingDependencies', 'd');
  enter(c, 'backingOff');
  await turned();
  assert.is(written.at(-1), 'c backingOff');
});

test('a wait that was not told before something else happened is told when it begins again (I6)', async () => {
  const { clock, writer, written, enter } = start();
  const a = writer('a');
  enter(a, 'claiming.awaitingDependencies', 'b');
  a.consider(snapshotIn('claiming.awaitingDependencies'));
  a.consider(snapshotIn('claiming.awaitingDependencies', { waitsFor: 'b' }));
  await turned();
  await clock.advance(500);
  assert.equal(written, ['a claiming.awaitingDependencies']);
});

test('what somebody took away is said again while it holds, and only then (I6, I8)', async () => {
  const { clock, writer, written, statuses, enter } = start();
  const a = writer('a');
  const waiting = snapshotIn('claiming.awaitingDependencies', { waitsFor: 'b' });
  a.restore(waiting);
  await clock.advance(60_000);
  assert.equal(written, [], 'nothing was said before');
  enter(a, 'claiming.awaitingDependencies', 'b');
  await clock.advance(500);
  a.restore(waiting);
  await clock.advance(60_000);
  assert.is(written.length, 1, 'it is there');
  statuses.delete('a');
  a.restore(snapshotIn('claiming.awaitingDependencies', { waitsFor: 'c' }));
  await clock.advance(60_000);
  assert.is(written.length, 1, 'it holds no more');
  a.restore(waiting);
  await clock.advance(500);
  assert.equal(written, ['a claiming.awaitingDependencies', 'a claiming.awaitingDependencies']);
});

test('those who wait give way to what is being written, but not for ever (STATUS-WRITER-2)', async () => {
  const { clock, turns, writer, written, enter } = start();
  const busy = Promise.withResolvers<void>();
  const writing = turns.unthrottled(() => busy.promise);
  enter(writer('a'), 'claiming.awaitingDependencies', 'b');
  await clock.advance(9_999);
  assert.equal(written, []);
  await clock.advance(1);
  assert.equal(written, ['a claiming.awaitingDependencies']);
  enter(writer('b'), 'deleting.blocked');
  await clock.advance(600);
  busy.resolve();
  await writing;
  await turned();
  assert.equal(written, ['a claiming.awaitingDependencies', 'b deleting.blocked']);
});

test('of many who wait a few have a turn at a time, in the order in which they came (STATUS-WRITER-3)', async () => {
  const { clock, turns } = start();
  const order: number[] = [];
  const ends: (() => void)[] = [];
  const { signal } = new AbortController();
  for (let index = 0; index < 10; index++) {
    void turns.turn(signal).then((end) => {
      order.push(index);
      if (end !== undefined) ends.push(end);
    });
  }
  await clock.advance(500);
  assert.equal(order, [0, 1, 2, 3]);
  while (ends.length > 0) {
    ends.shift()?.();
    await turned();
  }
  assert.equal(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('an edit that refuses a status as out of date is not said to be done (I9)', async () => {
  const clock = stoppedClock();
  const lifecycle: StatusSubject['lifecycle'] = {
    statusKey,
    status: (snapshot, known, now) => [
      {
        manager: 'status',
        status: statusOf(resourceStateOf(snapshot as Parameters<typeof resourceStateOf>[0]), known, now, 0),
        stored: known.status ?? {},
      },
    ],
  };
  let object = OBJECT;
  const write: StatusContext['writeStatus'] = async (_, __, status) => {
    if (object === OBJECT) {
      object = { ...OBJECT, metadata: { ...OBJECT.metadata, resourceVersion: '2', generation: 2 } };
      enter('reconciling.observing', 2);
      throw new ConflictError('the user edited it');
    }
    object = { ...object, status };
  };
  const context = contextOf(clock, new StatusThrottle({ clock }), write);
  const subject = {
    lifecycle,
    get object() {
      return object;
    },
    isUnanswered: false,
    onWritten: () => undefined,
  };
  const writer = new StatusWriter(context, subject, OBJECT.metadata.uid);
  const enter = (state: string, generation: number): void => {
    const context = { object: view({ generation }), externalId: 'id', observation: observation(), statusNotes: [] };
    writer.enter();
    writer.consider(snapshotIn(state, { context }));
  };
  enter('idle.available', 1);
  await turned();
  assert.is(object.metadata.generation, 2);
  assert.ok(object.status);
  assert.not(settledOf(object, 0, 0).settled, 'whoever begins with this never makes the edit');
});

test('a life that is over writes nothing', async () => {
  const { clock, writer, written, enter } = start();
  const a = writer('a');
  enter(a, 'claiming.awaitingDependencies', 'b');
  a.stop();
  await clock.advance(60_000);
  assert.equal(written, []);
});

test('33.2: a part that states nothing is written after the others: the API server rejects a status without a field', async () => {
  const clock = stoppedClock();
  const written: string[] = [];
  const stored: JsonObject = { progress: 1 };
  const lifecycle: StatusSubject['lifecycle'] = {
    statusKey: () => 'one',
    status: () => [
      { manager: 'progress', status: {}, stored },
      { manager: 'phase', status: { phase: 'bound' }, stored: {} },
    ],
  };
  const context = contextOf(clock, new StatusThrottle({ clock }), async (_, manager) => void written.push(manager));
  const subject = { lifecycle, object: { ...OBJECT, status: stored }, isUnanswered: false, onWritten: () => undefined };
  const writer = new StatusWriter(context, subject, OBJECT.metadata.uid);
  writer.enter();
  writer.consider(snapshotIn('idle.available'));
  await turned();
  assert.equal(written, ['phase', 'progress']);
});

test.run();
