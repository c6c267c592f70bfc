// Losses of the mailbox stream that nobody tells of, on a scripted server: no event, no broken connection (P11, BUS-NATS-STREAM-1 to BUS-NATS-STREAM-3, BUS-4).
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MailboxMessage } from '../../bus/bus.ts';
import { TerminalError, TransientError } from '../../bus/errors.ts';
import type { StreamConfig } from '../../bus/nats-api.ts';
import { NatsMailbox } from '../../bus/nats-mailbox.ts';
import { StreamKeeper } from '../../bus/nats-stream.ts';
import { mailboxSubject } from '../../bus/subjects.ts';
import { object } from './harness.ts';
import { ManualClock, outcome } from './manual-clock.ts';
import { ScriptedNats } from './scripted-nats.ts';

const test = suite('nats stream');
const STREAM = 'TROUPE_MAIL';
/** By when a loss is noticed that nothing tells of. */
const LOOK_MS = 1_000;

const mailboxOf = (
  { connection }: ScriptedNats,
  shards = 64,
  onWarning: (message: string) => void = () => undefined,
): NatsMailbox =>
  new NatsMailbox({
    connection,
    deliveries: connection,
    stream: STREAM,
    root: 'troupe',
    shards,
    replicas: 1,
    onWarning,
  });

interface Scene {
  readonly clock: ManualClock;
  readonly nats: ScriptedNats;
  readonly mailbox: NatsMailbox;
  readonly warnings: string[];
}

/** A mailbox with the values `a` and `b`. */
async function scene(): Promise<Scene> {
  const clock = new ManualClock();
  const nats = new ScriptedNats(clock);
  const warnings: string[] = [];
  const mailbox = mailboxOf(nats, 64, (message) => warnings.push(message));
  await mailbox.open();
  await mailbox.publish(object('a'), { value: 'a' }, 0);
  await mailbox.publish(object('b'), { value: 'b' }, 0);
  return { clock, nats, mailbox, warnings };
}

/** Another stream in place of the one that was, in which the same sequences are other subjects'. */
function replaced({ nats }: Scene): void {
  const config = nats.streams.get(STREAM)?.config ?? {};
  nats.lose(STREAM);
  nats.make(STREAM, config);
  nats.stored('troupe.epoch', { id: 'other' });
  for (const name of ['x', 'y', 'z']) nats.stored(mailboxSubject(object(name)), { value: name });
}

/** The same stream as it was earlier: `b` and what came later are forgotten. */
function rolledBack({ nats }: Scene): void {
  const stream = nats.streams.get(STREAM);
  stream?.messages.delete(mailboxSubject(object('b')));
  if (stream !== undefined) stream.lastSequence -= 1;
}

test('a value is removed from the stream that it was read from, and from no other', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  replaced(before);
  const removed = outcome(mailbox.remove(3)); // x, there
  await clock.settle();
  assert.instance(removed.error, TransientError);
  assert.is(nats.count('$JS.API.STREAM.MSG.DELETE'), 0);
  await mailbox.close();
});

test('a value of another stream is not handed over as the last one (BUS-4)', async () => {
  const before = await scene();
  const { clock, mailbox } = before;
  replaced(before);
  const last = outcome(mailbox.last(object('x')));
  await clock.settle();
  assert.match(last.error?.message ?? '', 'another epoch');
  assert.match(mailbox.epoch().id, 'other');
  await mailbox.close();
});

test('a stream that was replaced is noticed by looking alone (P11)', async () => {
  const before = await scene();
  const { clock, mailbox } = before;
  const { id } = mailbox.epoch();
  const reported: string[] = [];
  mailbox.watchEpoch((epoch) => reported.push(epoch.id));
  replaced(before);
  await clock.advance(LOOK_MS);
  assert.is(reported.length, 1);
  assert.is.not(mailbox.epoch().id, id);
  await clock.advance(5 * LOOK_MS);
  assert.is(reported.length, 1, 'told once');
  await mailbox.close();
});

test('a stream that is gone is noticed by looking alone, and made anew (P11)', async () => {
  const { clock, nats, mailbox } = await scene();
  const { id } = mailbox.epoch();
  nats.lose(STREAM);
  await clock.advance(2 * LOOK_MS);
  assert.ok(nats.streams.has(STREAM));
  assert.is.not(mailbox.epoch().id, id);
  await mailbox.close();
});

test('a stream whose marker is another one is another stream, though it was created when it was (P11)', async () => {
  const { clock, nats, mailbox } = await scene();
  const { id } = mailbox.epoch();
  const created = nats.streams.get(STREAM)?.created;
  nats.stored('troupe.epoch', { id: 'other' });
  await clock.advance(LOOK_MS);
  assert.is(nats.streams.get(STREAM)?.created, created);
  assert.is.not(mailbox.epoch().id, id);
  await mailbox.close();
});

