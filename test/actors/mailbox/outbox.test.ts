import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Outbox } from '../../../actors/mailbox/outbox.ts';
import { FairSemaphore } from '../../../adapters/http/fair-semaphore.ts';
import { type ActorSubject, type JsonObject, memoryBroker, TerminalError, traceparentOf } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('outbox');

const subject: ActorSubject = {
  to: { realm: 'openstack', plural: 'networks', namespace: 'ns', name: 'a' },
  topic: 'object',
};

function start({ limit = 16, leaseLeftMs = 60_000 }: { readonly limit?: number; readonly leaseLeftMs?: number } = {}) {
  const clock = simulatedClock();
  const broker = memoryBroker({ clock });
  const bus = broker.connect();
  const troubles: string[] = [];
  const inFlight = new FairSemaphore(limit);
  const endsAt = clock.now() + leaseLeftMs;
  const outbox = new Outbox({
    mailbox: bus.mailbox,
    clock,
    inFlight,
    endsAt: () => endsAt,
    onTrouble: (message) => troubles.push(message),
  });
  const last = async (): Promise<unknown> => (await bus.mailbox.last(subject))?.payload;
  return { clock, broker, bus, outbox, troubles, last };
}

test('the last thing said is the last thing published (OUTBOX-1)', async () => {
  const { outbox, bus, last } = start();
  void outbox.say(subject, { n: 1 });
  void outbox.say(subject, { n: 2 });
  await outbox.say(subject, { n: 3 });
  assert.equal(await last(), { n: 3 });
  await bus.close();
});

test('saying the same again publishes nothing', async () => {
  const { outbox, bus } = start();
  await outbox.say(subject, { n: 1 });
  const before = (await bus.mailbox.last(subject))?.sequence;
  await outbox.say(subject, { n: 1 });
  assert.is((await bus.mailbox.last(subject))?.sequence, before);
  await bus.close();
});

test('what is said carries the trace of what caused it, and the same for another cause is not published again (I8)', async () => {
  const { outbox, bus } = start();
  const [first, second] = [traceparentOf('first'), traceparentOf('second')];
  await outbox.say(subject, { n: 1 }, undefined, first);
  const before = await bus.mailbox.last(subject);
  assert.is(before?.traceparent, first);
  await outbox.say(subject, { n: 1 }, undefined, second);
  assert.equal(await bus.mailbox.last(subject), before);
  await outbox.say(subject, { n: 2 }, undefined, second);
  assert.is((await bus.mailbox.last(subject))?.traceparent, second);
  await bus.close();
});

test('of what is said in haste the last cause goes with the last value', async () => {
  const { outbox, bus } = start();
  void outbox.say(subject, { n: 1 }, undefined, traceparentOf('first'));
  await outbox.say(subject, { n: 2 }, undefined, traceparentOf('second'));
  assert.is((await bus.mailbox.last(subject))?.traceparent, traceparentOf('second'));
  await bus.close();
});

test('what somebody overwrote is said again for the cause that it was said for (OUTBOX-4)', async () => {
  const { outbox, bus } = start();
  await outbox.say(subject, { n: 1 }, undefined, traceparentOf('first'));
  const theirs = await bus.mailbox.publish(subject, { n: 0 }, undefined, { traceparent: traceparentOf('theirs') });
  assert.is(theirs.kind, 'stored');
  outbox.heard(subject, { n: 0 }, theirs.kind === 'stored' ? theirs.sequence : 0);
  await outbox.say(subject, { n: 1 }, undefined, traceparentOf('first'));
  const last = await bus.mailbox.last(subject);
  assert.equal([last?.payload, last?.traceparent], [{ n: 1 }, traceparentOf('first')]);
  await bus.close();
});

test('what another host wrote is overwritten when it is older, and kept when it is newer (OUTBOX-3, P9)', async () => {
  for (const mayReplace of [true, false]) {
    const { outbox, bus, last } = start();
    await bus.mailbox.publish(subject, { n: 0 }, undefined);
    await outbox.say(subject, { n: 1 }, () => mayReplace);
    assert.equal(await last(), { n: mayReplace ? 1 : 0 });
    await bus.close();
  }
});

for (const isForgotten of [false, true]) {
  const how = isForgotten ? ', and was forgotten' : '';
  test(`what is said while an older word is refused${how} is published (OUTBOX-1, OUTBOX-3)`, async () => {
    const { outbox, bus, last } = start();
    const isNewer = (theirs: JsonObject, ours: JsonObject): boolean => Number(ours['n']) > Number(theirs['n']);
    await bus.mailbox.publish(subject, { n: 2 }, undefined);
    const { last: look } = bus.mailbox;
    const newer = Promise.withResolvers<void>();
    bus.mailbox.last = async (...given) => {
      bus.mailbox.last = look;
      if (isForgotten) outbox.forget(subject);
      newer.resolve(outbox.say(subject, { n: 3 }, isNewer));
      return look.apply(bus.mailbox, given);
    };
    void outbox.say(subject, { n: 1 }, isNewer);
    await newer.promise;
    assert.equal(await last(), { n: 3 });
    await bus.close();
  });
}

