// What becomes of deliveries that are lost, late or of another stream (BUS-NATS-READER-1 to BUS-NATS-READER-3), and of a connection that breaks (BUS-CONNECTION-1, BUS-CONNECTION-2).
import { headers } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { StreamReader } from '../../bus/nats-reader.ts';
import { ManualClock, outcome } from './manual-clock.ts';
import { ScriptedNats } from './scripted-nats.ts';

const test = suite('nats reader');
/** Two looks without a sign of life, and a little. */
const SILENCE_MS = 3_500;

interface Scene {
  readonly clock: ManualClock;
  /** Where deliveries come. */
  readonly nats: ScriptedNats;
  /** Where consumers are made. */
  readonly control: ScriptedNats;
  readonly reader: StreamReader;
  readonly heard: number[];
  /** When what was heard was stored. */
  readonly storedAt: number[];
  /** What `verify` answers from now on. */
  verified: Promise<boolean>;
  /** A delivery of the `at`th consumer: number `delivery` of its own, `sequence` in the stream. */
  deliver(at: number, delivery: number, sequence: number, storedNanos?: string): void;
  /** Heartbeat of the `at`th consumer, which has sent so many. */
  beat(at: number, sent: number): void;
}

function scene(): Scene {
  const clock = new ManualClock();
  const [nats, control] = [new ScriptedNats(clock), new ScriptedNats(clock)];
  const heard: number[] = [];
  const storedAt: number[] = [];
  const inbox = (at: number): string => String(control.consumers[at]?.['deliver_subject']);
  const made: Scene = {
    clock,
    nats,
    control,
    heard,
    storedAt,
    verified: Promise.resolve(true),
    reader: new StreamReader({
      connection: nats.connection,
      control: control.connection,
      stream: 'S',
      filters: ['s.>'],
      verify: () => made.verified,
      onDelivery(delivery) {
        heard.push(delivery.sequence);
        storedAt.push(delivery.storedAt);
      },
    }),
    deliver(at, delivery, sequence, storedNanos = '0') {
      const reply = `$JS.ACK.S.c.1.${sequence}.${delivery}.${storedNanos}.0`;
      nats.deliver(inbox(at), { subject: `s.${sequence}`, reply });
    },
    beat(at, sent) {
      const header = headers(100, 'Idle Heartbeat');
      header.set('Nats-Last-Consumer', String(sent));
      nats.deliver(inbox(at), { header });
    },
  };
  return made;
}

test('nothing is handed over before the stream is known to be the one it was (BUS-NATS-READER-2)', async () => {
  const made = scene();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  made.verified = promise;
  const opening = made.reader.open();
  await made.clock.settle();
  made.deliver(0, 1, 5);
  made.deliver(0, 2, 6);
  assert.equal(made.heard, []);
  resolve(true);
  await opening;
  assert.equal(made.heard, [5, 6]);
  made.reader.close();
});

test('a delivery says when it was stored, in milliseconds', async () => {
  const made = scene();
  await made.reader.open();
  made.deliver(0, 1, 5, '1795459200123000000');
  assert.equal(made.storedAt, [1_795_459_200_123]);
  made.reader.close();
});

test('of another stream nothing is handed over at all (BUS-NATS-READER-2)', async () => {
  const made = scene();
  made.verified = Promise.resolve(false);
  const opening = made.reader.open();
  await made.clock.settle();
  made.deliver(0, 1, 5);
  await opening;
  assert.ok(made.reader.closed);
  made.deliver(0, 2, 6);
  assert.equal(made.heard, []);
});

test('after a delivery was lost the next consumer begins behind the last that was handed over (BUS-NATS-READER-1)', async () => {
  const made = scene();
  await made.reader.open();
  made.deliver(0, 1, 5);
  made.deliver(0, 3, 9);
  assert.equal(made.heard, [5], 'what comes after the gap waits');
  await made.clock.settle();
  assert.is(made.control.consumers.length, 2);
  assert.is(made.control.consumers[1]?.['deliver_policy'], 'by_start_sequence');
  assert.is(made.control.consumers[1]?.['opt_start_seq'], 6);
  made.deliver(1, 1, 7);
  made.deliver(1, 2, 9);
  assert.equal(made.heard, [5, 7, 9]);
  made.reader.close();
});

