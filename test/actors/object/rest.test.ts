// An object at rest: its statechart is not kept, and nobody outside can tell (OBJECT-MACHINES-5).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { machinesWith } from '../../../actors/effects/machines.ts';
import type { AnswerMessage, ClaimMessage } from '../../../actors/mailbox/messages.ts';
import { Outbox } from '../../../actors/mailbox/outbox.ts';
import { ObjectActor } from '../../../actors/object/object-actor.ts';
import type { ObjectHost } from '../../../actors/object/object-context.ts';
import { registry } from '../../../actors/object/registry.ts';
import { StatusThrottle } from '../../../actors/object/status-writer.ts';
import { deferredAnswers, ShardAnswers } from '../../../actors/sharding/local-delivery.ts';
import { FairSemaphore } from '../../../adapters/http/fair-semaphore.ts';
import type { Objects } from '../../../adapters/kubernetes/mod.ts';
import { type Address, memoryBroker } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('rest');

const address = (name: string): Address => ({ realm: 'test', plural: 'things', namespace: 'ns', name });

/** Settled as long as the status says so of this generation; refers to the thing that its spec names. */
const kind = simpleKind({
  realm: 'test',
  kind: 'Thing',
  plural: 'things',
  references: ({ spec = {} }) =>
    typeof spec['on'] === 'string'
      ? [{ kind: 'Thing', name: spec['on'], finalizers: ['own/thing'], neededFor: 'create' }]
      : [],
  isSettled: ({ metadata, status }) => status?.['seen'] === metadata.generation,
  resyncEveryMs: ({ spec }) => (spec?.['resync'] === true ? 3_600_000 : undefined),
  isAvailable: () => true,
  isContradicted: (_, __, { attributes }) => attributes?.['user'] === 'nobody',
  operations: { observe: () => new Promise(() => undefined), remove: () => new Promise(() => undefined) },
});

/** Its finalizer guards things. */
const user = simpleKind({ realm: 'test', kind: 'User', plural: 'users' });

function thing(version: number, changes: { spec?: KubeObject['spec']; metadata?: object } = {}): KubeObject {
  const metadata = { name: 'one', namespace: 'ns', uid: 'uid-1', generation: 1, finalizers: ['own/thing'] };
  return {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { ...metadata, resourceVersion: `${version}`, ...changes.metadata },
    spec: changes.spec ?? { on: 'other' },
    status: { id: 'id-1', seen: 1 },
  };
}

function claim(of: string, finalizers: readonly string[]): ClaimMessage {
  return {
    uid: of,
    resourceVersion: '5',
    generation: 1,
    finalizers,
    manager: 'thing',
    withdrawnFrom: [],
    ended: false,
  };
}

/** An actor that begins its life with `object`; `woken` counts its statecharts. */
function start(object: KubeObject, { begun = true }: { readonly begun?: boolean } = {}) {
  const clock = simulatedClock();
  const bus = memoryBroker({ clock, shards: 1 }).connect();
  const known = registry([kind, user], []);
  const log = openLog({ level: 'silent', readable: false });
  const transitions: string[] = [];
  const stored: string[] = [];
  const scene = { woken: 0 };
  const hooks = { onGuard: (): void => undefined, onVerify: (): void => assert.unreachable() };
  const objects = {
    async addFinalizers(_: unknown, __: unknown, ___: string, finalizers: readonly string[]) {
      hooks.onGuard();
      stored.push(...finalizers.filter((finalizer) => !stored.includes(finalizer)));
      return thing(7 + stored.length, { metadata: { finalizers: ['own/thing', ...stored] } });
    },
  } as unknown as Objects;
  const { mailbox } = bus;
  const machines = machinesWith({
    objects,
    registry: known,
    clock,
    mailbox,
    namespaces: undefined,
    callMs: 1_000,
    lateEffectMs: 30_000,
    actor: () => actor,
    recordMetric: () => undefined,
  });
  const outbox = new Outbox({
    mailbox: bus.mailbox,
    clock,
    inFlight: new FairSemaphore(8),
    endsAt: () => Number.POSITIVE_INFINITY,
    onTrouble: assert.unreachable,
  });
  const host: ObjectHost = {
    registry: known,
    objects,
    mailbox,
    outbox,
    clock,
    log,
    throttle: new StatusThrottle({ clock }),
    machines: {
      guard: machines.guard,
      of(life) {
        scene.woken++;
        return machines.of(life);
      },
    },
    answers: new ShardAnswers({
      outbox,
      later: deferredAnswers(clock),
      actor: () => undefined,
      hasCompleteHistory: () => true,
      settle: () => assert.unreachable(),
    }),
    trace: {
      emit: ({ data }) => void transitions.push(`${data['from']} -> ${data['to']}`),
      subscribe: bus.trace.subscribe,
      history: bus.trace.history,
    },
    createJournal: { at: () => 0, run: (_, __, send) => send(), intents: () => [], discardIntents: () => undefined },
    calls: { add: () => undefined, addWrite: () => undefined },
    leaseSignal: new AbortController().signal,
    leaseEndsAt: () => Number.POSITIVE_INFINITY,
    hosts: () => true,
    isOwnershipDisputed: () => false,
    settleDispute: () => undefined,
    report: () => assert.unreachable('there is nothing to tell'),
    supervise: (_, act) => act(),
    reread: () => hooks.onVerify(),
    currentIncarnation: async () => undefined,
  };
  const actor = new ObjectActor(host, address('one'));
  actor.accept(object, { own: false });
  if (begun) actor.start();
  const quiet = (): Promise<void> => clock.settle();
  const said = async (topic: 'claim' | 'ready', to: Address): Promise<unknown> => {
    await quiet();
    return (await bus.mailbox.last({ to, topic, from: address('one') }))?.payload;
  };
  return { actor, hooks, scene, transitions, stored, said, quiet, bus };
}