test('nothing is published after the end of the lease, noticed or not (OUTBOX-2)', async () => {
  const { outbox, bus, clock, last } = start({ leaseLeftMs: 0 });
  void outbox.say(subject, { n: 1 });
  await clock.sleep(30);
  assert.is(await last(), undefined);
  outbox.close();
  await bus.close();
});

test('a closed outbox is silent, and acknowledges nothing (OUTBOX-2)', async () => {
  const { outbox, bus, clock, last } = start();
  outbox.close();
  const answered = await Promise.race([
    outbox.say(subject, { n: 1 }).then(() => true),
    clock.sleep(30).then(() => false),
  ]);
  assert.not(answered);
  assert.is(await last(), undefined);
  await bus.close();
});

test('however much is said at once, few publications are under way, and everything arrives, the newest of each (OUTBOX-1, OUTBOX-5)', async () => {
  const { outbox, bus, clock } = start({ limit: 3 });
  const { publish } = bus.mailbox;
  let [underWay, most, all] = [0, 0, 0];
  bus.mailbox.publish = async (...given) => {
    all++;
    most = Math.max(most, ++underWay);
    await clock.sleep(1);
    underWay--;
    return publish.apply(bus.mailbox, given);
  };
  const to = (n: number): ActorSubject => ({ ...subject, to: { ...subject.to, name: `a-${n}` } });
  const said = Array.from({ length: 20 }, (_, n) => outbox.say(to(n), { n }));
  void outbox.say(to(19), { n: 'newer' });
  outbox.forget(to(18));
  await Promise.all(said);
  assert.is(most, 3);
  assert.is(all, 19);
  assert.equal((await bus.mailbox.last(to(0)))?.payload, { n: 0 });
  assert.equal((await bus.mailbox.last(to(19)))?.payload, { n: 'newer' });
  assert.is(await bus.mailbox.last(to(18)), undefined);
  await bus.close();
});

test('publications that fail leave their place to others (OUTBOX-5)', async () => {
  const { outbox, bus, last } = start({ limit: 1 });
  const { publish } = bus.mailbox;
  bus.mailbox.publish = async (...given) => {
    if ('to' in given[0] && given[0].to.name === 'stuck') throw new Error('never');
    return publish.apply(bus.mailbox, given);
  };
  void outbox.say({ ...subject, to: { ...subject.to, name: 'stuck' } }, { n: 0 });
  await outbox.say(subject, { n: 1 });
  assert.equal(await last(), { n: 1 });
  outbox.close();
  await bus.close();
});

test('what cannot be published now is published when the bus is back, and is told once', async () => {
  const { outbox, bus, clock, troubles, last } = start();
  bus.cut();
  const saying = outbox.say(subject, { n: 1 });
  await clock.sleep(600);
  assert.is(troubles.length, 1);
  bus.heal();
  await saying;
  assert.equal(await last(), { n: 1 });
  await bus.close();
});

test('what is said at any moment of a publication is published too (OUTBOX-1)', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const { outbox, bus, clock, last } = start();
    void outbox.say(subject, { n: 1 });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    void outbox.say(subject, { n: 2 });
    await clock.settle();
    assert.equal(await last(), { n: 2 }, `after ${turns} turns`);
    await bus.close();
  }
});

test('what is forgotten while it is under way does not overwrite what is said after it (OUTBOX-1)', async () => {
  const { outbox, bus, clock, last } = start();
  const { publish } = bus.mailbox;
  bus.mailbox.publish = async (to, payload, expected) => {
    if (payload['n'] === 1) await clock.sleep(20);
    return publish.call(bus.mailbox, to, payload, expected);
  };
  void outbox.say(subject, { n: 1 });
  outbox.forget(subject, { n: 1 });
  await outbox.say(subject, { n: 2 });
  await clock.sleep(60);
  assert.equal(await last(), { n: 2 });
  await bus.close();
});

test('a subject on which something else was said meanwhile is not forgotten', async () => {
  const { outbox, bus, clock, last } = start();
  void outbox.say(subject, { n: 2 });
  outbox.forget(subject, { n: 1 });
  await clock.settle();
  assert.equal(await last(), { n: 2 });
  await bus.close();
});

test('what stands on the bus already is not published again (OUTBOX-4)', async () => {
  const { outbox, bus } = start();
  const publication = await bus.mailbox.publish(subject, { n: 1 }, 0);
  const sequence = publication.kind === 'stored' ? publication.sequence : 0;
  outbox.heard(subject, { n: 1 }, sequence);
  await outbox.say(subject, { n: 1 });
  assert.is((await bus.mailbox.last(subject))?.sequence, sequence);
  bus.mailbox.last = () => Promise.reject(new Error('it was heard: nothing has to be read'));
  await outbox.say(subject, { n: 2 });
  outbox.heard(subject, { n: 1 }, sequence);
  await outbox.say(subject, { n: 2 });
  await bus.close();
});

