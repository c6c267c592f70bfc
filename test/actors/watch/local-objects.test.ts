// What the watch sees of objects that live in the same process: a leader and a host on one clock that the test moves.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { registry } from '../../../actors/object/registry.ts';
import { type HostDeps, ShardHost } from '../../../actors/sharding/shard-host.ts';
import { manageShards } from '../../../actors/sharding/shard-manager.ts';
import { watchCluster } from '../../../actors/watch/watcher.ts';
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { type JsonObject, type Lease, memoryBroker } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('hand-over');

const to = { realm: 'test', plural: 'things', namespace: 'ns', name: 'a' };
const LEASE_MS = 15_000;
/** A message, and an answer to it, need two of them. */
const SOON_MS = 20;

interface Scene {
  readonly time: SimulatedTime;
  readonly host: ShardHost;
  /** Each publication about the object: `1`, `gone 4`, and when the mail was marked as seeded: `seeded`. */
  readonly said: readonly string[];
  /** The newest state that the actor has looked at. */
  known(): string | undefined;
  /** Changes the object, or makes it. @returns its resourceVersion */
  change(uid?: string): string;
  end(): void;
  /** What the mail has of the object. */
  mail(): Promise<JsonObject | undefined>;
  onPublish(run: () => void): void;
  /** Whether the leases on shards have ended for whoever looks. */
  lapse(isOver: boolean): void;
  loseMail(): void;
  /** Tells the roles to end. */
  stop(): void;
}

function check(title: string, run: (scene: Scene) => Promise<void>): void {
  test(title, async () => {
    const time = new SimulatedTime();
    const clock = new ProcessClock(time, 1);
    const broker = memoryBroker({ clock, shards: 1, leaseMs: LEASE_MS, latencyMs: () => 1 });
    const bus = broker.connect();
    const said: string[] = [];
    let onPublish = (): void => undefined;
    const { publish, markSeeded } = bus.mailbox;
    bus.mailbox.publish = (subject, payload, ...more) => {
      if (subject.topic === 'object') {
        const { object, gone } = payload as { object?: KubeObject; gone?: { resourceVersion: string } };
        said.push(object?.metadata.resourceVersion ?? `gone ${gone?.resourceVersion}`);
        onPublish();
      }
      return publish.call(bus.mailbox, subject, payload, ...more);
    };
    bus.mailbox.markSeeded = (at) => {
      said.push('seeded');
      return markSeeded.call(bus.mailbox, at);
    };
    let isOver = false;
    const { acquire } = bus.leases;
    bus.leases.acquire = async (name, holder): Promise<Lease | undefined> => {
      const lease = await acquire.call(bus.leases, name, holder);
      if (lease === undefined || !name.startsWith('shard.')) return lease;
      const endsAt = (): number => (isOver ? clock.now() : lease.endsAt());
      return { ...lease, lost: lease.lost, confirm: () => lease.confirm(), release: () => lease.release(), endsAt };
    };

    let version = 1;
    let object: KubeObject | undefined;
    const events: JsonObject[] = [];
    let wake = (): void => undefined;
    const push = (type: string, what: KubeObject): void => {
      time.after(0, () => {
        events.push({ type, object: what } as unknown as JsonObject);
        wake();
      });
    };
    const client = {
      async *stream(path: string, _: unknown, signal: AbortSignal) {
        const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        while (!signal.aborted) {
          const next = path.includes('/things') ? events.shift() : undefined;
          const { promise: news, resolve } = Promise.withResolvers<void>();
          if (path.includes('/things')) wake = resolve;
          if (next !== undefined) yield next;
          else await Promise.race([ended, news]);
        }
      },
    } as unknown as KubeClient;
    const objects = {
      list: async ({ plural }: { plural: string }) => ({
        items: plural === 'things' && object !== undefined ? [object] : [],
        resourceVersion: `${version}`,
        serverTime: clock.now(),
      }),
    } as unknown as HostDeps['objects'];
    let known: string | undefined;
    const kind = simpleKind({
      realm: 'test',
      kind: 'Thing',
      plural: 'things',
      isSettled: () => true,
      isAvailable({ metadata: { resourceVersion } }) {
        if (known === undefined || Number(resourceVersion) > Number(known)) known = resourceVersion;
        return true;
      },
    });
    const all = registry([kind], []);
    const log = openLog({ level: 'silent', readable: false });
    const base = { bus, objects, registry: all, namespaces: undefined, clock, log };
    const host = new ShardHost({ ...base, callMs: 1_000, lateEffectMs: 30_000, report: () => undefined });
    const stop = new AbortController();
    const holding = manageShards({ bus, host, clock, log, pod: 'p', offer: { kinds: [] } }, stop.signal);
    const watching = watchCluster(
      { ...base, client, here: host.localDelivery, pod: 'p', offer: { kinds: [] } },
      stop.signal,
    );
    await time.advance(1_000);
    try {
      await run({
        time,
        host,
        said,
        known: () => known,
        loseMail: () => broker.wipeMail(),
        change(uid = 'uid-a') {
          const isNew = object?.metadata.uid !== uid;
          const metadata = { name: 'a', namespace: 'ns', uid, resourceVersion: `${++version}`, generation: 1 };
          const creationTimestamp = new Date(clock.now()).toISOString();
          object = {
            apiVersion: 'example.org/v1',
            kind: 'Thing',
            metadata: { ...metadata, creationTimestamp, finalizers: ['own/thing'] },
            spec: {},
            status: { id: 'id-a' },
          };
          push(isNew ? 'ADDED' : 'MODIFIED', object);
          return `${version}`;
        },
        end() {
          const last = object as KubeObject;
          object = undefined;
          push('DELETED', { ...last, metadata: { ...last.metadata, resourceVersion: `${++version}` } });
        },
        async mail() {
          const asking = bus.mailbox.last({ to, topic: 'object' });
          await time.advance(SOON_MS);
          return (await asking)?.payload;
        },
        onPublish: (next) => (onPublish = next),
        lapse: (now) => (isOver = now),
        stop: () => void time.after(0, () => stop.abort()),
      });
    } finally {
      stop.abort();
      await time.advance(LEASE_MS);
      await Promise.all([holding, watching]);
      await bus.close();
    }
  });
}

