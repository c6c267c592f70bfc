// Requests to JetStream that are left unanswered, as a direct read that comes before its stream listens (nats-server 2.9).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { deleteMessage, publishMessage, readMessage, streamInfo } from '../../bus/nats-api.ts';
import { ManualClock, outcome } from './manual-clock.ts';
import { ScriptedNats } from './scripted-nats.ts';

const test = suite('nats api');
const LIMIT_MS = 5_000;
const STREAM = { name: 'S', num_replicas: 1 };

function start(): { clock: ManualClock; nats: ScriptedNats } {
  const clock = new ManualClock();
  const nats = new ScriptedNats(clock);
  nats.make('S', { name: 'S', subjects: ['s.>'] });
  return { clock, nats };
}

/** Loses the first requests. */
function swallowing(nats: ScriptedNats, beginning: string, count: number): void {
  nats.swallows = (subject) => subject.startsWith(beginning) && nats.count(beginning) <= count;
}

test('a read that is left unanswered is asked again, long before its time is over', async () => {
  const { clock, nats } = start();
  await publishMessage(nats.connection, 's.a', { value: 1 });
  swallowing(nats, '$JS.API.DIRECT.GET', 1);
  const read = outcome(readMessage(nats.connection, STREAM, { last_by_subj: 's.a' }));
  await clock.advance(LIMIT_MS / 5);
  assert.is(read.value?.payload, '{"value":1}');
  assert.is(nats.count('$JS.API.DIRECT.GET'), 2);
  await clock.advance(LIMIT_MS);
  assert.is(nats.count('$JS.API.DIRECT.GET'), 2, 'what is answered is asked no more');
});

test('so is a read at the leader, and what a stream is', async () => {
  const { clock, nats } = start();
  swallowing(nats, '$JS.API.STREAM.MSG.GET', 1);
  const read = outcome(readMessage(nats.connection, { ...STREAM, num_replicas: 3 }, { seq: 1 }));
  await clock.advance(LIMIT_MS / 5);
  assert.ok(read.settled);
  swallowing(nats, '$JS.API.STREAM.INFO', 1);
  const reported = outcome(streamInfo(nats.connection, 'S'));
  await clock.advance(LIMIT_MS / 5);
  assert.is(reported.value?.lastSequence, 0);
});

test('a first answer counts, also one that comes after the read was asked again', async () => {
  const { clock, nats } = start();
  await publishMessage(nats.connection, 's.a', { value: 1 });
  nats.swallows = () => nats.count('$JS.API.DIRECT.GET') > 1;
  nats.delays = () => clock.sleep(LIMIT_MS / 2);
  const read = outcome(readMessage(nats.connection, STREAM, { last_by_subj: 's.a' }));
  await clock.advance(LIMIT_MS / 2);
  assert.is(read.value?.sequence, 1);
});

test('a read that nobody answers ends in time, and was asked a few times only', async () => {
  const { clock, nats } = start();
  nats.swallows = () => true;
  const read = outcome(readMessage(nats.connection, STREAM, { seq: 1 }, 1_000));
  await clock.advance(999);
  assert.not(read.settled);
  await clock.advance(1);
  assert.instance(read.error, TransientError);
  assert.match(read.error?.message ?? '', 'within 1000 ms');
  assert.ok(nats.asked.length >= 2 && nats.asked.length <= 4, `${nats.asked.length} requests`);
});

test('what changes something is asked once', async () => {
  const { clock, nats } = start();
  nats.swallows = () => true;
  const written = outcome(publishMessage(nats.connection, 's.a', {}));
  const deleted = outcome(deleteMessage(nats.connection, 'S', 1));
  await clock.advance(LIMIT_MS);
  assert.instance(written.error, TransientError);
  assert.instance(deleted.error, TransientError);
  assert.is(nats.asked.length, 2);
});

test.run();
