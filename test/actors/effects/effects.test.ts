// What the effects of the statecharts do at the API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyActorLogic, createActor, toPromise } from 'xstate';
import { systemClock } from '../../../actors/clock.ts';
import { provideEffects } from '../../../actors/effects/effects.ts';
import type { Underway } from '../../../actors/effects/underway.ts';
import { ClaimsTable, claimOf } from '../../../actors/object/claims-table.ts';
import type { ObjectActor } from '../../../actors/object/object-actor.ts';
import { registry } from '../../../actors/object/registry.ts';
import type { Objects } from '../../../adapters/kubernetes/mod.ts';
import { addressKey, ConflictError, type ErrorData, TransientError } from '../../../bus/mod.ts';
import type { GuardInput } from '../../../machines/guard.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { Life, LifePorts } from '../../../machines/life.ts';
import type { KubeObject } from '../../../machines/object.ts';

const test = suite('effects');

test('guards of which one could not be stored are stored again when the others have been', async () => {
  const claims = new ClaimsTable();
  for (const name of ['one', 'two']) {
    const from = { realm: 'test', plural: 'things', namespace: 'ns', name };
    const mail = { uid: `uid-${name}`, resourceVersion: '1', generation: 1, notOn: [], ended: false };
    claims.take(addressKey(from), claimOf(from, { ...mail, finalizers: [`guard/${name}`], manager: name }));
  }
  let object: KubeObject = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'base', namespace: 'ns', uid: 'uid', resourceVersion: '2', generation: 1 },
  };
  const slow = Promise.withResolvers<void>();
  const objects = {
    async addFinalizers(_resource: unknown, _reference: unknown, manager: string, finalizers: readonly string[]) {
      if (manager === 'two') throw new TransientError('no answer');
      await slow.promise;
      return { ...object, metadata: { ...object.metadata, finalizers } };
    },
  } as unknown as Objects;
  const actor = {
    address: { realm: 'test', plural: 'things', namespace: 'ns', name: 'base' },
    claims,
    incarnation: () => ({ uid: 'uid', object }),
    accept(now: KubeObject) {
      object = now;
    },
  } as unknown as ObjectActor;
  const clock = systemClock();
  const { guard } = provideEffects({
    objects,
    registry: registry([], []),
    clock,
    callMs: 1_000,
    lateMs: 30_000,
    underway: () => undefined,
    actor: () => actor,
    leaseEndsAt: () => Number.POSITIVE_INFINITY,
    leaseSignal: () => new AbortController().signal,
    track: () => undefined,
    trackWrite: () => undefined,
  });
  const logic = guard.implementations.actors.storeGuards as AnyActorLogic;
  const input: GuardInput = { key: 'base', finalizers: ['guard/one', 'guard/two'] };
  const effect = createActor(logic, { input });
  let code: string | undefined;
  const ended = toPromise(effect.start()).catch((error: ErrorData) => {
    code = error.code;
  });
  await clock.sleep(5);
  assert.is(code, undefined, 'what is still under way would be written once more');
  slow.resolve();
  await ended;
  assert.is(code, 'transient');
  assert.equal(object.metadata.finalizers, ['guard/one']);
});

interface Given {
  readonly objects?: Partial<Record<keyof Objects, unknown>>;
  readonly leaseLeftMs?: number;
  /** What is listed by the shard as under way. */
  readonly run?: Underway['run'];
}