test('a life that begins settled claims, answers and goes to rest (OBJECT-MACHINES-5, I9)', async () => {
  const { actor, scene, transitions, said, bus } = start(thing(7));
  actor.receiveClaim(address('user'), claim('uid-user', ['own/thing']), 1);
  assert.is(((await said('ready', address('user'))) as AnswerMessage).readiness, 'ready');
  assert.is(((await said('claim', address('other'))) as ClaimMessage).uid, 'uid-1');
  assert.equal(transitions, [' -> idle.available']);
  assert.is(actor.state, 'idle.available');
  assert.equal([scene.woken, actor.isPassivated], [1, true]);
  await bus.close();
});

test('what a settled object does nothing about wakes nobody (OBJECT-MACHINES-5)', async () => {
  const { actor, scene, transitions, quiet, bus } = start(thing(7));
  const answer: AnswerMessage = { to: 'uid-1', generation: 1, uid: 'uid-other', readiness: 'ready', version: '2' };
  actor.receiveAnswer(address('other'), answer, 1);
  actor.accept(thing(8), { own: false });
  actor.recheckClaims();
  await quiet();
  assert.equal([scene.woken, transitions.length], [1, 1]);
  await bus.close();
});

test('33.2: a rejected object without a resource hears that a dependency is being deleted, and lets it go (OBJECT-MACHINES-5, P1)', async () => {
  const { actor, scene, said, quiet, bus } = start({ ...thing(7), status: { phase: 'failed', seen: 1 } });
  await quiet();
  assert.equal([scene.woken, actor.isPassivated, actor.state], [1, false, 'failed']);
  const answer: AnswerMessage = { to: 'uid-1', generation: 1, uid: 'uid-other', readiness: 'deleting' };
  actor.receiveAnswer(address('other'), answer, 1);
  await quiet();
  assert.equal(((await said('claim', address('other'))) as ClaimMessage).withdrawnFrom, ['uid-other']);
  await bus.close();
});

test('a claim with a finalizer that is not stored yet has it stored, and the life rests on (OBJECT-MACHINES-5, I1)', async () => {
  const { actor, scene, stored, transitions, said, quiet, bus } = start(thing(7));
  await quiet();
  actor.receiveClaim(address('user'), claim('uid-user', ['own/user']), 1);
  assert.is(((await said('ready', address('user'))) as AnswerMessage).readiness, 'ready');
  assert.equal(stored, ['own/user']);
  actor.receiveClaim(address('next'), claim('uid-next', ['own/more']), 2);
  await quiet();
  assert.equal([scene.woken, transitions.length], [1, 1]);
  assert.equal(stored, ['own/user', 'own/more']);
  await bus.close();
});

test('what it was built on was made anew under another id: it looks again (OBJECT-MACHINES-5)', async () => {
  const { actor, scene, transitions, quiet, bus } = start(thing(7));
  const answer: AnswerMessage = { to: 'uid-1', generation: 1, uid: 'uid-other', readiness: 'ready', externalId: 'old' };
  actor.receiveAnswer(address('other'), answer, 1);
  await quiet();
  assert.equal([scene.woken, actor.isPassivated], [1, true]);
  actor.receiveAnswer(address('other'), { ...answer, uid: 'uid-again', externalId: 'new' }, 2);
  await quiet();
  assert.is(scene.woken, 2);
  assert.match(transitions[1] ?? '', /^idle.available -> reconciling.observing/);
  actor.stop();
  await bus.close();
});

test('a child that was deleted before any watch saw it has its owner look again (UNREPORTED-CHILDREN-1)', async () => {
  const { actor, scene, transitions, quiet, bus } = start(thing(7));
  await quiet();
  assert.equal([scene.woken, actor.isPassivated], [1, true]);
  actor.missChild();
  await quiet();
  assert.is(scene.woken, 2);
  assert.match(transitions[1] ?? '', /^idle.available -> reconciling.observing/);
  actor.stop();
  actor.missChild();
  await quiet();
  assert.is(scene.woken, 2);
  await bus.close();
});

