// What every lease must do (BUS-5).
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bus, Lease, LeaseRecord } from '../../bus/bus.ts';
import { TransientError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import { compute, type Harness, on, rejection, type Scene, seed } from './harness.ts';

export function leasesSuite(test: uvu.Test<Record<string, unknown>>, harness: Harness): void {
  const called = (title: string): string => `${harness.name}: ${title}`;

  test(
    called('a lease has one holder; released, another takes it at once (BUS-5)'),
    on(harness, async ({ connect, clock }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const lease = await held(a, 'shard-1', 'a');
      assert.is(await b.leases.acquire('shard-1', 'b'), undefined);
      assert.is(await a.leases.acquire('shard-1', 'a'), undefined, 'not even its holder twice');
      assert.not.equal(await b.leases.acquire('shard-2', 'b'), undefined);
      await Promise.all([lease.release(), lease.release()]);
      assert.ok(lease.endsAt() <= clock.now());
      await held(b, 'shard-1', 'b');
      assert.is(await a.leases.acquire('shard-1', 'a'), undefined);
    }),
  );

  test(
    called('of many who want it, one gets it (BUS-5)'),
    on(harness, async ({ connect }) => {
      const buses = await Promise.all(['a', 'b', 'c', 'd'].map((name) => connect(name)));
      for (let round = 0; round < 10; round += 1) {
        const leases = await Promise.all(buses.map((bus, at) => acquired(bus, `any.name ${round}`, `p${at}`)));
        assert.is(leases.filter((lease) => lease !== undefined).length, 1);
        await Promise.all(leases.map((lease) => lease?.release()));
        const again = await Promise.all(buses.map((bus, at) => acquired(bus, `any.name ${round}`, `p${at}`)));
        assert.is(again.filter((lease) => lease !== undefined).length, 1);
      }
    }),
  );

  test(
    called('who asks once is told of all that is held, and of nothing that was given up'),
    on(harness, async ({ connect }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const listed = async (): Promise<string[]> =>
        (await b.leases.list()).map(({ name, holder }) => `${name} ${holder}`).sort();
      assert.equal(await listed(), []);
      const lease = await held(a, 'shard-1', 'a');
      await held(b, 'any.name 2', 'b');
      assert.equal(await listed(), ['any.name 2 b', 'shard-1 a']);
      await lease.release();
      assert.equal(await listed(), ['any.name 2 b']);
    }),
  );

  test(
    called('33.E2: what a holder notes is told to all who read, as long as it holds'),
    on(harness, async ({ connect, clock, leaseMs }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const note = { kinds: ['subnets.x', 'ports.x'], watches: true };
      assert.ok(await a.leases.acquire('pod.a', 'a', note));
      await held(b, 'pod.b', 'b');
      const expected = [
        { name: 'pod.a', holder: 'a', note },
        { name: 'pod.b', holder: 'b' },
      ];
      const sorted = (records: readonly LeaseRecord[]): readonly LeaseRecord[] =>
        [...records].sort((one, other) => (one.name < other.name ? -1 : 1));
      assert.equal(sorted(await b.leases.list()), expected);
      await clock.sleep(leaseMs * 1.5);
      assert.equal(sorted(await b.leases.list()), expected, 'renewals keep it');
      const reported = Promise.withResolvers<readonly LeaseRecord[]>();
      const watching = await b.leases.watch((records) => {
        if (records.length === 2) reported.resolve(records);
      });
      assert.equal(sorted(await reported.promise), expected);
      await watching.close();
    }),
  );

  test(
    called('a lease that is released while it is renewed is free at once'),
    on(harness, async ({ connect, clock, leaseMs }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const lease = await held(a, 'renewed', 'a');
      await clock.sleep(leaseMs / 5 - 40);
      const released = new Promise<void>((resolve) => {
        clock.setTimeout(() => resolve(lease.release()), 60);
      });
      // Both are late now: the renewal, and right after it the release, before the renewal is answered.
      compute(clock, 100);
      await released;
      assert.ok(await b.leases.acquire('renewed', 'b'));
    }),
  );

  test(
    called('a held lease is renewed and its end moves'),
    on(harness, async ({ connect, clock, leaseMs }) => {
      const [a, b] = [await connect('a'), await connect('b')];
      const lease = await held(a, 'x', 'a');
      let lost = false;
      void lease.lost.then(() => {
        lost = true;
      });
      const firstEnd = lease.endsAt();
      assert.ok(firstEnd <= clock.now() + leaseMs);
      await clock.sleep(2.5 * leaseMs);
      assert.ok(lease.endsAt() > firstEnd + leaseMs);
      assert.ok(lease.endsAt() > clock.now() && lease.endsAt() <= clock.now() + leaseMs);
      assert.is(await b.leases.acquire('x', 'b'), undefined);
      assert.not(lost);
    }),
  );

  test(
    called('a dead holder’s lease is taken after its end, not before (BUS-5)'),
    on(harness, async (scene) => {
      const { connect, crash, clock, leaseMs, lateEffectMs } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const lease = await held(a, 'x', 'a');
      await clock.sleep(leaseMs / 2);
      await crash(a);
      const endsAt = Math.max(clock.steady(), endOf(lease, clock));
      const taken = await insist(scene, b, 'x', 'b');
      atItsEnd(taken, endsAt, scene);
      assert.ok(taken.at < endsAt + leaseMs + lateEffectMs, `taken ${taken.at - endsAt} ms after its end`);
    }),
  );

  test(
    called('a holder that is cut off knows that it lost before another can hold (BUS-5)'),
    on(harness, async (scene) => {
      const { connect, cut, clock, leaseMs, lateEffectMs, eventually } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const lease = await held(a, 'x', 'a');
      let lostAt = Number.POSITIVE_INFINITY;
      void lease.lost.then(() => {
        lostAt = clock.steady();
      });
      const heal = await cut(a);
      const endsAt = endOf(lease, clock);
      const taken = await insist(scene, b, 'x', 'b');
      assert.ok(lostAt <= endsAt + lateEffectMs, `lost ${lostAt - endsAt} ms after its end`);
      assert.ok(lostAt < taken.at, 'lost before it was taken');
      assert.ok(taken.asked >= endsAt - leaseMs, `asked for ${endsAt - leaseMs - taken.asked} ms too early`);
      atItsEnd(taken, endsAt, scene);
      await heal();
      await eventually(() => a.leases.acquire('x', 'again'));
      assert.ok(lease.endsAt() <= clock.now());
    }),
  );

  test(
    called(`never two holders at once, whatever happens (BUS-5, seed ${seed})`),
    on(harness, async ({ connect, cut, clock, leaseMs }) => {
      const buses = await Promise.all(['a', 'b', 'c'].map((name) => connect(name)));
      const holds: { name: string; holder: number; from: number; to: number }[] = [];
      const until_ = clock.now() + 6 * leaseMs;
      const resolveOwnership = async (bus: Bus, holder: number): Promise<void> => {
        while (clock.now() < until_) {
          const name = `x${Math.floor(clock.random() * 2)}`;
          let lease: Lease | undefined;
          try {
            lease = await bus.leases.acquire(name, `p${holder}`);
          } catch (error) {
            assert.instance(error, TransientError);
          }
          if (lease === undefined) {
            await clock.sleep(5 + 20 * clock.random());
            continue;
          }
          const from = clock.now();
          let lostAt = Number.POSITIVE_INFINITY;
          void lease.lost.then(() => {
            lostAt = clock.now();
          });
          const chance = clock.random();
          let to: number;
          if (chance < 0.15) {
            const heal = await cut(bus);
            await lease.lost;
            to = lostAt;
            await heal();
          } else {
            const stop = clock.now() + 2 * leaseMs * clock.random() ** 3;
            while (lostAt > clock.now() && clock.now() < stop) await clock.sleep(5);
            to = Math.min(lostAt, clock.now());
            await lease.release();
          }
          holds.push({ name, holder, from, to });
        }
      };
      await Promise.all(buses.map(resolveOwnership));
      assert.ok(holds.length > 10, `${holds.length} holds`);
      for (const one of holds) {
        for (const other of holds) {
          if (one === other || one.name !== other.name) continue;
          assert.ok(
            one.to <= other.from || other.to <= one.from,
            `${JSON.stringify(one)} and ${JSON.stringify(other)}`,
          );
        }
      }
    }),
  );

  test(
    called('who watches hears of acquisitions, releases and ends, not of renewals'),
    on(harness, async ({ connect, crash, clock, leaseMs, lateEffectMs, until }) => {
      const [a, b, c] = [await connect('a'), await connect('b'), await connect('c')];
      await held(a, 'before', 'a');
      const heard: (readonly LeaseRecord[])[] = [];
      const watch = await c.leases.watch((leases) => heard.push(leases));
      const now = (): string =>
        (heard.at(-1) ?? [])
          .map(({ name, holder }) => `${name}:${holder}`)
          .sort()
          .join();
      await until('the first', () => heard.length > 0);
      assert.is(now(), 'before:a');
      const lease = await held(b, 'x', 'b');
      await until('the acquisition', () => now() === 'before:a,x:b');
      const count = heard.length;
      await clock.sleep(1.5 * leaseMs);
      assert.is(heard.length, count, 'renewals are not changes');
      await lease.release();
      await until('the release', () => now() === 'before:a', leaseMs / 2 + lateEffectMs);
      const other = await held(b, 'x', 'b');
      await until('the acquisition', () => now() === 'before:a,x:b');
      await crash(a);
      await until('the end', () => now() === 'x:b', 2 * leaseMs + lateEffectMs);
      const late: (readonly LeaseRecord[])[] = [];
      const second = await b.leases.watch((leases) => late.push(leases));
      await until('the first', () => late.length > 0);
      assert.equal(late[0], [{ name: 'x', holder: 'b' }]);
      await second.close();
      await watch.close();
      const closed = heard.length;
      await other.release();
      await clock.sleep(50);
      assert.is(heard.length, closed);
    }),
  );

  test(
    called('leases that were wiped are lost, and a lease time passes before the next (BUS-5)'),
    on(harness, async (scene) => {
      const { connect, wipeLeases, clock, lateEffectMs, until, within } = scene;
      const [a, b] = [await connect('a'), await connect('b')];
      const lease = await held(a, 'x', 'a');
      const heard: (readonly LeaseRecord[])[] = [];
      await b.leases.watch((leases) => heard.push(leases));
      await until('the first', () => heard.at(-1)?.length === 1);
      const endsAt = endOf(lease, clock);
      await wipeLeases();
      await within('the loss', lease.lost, 3_000 + lateEffectMs);
      await until('the loss', () => heard.at(-1)?.length === 0, 3_000 + lateEffectMs);
      const taken = await insist(scene, b, 'x', 'b');
      atItsEnd(taken, endsAt, scene);
      await until('the acquisition', () => heard.at(-1)?.[0]?.holder === 'b');
    }),
  );

  test(
    called('closing a bus releases no lease: one that its holder has kept ends in its time (BUS-5, P10)'),
    on(harness, async (scene) => {
      const [a, b] = [await scene.connect('a'), await scene.connect('b')];
      const lease = await held(a, 'x', 'a');
      const endsAt = endOf(lease, scene.clock);
      await a.close();
      assert.ok(lease.endsAt() <= scene.clock.now(), 'its holder does nothing more');
      const taken = await insist(scene, b, 'x', 'b');
      atItsEnd(taken, endsAt, scene);
      assert.instance(await rejection(a.leases.acquire('y', 'a')), TransientError);
    }),
  );
}

/** A server that is kept busy may not answer in a fifth of a lease: whoever asked asks again. */
async function acquired(bus: Bus, name: string, holder: string): Promise<Lease | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await bus.leases.acquire(name, holder);
    } catch (error) {
      if (!(error instanceof TransientError) || tries === 5) throw error;
    }
  }
}

