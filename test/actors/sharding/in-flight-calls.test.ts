// What is under way outside holds up whoever would begin again: a held actor, and who gives a shard away.
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Quarantine } from '../../../actors/sharding/quarantine.ts';
import { InFlightCalls } from '../../../actors/sharding/shard.ts';
import { TransientError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';

const test = suite('calls');

const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function start() {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const calls = new InFlightCalls(clock);
  const resumed: number[] = [];
  const metadata = { name: 'a', uid: 'uid', resourceVersion: '1', generation: 1 };
  const object: KubeObject = { apiVersion: 'example.org/v1', kind: 'Thing', metadata };
  const key = 'test/things/ns/a';
  const actor = {
    address: { realm: 'test', plural: 'things', namespace: 'ns', name: 'a' },
    key,
    incarnation: () => ({ object }),
    suspend: () => undefined,
  };
  const quarantine = new Quarantine<typeof actor>({
    clock,
    log: pino({ level: 'silent' }),
    report: () => undefined,
    calls: () => calls,
    writeFailureStatus: () => () => undefined,
    resume: () => void resumed.push(time.elapsed()),
  });
  const fail = (): void =>
    void quarantine.run(actor, () => {
      throw new TypeError('no');
    });
  return { time, clock, calls, quarantine, actor, key, fail, resumed };
}

test('who is held does not begin again while a call of its own is under way (QUARANTINE-3, I4)', async () => {
  const { time, calls, key, fail, resumed, quarantine } = start();
  const [own, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  calls.add(key, own.promise);
  calls.add('test/things/ns/b', other.promise);
  fail();
  await time.advance(60_000);
  assert.equal([resumed, quarantine.size], [[], 1]);
  own.resolve();
  await turned();
  assert.equal([resumed.length, quarantine.size], [1, 0]);
});

test('nor before what may still be done after a lost answer has been done (QUARANTINE-3, I4)', async () => {
  const { time, clock, calls, key, fail, resumed } = start();
  const call = Promise.withResolvers<void>();
  calls.add(key, call.promise);
  fail();
  await time.advance(5_000);
  call.reject(new TransientError('no answer', { inDoubtUntil: clock.now() + 30_000 }));
  await turned();
  await time.advance(29_000);
  assert.equal(resumed, []);
  await time.advance(2_000);
  assert.is(resumed.length, 1);
});

test('calls that have ended are forgotten, and what they left undecided when it is over', async () => {
  const { time, clock, calls, key } = start();
  calls.add(key, Promise.resolve());
  calls.add(key, Promise.reject(new TransientError('no answer', { inDoubtUntil: clock.now() + 1_000 })));
  await turned();
  assert.is(calls.size, 1);
  await time.advance(1_000);
  calls.add('test/things/ns/b', Promise.reject(new TransientError('refused')));
  await turned();
  assert.is(calls.size, 0);
});

test('who gives a shard away waits for all that is under way outside, and for no write (SHARD-1, P10)', async () => {
  const { calls, key } = start();
  const [one, other, write] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  calls.add(key, one?.promise as Promise<void>);
  calls.add('test/things/ns/b', other?.promise as Promise<void>);
  calls.addWrite(key, write?.promise as Promise<void>);
  let hasEnded = false;
  void calls.ended().then(() => {
    hasEnded = true;
  });
  one?.resolve();
  await turned();
  assert.not(hasEnded);
  other?.reject(new TransientError('no answer'));
  await turned();
  assert.ok(hasEnded);
});

test('an actor that is forgotten while it is held does not begin again', async () => {
  const { time, quarantine, actor, fail, resumed } = start();
  fail();
  quarantine.forget(actor);
  await time.advance(3_600_000);
  assert.equal([resumed, quarantine.size], [[], 0]);
});

test.run();