test('a stream that was rolled back is deleted and made anew (P11, BUS-NATS-STREAM-3)', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  const { id } = mailbox.epoch();
  rolledBack(before);
  await clock.advance(2 * LOOK_MS);
  assert.is(nats.count('$JS.API.STREAM.DELETE'), 1);
  assert.is.not(mailbox.epoch().id, id);
  assert.is(nats.streams.get(STREAM)?.messages.has(mailboxSubject(object('a'))), false);
  await mailbox.close();
});

test('a last sequence that is small for a moment is no roll-back: a new leader reads its log (BUS-NATS-STREAM-3)', async () => {
  const { clock, nats, mailbox } = await scene();
  const { id } = mailbox.epoch();
  const stream = nats.streams.get(STREAM);
  assert.ok(stream);
  const whole = stream.lastSequence;
  stream.lastSequence = 1;
  void clock.sleep(LOOK_MS + 100).then(() => {
    stream.lastSequence = whole;
  });
  await clock.advance(3 * LOOK_MS);
  assert.is(nats.count('$JS.API.STREAM.DELETE'), 0);
  assert.is(mailbox.epoch().id, id);
  await mailbox.close();
});

test('a roll-back that others have written past is told by what they wrote, on return (BUS-NATS-STREAM-3)', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  const { id } = mailbox.epoch();
  await nats.status('disconnect');
  rolledBack(before);
  for (const name of ['x', 'y']) nats.stored(mailboxSubject(object(name)), { value: name });
  await nats.status('reconnect');
  await clock.advance(500);
  assert.is.not(mailbox.epoch().id, id);
  await mailbox.close();
});

test('a publication on a sequence that was seen already is of another stream', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  const stream = nats.streams.get(STREAM);
  assert.ok(stream);
  stream.lastSequence = 1;
  const published = outcome(mailbox.publish(object('c'), {}, 0));
  await clock.settle();
  assert.match(published.error?.message ?? '', 'another epoch');
  await mailbox.close();
});

test('a publication that nobody takes makes the stream be looked for at once, not at the next look', async () => {
  const { clock, nats, mailbox } = await scene();
  nats.lose(STREAM);
  const published = outcome(mailbox.publish(object('c'), {}, 0));
  await clock.advance(LOOK_MS / 2);
  assert.instance(published.error, TransientError);
  assert.ok(nats.streams.has(STREAM));
  await mailbox.close();
});

test('after the connection was away nothing is read or written before the stream was checked (BUS-NATS-STREAM-1)', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  await nats.status('disconnect');
  replaced(before);
  nats.delays = (subject) => (subject.startsWith('$JS.API.STREAM.INFO') ? clock.sleep(300) : undefined);
  await nats.status('reconnect');
  const asked = nats.count('troupe.mail');
  const [published, last] = [outcome(mailbox.publish(object('a'), {}, 2)), outcome(mailbox.last(object('x')))];
  await clock.settle();
  assert.instance(published.error, TransientError);
  assert.not(last.settled);
  assert.is(nats.count('troupe.mail'), asked, 'nothing was sent');
  await clock.advance(2_000);
  assert.equal(last.value?.payload, { value: 'x' }, 'read under the new epoch');
  assert.match(mailbox.epoch().id, 'other');
  await mailbox.close();
});

test('who asks during a look that began earlier gets the next one’s answer, told before it (BUS-NATS-STREAM-2)', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  const order: string[] = [];
  mailbox.watchEpoch(() => order.push('reported'));
  nats.delays = () => clock.sleep(100);
  await clock.advance(LOOK_MS + 150); // a look has read the old stream, and its last answer is on its way
  replaced(before);
  const removed = outcome(mailbox.remove(3).finally(() => order.push('refused')));
  await clock.advance(LOOK_MS);
  assert.instance(removed.error, TransientError);
  assert.equal(order, ['reported', 'refused']);
  await mailbox.close();
});

test('mail of a newer format is ignored, with one warning; the replay is complete without it', async () => {
  const { clock, nats, mailbox, warnings } = await scene();
  const heard: string[] = [];
  let replayed = false;
  const onReplayed = (): void => {
    replayed = true;
  };
  const handlers = {
    onMail: ({ subject }: MailboxMessage) => heard.push('to' in subject ? subject.to.name : ''),
    onReplayed,
  };
  const subscribing = mailbox.subscribe({ topic: 'object' }, handlers);
  await clock.settle();
  const inbox = String(nats.consumers[0]?.['deliver_subject']);
  const [newer, ours] = [headers(), headers()];
  newer.set('Troupe-Format', '3');
  ours.set('Troupe-Format', '2');
  const deliver = (name: string, at: number, header: MsgHdrs): void =>
    nats.deliver(inbox, {
      subject: mailboxSubject(object(name)),
      reply: `$JS.ACK.S.c.1.${at + 1}.${at}.0.0`,
      payload: header === newer ? 'what a later release writes' : '{}',
      header,
    });
  deliver('a', 1, newer);
  deliver('b', 2, newer);
  await subscribing;
  await clock.settle();
  assert.equal(heard, []);
  assert.ok(replayed);
  deliver('c', 3, ours);
  assert.equal(heard, ['c']);
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', 'format 3');
  await mailbox.close();
});

