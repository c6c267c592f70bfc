// Effects of the state machines at the API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyActorLogic, createActor, toPromise } from 'xstate';
import { machinesWith } from '../../../actors/effects/machines.ts';
import { ClaimsTable, claimOf } from '../../../actors/object/claims-table.ts';
import { ObjectActor } from '../../../actors/object/object-actor.ts';
import type { JournalOfCreates, Machines, ObjectHost } from '../../../actors/object/object-context.ts';
import { type Registry, registry } from '../../../actors/object/registry.ts';
import type { Objects } from '../../../adapters/kubernetes/mod.ts';
import {
  addressKey,
  type Clock,
  ConflictError,
  type ErrorData,
  type Mailbox,
  SLOWEST_PACE,
  TransientError,
} from '../../../bus/mod.ts';
import type { GuardInput } from '../../../machines/deletion-guard.ts';
import type { Kind, OperationRequest } from '../../../machines/kind.ts';
import type { Lifecycle, LifecyclePorts, LongCall, PortsOf } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ManualClock } from '../../bus/manual-clock.ts';
import { simulatedClock } from '../../world/clock.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('effects');

test('guards of which one could not be stored are stored again when the others have been', async () => {
  const claims = new ClaimsTable();
  for (const name of ['one', 'two']) {
    const from = { realm: 'test', plural: 'things', namespace: 'ns', name };
    const mail = { uid: `uid-${name}`, resourceVersion: '1', generation: 1, withdrawnFrom: [], ended: false };
    claims.take(addressKey(from), claimOf(from, { ...mail, finalizers: [`guard/${name}`], manager: name }));
  }
  const object: KubeObject = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'base', namespace: 'ns', uid: 'uid', resourceVersion: '2', generation: 1 },
  };
  const slow = Promise.withResolvers<void>();
  const objects = {
    async addFinalizers(_resource: unknown, _reference: unknown, manager: string, finalizers: readonly string[]) {
      if (manager === 'two') throw new TransientError('no answer');
      await slow.promise;
      return { ...object, metadata: { ...object.metadata, resourceVersion: '3', finalizers } };
    },
  } as unknown as Objects;
  const actor = actorOf({
    objects,
    claims,
    object,
  });
  const clock = simulatedClock();
  const { guard } = machinesFor(actor, { objects, clock });
  const logic = guard.implementations.actors.storeGuards as AnyActorLogic;
  const input: GuardInput = { key: 'base', finalizers: ['guard/one', 'guard/two'] };
  const effect = createActor(logic, { input });
  let code: string | undefined;
  const ended = toPromise(effect.start()).catch((error: ErrorData) => {
    code = error.code;
  });
  await clock.settle();
  assert.is(code, undefined, 'what is still under way would be written once more');
  slow.resolve();
  await ended;
  assert.is(code, 'transient');
  assert.equal(actor.object?.metadata.finalizers, ['guard/one']);
});

interface ActorOptions {
  readonly objects: Given['objects'];
  readonly claims: ClaimsTable;
  readonly kind?: Kind;
  readonly plural?: string | undefined;
  readonly registry?: Registry | undefined;
  readonly journal?: Partial<JournalOfCreates>;
  readonly leaseEndsAt?: number;
  readonly leaseSignal?: AbortSignal | undefined;
  readonly object: KubeObject;
}

/** An actor that only knows its object, on a host that holds the lease. */
function actorOf({ claims, kind, plural = 'things', object, objects = {}, ...given }: ActorOptions): ObjectActor {
  const host = {
    objects,
    registry: { ...(given.registry ?? registry([], [])), ...(kind && { kind: () => kind }) },
    mailbox: { epoch: () => ({ id: 'epoch', seededAt: 0 }) },
    createJournal: given.journal,
    calls: { add: () => undefined, addWrite: () => undefined },
    leaseEndsAt: () => given.leaseEndsAt ?? Number.POSITIVE_INFINITY,
    leaseSignal: given.leaseSignal ?? new AbortController().signal,
    hosts: () => true,
    settleDispute: () => undefined,
    supervise: (_: unknown, act: () => unknown) => act(),
    reread: () => undefined,
    clock: simulatedClock(),
  } as unknown as ObjectHost;
  const actor = new ObjectActor(host, { realm: 'test', plural, namespace: 'ns', name: 'base' });
  for (const [key, claim] of claims.entries()) actor.claims.take(key, claim);
  actor.accept(object, { own: false });
  return actor;
}

function machinesFor(
  actor: ObjectActor,
  {
    objects,
    clock,
    registry: known = registry([], []),
  }: Pick<ActorOptions, 'objects' | 'registry'> & { readonly clock: Clock },
): Machines {
  return machinesWith({
    registry: known,
    clock,
    namespaces: undefined,
    callMs: 10_000,
    lateEffectMs: 30_000,
    objects: objects as unknown as Objects,
    mailbox: { epoch: () => ({ id: 'epoch', seededAt: 0 }) } as Mailbox,
    actor: () => actor,
    recordMetric: () => undefined,
  });
}

