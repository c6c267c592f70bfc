import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import type { Offer } from '../../../actors/sharding/served-kinds.ts';
import type { ShardHost } from '../../../actors/sharding/shard-host.ts';
import { manageShards, owner } from '../../../actors/sharding/shard-manager.ts';
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
    recheckClaims: () => undefined,
  } as unknown as ShardHost;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
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
    recheckClaims: () => undefined,
  } as unknown as ShardHost;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
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

test('the first of all pods does not trust what the mailbox has of older objects, and the second one does (SHARD-MANAGER-2)', async () => {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, shards: 2, latencyMs: () => 1 });
  const earlier = broker.connect();
  const marked = earlier.mailbox.markSeeded(1_000);
  await time.advance(10);
  await marked;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const host = {
    open: async () => undefined,
    close: async () => undefined,
    recheckClaims: () => undefined,
  } as unknown as ShardHost;
  const begin = (pod: string) =>
    manageShards({ bus: broker.connect(), host, clock, log, pod, offer: { kinds: [] } }, stop.signal);
  const first = begin('one');
  await time.advance(1_000);
  assert.is(earlier.mailbox.epoch().seededAt, undefined);
  const again = earlier.mailbox.markSeeded(2_000);
  await time.advance(10);
  await again;
  const second = begin('two');
  await time.advance(60_000);
  assert.is(earlier.mailbox.epoch().seededAt, 2_000);
  stop.abort();
  await time.advance(15_000);
  await Promise.all([first, second]);
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
  const host = {
    open: async () => undefined,
    close: () => calls.promise,
    recheckClaims: () => undefined,
  } as unknown as ShardHost;
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const holding = manageShards({ bus, host, clock, log, pod: 'one', offer: { kinds: [] } }, stop.signal);
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

/** Lets everything happen that needs no time. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pod of one shard on virtual time. */
function succession(host: Partial<ShardHost>) {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, shards: 1, latencyMs: () => 1 });
  const bus = broker.connect();
  const stop = new AbortController();
  const log = openLog({ level: 'silent', readable: false });
  const shards = {
    bus,
    host: { recheckClaims: () => undefined, ...host } as unknown as ShardHost,
    clock,
    log,
    pod: 'one',
    offer: { kinds: [] },
  };
  let isOver = false;
  void manageShards(shards, stop.signal).then(() => {
    isOver = true;
  });
  return {
    time,
    broker,
    bus,
    stop,
    isOver: () => isOver,
    leases: () =>
      broker
        .leases()
        .map(({ name }) => name)
        .sort(),
  };
}

test('a shard whose calls do not end in time keeps its lease until that expires, also when the process ends (P10)', async () => {
  const made = succession({ open: async () => undefined, close: () => new Promise(() => undefined) });
  const { time, bus } = made;
  await time.advance(1_000);
  made.stop.abort();
  await turn();
  await time.advance(5_000);
  assert.ok(made.isOver());
  await bus.close();
  await time.advance(100);
  assert.equal(made.leases(), ['shard.0']);
  await time.advance(bus.leases.leaseMs);
  assert.equal(made.leases(), []);
});

test('a shard that is being handed over keeps its lease, too, when the process ends (P10)', async () => {
  const calls = Promise.withResolvers<void>();
  const made = succession({
    open: async () => undefined,
    close: () => calls.promise,
    recheckClaims: () => undefined,
  });
  const { time, broker } = made;
  await time.advance(1_000);
  broker.wipeMail(); // gives up all shards
  await time.advance(100);
  made.stop.abort();
  await turn();
  await time.advance(1_000);
  assert.not(made.isOver(), 'it waits for the calls');
  assert.equal(made.leases(), ['pod.one', 'shard.0']);
  calls.resolve();
  await turn();
  await time.advance(100);
  assert.ok(made.isOver());
  assert.equal(made.leases(), []);
});

test('a process that stops during a takeover gives its leases up at once', async () => {
  const made = succession({ open: () => new Promise(() => undefined), close: async () => undefined });
  const { time } = made;
  await time.advance(1_000);
  assert.ok(made.leases().includes('shard.0'));
  made.stop.abort();
  await turn();
  await time.advance(100);
  assert.ok(made.isOver());
  assert.equal(made.leases(), []);
});