check(
  'a birth is published at once, what follows is handed over, and the last of it is published later (WATCHER-4, MISSING-KINDS-2)',
  async (scene) => {
    const { time, said, known, change } = scene;
    const born = change();
    await time.advance(SOON_MS);
    assert.equal(said, ['seeded', born]);
    change();
    const last = change();
    await time.advance(0);
    assert.is(known(), last, 'it came without a message');
    await time.advance(900);
    assert.equal(said, ['seeded', born]);
    await time.advance(LEASE_MS);
    assert.equal(said, ['seeded', born, last]);
  },
);

check(
  'another incarnation is a birth, whatever the mail has of the one before (MISSING-KINDS-2)',
  async ({ time, said, change }) => {
    const first = change();
    await time.advance(SOON_MS);
    change();
    const second = change('uid-b');
    await time.advance(SOON_MS);
    assert.equal(said, ['seeded', first, second]);
    await time.advance(LEASE_MS);
    assert.equal(said, ['seeded', first, second]);
  },
);

check(
  'an end that is handed over leaves nothing in the mail, and nothing is published of it (LOCAL-DELIVERY-3)',
  async (scene) => {
    const { time, host, said, change, end, mail } = scene;
    const born = change();
    await time.advance(SOON_MS);
    change();
    end();
    await time.advance(SOON_MS);
    assert.equal([...host.countByState()], []);
    assert.is(await mail(), undefined);
    await time.advance(2 * LEASE_MS);
    assert.equal(said, ['seeded', born]);
    const again = change('uid-b');
    await time.advance(SOON_MS);
    assert.equal(said, ['seeded', born, again]);
    assert.equal([...host.countByState()], [['idle.available', 1]]);
  },
);

check('an end is told by mail while a state of the object is on its way (LOCAL-DELIVERY-3)', async (scene) => {
  const { time, host, said, change, end, mail, onPublish } = scene;
  const born = change();
  await time.advance(SOON_MS);
  const last = change();
  onPublish(() => {
    onPublish(() => undefined);
    end();
  });
  await time.advance(LEASE_MS);
  assert.equal(said, ['seeded', born, last, `gone ${Number(last) + 1}`]);
  assert.equal([...host.countByState()], []);
  assert.is(await mail(), undefined);
});

check('what waits is published at the end of a term that ends in order', async ({ time, said, change, stop }) => {
  const born = change();
  await time.advance(SOON_MS);
  const last = change();
  await time.advance(SOON_MS);
  stop();
  await time.advance(SOON_MS);
  assert.equal(said, ['seeded', born, last]);
});

check(
  'what does not live here any more is published at once (MISSING-KINDS-1)',
  async ({ time, host, said, change }) => {
    const born = change();
    await time.advance(SOON_MS);
    change();
    await time.advance(SOON_MS);
    void host.close(0);
    const last = change();
    await time.advance(SOON_MS);
    assert.equal(said, ['seeded', born, last]);
  },
);

check(
  'after the end of a lease nothing is handed over: it is published, and the shard taken over afresh (MISSING-KINDS-1, SHARD-HOST-6)',
  async (scene) => {
    const { time, host, said, known, change, lapse } = scene;
    const born = change();
    await time.advance(SOON_MS);
    lapse(true);
    const last = change();
    await time.advance(0);
    assert.is(known(), born);
    lapse(false);
    await time.advance(SOON_MS);
    assert.equal(said, ['seeded', born, last]);
    await time.advance(LEASE_MS);
    assert.is(known(), last);
    assert.equal([...host.countByState()], [['idle.available', 1]]);
  },
);

check(
  'what waits when the mail is lost is published again before the mail counts as seeded (WATCHER-3, P11)',
  async (scene) => {
    const { time, said, change, loseMail } = scene;
    const born = change();
    await time.advance(SOON_MS);
    const last = change();
    await time.advance(SOON_MS);
    loseMail();
    await time.advance(3 * LEASE_MS);
    assert.equal(said, ['seeded', born, last, 'seeded']);
  },
);

test.run();