async function held(bus: Bus, name: string, holder: string): Promise<Lease> {
  const lease = await acquired(bus, name, holder);
  assert.ok(lease !== undefined, `'${holder}' gets '${name}'`);
  return lease as Lease;
}

/** When a lease ends for its holder, in steady time: the other runs slower after a wall clock was set back (CLOCK-3). */
function endOf(lease: Lease, clock: Clock): number {
  return clock.steady() + lease.endsAt() - clock.now();
}

/**
 * Asserts that no other process had the lease before its end. The server counts by its own clock, which may differ by a
 * third of the part of a lease that its holder leaves unused (BUS-LEASE-2).
 */
function atItsEnd({ at }: { readonly at: number }, endsAt: number, { leaseMs }: Scene): void {
  assert.ok(at >= endsAt - leaseMs / 30, `taken ${endsAt - at} ms before its end`);
}

/** Asks until it gets the lease: when the successful question began and was answered, in steady time. */
async function insist(
  { clock, leaseMs, lateEffectMs }: Scene,
  bus: Bus,
  name: string,
  holder: string,
): Promise<{ lease: Lease; asked: number; at: number }> {
  const limit = clock.now() + 10 * leaseMs + lateEffectMs;
  while (clock.now() < limit) {
    const asked = clock.steady();
    try {
      const lease = await bus.leases.acquire(name, holder);
      if (lease !== undefined) return { lease, asked, at: clock.steady() };
    } catch (error) {
      assert.instance(error, TransientError);
    }
    await clock.sleep(5);
  }
  return assert.unreachable(`'${holder}' never got '${name}'`) as never;
}
