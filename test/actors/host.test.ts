// A host that cannot take its shards over in this moment.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/clock.ts';
import { Host, type HostDeps } from '../../actors/host.ts';
import { openLog } from '../../actors/log.ts';
import { registry } from '../../actors/registry.ts';
import { SECRETS } from '../../adapters/kubernetes/mod.ts';
import { type Bus, type Lease, memoryBroker, TransientError } from '../../bus/mod.ts';

const test = suite('host');
const clock = systemClock();

/** A host whose API server and bus answer as told, and a lease on its first shard. */
async function hostOf(answers: {
  list: HostDeps['objects']['list'];
  subscribe: Bus['mailbox']['subscribe'];
}): Promise<{ host: Host; lease: Lease; bus: Bus }> {
  const bus = memoryBroker({ clock }).connect();
  const lease = await bus.leases.acquire('shard.0', 'one');
  if (lease === undefined) throw new Error('the lease is taken');
  bus.mailbox.subscribe = answers.subscribe;
  const host = new Host({
    bus,
    objects: { list: answers.list } as unknown as HostDeps['objects'],
    registry: { ...registry([], []), resources: [SECRETS] },
    namespaces: undefined,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    callMs: 1_000,
    tell: () => undefined,
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
    await host.open(new Map([[0, lease]]));
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
    await host.open(new Map([[0, lease]]));
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
  const opening = host.open(new Map([[0, lease]])).then(
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

test.run();
