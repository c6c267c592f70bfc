// To whom is handed over what the watch sees, and which answers wait, which are handed over, which are mail at once.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerMessage } from '../../../actors/mailbox/messages.ts';
import type { ObjectActor } from '../../../actors/object/object-actor.ts';
import { deferredAnswers, localDelivery, ShardAnswers } from '../../../actors/sharding/local-delivery.ts';
import { addressKey, type JsonObject } from '../../../bus/mod.ts';
import { Readiness } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';

const test = suite('hand-over to who lives here');

const from = { realm: 'test', plural: 'things', namespace: 'ns', name: 'needed' };
const to = { realm: 'test', plural: 'things', namespace: 'ns', name: 'user' };

function scene({ hasCompleteHistory = true } = {}) {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const published: string[] = [];
  const heard: string[] = [];
  let standing: JsonObject | undefined;
  const outbox = {
    async say(_: unknown, payload: JsonObject) {
      standing = payload;
      published.push(String(payload['readiness']));
    },
    forget() {
      standing = undefined;
    },
    standing: () => standing,
  };
  const user = {
    incarnation: () => ({ uid: 'uid-user' }),
    receiveAnswer: (_: unknown, { readiness }: AnswerMessage) => void heard.push(readiness),
  } as unknown as ObjectActor;
  const actors = new Map([
    [addressKey(from), {} as ObjectActor],
    [addressKey(to), user],
  ]);
  const later = deferredAnswers(clock);
  const answers = new ShardAnswers({
    outbox,
    later,
    actor: (key) => actors.get(key),
    hasCompleteHistory: () => hasCompleteHistory,
    settle: (_, deliver) => deliver(),
  });
  const say = async (readiness: Readiness, uid = 'uid-user'): Promise<void> => {
    answers.say({ from, to, mail: { to: uid, generation: 1, uid: 'uid', readiness }, traceparent: '' });
    await time.advance(0);
    await Promise.resolve();
  };
  return { time, later, answers, actors, published, heard, say };
}

test('an answer that promises nothing is handed over, and is not published if a promise follows (LOCAL-DELIVERY-4)', async () => {
  const { time, published, heard, say } = scene();
  await say(Readiness.Absent);
  await say(Readiness.Pending);
  assert.equal(heard, ['absent', 'pending']);
  await say(Readiness.Ready);
  await time.advance(60_000);
  assert.equal(published, ['ready']);
  assert.equal(heard, ['absent', 'pending'], 'a promise comes by mail');
});

test('an answer that promises nothing is published after a while (LOCAL-DELIVERY-4)', async () => {
  const { time, published, say } = scene();
  await say(Readiness.Absent);
  await say(Readiness.Pending);
  await time.advance(1_000);
  assert.equal(published, ['pending']);
});

test('where an earlier host may have promised something, it is taken back at once (LOCAL-DELIVERY-4)', async () => {
  const { time, published, heard, say } = scene({ hasCompleteHistory: false });
  await say(Readiness.Pending);
  assert.equal([published, heard], [['pending'], []]);
  await say(Readiness.Absent);
  assert.equal([published, heard], [['pending'], ['absent']], 'what stands is known by then');
  await time.advance(60_000);
  assert.equal(published, ['pending', 'absent']);
});

test('what takes a promise back is published at once (LOCAL-DELIVERY-4)', async () => {
  const { published, heard, say } = scene();
  await say(Readiness.Ready);
  await say(Readiness.Pending);
  await say(Readiness.Deleting);
  await say(Readiness.Absent);
  assert.equal(published, ['ready', 'pending', 'deleting', 'absent']);
  assert.equal(heard, []);
});

test('who does not live here, or no more, is answered by mail at once (LOCAL-DELIVERY-1, P2)', async () => {
  const { actors, published, heard, say } = scene();
  await say(Readiness.Pending, 'uid-before');
  actors.delete(addressKey(to));
  await say(Readiness.Absent);
  assert.equal(published, ['pending', 'absent']);
  assert.equal(heard, []);
});

test('an answer of a shard that was given up in the same turn is not heard (OBJECT-ACTOR-2)', async () => {
  const { later, actors, heard, published, time, say } = scene();
  const saying = say(Readiness.Pending);
  actors.delete(addressKey(from));
  later.clear();
  await saying;
  await time.advance(60_000);
  assert.equal(heard, []);
  assert.equal(published, []);
});

test('nothing is answered to a claim that has ended', async () => {
  const { later, answers, published, time, say } = scene();
  await say(Readiness.Pending);
  answers.forget(from, to);
  await time.advance(60_000);
  assert.equal(published, []);
  assert.is(later.size, 0);
});

/** An actor of `uid-needed` that was told of it by the value of sequence 7; `reported`: of another incarnation. */
function nobodyElse(reported = 'uid-needed') {
  const heard: string[] = [];
  const actor = {
    incarnation: () => ({ uid: 'uid-needed' }),
    isAnnouncedAs: (uid: string, sequence = 7) => uid === reported && sequence === 7,
    accept: ({ metadata }: KubeObject) => void heard.push(metadata.resourceVersion),
    acceptGone: (_: string, resourceVersion: string) => void heard.push(`gone ${resourceVersion}`),
  } as unknown as ObjectActor;
  const here = localDelivery({
    actor: (key) => (key === addressKey(from) ? actor : undefined),
    settle: (_, deliver) => deliver(),
  });
  const object = (uid = 'uid-needed'): KubeObject => ({
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: from.name, namespace: from.namespace, uid, resourceVersion: '5' },
  });
  return { here, heard, object };
}

test('a state is handed to whoever lives here, once mail told of it (LOCAL-DELIVERY-2)', () => {
  const { here, heard, object } = nobodyElse();
  assert.is(here.object(from, object()), true);
  assert.is(here.object(from, object('uid-next')), false);
  assert.is(here.object(to, object()), false);
  assert.equal(heard, ['5']);
});

test('what was read at the API server, and no mail tells of, comes by mail (LOCAL-DELIVERY-2, SHARD-HOST-5)', () => {
  const { here, heard, object } = nobodyElse('uid-before');
  assert.is(here.object(from, object()), false);
  assert.equal(heard, []);
});

test('an end is handed over to who knows the one value that mail has of the object (LOCAL-DELIVERY-3)', () => {
  const { here, heard } = nobodyElse();
  const gone = { uid: 'uid-needed', resourceVersion: '6' };
  assert.is(here.gone(from, gone, 8), false);
  assert.is(here.gone(from, { ...gone, uid: 'uid-before' }, 7), false);
  assert.is(here.gone(to, gone, 7), false);
  assert.equal(heard, []);
  assert.is(here.gone(from, gone, 7), true);
  assert.equal(heard, ['gone 6']);
});

test.run();
