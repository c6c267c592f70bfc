// A host that takes its shards over: what it cannot do in this moment, and what takes it long.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { openLog } from '../../../actors/base/log.ts';
import { registry } from '../../../actors/object/registry.ts';
import { type HostDeps, ShardHost } from '../../../actors/sharding/shard-host.ts';
import { manageShards } from '../../../actors/sharding/shard-manager.ts';
import { SECRETS } from '../../../adapters/kubernetes/mod.ts';
import { type Bus, type Lease, type MailboxSubject, memoryBroker, TransientError } from '../../../bus/mod.ts';
import type { Kind } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simulatedClock } from '../../world/clock.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('host');
const clock = simulatedClock();
const log = openLog({ level: 'silent', readable: false });

/** @param given.objects  of the API server, what the test lets be asked */
function quietHost(given: Pick<HostDeps, 'bus' | 'clock' | 'registry'> & { readonly objects: object }): ShardHost {
  const objects = given.objects as HostDeps['objects'];
  return new ShardHost({
    ...given,
    objects,
    namespaces: undefined,
    log,
    callMs: 1_000,
    lateEffectMs: 30_000,
    report: () => undefined,
  });
}

/** An API server that has these things, and nothing else. */
function serverWith(things: readonly KubeObject[]): object {
  return {
    list: async ({ plural }: { readonly plural: string }) => ({
      items: plural === 'things' ? things : [],
      resourceVersion: '7',
      serverTime: 0,
    }),
  };
}

/** A host whose API server and bus answer as told, and a lease on its first shard. */
async function hostOf(answers: {
  list: HostDeps['objects']['list'];
  subscribe: Bus['mailbox']['subscribe'];
}): Promise<{ host: ShardHost; lease: Lease; bus: Bus }> {
  const bus = memoryBroker({ clock }).connect();
  const lease = await bus.leases.acquire('shard.0', 'one');
  if (lease === undefined) throw new Error('the lease is taken');
  bus.mailbox.subscribe = answers.subscribe;
  const host = quietHost({
    bus,
    clock,
    registry: { ...registry([], []), resources: [SECRETS] },
    objects: { list: answers.list },
  });
  return { host, lease, bus };
}

test('a bus that refuses while the API server is still being read is told to who asked, and ends no process', async () => {
  const { host, lease, bus } = await hostOf({
    async subscribe() {
      throw new TransientError('the stream is not there');
    },
    async list() {
      await clock.sleep(20);
      return { items: [], resourceVersion: '1', serverTime: 0 };
    },
  });
  try {
    await host.open(new Map([[0, lease]]), new AbortController().signal, () => assert.unreachable());
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
  }
  assert.equal(host.shards, []);
  await bus.close();
});

test('a subscription that comes after its shards were closed is closed too', async () => {
  const closed = Promise.withResolvers<void>();
  const { host, lease, bus } = await hostOf({
    async subscribe() {
      await clock.sleep(20);
      return {
        async close() {
          closed.resolve();
        },
      };
    },
    async list() {
      throw new TransientError('the API server is away');
    },
  });
  try {
    await host.open(new Map([[0, lease]]), new AbortController().signal, () => assert.unreachable());
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
  }
  const late = new AbortController();
  assert.is(await Promise.race([closed.promise, clock.sleep(2_000, late.signal).then(() => 'late')]), undefined);
  late.abort();
  await bus.close();
});

test('a takeover whose mail is lost before it was read is given up, and told to who asked (P11)', async () => {
  const { host, lease, bus } = await hostOf({
    subscribe: async () => ({ close: async () => undefined }),
    list: async () => ({ items: [], resourceVersion: '1', serverTime: 0 }),
  });
  const opening = host
    .open(new Map([[0, lease]]), new AbortController().signal, () => assert.unreachable())
    .then(
      () => 'opened',
      (error: unknown) => error,
    );
  await clock.sleep(10);
  await host.close(0);
  const late = new AbortController();
  const outcome = await Promise.race([opening, clock.sleep(2_000, late.signal).then(() => 'late')]);
  late.abort();
  assert.instance(outcome, TransientError);
  await bus.close();
});