test('deliveries of a consumer that was given up are dropped, as late as they come (BUS-NATS-READER-3)', async () => {
  const made = scene();
  await made.reader.open();
  const old = String(made.control.consumers[0]?.['deliver_subject']);
  made.deliver(0, 1, 5);
  made.deliver(0, 3, 9);
  await made.clock.settle();
  made.nats.deliver(old, { reply: '$JS.ACK.S.c.1.6.2.0.0', late: true });
  assert.equal(made.heard, [5]);
  made.reader.close();
});

test('a heartbeat that counts more than was heard tells of a loss (BUS-NATS-READER-1)', async () => {
  const made = scene();
  await made.reader.open();
  made.deliver(0, 1, 5);
  made.beat(0, 1);
  await made.clock.settle();
  assert.is(made.control.consumers.length, 1);
  made.beat(0, 2);
  await made.clock.settle();
  assert.is(made.control.consumers.length, 2);
  made.reader.close();
});

test('a consumer is asked for where no mail is on its way: the answer would wait behind all that it begins with', async () => {
  const made = scene();
  made.nats.swallows = () => true;
  const opened = outcome(made.reader.open());
  await made.clock.settle();
  assert.ok(opened.settled);
  assert.is(opened.error, undefined);
  made.deliver(0, 1, 5);
  assert.equal(made.heard, [5]);
  made.reader.close();
});

test('a consumer without any sign of life is made anew, one that beats is not', async () => {
  const made = scene();
  await made.reader.open();
  for (let at = 0; at < 10; at += 1) {
    await made.clock.advance(500);
    made.beat(0, 0);
  }
  assert.is(made.control.consumers.length, 1);
  await made.clock.advance(SILENCE_MS);
  assert.is(made.control.consumers.length, 2);
  made.reader.close();
});

test('a consumer that the server has ended is made anew at once', async () => {
  const made = scene();
  await made.reader.open();
  const inbox = String(made.control.consumers[0]?.['deliver_subject']);
  made.nats.deliver(inbox, { header: headers(409, 'Consumer Deleted') });
  await made.clock.settle();
  assert.is(made.control.consumers.length, 2);
  made.reader.close();
});

test('who is asked how far it is says so: else the server waits for ever', async () => {
  const made = scene();
  await made.reader.open();
  const header = headers(100, 'Idle Heartbeat');
  header.set('Nats-Consumer-Stalled', '$JS.FC.S.c.x');
  made.nats.deliver(String(made.control.consumers[0]?.['deliver_subject']), { header });
  assert.ok(made.nats.sent.includes('$JS.FC.S.c.x'));
  made.reader.close();
});

test('what was asked when the connection breaks rejects at once (BUS-CONNECTION-2)', async () => {
  const { clock, nats } = scene();
  nats.swallows = () => true;
  const asked = outcome(nats.connection.request('s.a', ''));
  await clock.settle();
  await nats.status('disconnect');
  assert.instance(asked.error, TransientError);
  assert.match(asked.error?.message ?? '', 'is away');
});

test('nothing is sent while the connection is away, nor what was about to leave when it broke (BUS-CONNECTION-1)', async () => {
  const { clock, nats } = scene();
  const leaving = outcome(nats.connection.request('s.a', '')); // would be sent at the end of this turn
  await nats.status('disconnect');
  assert.instance(leaving.error, TransientError);
  const asked = outcome(nats.connection.request('s.a', ''));
  assert.not(nats.connection.send('s.a', ''));
  await clock.settle();
  assert.instance(asked.error, TransientError);
  assert.equal(nats.asked, []);
  assert.equal(nats.sent, []);
});

test.run();
