// Who may enter when, on a clock that is moved by hand.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConcurrencyLimiter, type Entry, QueueTimeoutError } from '../../../adapters/http/concurrency-limiter.ts';
import { TransientError } from '../../../bus/errors.ts';
import { ManualClock } from '../kubernetes/manual-clock.ts';

const test = suite('gate');

interface Coming {
  readonly withinMs?: number;
  readonly turn?: 'first' | 'last';
  readonly namespace?: string;
  readonly object?: string;
}

function gateWith(slots: number) {
  const clock = new ManualClock();
  const gate = new ConcurrencyLimiter({ clock, slots, name: 'the cloud' });
  const entered: string[] = [];
  const held: Entry[] = [];
  /** Enters as soon as it may. */
  const come = (name: string, { withinMs = 60_000, turn = 'last', namespace = 'ns', object = '' }: Coming = {}) =>
    gate.enter({ namespace, object, kind: 'GET', deadlineAt: clock.now() + withinMs, turn }).then(
      (entry) => {
        entered.push(name);
        held.push(entry);
      },
      (error: unknown) => {
        assert.instance(error, TransientError);
        entered.push(`${name} gave up`);
      },
    );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** Who entered first leaves. */
  const leave = async (): Promise<void> => {
    held.shift()?.leave();
    await settle();
  };
  return { clock, gate, entered, come, settle, leave };
}

test('no more enter than there are slots, and the others in their order (HTTP-CONCURRENCY-LIMITER-1, HTTP-CONCURRENCY-LIMITER-2)', async () => {
  const { gate, entered, come, settle, leave } = gateWith(2);
  for (const name of ['a', 'b', 'c', 'd']) void come(name);
  await settle();
  assert.equal(entered, ['a', 'b']);
  assert.equal(gate.load, { underWay: 2, waiting: 2, limit: 2 });
  await leave();
  assert.equal(entered, ['a', 'b', 'c']);
});

test('an authentication goes before those who wait (HTTP-CONCURRENCY-LIMITER-4)', async () => {
  const { entered, come, settle, leave } = gateWith(1);
  for (const name of ['a', 'b']) void come(name);
  void come('token', { turn: 'first' });
  await settle();
  await leave();
  await leave();
  assert.equal(entered, ['a', 'token', 'b']);
});

test('nobody enters a paused lane; who cannot wait so long is told at once (HTTP-CONCURRENCY-LIMITER-3)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  gate.pause(1_000, 'ns');
  void come('patient');
  void come('hasty', { withinMs: 1_000 });
  await settle();
  assert.equal(entered, ['hasty gave up']);
  clock.advance(999);
  await settle();
  assert.is(entered.length, 1);
  clock.advance(1);
  await settle();
  assert.equal(entered, ['hasty gave up', 'patient']);
});

test('a shorter pause ends no longer one (HTTP-CONCURRENCY-LIMITER-3)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  gate.pause(5_000, 'ns');
  gate.pause(1_000, 'ns');
  void come('a');
  clock.advance(4_999);
  await settle();
  assert.equal(entered, []);
  clock.advance(1);
  await settle();
  assert.equal(entered, ['a']);
});

test('who gave up holds no slot and keeps nobody from one (HTTP-CONCURRENCY-LIMITER-1)', async () => {
  const { clock, entered, come, settle, leave } = gateWith(1);
  void come('a');
  await settle();
  void come('late', { withinMs: 1_000 });
  void come('b');
  clock.advance(1_000);
  await settle();
  await leave();
  assert.equal(entered, ['a', 'late gave up', 'b']);
  await leave();
  void come('c');
  await settle();
  assert.is(entered.at(-1), 'c');
});

test('who comes while others wait does not overtake them, even when a slot is free (HTTP-CONCURRENCY-LIMITER-2)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(1);
  gate.pause(1_000, 'ns');
  void come('waits');
  // The clock is there before the timer is: the gate is open, and not yet told so.
  clock.now = () => Date.UTC(2031, 0, 1);
  void come('comes');
  await settle();
  assert.equal(entered.slice(0, 1), ['waits']);
});

test('a namespace with three thousand calls keeps nobody else waiting for more than one turn (HTTP-CONCURRENCY-LIMITER-2)', async () => {
  const { entered, come, settle, leave } = gateWith(1);
  for (let n = 0; n < 3_000; n++) void come(`crowd ${n}`, { namespace: 'crowd', object: `${n}` });
  await settle();
  void come('lone 1', { namespace: 'lone' });
  void come('lone 2', { namespace: 'lone' });
  for (let turn = 0; turn < 4; turn++) await leave();
  assert.equal(entered, ['crowd 0', 'crowd 1', 'lone 1', 'crowd 2', 'lone 2']);
});