test('what was heard of a newer incarnation is not overwritten, however often the older is said (OUTBOX-3, P4, P9)', async () => {
  const { outbox, bus, last } = start();
  const publication = await bus.mailbox.publish(subject, { n: 5 }, 0);
  if (publication.kind === 'stored') outbox.heard(subject, { n: 5 }, publication.sequence);
  const older = (theirs: JsonObject, ours: JsonObject): boolean => Number(theirs['n']) < Number(ours['n']);
  for (let time = 0; time < 3; time++) await outbox.say(subject, { n: 1 }, older);
  assert.equal(await last(), { n: 5 });
  await outbox.say(subject, { n: 6 }, older);
  assert.equal(await last(), { n: 6 });
  await bus.close();
});

test('what was refused once is refused again (OUTBOX-3, P4)', async () => {
  const { outbox, bus, last } = start();
  await bus.mailbox.publish(subject, { n: 5 }, 0);
  for (let time = 0; time < 3; time++) await outbox.say(subject, { n: 1 }, () => false);
  assert.equal(await last(), { n: 5 });
  await bus.close();
});

test('what a stale host wrote over it is said again by who hears of it, and the same is not (OUTBOX-4, P9)', async () => {
  const { outbox, bus, clock, last } = start();
  await outbox.say(subject, { n: 1 });
  const said = (await bus.mailbox.last(subject))?.sequence ?? 0;
  outbox.heard(subject, { n: 1 }, said);
  const late = await bus.mailbox.publish(subject, { n: 0 }, undefined);
  if (late.kind === 'stored') outbox.heard(subject, { n: 0 }, late.sequence);
  await clock.settle();
  assert.equal(await last(), { n: 1 });
  assert.is((await bus.mailbox.last(subject))?.sequence, said + 2);
  await bus.close();
});

test('a newer value of somebody else that is heard is left as it is (OUTBOX-3, OUTBOX-4)', async () => {
  const { outbox, bus, clock, last } = start();
  await outbox.say(subject, { n: 1 }, (theirs, ours) => Number(theirs['n']) < Number(ours['n']));
  const newer = await bus.mailbox.publish(subject, { n: 2 }, undefined);
  if (newer.kind === 'stored') outbox.heard(subject, { n: 2 }, newer.sequence);
  await clock.settle();
  assert.equal(await last(), { n: 2 });
  await bus.close();
});

test('nobody says anything again after the end of the lease, or once closed (OUTBOX-2, OUTBOX-4)', async () => {
  const { outbox, bus, clock, last } = start();
  await outbox.say(subject, { n: 1 });
  outbox.close();
  const late = await bus.mailbox.publish(subject, { n: 0 }, undefined);
  if (late.kind === 'stored') outbox.heard(subject, { n: 0 }, late.sequence);
  await clock.settle();
  assert.equal(await last(), { n: 0 });
  await bus.close();
});

test('what was forgotten is not remembered when it comes back (OUTBOX-6)', async () => {
  const { outbox, bus } = start();
  outbox.replayed();
  await outbox.say(subject, { n: 1 });
  assert.is(outbox.size, 1);
  outbox.forget(subject, { n: 1 });
  outbox.heard(subject, { n: 1 }, (await bus.mailbox.last(subject))?.sequence ?? 0);
  assert.is(outbox.size, 0);
  await bus.close();
});

test('who waits for a turn when the outbox is closed says nothing any more (OUTBOX-2, OUTBOX-5)', async () => {
  const { outbox, bus, clock } = start({ limit: 1 });
  const other: ActorSubject = { ...subject, to: { ...subject.to, name: 'b' } };
  void outbox.say(subject, { n: 1 });
  void outbox.say(other, { n: 1 });
  outbox.close();
  await clock.sleep(30);
  assert.is(await bus.mailbox.last(other), undefined);
  await bus.close();
});

test('a value that is too large is reported once, tried again with backoff, and holds up no other (OUTBOX-7)', async () => {
  const { clock, bus, outbox, troubles, last } = start({ leaseLeftMs: 86_400_000 });
  const { publish } = bus.mailbox;
  let refusals = 0;
  bus.mailbox.publish = async (...given) => {
    if (given[1]['text'] === undefined) return publish.apply(bus.mailbox, given);
    refusals += 1;
    throw new TerminalError('it is too large');
  };
  void outbox.say(subject, { text: 'long' });
  await outbox.refused(subject);
  for (let minute = 0; minute < 60; minute++) {
    await outbox.say({ ...subject, to: { ...subject.to, name: 'b' } }, { minute });
    await clock.sleep(60_000);
  }
  assert.ok(refusals > 60 && refusals < 70, `tried ${refusals} times in an hour`);
  assert.equal(troubles, ["mail to 'openstack.networks.ns.a' waits: it is too large"]);
  await outbox.refused(subject);
  await outbox.say(subject, { n: 1 });
  assert.equal(await last(), { n: 1 });
  await bus.close();
});

test.run();
