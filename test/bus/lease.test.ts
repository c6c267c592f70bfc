// A held lease on a clock that stands still: what its holder may count on, to the millisecond.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { HeldLease } from '../../bus/lease.ts';
import { ManualClock, slowed } from './manual-clock.ts';

const test = suite('lease');
const LEASE_MS = 10_000;

/** A lease whose renewals are answered by the test. */
function held(): {
  clock: ManualClock;
  lease: HeldLease;
  startedAt: number;
  renewals: ((answer: boolean | Error) => void)[];
  lost: () => boolean;
} {
  const clock = new ManualClock();
  const renewals: ((answer: boolean | Error) => void)[] = [];
  const startedAt = clock.now();
  const lease = new HeldLease({
    name: 'x',
    clock,
    leaseMs: LEASE_MS,
    startedAt,
    store: {
      renew: () =>
        new Promise((resolve, reject) => {
          renewals.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        }),
      release: async () => undefined,
    },
  });
  let lost = false;
  void lease.lost.then(() => {
    lost = true;
  });
  return { clock, lease, startedAt, renewals, lost: () => lost };
}

test('a lease counts from the start of its acquisition, whenever that was answered (BUS-LEASE-1)', async () => {
  const clock = new ManualClock();
  const startedAt = clock.now() - 700;
  const store = { renew: async () => true, release: async () => undefined };
  const lease = new HeldLease({ name: 'x', clock, leaseMs: LEASE_MS, startedAt, store });
  assert.is(lease.endsAt(), startedAt + LEASE_MS);
  lease.abandon();
});

test('a lease that cannot be renewed is lost in its time, also by a clock that is slowed (BUS-5, BUS-LEASE-2)', async () => {
  const clock = new ManualClock();
  const slow = slowed(clock);
  const startedAt = slow.steady();
  const store = { renew: async () => Promise.reject(new TransientError('away')), release: async () => undefined };
  const lease = new HeldLease({ name: 'x', clock: slow, leaseMs: LEASE_MS, startedAt, store });
  let lostAt = Number.POSITIVE_INFINITY;
  void lease.lost.then(() => {
    lostAt = clock.now();
  });
  await clock.advance(LEASE_MS / 2);
  assert.is(Math.round(lease.endsAt() - slow.now()), LEASE_MS / 2);
  await clock.advance(LEASE_MS);
  assert.is(lostAt, startedAt + LEASE_MS - LEASE_MS / 10);
});

test('a lease counts from the start of its renewal, not from the answer (BUS-LEASE-1)', async () => {
  const { clock, lease, startedAt, renewals } = held();
  await clock.advance(LEASE_MS / 5);
  assert.is(renewals.length, 1);
  await clock.advance(3_000);
  renewals[0]?.(true);
  await clock.settle();
  assert.is(lease.endsAt(), startedAt + LEASE_MS / 5 + LEASE_MS);
  lease.abandon();
});

test('a renewal that failed moves nothing, and is tried again after a tenth (BUS-LEASE-1)', async () => {
  const { clock, lease, startedAt, renewals } = held();
  await clock.advance(LEASE_MS / 5);
  renewals[0]?.(new TransientError('away'));
  await clock.settle();
  assert.is(lease.endsAt(), startedAt + LEASE_MS);
  await clock.advance(LEASE_MS / 10);
  assert.is(renewals.length, 2);
  lease.abandon();
});

test('who cannot renew hears of the loss a tenth before the end (BUS-LEASE-2)', async () => {
  const { clock, lease, startedAt, lost } = held();
  await clock.advance(LEASE_MS * 0.9 - 1);
  assert.not(lost());
  assert.is(lease.endsAt(), startedAt + LEASE_MS);
  await clock.advance(1);
  assert.ok(lost());
  assert.is(lease.endsAt(), clock.now(), 'it has ended (BUS-LEASE-3)');
});

test('the end that was watched moves with each renewal (BUS-LEASE-2)', async () => {
  const { clock, lease, renewals, lost } = held();
  await clock.advance(LEASE_MS / 5);
  renewals[0]?.(true);
  await clock.advance(LEASE_MS * 0.9 - 1);
  assert.not(lost());
  await clock.advance(1);
  assert.ok(lost());
  lease.abandon();
});

test('an answer that comes after the end revives nothing (BUS-LEASE-3)', async () => {
  const { clock, lease, renewals, lost } = held();
  await clock.advance(LEASE_MS / 5);
  await clock.advance(LEASE_MS);
  assert.ok(lost());
  const endsAt = lease.endsAt();
  renewals[0]?.(true);
  await clock.advance(LEASE_MS);
  assert.is(lease.endsAt(), endsAt);
  assert.is(renewals.length, 1);
});

test('somebody else has it: lost at once, and never later than now (BUS-LEASE-3)', async () => {
  const { clock, lease, renewals, lost } = held();
  await clock.advance(LEASE_MS / 5);
  renewals[0]?.(false);
  await clock.settle();
  assert.ok(lost());
  assert.is(lease.endsAt(), clock.now());
});

test('a lease that is given back has ended before the store is told, and says nothing of a loss (BUS-LEASE-3)', async () => {
  const { clock, lease, lost } = held();
  await clock.advance(500);
  const released = lease.release();
  assert.is(lease.endsAt(), clock.now());
  await released;
  await clock.advance(LEASE_MS);
  assert.not(lost());
});

test.run();