test('33.B3: shards that come and go leave no subscription behind (SHARD-MANAGER-1)', async () => {
  const SHARDS = 16;
  const bus = memoryBroker({ clock, shards: SHARDS }).connect();
  const { mailbox } = bus;
  const subscribe = mailbox.subscribe.bind(mailbox);
  let open = 0;
  mailbox.subscribe = async (filter, handlers) => {
    const subscription = await subscribe(filter, handlers);
    open++;
    return { close: () => subscription.close().then(() => void open--) };
  };
  const host = quietHost({ bus, clock, registry: registry([], []), objects: serverWith([]) });
  const lease = (await bus.leases.acquire('shard.0', 'one')) as Lease;
  const stop = new AbortController();
  const take = (...numbers: readonly number[]): Promise<void> =>
    host.open(new Map(numbers.map((number) => [number, lease])), stop.signal, () => assert.unreachable());
  const all = Array.from({ length: SHARDS }, (_, number) => number);
  const random = mulberry32(33);
  await take(...all);
  for (let turn = 0; turn < 50; turn++) {
    const moved = all.filter(() => random() < 0.5);
    for (const number of moved) await host.close(number);
    await take(...moved);
  }
  await clock.settle();
  assert.ok(open <= SHARDS, `${open} subscriptions for ${SHARDS} shards`);
  stop.abort();
  for (const number of host.shards) await host.close(number);
  await clock.settle();
  assert.is(open, 0);
  await bus.close();
});

test('33.B7: a claim that this process is too old to read makes the table incomplete, and not smaller (CLAIMS-TABLE-3, P8)', async () => {
  const { time, bus, host, thing } = hostOfOne({ looks: false });
  const { mailbox } = bus;
  const subscribe = mailbox.subscribe.bind(mailbox);
  let newer: ((subject: MailboxSubject) => void) | undefined;
  mailbox.subscribe = (filter, handlers) => {
    newer = handlers.onUnreadable?.bind(handlers);
    return subscribe(filter, handlers);
  };
  const marking = mailbox.markSeeded(0);
  const acquiring = bus.leases.acquire('shard.0', 'one');
  await time.advance(10);
  await marking;
  const lease = (await acquiring) as Lease;
  const opening = host.open(new Map([[0, lease]]), new AbortController().signal, () => assert.unreachable());
  await time.advance(100);
  await opening;
  const to = { realm: 'test', plural: 'things', namespace: 'ns', name: 'never' };
  const from = { ...to, name: 'newer' };
  const before = host.remembered;
  newer?.({ to, topic: 'object' });
  assert.is(host.remembered, before, 'of anything else it says nothing');
  newer?.({ to, topic: 'claim', from });
  assert.is(host.remembered, before + 1, 'it is remembered for whoever comes there');
  // Once it says something that can be read, the table is complete.
  const { uid, resourceVersion } = thing('newer', '8').metadata;
  const mail = { uid, resourceVersion, generation: 1, finalizers: [], manager: '', withdrawnFrom: [], ended: true };
  const telling = mailbox.publish({ to, topic: 'claim', from }, mail, undefined);
  await time.advance(100);
  await telling;
  assert.is(host.remembered, before);
  bus.crash();
});

/** A kind whose objects are settled; to find out takes the processor so long. */
function heavyKind(spend: () => void): Kind {
  return simpleKind({
    realm: 'test',
    kind: 'Thing',
    plural: 'things',
    isSettled() {
      spend();
      return true;
    },
    isAvailable: () => true,
  });
}