test('a takeover that fails is tried again with backoff, and keeps its leases meanwhile (SHARD-MANAGER-3)', async () => {
  let isAway = true;
  let tries = 0;
  const made = succession({
    async open() {
      tries += 1;
      if (isAway) throw new TransientError('things is forbidden');
    },
    close: async () => undefined,
  });
  const { time, broker, bus } = made;
  const { acquire } = bus.leases;
  let acquired = 0;
  bus.leases.acquire = async (name, holder, note) => {
    acquired += 1;
    return acquire.call(bus.leases, name, holder, note);
  };
  for (let second = 0; second < 600; second++) await time.advance(1_000);
  assert.ok(tries > 40 && tries < 50, `${tries} tries in ten minutes`);
  assert.ok(acquired <= 2, `${acquired} acquisitions`);
  assert.equal(
    broker
      .leases()
      .map(({ name }) => name)
      .sort(),
    ['pod.one', 'shard.0'],
  );
  isAway = false;
  tries = 0;
  for (let second = 0; second < 60; second++) await time.advance(1_000);
  assert.is(tries, 1);
  made.stop.abort();
  await turn();
  await time.advance(1_000);
  assert.equal(made.leases(), []);
});

test('a takeover that fails is not tried again while calls of its shard are under way (SHARD-MANAGER-3, P10)', async () => {
  const calls = Promise.withResolvers<void>();
  let tries = 0;
  const made = succession({
    async open() {
      tries += 1;
      throw new TransientError('the bus is away');
    },
    close: () => calls.promise,
  });
  const { time } = made;
  for (let second = 0; second < 60; second++) await time.advance(1_000);
  assert.is(tries, 1);
  calls.resolve();
  await turn();
  for (let second = 0; second < 60; second++) await time.advance(1_000);
  assert.ok(tries > 1);
  made.stop.abort();
  await turn();
  await time.advance(1_000);
});

interface Pod {
  readonly shards: Set<number>;
  stop(): void;
}

/** Pods that host nothing but say what they serve, on virtual time. */
function deployment(): {
  readonly time: SimulatedTime;
  readonly moves: string[];
  readonly said: string[];
  begin(pod: string, offer: Offer | undefined): Pod;
} {
  const time = new SimulatedTime();
  const clock = new ProcessClock(time, 1);
  const broker = memoryBroker({ clock, shards: 16, latencyMs: () => 1 });
  const moves: string[] = [];
  const said: string[] = [];
  const begin = (pod: string, offer: Offer | undefined): Pod => {
    const bus = broker.connect();
    if (offer === undefined) {
      const { acquire } = bus.leases;
      bus.leases.acquire = (name, holder) => acquire.call(bus.leases, name, holder);
    }
    const held = new Set<number>();
    const host = {
      async open(leases: ReadonlyMap<number, unknown>) {
        for (const number of leases.keys()) {
          held.add(number);
          moves.push(`${number} ${pod}`);
        }
      },
      close: async (number: number) => void held.delete(number),
      recheckClaims: () => undefined,
    } as unknown as ShardHost;
    const log = {
      warn: (data: unknown, text: string) => said.push(`${pod}: ${text} ${JSON.stringify(data)}`),
    } as never;
    const stop = new AbortController();
    void manageShards({ bus, host, clock, log, pod, offer: offer ?? { kinds: ['a.x', 'b.x'] } }, stop.signal);
    return { shards: held, stop: () => stop.abort() };
  };
  return { time, moves, said, begin };
}

test('33.E2: shards go only to pods that serve all that is served, and the others say why they host nothing', async () => {
  const { time, said, begin } = deployment();
  const small = begin('small', { kinds: ['a.x'] });
  await time.advance(2_000);
  assert.is(small.shards.size, 16, 'there is nobody else');
  const large = begin('large', { kinds: ['a.x', 'b.x'] });
  const twin = begin('twin', { kinds: ['b.x', 'a.x'] });
  await time.advance(90_000);
  assert.equal([small.shards.size, large.shards.size + twin.shards.size], [0, 16]);
  assert.ok(large.shards.size > 0 && twin.shards.size > 0, 'both take part, whatever order they name the kinds in');
  assert.is(
    said.filter(
      (line) => line.startsWith('small: other pods serve kinds that this pod does not') && line.includes('b.x'),
    ).length,
    1,
  );
  assert.is(said.length, 1, said.join('\n'));
  large.stop();
  twin.stop();
  await time.advance(60_000);
  assert.is(small.shards.size, 16, 'a pod that is left alone hosts what it can');
});