/** A claimant whose field manager may store two guards, as that of a trunk on its parent and its subports. */
const trunk = {
  ...simpleKind({ realm: 'test', kind: 'Trunk', plural: 'trunks' }),
  guards: ['own/trunk', 'own/subport'],
};

test('33.B7: an apply of a table that lacks claims takes no guard off a living object (MACHINES-1, P3, I3)', async () => {
  const known = registry([trunk, simpleKind({ realm: 'test', kind: 'Port', plural: 'ports' })], []);
  const { guards: manager } = trunk.fieldManagers;
  const claims = new ClaimsTable();
  const from = { realm: 'test', plural: 'trunks', namespace: 'ns', name: 'one' };
  const mail = { uid: 'u', resourceVersion: '1', generation: 1, withdrawnFrom: [], ended: false, manager };
  claims.take(addressKey(from), claimOf(from, { ...mail, finalizers: ['own/subport'] }));
  const asked: unknown[] = [];
  // One belongs to another manager, one to another writer, one to the object itself.
  const stored = ['own/trunk', 'own/other', 'somebody/else', 'own/port'];
  const { storeGuards } = given({
    world: { registry: known, plural: 'ports', claims, finalizers: stored },
    objects: {
      async addFinalizers(_resource: unknown, reference: object, by: string, finalizers: readonly string[]) {
        asked.push({ reference, by, finalizers });
        throw new TransientError('no answer');
      },
    },
  });
  await storeGuards(['own/subport']).catch(() => undefined);
  const reference = { namespace: 'ns', name: 'base', uid: 'uid', resourceVersion: '2' };
  assert.equal(asked, [{ reference, by: manager, finalizers: ['own/trunk', 'own/subport'] }]);
});

interface Given {
  /** Another object than one of a kind that nobody knows, which somebody claims. */
  readonly world?: {
    readonly registry: Registry;
    readonly plural: string;
    readonly claims: ClaimsTable;
    readonly finalizers: readonly string[];
  };
  readonly objects?: Partial<Record<keyof Objects, unknown>>;
  readonly leaseLeftMs?: number;
  readonly leaseSignal?: AbortSignal;
  /** Lists what must not be made twice: with the time by which it lands. */
  readonly list?: (inDoubtUntil: number) => Promise<void>;
  readonly clock?: Clock;
  /** Of the life. */
  readonly inDoubtForMs?: number;
}

/** What lives are given, and the effect that stores guards, for one object; `calls` has the requests of its operation `look`. */
function given({
  world,
  objects = {},
  leaseLeftMs = 60_000,
  leaseSignal,
  list,
  clock = simulatedClock(),
  inDoubtForMs = 600_000,
}: Given) {
  const endsAt = clock.now() + leaseLeftMs;
  const calls: OperationRequest[] = [];
  const { finalizers } = world ?? {};
  const metadata = { name: 'base', namespace: 'ns', uid: 'uid', resourceVersion: '2', generation: 1 };
  const object: KubeObject = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { ...metadata, ...(finalizers !== undefined && { finalizers }) },
  };
  const look = async (request: OperationRequest): Promise<void> => void calls.push(request);
  const from = { realm: 'test', plural: 'things', namespace: 'ns', name: 'claimant' };
  const claims = world?.claims ?? new ClaimsTable();
  const claim = {
    uid: 'uid-2',
    resourceVersion: '1',
    generation: 1,
    withdrawnFrom: [],
    ended: false,
    manager: 'thing',
  };
  if (world === undefined) claims.take(addressKey(from), claimOf(from, { ...claim, finalizers: ['guard/one'] }));
  const life = { inDoubtForMs } as Lifecycle;
  const kind = { kind: 'Thing', references: () => [] as const, operations: { look }, life } as unknown as Kind;
  const journal: Partial<JournalOfCreates> = {
    async run(_key, inDoubtUntil, call) {
      await list?.(inDoubtUntil);
      return call();
    },
  };
  const actor = actorOf({
    objects,
    claims,
    kind,
    journal,
    registry: world?.registry,
    plural: world?.plural,
    object,
    leaseEndsAt: endsAt,
    leaseSignal,
  });
  const machines = machinesFor(actor, { objects, clock, registry: world?.registry });
  let ports: LifecyclePorts | undefined;
  machines.of({
    provide(portsOf: PortsOf) {
      ports = portsOf('base');
      return machines.guard;
    },
  } as unknown as Lifecycle);
  assert.ok(ports);
  const store = machines.guard.implementations.actors.storeGuards as AnyActorLogic;
  const release = machines.guard.implementations.actors.releaseGuards as AnyActorLogic;
  const input: GuardInput = { key: 'base', finalizers: ['guard/one'] };
  return {
    ports,
    calls,
    endsAt,
    metadata,
    version: () => actor.object?.metadata.resourceVersion,
    storeGuards: (guards = input.finalizers): Promise<unknown> =>
      toPromise(createActor(store, { input: { ...input, finalizers: guards } }).start()),
    releaseGuards: (): Promise<unknown> => toPromise(createActor(release, { input }).start()),
  };
}

