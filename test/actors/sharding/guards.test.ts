// How often a host asks and writes for a guard that does not come to rest: ever less often, never in a hot loop.
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registry } from '../../../actors/object/registry.ts';
import { type HostDeps, ShardHost } from '../../../actors/sharding/shard-host.ts';
import { manageShards } from '../../../actors/sharding/shard-manager.ts';
import { SECRETS } from '../../../adapters/kubernetes/mod.ts';
import { type Address, memoryBroker } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simpleKind } from '../kinds.ts';

const test = suite('guards');

const GUARD = 'own/thing';
const HOUR_MS = 3_600_000;
const claimant: Address = { realm: 'test', plural: 'things', namespace: 'ns', name: 'thing' };

/** A secret that one thing claims, which lives elsewhere. */
async function start(secret: Partial<KubeObject['metadata']>, { isThere = true } = {}) {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const bus = memoryBroker({ clock, shards: 1, latencyMs: () => 1 }).connect();
  const kind = simpleKind({
    realm: 'test',
    kind: 'Thing',
    plural: 'things',
    references: () => [{ kind: 'Secret', name: 'secret', finalizers: [GUARD], neededFor: 'always' }],
  });
  const metadata = { name: 'secret', namespace: 'ns', uid: 'uid', resourceVersion: '7', finalizers: [], ...secret };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata };
  const thing = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'thing', namespace: 'ns', uid: 'uid-thing', resourceVersion: '5', finalizers: [GUARD] },
  };
  const asked: number[] = [];
  const written: number[] = [];
  const host = new ShardHost({
    bus,
    objects: {
      async list({ plural }: { plural: string }, namespace: string | undefined) {
        if (plural === 'things') asked.push(time.elapsed());
        // Only who asks for the claimants names their namespace: the thing itself is not cared for here.
        const items = plural === 'secrets' ? [object] : namespace === undefined || !isThere ? [] : [thing];
        return { items, resourceVersion: '7', serverTime: 0 };
      },
      // Where it lives nobody tells, so what is not known here may be there.
      get: () => (isThere ? Promise.resolve(thing) : new Promise(() => undefined)),
      async addFinalizers() {
        written.push(time.elapsed());
        return { ...object, metadata: { ...metadata, resourceVersion: `${100 + written.length}` } };
      },
    } as unknown as HostDeps['objects'],
    registry: { ...registry([kind], []), resources: [SECRETS] },
    namespaces: undefined,
    clock,
    log: pino({ level: 'silent' }),
    callMs: 1_000,
    lateEffectMs: 30_000,
    report: () => undefined,
  });
  const claim = { uid: 'uid-thing', resourceVersion: '5', generation: 1, finalizers: [GUARD], manager: 'thing' };
  const to: Address = { realm: SECRETS.realm, plural: SECRETS.plural, namespace: 'ns', name: 'secret' };
  const claiming = bus.mailbox.publish(
    { to, topic: 'claim', from: claimant },
    { ...claim, withdrawnFrom: [] },
    undefined,
  );
  await time.advance(10);
  await claiming;
  const stop = new AbortController();
  const deps = { bus, host, clock, log: pino({ level: 'silent' }), pod: 'one', offer: { kinds: [] } };
  const holding = manageShards(deps, stop.signal);
  return {
    time,
    host,
    asked,
    written,
    async end() {
      stop.abort();
      await time.advance(20_000);
      await holding;
      bus.crash();
    },
  };
}

const within = (times: readonly number[], fromMs: number, untilMs: number): number =>
  times.filter((at) => at >= fromMs && at < untilMs).length;

test('whether a claimant is still there is asked ever less often, at last every ten minutes (P7)', async () => {
  const { time, asked, end } = await start({ deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: [GUARD] });
  await time.advance(3 * HOUR_MS);
  assert.ok(within(asked, 0, 60_000) >= 2, 'a lost tombstone is noticed soon');
  assert.ok(within(asked, 0, HOUR_MS) <= 20, `${within(asked, 0, HOUR_MS)} times in the first hour`);
  const later = within(asked, 2 * HOUR_MS, 3 * HOUR_MS);
  assert.ok(later >= 3 && later <= 12, `${later} times in the third hour`);
  await end();
});

test('of a claimant that vanished without a tombstone nothing is remembered, its answer neither', async () => {
  const deleted = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: [GUARD] };
  const { time, host, end } = await start(deleted, { isThere: false });
  await time.advance(500);
  const before = host.remembered;
  await time.advance(60_000);
  assert.is(host.remembered, before - 1);
  await end();
});

test('guards that somebody takes off as soon as they are stored are stored again without a hot loop', async () => {
  const { time, written, end } = await start({});
  await time.advance(HOUR_MS);
  assert.ok(within(written, 0, 60_000) >= 3);
  assert.ok(within(written, 0, 60_000) <= 20, `${within(written, 0, 60_000)} writes in the first minute`);
  assert.ok(written.length <= 100, `${written.length} writes in an hour`);
  await end();
});

test.run();