test('what an earlier release wrote is not read as if it were of this one, and may be replaced', async () => {
  const { clock, nats, mailbox, warnings } = await scene();
  const [heard, unread]: [MailboxMessage[], unknown[]] = [[], []];
  const handlers = {
    onMail: (mail: MailboxMessage) => void heard.push(mail),
    onUnreadable: (subject: unknown) => void unread.push(subject),
    onReplayed: () => undefined,
  };
  const subscribing = mailbox.subscribe({ topic: 'object' }, handlers);
  await clock.settle();
  await subscribing;
  const older = headers();
  older.set('Troupe-Format', '1');
  const subject = mailboxSubject(object('c'));
  const delivery = { subject, reply: '$JS.ACK.S.c.1.1.1.0.0', payload: '{}', header: older };
  nats.deliver(String(nats.consumers[0]?.['deliver_subject']), delivery);
  assert.equal([heard, unread], [[], [object('c')]]);
  assert.match(warnings[0] ?? '', 'format 1 is ignored');
  nats.stored(subject, {}, older);
  const last = outcome(mailbox.last(object('c')));
  await clock.settle();
  assert.equal(last.value?.payload, {});
  await mailbox.close();
});

test('what is no JSON object is handed over and read as an empty one (BUS-7)', async () => {
  const { clock, nats, mailbox } = await scene();
  const heard: MailboxMessage[] = [];
  const subscribing = mailbox.subscribe(
    { topic: 'object' },
    { onMail: (mail) => void heard.push(mail), onReplayed: () => undefined },
  );
  await clock.settle();
  await subscribing;
  const inbox = String(nats.consumers[0]?.['deliver_subject']);
  for (const [index, payload] of ['{{', '', 'null', '[]', '7'].entries()) {
    nats.deliver(inbox, {
      subject: mailboxSubject(object('c')),
      reply: `$JS.ACK.S.c.1.${index + 3}.${index + 1}.0.0`,
      payload,
    });
    assert.equal(
      { ...heard[index], storedAt: 0 },
      { subject: object('c'), sequence: index + 3, payload: {}, storedAt: 0 },
    );
    nats.stored(mailboxSubject(object('c')), payload);
    const last = outcome(mailbox.last(object('c')));
    await clock.settle();
    assert.equal(last.value?.payload, {});
  }
  await mailbox.close();
});

test('a value of a newer format is not read as no value: it would be replaced', async () => {
  const { clock, nats, mailbox } = await scene();
  const newer = headers();
  newer.set('Troupe-Format', '3');
  nats.stored(mailboxSubject(object('c')), {}, newer);
  const last = outcome(mailbox.last(object('c')));
  await clock.settle();
  assert.instance(last.error, TransientError);
  assert.match(last.error?.message ?? '', 'format 3');
  await mailbox.close();
});

test('a check that finds another stream has told everybody when it resolves (BUS-NATS-STREAM-2)', async () => {
  const before = await scene();
  const { clock, nats, mailbox } = before;
  const config = nats.streams.get(STREAM)?.config as StreamConfig;
  const onCreated = async (): Promise<void> => assert.unreachable();
  const keeper = new StreamKeeper({ connection: nats.connection, config, marker: 'troupe.epoch', onCreated });
  await keeper.open();
  const reported: string[] = [];
  keeper.changes.add(({ id }) => reported.push(id));
  replaced(before);
  const same = outcome(keeper.check());
  await clock.settle();
  assert.is(same.value, false);
  assert.equal(reported, [keeper.epoch.id]);
  keeper.close();
  await mailbox.close();
});

test('a process with another number of shards than the stream was made for is refused (BUS-NATS-STREAM-4)', async () => {
  const { clock, nats, mailbox } = await scene();
  await mailbox.markSeeded(1_000);
  await mailbox.forgetSeeded(2_000);
  await mailbox.close();
  const other = mailboxOf(nats, 32);
  const opening = outcome(other.open());
  await clock.settle();
  assert.instance(opening.error, TerminalError);
  assert.match(
    opening.error?.message ?? '',
    /made for 64 shards.*set TROUPE_SHARDS to 64; .*nats stream rm TROUPE_MAIL/,
  );
  await other.close();
  // The number is part of the stream, as is everything that depends on it (P11).
  nats.lose(STREAM);
  const next = mailboxOf(nats, 32);
  await next.open();
  assert.is(next.epoch().seededAt, undefined);
  await next.close();
  // An earlier version wrote no number.
  nats.stored('troupe.epoch', { id: 'earlier' });
  const same = mailboxOf(nats, 32);
  await same.open();
  await same.close();
});

test.run();