/** What lives are given, and the effect that stores guards, for one object; `calls` has the requests of its operation `look`. */
function given({ objects = {}, leaseLeftMs = 60_000, run }: Given) {
  const clock = systemClock();
  const endsAt = clock.now() + leaseLeftMs;
  const calls: OperationRequest[] = [];
  const metadata = { name: 'base', namespace: 'ns', uid: 'uid', resourceVersion: '2', generation: 1 };
  let object: KubeObject = { apiVersion: 'example.org/v1', kind: 'Thing', metadata };
  const look = async (request: OperationRequest): Promise<void> => void calls.push(request);
  const from = { realm: 'test', plural: 'things', namespace: 'ns', name: 'claimant' };
  const claims = new ClaimsTable();
  const claim = { uid: 'uid-2', resourceVersion: '1', generation: 1, notOn: [], ended: false, manager: 'thing' };
  claims.take(addressKey(from), claimOf(from, { ...claim, finalizers: ['guard/one'] }));
  const actor = {
    address: { ...from, name: 'base' },
    claims,
    incarnation: () => ({ uid: 'uid', object, kind: { operations: { look } } }),
    dependencies: () => [],
    accept(now: KubeObject) {
      object = now;
    },
  } as unknown as ObjectActor;
  const underway = run === undefined ? undefined : ({ run } as Underway);
  const machines = provideEffects({
    objects: objects as unknown as Objects,
    registry: registry([], []),
    clock,
    callMs: 10_000,
    lateMs: 30_000,
    underway: () => underway,
    actor: () => actor,
    leaseEndsAt: () => endsAt,
    leaseSignal: () => new AbortController().signal,
    track: () => undefined,
    trackWrite: () => undefined,
  });
  let ports: LifePorts | undefined;
  machines.of({
    provide(provided: LifePorts) {
      ports = provided;
      return machines.guard;
    },
  } as unknown as Life);
  assert.ok(ports);
  const store = machines.guard.implementations.actors.storeGuards as AnyActorLogic;
  const release = machines.guard.implementations.actors.releaseGuards as AnyActorLogic;
  const input: GuardInput = { key: 'base', finalizers: ['guard/one'] };
  return {
    ports,
    calls,
    endsAt,
    metadata,
    version: () => object.metadata.resourceVersion,
    storeGuards: (): Promise<unknown> => toPromise(createActor(store, { input }).start()),
    releaseGuards: (): Promise<unknown> => toPromise(createActor(release, { input }).start()),
  };
}

const codeOf = (error: ErrorData): string => error.code;

test('a call ends before the lease does, or does not begin (E1, P10)', async () => {
  const { ports, calls, endsAt } = given({ leaseLeftMs: 2_000 });
  await ports.call('base', 'look');
  assert.ok((calls[0]?.deadlineAt ?? Number.POSITIVE_INFINITY) < endsAt);
  const late = given({ leaseLeftMs: 250 });
  assert.is(await late.ports.call('base', 'look').catch(codeOf), 'transient');
  assert.equal(late.calls, []);
});

test('what is held does not begin when its lease ended while it was listed (E1, P10)', async () => {
  const signal = new AbortController().signal;
  const listsSlowly = async <Output>(_: string, __: number, call: () => Promise<Output>): Promise<Output> => {
    await systemClock().sleep(250);
    return call();
  };
  const { ports, calls } = given({ leaseLeftMs: 450, run: listsSlowly });
  const held = ports.hold('base', 'look', { signal, onProgress: () => undefined, landsWithinMs: 100 });
  assert.is(await held.catch(codeOf), 'transient');
  assert.equal(calls, []);
});

test('what is held lands by the time that was listed, however long the listing took (P13)', async () => {
  const signal = new AbortController().signal;
  let isListedFor = 0;
  const listsSlowly = async <Output>(_: string, landsBy: number, call: () => Promise<Output>): Promise<Output> => {
    isListedFor = landsBy;
    await systemClock().sleep(150);
    return call();
  };
  const { ports, calls } = given({ run: listsSlowly });
  await ports.hold('base', 'look', { signal, onProgress: () => undefined, landsWithinMs: 100 });
  assert.is(calls.length, 1);
  assert.ok(systemClock().now() + 50 < isListedFor, 'it was sent when it should have landed');
});

test('after a lost race the actor knows the object as it is by now (E2)', async () => {
  const refused = async (): Promise<never> => {
    throw new ConflictError('somebody was faster');
  };
  const get = async () => ({ metadata: { ...metadata, resourceVersion: '9' } });
  const { ports, metadata, version } = given({ objects: { recordId: refused, get } });
  assert.is(await ports.recordId('base', 'id-1').catch(codeOf), 'conflict');
  assert.is(version(), '9');
});

test('guards that somebody takes away as soon as they are stored are not stored', async () => {
  const addFinalizers = async () => ({ metadata: { ...metadata, finalizers: [] } });
  const { metadata, storeGuards } = given({ objects: { addFinalizers } });
  assert.is(await storeGuards().catch(codeOf), 'transient');
});

test('a guard is taken off the object as it was judged, and of no later one (I3)', async () => {
  const asked: unknown[] = [];
  const removeFinalizers = async (_: unknown, object: KubeObject, ...rest: unknown[]) => {
    asked.push(object.metadata.resourceVersion, ...rest);
    return object;
  };
  const { releaseGuards } = given({ objects: { removeFinalizers } });
  await releaseGuards();
  assert.equal(asked, ['2', ['guard/one'], { exact: true }]);
});

test.run();