test('within a namespace its objects take turns, and the calls of one keep their order (HTTP-CONCURRENCY-LIMITER-2)', async () => {
  const { entered, come, settle, leave } = gateWith(1);
  for (const n of [1, 2, 3]) void come(`a${n}`, { object: 'a' });
  await settle();
  void come('b1', { object: 'b' });
  for (let turn = 0; turn < 3; turn++) await leave();
  assert.equal(entered, ['a1', 'a2', 'b1', 'a3']);
});

test('where two namespaces use a cloud, neither takes all slots (HTTP-CONCURRENCY-LIMITER-1)', async () => {
  const { entered, come, settle, leave } = gateWith(8);
  for (let n = 0; n < 20; n++) void come(`alone ${n}`, { namespace: 'crowd' });
  await settle();
  assert.is(entered.length, 8, 'alone it has all');
  void come('lone', { namespace: 'lone' });
  await leave();
  assert.is(entered.at(-1), 'lone');
  for (let turn = 0; turn < 8; turn++) await leave();
  void come('lone again', { namespace: 'lone' });
  await settle();
  assert.is(entered.at(-1), 'lone again', 'a slot is kept for it, without anybody leaving');
});

test('authentications hold a quarter of the slots at most; with few slots they take turns with others (HTTP-CONCURRENCY-LIMITER-4)', async () => {
  const { entered, come, settle } = gateWith(8);
  for (let n = 0; n < 20; n++) void come(`token ${n}`, { turn: 'first' });
  void come('call');
  await settle();
  assert.equal(entered, ['token 0', 'token 1', 'call']);
  const narrow = gateWith(1);
  for (let n = 0; n < 20; n++) void narrow.come('token', { turn: 'first', namespace: `${n}` });
  void narrow.come('call');
  await narrow.settle();
  await narrow.leave();
  await narrow.leave();
  assert.equal(narrow.entered, ['token', 'call', 'token']);
});

test('who has less time left than a call takes is told so when its turn comes, and nothing is sent (HTTP-CONCURRENCY-LIMITER-5)', async () => {
  const { clock, entered, come, settle, leave } = gateWith(2);
  void come('slow');
  await settle();
  clock.advance(1_000);
  await leave();
  // An idle gate lets it try.
  void come('tries', { withinMs: 500 });
  await settle();
  void come('hasty', { withinMs: 500 });
  void come('patient', { withinMs: 1_500 });
  await settle();
  assert.equal(entered, ['slow', 'tries', 'hasty gave up', 'patient']);
});

test('a lane that is paused keeps its own namespace alone waiting (HTTP-CONCURRENCY-LIMITER-3)', async () => {
  const { clock, gate, entered, come, settle } = gateWith(4);
  gate.pause(1_000, 'loud');
  gate.pause(3_000, 'louder');
  void come('loud', { namespace: 'loud' });
  void come('louder', { namespace: 'louder' });
  void come('quiet', { namespace: 'quiet' });
  await settle();
  assert.equal(entered, ['quiet']);
  clock.advance(1_000);
  await settle();
  assert.equal(entered, ['quiet', 'loud']);
  clock.advance(2_000);
  await settle();
  assert.equal(entered, ['quiet', 'loud', 'louder']);
});

test('with fewer slots nobody who is in has to leave, and nobody enters before enough have; with more they enter at once', async () => {
  const { gate, entered, come, settle, leave } = gateWith(3);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) void come(name);
  await settle();
  gate.resize(1);
  await leave();
  await leave();
  assert.equal(entered, ['a', 'b', 'c']);
  await leave();
  assert.equal(entered, ['a', 'b', 'c', 'd']);
  gate.resize(3);
  await settle();
  assert.equal(entered, ['a', 'b', 'c', 'd', 'e', 'f']);
});

test('a gate is idle once nobody is in and nobody waits', async () => {
  const { clock, gate, come, settle, leave } = gateWith(1);
  void come('a');
  void come('b');
  await settle();
  assert.is(gate.idleSince, undefined);
  await leave();
  assert.is(gate.idleSince, undefined);
  clock.advance(1_000);
  await leave();
  assert.is(gate.idleSince, clock.now());
});

test('who is let in too late, or not at all, can tell that nothing was sent (HTTP-CONCURRENCY-LIMITER-3)', async () => {
  const { gate, clock, come, settle } = gateWith(1);
  await come('first');
  const call = { namespace: 'ns', object: 'a', kind: 'GET', deadlineAt: clock.now() + 1_000 };
  const refused = gate.enter(call).then(
    () => undefined,
    (error: unknown) => error,
  );
  await clock.advance(1_000);
  await settle();
  assert.instance(await refused, QueueTimeoutError);
});

test.run();