test('33.2: a dependency that denies what the status shows has it looked at, once (OBJECT-MACHINES-5)', async () => {
  const { actor, scene, transitions, quiet, bus } = start(thing(7));
  const answer: AnswerMessage = {
    to: 'uid-1',
    generation: 1,
    uid: 'uid-other',
    readiness: 'ready',
    externalId: 'id-2',
  };
  actor.receiveAnswer(address('other'), { ...answer, attributes: { user: 'one' } }, 1);
  await quiet();
  assert.equal([scene.woken, actor.isPassivated], [1, true]);
  const denial: AnswerMessage = { ...answer, attributes: { user: 'nobody' } };
  actor.receiveAnswer(address('other'), denial, 2);
  await quiet();
  assert.is(scene.woken, 2);
  assert.match(transitions[1] ?? '', /^idle.available -> reconciling.observing/);
  const before = transitions.length;
  actor.receiveAnswer(address('other'), { ...denial, readiness: 'pending' }, 3);
  await quiet();
  assert.is(transitions.length, before, 'the same is denied');
  actor.stop();
  await bus.close();
});

test('33.2: a denial that arrived before the lifecycle began has the resource observed (OBJECT-MACHINES-5, I9)', async () => {
  const { actor, scene, quiet, bus } = start(thing(7), { begun: false });
  const answer: AnswerMessage = {
    to: 'uid-1',
    generation: 1,
    uid: 'uid-other',
    readiness: 'ready',
    externalId: 'id-2',
  };
  actor.receiveAnswer(address('other'), { ...answer, attributes: { user: 'nobody' } }, 1);
  actor.start();
  await quiet();
  assert.equal([scene.woken, actor.isPassivated, actor.state], [1, false, 'reconciling.observing']);
  actor.stop();
  await bus.close();
});

test('another incarnation that was made some time before it is told of may be gone by now: that is looked up', async () => {
  for (const [ageMs, times] of [
    [60_000, 1],
    [0, 0],
  ] as const) {
    const { actor, hooks, quiet, bus } = start(thing(7));
    let verified = 0;
    hooks.onVerify = () => void verified++;
    const creationTimestamp = new Date(simulatedClock().now() - ageMs).toISOString();
    actor.receiveObject({ object: thing(8, { metadata: { uid: 'uid-2', creationTimestamp } }) }, 2);
    await quiet();
    assert.is(verified, times);
    actor.stop();
    await bus.close();
  }
});

for (const [what, changed, phase] of [
  ['an edit', thing(8, { metadata: { generation: 2 } }), 'reconciling.observing'],
  ['a deletion', thing(8, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }), 'deleting'],
  // The id is remembered: the statechart saw it before it went.
  ['a status that was taken away', { ...thing(8), status: {} }, 'reconciling.observing'],
] as const) {
  test(`${what} wakes it (OBJECT-MACHINES-5)`, async () => {
    const { actor, scene, transitions, quiet, bus } = start(thing(7));
    await quiet();
    actor.accept(changed, { own: false });
    await quiet();
    assert.is(scene.woken, 2);
    assert.match(transitions[1] ?? '', new RegExp(`^idle.available -> ${phase}`));
    actor.stop();
    await bus.close();
  });
}

test('an object that wants to be looked at again keeps its timer (OBJECT-MACHINES-5)', async () => {
  const { actor, scene, quiet, bus } = start(thing(7, { spec: { resync: true } }));
  await quiet();
  assert.equal([scene.woken, actor.state, actor.isPassivated], [1, 'idle.available', false]);
  actor.stop();
  await bus.close();
});

test('guards that nobody claims hold a deleted object no more: its life takes them off in the end (I2)', async () => {
  const { actor, quiet, bus } = start(thing(7));
  await bus.mailbox.markSeeded(0);
  const finalizers = ['own/thing', 'own/user'];
  const times = { creationTimestamp: '2026-01-01T00:00:00Z', deletionTimestamp: '2026-01-01T00:01:00Z' };
  actor.accept(thing(8, { metadata: { finalizers, ...times } }), { own: false });
  await quiet();
  const { state } = actor;
  const free = actor.freeGuards();
  actor.stop();
  await bus.close();
  assert.is(state, 'deleting.removing');
  assert.equal(free, ['own/user']);
});

test('nothing begins on an actor whose first write finds that its shard is another’s (OBJECT-ACTOR-2, SHARD-HOST-6)', async () => {
  const { actor, scene, quiet, bus, hooks } = start(thing(7), { begun: false });
  actor.receiveClaim(address('user'), claim('uid-user', ['own/user']), 1);
  hooks.onGuard = () => actor.stop();
  actor.start();
  await quiet();
  assert.equal([scene.woken, actor.state], [0, '']);
  await bus.close();
});

test.run();