const codeOf = (error: ErrorData): string => error.code;

test('an answer that is older than what is known makes the API server be asked, before anything else is written (P6, P11)', async () => {
  let reads = 0;
  const at = (resourceVersion: string): KubeObject => ({
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'base', namespace: 'ns', uid: 'uid', resourceVersion, generation: 1, finalizers: ['guard/one'] },
  });
  const { storeGuards, version } = given({
    objects: {
      addFinalizers: async () => at('1'),
      async get() {
        reads += 1;
        return at('3');
      },
    },
  });
  await storeGuards();
  assert.equal([reads, version()], [1, '3']);
});

test('a call ends before the lease does, or does not begin (PORTS-1, P10)', async () => {
  const { ports, calls, endsAt } = given({ leaseLeftMs: 2_000 });
  await ports.call('look');
  assert.ok((calls[0]?.deadlineAt ?? Number.POSITIVE_INFINITY) < endsAt);
  assert.ok(
    ((calls[0]?.deadlineAt ?? Number.POSITIVE_INFINITY) - (endsAt - 2_000)) / SLOWEST_PACE < 2_000,
    'also by a clock that is slowed until then',
  );
  const late = given({ leaseLeftMs: 250 });
  assert.is(await late.ports.call('look').catch(codeOf), 'transient');
  assert.equal(late.calls, []);
});

test('a long call is notified of the end of its lease, and after it (PORTS-1)', async () => {
  const lease = new AbortController();
  const { ports, calls, endsAt } = given({ leaseSignal: lease.signal });
  const options = { signal: new AbortController().signal, onProgress: () => undefined };
  await ports.callLong('look', options);
  const { signal, validUntil } = calls[0] as unknown as LongCall;
  assert.ok(validUntil() < endsAt, 'whatever the pace of the clock is until then');
  assert.not(signal.aborted);
  lease.abort();
  assert.ok(signal.aborted);
  assert.is((await ports.callLong('look', options).catch(codeOf)) as string, 'transient');
  assert.is(calls.length, 1);
});

test('a long call that must not be repeated starts within the time from which its doubt is counted (P13)', async () => {
  const clock = new ManualClock();
  const listed: number[] = [];
  let tookMs = 1_999;
  const list = async (inDoubtUntil: number): Promise<void> => {
    listed.push(inDoubtUntil - clock.now());
    await clock.advance(tookMs);
  };
  const { ports, calls } = given({ clock, list });
  const options = { signal: new AbortController().signal, onProgress: () => undefined, inDoubtForMs: 3_000 };
  await ports.callLong('look', options);
  assert.equal([calls.length, listed], [1, [5_000]]);
  assert.is((calls[0] as unknown as LongCall).beginBy - clock.now(), 1);
  tookMs = 2_000;
  assert.is((await ports.callLong('look', options).catch(codeOf)) as string, 'transient');
  assert.is(calls.length, 1);
});

test('a long call does not start if its lease ended while it was being listed (PORTS-1, P10)', async () => {
  const clock = new ManualClock();
  const { ports, calls } = given({ clock, leaseLeftMs: 450, list: () => clock.advance(250) });
  const options = { signal: new AbortController().signal, onProgress: () => undefined, inDoubtForMs: 100 };
  assert.is(await ports.callLong('look', options).catch(codeOf), 'transient');
  assert.equal(calls, []);
});

test('what may land later than its life states is not begun: who comes without a list would not wait for it', async () => {
  const listed: number[] = [];
  const list = async (inDoubtUntil: number): Promise<void> => void listed.push(inDoubtUntil);
  const { ports, calls } = given({ inDoubtForMs: 5_000, list });
  const options = { signal: new AbortController().signal, onProgress: () => undefined, inDoubtForMs: 5_001 };
  assert.is(await ports.callLong('look', options).catch(codeOf), 'terminal');
  assert.equal([listed, calls], [[], []]);
});

test('after a lost race the actor knows the object as it is by now (PORTS-2)', async () => {
  const refused = async (): Promise<never> => {
    throw new ConflictError('somebody was faster');
  };
  const get = async () => ({ metadata: { ...metadata, resourceVersion: '9' } });
  const { ports, metadata, version } = given({ objects: { recordId: refused, get } });
  assert.is(await ports.recordId('id-1').catch(codeOf), 'conflict');
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