test('a start that takes longer than a lease renews its leases meanwhile, and begins each actor once (SHARD-HOST-4, I9)', async () => {
  const COUNT = 1_000;
  const [workMs, leaseMs, longestMs] = [5, 1_000, 150];
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const bus = memoryBroker({ clock, shards: 4, leaseMs, latencyMs: () => 1 }).connect();
  const held = { step: 0, forMs: 0, longestMs: 0 };
  const kind = heavyKind(() => {
    time.spend(workMs);
    Object.assign(
      held,
      held.step === time.steps ? { forMs: held.forMs + workMs } : { step: time.steps, forMs: workMs },
    );
    held.longestMs = Math.max(held.longestMs, held.forMs);
  });
  const things = Array.from({ length: COUNT }, (_, index): KubeObject => {
    const metadata = {
      name: `thing-${index}`,
      namespace: 'ns',
      uid: `uid-${index}`,
      resourceVersion: '7',
      generation: 1,
    };
    return { apiVersion: 'example.org/v1', kind: 'Thing', metadata, spec: {}, status: { id: `id-${index}` } };
  });
  const host = quietHost({
    bus,
    clock,
    registry: registry([kind], []),
    objects: serverWith(things),
  });
  let begun = 0;
  await bus.trace.subscribe(({ type }) => {
    if (type === 'transition') begun++;
  });
  const stop = new AbortController();
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
  await time.advance(20 * COUNT * workMs);
  assert.equal([...host.countByState()], [['idle.available', COUNT]]);
  assert.is(begun, COUNT, 'no actor began twice: no lease was lost');
  assert.ok(held.longestMs <= longestMs, `the event loop was held for ${held.longestMs} ms`);
  stop.abort();
  await time.advance(leaseMs);
  await holding;
  await bus.close();
});

test('what was read and no mail tells of is read again: nobody would tell that it went (SHARD-HOST-5)', async () => {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const bus = memoryBroker({ clock, shards: 1, leaseMs: 15_000, latencyMs: () => 1 }).connect();
  const secret = (name: string): KubeObject => {
    const metadata = { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '7' };
    return { apiVersion: 'v1', kind: 'Secret', metadata };
  };
  const there = new Set(['reported', 'untold']);
  let lists = 0;
  const host = quietHost({
    bus,
    clock,
    registry: { ...registry([], []), resources: [SECRETS] },
    objects: {
      async list() {
        lists++;
        return { items: [...there].map(secret), resourceVersion: `${7 + lists}`, serverTime: 0 };
      },
    },
  });
  const stop = new AbortController();
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
  const to = { realm: SECRETS.realm, plural: SECRETS.plural, namespace: 'ns', name: 'reported' };
  const telling = bus.mailbox.publish({ to, topic: 'object' }, { object: secret('reported') } as never, undefined);
  await time.advance(10_000);
  await telling;
  assert.equal([...host.countByState()], [['idle', 2]]);
  there.delete('untold');
  await time.advance(30_000);
  assert.equal([...host.countByState()], [['idle', 1]]);
  // What mail tells of, mail will tell the end of.
  await time.advance(3_600_000);
  assert.is(lists, 2);
  stop.abort();
  await time.advance(15_000);
  await holding;
  await bus.close();
});

/** A host of one shard with one object. If it looks at it in the cloud, nothing is heard of the look until `answer`. */
function hostOfOne({ looks }: { readonly looks: boolean }) {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, shards: 1, leaseMs: 15_000, latencyMs: () => 1 });
  const bus = broker.connect();
  const { promise, resolve: answer } = Promise.withResolvers<never>();
  const asked: string[] = [];
  const kind = simpleKind({
    realm: 'test',
    kind: 'Thing',
    plural: 'things',
    isSettled: () => !looks,
    isAvailable: () => true,
    operations: {
      observe({ object }) {
        asked.push(object.metadata.name);
        return promise;
      },
    },
  });
  const thing = (name: string, resourceVersion: string): KubeObject => {
    const metadata = { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion, generation: 1 };
    return {
      apiVersion: 'example.org/v1',
      kind: 'Thing',
      metadata: { ...metadata, finalizers: ['own/thing'] },
      spec: {},
      status: { id: `id-${name}` },
    };
  };
  const host = quietHost({
    bus,
    clock,
    registry: registry([kind], []),
    objects: serverWith([thing('a', '7')]),
  });
  return { time, clock, broker, bus, host, log, asked, answer, thing };
}