test('33.E2: the first new pod of a roll-out gets its share, and the rest when no other one comes (SHARD-MANAGER-1)', async () => {
  const { time, said, begin } = deployment();
  const names = ['old-1', 'old-2', 'old-3'];
  const before = names.map((pod) => begin(pod, { kinds: ['a.x'] }));
  await time.advance(30_000);
  const offer: Offer = { kinds: ['a.x', 'b.x'] };
  const first = begin('new-1', offer);
  const shareOf = (pod: string, pods: readonly string[]): number =>
    shards.slice(0, 16).filter((shard) => owner(shard, new Set(pods)) === pod).length;
  await time.advance(50_000);
  assert.is(first.shards.size, shareOf('new-1', [...names, 'new-1']));
  assert.ok(first.shards.size > 0 && first.shards.size < 12);
  const held = (): number => [first, ...before].reduce((sum, { shards: own }) => sum + own.size, 0);
  assert.is(held(), 16, 'what the old ones keep is hosted');
  assert.is(said.filter((line) => line.includes('other pods serve kinds')).length, 3, said.join('\n'));
  const second = begin('new-2', offer);
  await time.advance(50_000);
  assert.is(first.shards.size + second.shards.size, held() - before.reduce((sum, old) => sum + old.shards.size, 0));
  assert.ok(
    before.some((old) => old.shards.size > 0),
    'another one came: there may be more',
  );
  for (let restarts = 0; restarts < 4; restarts++) {
    const restless = begin(`restless-${restarts}`, offer);
    await time.advance(10_000);
    restless.stop();
    await time.advance(10_000);
  }
  assert.equal(
    before.map((old) => old.shards.size),
    [0, 0, 0],
    'a pod that restarts again and again keeps none waiting',
  );
  assert.is(first.shards.size + second.shards.size, 16);
});

test('33.E2: when no pod serves all, shards go to those that serve most, and what is not served is said once', async () => {
  const { time, said, begin } = deployment();
  const one = begin('one', { kinds: ['a.x', 'b.x'] });
  const most = begin('most', { kinds: ['b.x', 'c.x', 'd.x'] });
  await time.advance(90_000);
  assert.equal([one.shards.size, most.shards.size], [0, 16]);
  for (const pod of ['one', 'most'])
    assert.is(
      said.filter((line) => line.startsWith(`${pod}: no pod serves all`) && line.includes('["a.x"]')).length,
      1,
    );
});

test('33.E2: a roll-out that adds a kind moves each shard to the new pods and none back', async () => {
  const { time, moves, begin } = deployment();
  const before = ['old-1', 'old-2', 'old-3'].map((pod) => begin(pod, { kinds: ['a.x'] }));
  await time.advance(30_000);
  const from = moves.length;
  const after: Pod[] = [];
  for (const [index, old] of before.entries()) {
    after.push(begin(`new-${index}`, { kinds: ['a.x', 'b.x'] }));
    await time.advance(30_000);
    old.stop();
    await time.advance(30_000);
  }
  assert.is(
    after.reduce((sum, { shards }) => sum + shards.size, 0),
    16,
  );
  const late = moves.slice(from);
  assert.equal(
    late.filter((move) => move.includes('old')),
    [],
    'no shard goes back',
  );
  for (const shard of shards.slice(0, 16)) {
    const all = late.filter((move) => move.startsWith(`${shard} `));
    assert.is(new Set(all).size, all.length, `no pod gets shard ${shard} twice: ${all}`);
  }
});

test('33.E2: a pod of an earlier version, which says nothing, has its part as before', async () => {
  const { time, moves, begin } = deployment();
  const old = begin('old', undefined);
  const young = begin('young', { kinds: ['a.x', 'b.x'] });
  await time.advance(60_000);
  assert.ok(old.shards.size > 0 && young.shards.size > 0);
  assert.is(old.shards.size + young.shards.size, 16);
  const settled = moves.length;
  await time.advance(120_000);
  assert.is(moves.length, settled, 'nothing goes to and fro');
});

test.run();
