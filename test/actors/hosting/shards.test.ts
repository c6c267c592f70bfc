import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Host } from '../../../actors/hosting/host.ts';
import { holdShards, owner } from '../../../actors/hosting/shards.ts';
import { openLog } from '../../../actors/telling/log.ts';
import { memoryBroker, TransientError } from '../../../bus/mod.ts';
import { ProcessClock, SimulatedTime } from '../../simulation/time.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('shards');

const shards = Array.from({ length: 64 }, (_, shard) => shard);

test('every pod computes the same owner, whatever order it heard of the others in', () => {
  for (const shard of shards) {
    assert.is(owner(shard, new Set(['a', 'b', 'c'])), owner(shard, new Set(['c', 'a', 'b'])));
  }
});

test('a pod that leaves moves only its own shards', () => {
  for (const shard of shards) {
    const before = owner(shard, new Set(['a', 'b', 'c']));
    if (before !== 'c') assert.is(owner(shard, new Set(['a', 'b'])), before);
  }
});

test('shards are spread', () => {
  const pods = new Set(['pod-1', 'pod-2', 'pod-3', 'pod-4']);
  for (const pod of pods) {
    const count = shards.filter((shard) => owner(shard, pods) === pod).length;
    assert.ok(count >= 6 && count <= 28, `${pod} holds ${count} of 64`);
  }
});

test('a lease that could not be asked for keeps no pod from the others, nor from itself in the end', async () => {
  const clock = simulatedClock();
  const bus = memoryBroker({ clock, shards: 8 }).connect();
  const { acquire } = bus.leases;
  let refusals = 1;
  bus.leases.acquire = async (name, holder) => {
    if (name === 'shard.0' && refusals-- > 0) throw new TransientError('no answer');
    await clock.sleep(5);
    return acquire.call(bus.leases, name, holder);
  };
  const open = new Set<number>();
  const all = Promise.withResolvers<void>();
  const host = {
    async open(leases: ReadonlyMap<number, unknown>) {
      for (const number of leases.keys()) open.add(number);
      if (open.size === 8) all.resolve();
    },
    close: async (number: number) => void open.delete(number),
  } as unknown as Host;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const holding = holdShards({ bus, host, clock, log, pod: 'one' }, stop.signal);
  const late = clock.sleep(3_000, stop.signal).then(() => `only ${open.size} of 8 shards are held`);
  const instead = await Promise.race([all.promise, late]);
  stop.abort();
  await holding;
  await bus.close();
  assert.is(instead, undefined);
});

test('in a new epoch nobody acts before a lease time has passed (P11)', async () => {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const leaseMs = 15_000;
  const broker = memoryBroker({ clock, shards: 2, leaseMs, latencyMs: () => 1 });
  const bus = broker.connect();
  const opened: number[] = [];
  const closed: number[] = [];
  const host = {
    async open(leases: ReadonlyMap<number, unknown>) {
      for (const _ of leases) opened.push(time.elapsed());
    },
    async close() {
      closed.push(time.elapsed());
    },
    reconsider: () => undefined,
  } as unknown as Host;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const holding = holdShards({ bus, host, clock, log, pod: 'one' }, stop.signal);
  await time.advance(1_000);
  assert.is(opened.length, 2);
  const lostAt = time.elapsed();
  broker.wipeMail();
  await time.advance(leaseMs - 10);
  assert.equal([opened.length, closed.length], [2, 2], 'all were closed, and none is opened');
  await time.advance(1_000);
  assert.is(opened.length, 4);
  for (const at of opened.slice(2)) assert.ok(at - lostAt >= leaseMs, `opened after ${at - lostAt} ms`);
  stop.abort();
  await time.advance(leaseMs);
  await holding;
  bus.crash();
});

test('a process that stops keeps a lease as long as calls of its shard are under way (P10)', async () => {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const bus = memoryBroker({ clock, shards: 1, latencyMs: () => 1 }).connect();
  const { acquire } = bus.leases;
  const released: string[] = [];
  bus.leases.acquire = async (name, holder) => {
    const lease = await acquire.call(bus.leases, name, holder);
    const release = async (): Promise<void> => {
      released.push(name);
      await lease?.release();
    };
    return (
      lease && {
        name,
        held: true,
        lost: lease.lost,
        endsAt: () => lease.endsAt(),
        confirm: () => lease.confirm(),
        release,
      }
    );
  };
  const calls = Promise.withResolvers<void>();
  const host = { open: async () => undefined, close: () => calls.promise } as unknown as Host;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const holding = holdShards({ bus, host, clock, log, pod: 'one' }, stop.signal);
  await time.advance(1_000);
  stop.abort();
  await time.advance(1_000);
  const early = [...released];
  calls.resolve();
  await time.advance(15_000);
  await holding;
  await bus.close();
  assert.equal(early, []);
  assert.equal(released, ['shard.0', 'pod.one']);
});

test.run();