test('whoever closes a shard waits for its external calls, though somebody closed it before (P10)', async () => {
  const { time, bus, host, asked, answer } = hostOfOne({ looks: true });
  const acquiring = bus.leases.acquire('shard.0', 'one');
  await time.advance(10);
  const lease = (await acquiring) as Lease;
  const opening = host.open(new Map([[0, lease]]), new AbortController().signal, () => assert.unreachable());
  await time.advance(100);
  await opening;
  assert.equal(asked, ['a']);
  let closed = 0;
  // As a takeover that fails does, and then whoever asked for it, who gives the lease back.
  for (const _ of [1, 2]) void host.close(0).then(() => closed++);
  await time.advance(100);
  assert.is(closed, 0);
  answer(undefined as never);
  await time.advance(100);
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(closed, 2);
  // There is nothing left to wait for.
  await host.close(0);
  bus.crash();
});

test('mail that is dropped at the end of a lease is heard by whoever takes the shard over, also if the lease lives on (SHARD-HOST-6)', async () => {
  const { time, clock, broker, bus, host, log, thing } = hostOfOne({ looks: false });
  const stop = new AbortController();
  let ends: (() => number) | undefined;
  const { acquire } = bus.leases;
  bus.leases.acquire = async (name, holder) => {
    const lease = await acquire.call(bus.leases, name, holder);
    if (lease === undefined || ends !== undefined || name !== 'shard.0') return lease;
    // For one turn it has ended; then it turns out to have been renewed.
    ends = () => lease.endsAt();
    return {
      ...lease,
      lost: lease.lost,
      confirm: () => lease.confirm(),
      release: () => lease.release(),
      endsAt: () => (ends ?? lease.endsAt)(),
    };
  };
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
  await time.advance(1_000);
  assert.equal([...host.countByState()], [['idle.available', 1]]);
  const renewed = ends;
  ends = () => clock.now();
  const to = { realm: 'test', plural: 'things', namespace: 'ns', name: 'late' };
  const telling = broker.connect().mailbox.publish({ to, topic: 'object' }, { object: thing('late', '8') } as never, 0);
  await time.advance(5);
  await telling;
  ends = renewed;
  await time.advance(30_000);
  assert.equal([...host.countByState()], [['idle.available', 2]]);
  stop.abort();
  await time.advance(15_000);
  await holding;
  await bus.close();
});

test('mail that comes after the end of a lease is not deleted: it may be another host’s by now (SHARD-HOST-2)', async () => {
  const { time, clock, broker, bus, host, log, thing } = hostOfOne({ looks: false });
  const stop = new AbortController();
  let isOver = false;
  const { acquire } = bus.leases;
  bus.leases.acquire = async (name, holder) => {
    const lease = await acquire.call(bus.leases, name, holder);
    const endsAt = (): number => (isOver ? clock.now() : (lease?.endsAt() ?? 0));
    return (
      lease && { ...lease, lost: lease.lost, confirm: () => lease.confirm(), release: () => lease.release(), endsAt }
    );
  };
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
  await time.advance(1_000);
  const removed: number[] = [];
  bus.mailbox.remove = async (sequence) => void removed.push(sequence);
  isOver = true;
  const { uid } = thing('a', '8').metadata;
  const to = { realm: 'test', plural: 'things', namespace: 'ns', name: 'a' };
  const telling = broker
    .connect()
    .mailbox.publish({ to, topic: 'object' }, { gone: { uid, resourceVersion: '8' } }, undefined);
  await time.advance(5);
  await telling;
  assert.equal(removed, []);
  stop.abort();
  await time.advance(15_000);
  await holding;
  await bus.close();
});

test.run();
