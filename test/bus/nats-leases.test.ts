// Leases in their bucket, when answers are lost, others write, and the bucket is lost (BUS-NATS-LEASES-1 to BUS-NATS-LEASES-4).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { NatsLeases, type NatsLeasesOptions } from '../../bus/nats-leases.ts';
import { ManualClock, outcome } from './manual-clock.ts';
import { ScriptedNats } from './scripted-nats.ts';

const test = suite('nats leases');
const LEASE_MS = 10_000;
const BUCKET = 'KV_L';

interface Scene {
  readonly clock: ManualClock;
  readonly nats: ScriptedNats;
  readonly leases: NatsLeases;
}

async function scene(firstLease: NatsLeasesOptions['firstLease'] = 'immediate'): Promise<Scene> {
  const clock = new ManualClock();
  const nats = new ScriptedNats(clock);
  const { connection } = nats;
  const isOfUse = (): boolean => true;
  const leases = new NatsLeases({ connection, isOfUse, bucket: 'L', leaseMs: LEASE_MS, replicas: 1, firstLease });
  await leases.open();
  return { clock, nats, leases };
}

/** How often the lease `x` was written. */
const writes = ({ nats }: Scene): number => nats.count('$KV.L.x');

test('a renewal replaces the record that this process wrote, and no other (BUS-NATS-LEASES-1)', async () => {
  const made = await scene();
  const { clock, nats, leases } = made;
  const lease = await leases.acquire('x', 'a');
  let lost = false;
  void lease?.lost.then(() => {
    lost = true;
  });
  await clock.advance(LEASE_MS / 5);
  assert.is(writes(made), 2);
  assert.not(lost);
  const other = { name: 'x', holder: 'b', token: 'other', leaseMs: LEASE_MS };
  nats.stored('$KV.L.x', other);
  await clock.advance(LEASE_MS / 5);
  assert.ok(lost);
  assert.equal(JSON.parse(nats.streams.get(BUCKET)?.messages.get('$KV.L.x')?.payload ?? ''), other);
  await leases.close();
});

test('a renewal that was stored, and whose answer was lost, is known as our own (BUS-NATS-LEASES-2)', async () => {
  const made = await scene();
  const { clock, nats, leases } = made;
  const lease = await leases.acquire('x', 'a');
  let late = true;
  nats.delays = (subject) => (late && subject === '$KV.L.x' ? clock.sleep(LEASE_MS) : undefined);
  await clock.advance(LEASE_MS / 5); // stored; its answer comes too late for anybody
  late = false;
  await clock.advance(LEASE_MS / 2);
  assert.ok((lease?.endsAt() ?? 0) > clock.now() + LEASE_MS / 2);
  await leases.close();
});

test('a lease that its holder has not released stays in the bucket when the connection is closed (P10)', async () => {
  const made = await scene();
  const { clock, nats, leases } = made;
  const lease = await leases.acquire('x', 'a');
  await leases.close();
  assert.is(lease?.endsAt(), clock.now());
  assert.is(JSON.parse(nats.streams.get(BUCKET)?.messages.get('$KV.L.x')?.payload ?? '').holder, 'a');
  await clock.advance(LEASE_MS);
  assert.is(writes(made), 1, 'and is renewed no more');
});

test('a lease of the same holder from an earlier acquisition is not ours (BUS-NATS-LEASES-2)', async () => {
  const { clock, nats, leases } = await scene();
  const lease = await leases.acquire('x', 'a');
  nats.stored('$KV.L.x', { name: 'x', holder: 'a', token: 'earlier', leaseMs: LEASE_MS });
  await clock.advance(LEASE_MS / 5);
  assert.is(lease?.endsAt(), clock.now());
  await leases.close();
});

test('the bucket’s time to live is raised before a lease is written, if somebody has lowered it (BUS-NATS-LEASES-3)', async () => {
  const { nats, leases } = await scene();
  const bucket = nats.streams.get(BUCKET);
  assert.ok(bucket);
  bucket.config = { ...bucket.config, max_age: (LEASE_MS / 2) * 1_000_000 };
  const before = nats.asked.length;
  await leases.acquire('x', 'a');
  assert.is(bucket.config['max_age'], LEASE_MS * 1_000_000);
  const since = nats.asked.slice(before);
  const [raised, written] = [since.indexOf(`$JS.API.STREAM.UPDATE.${BUCKET}`), since.indexOf('$KV.L.x')];
  assert.ok(raised >= 0 && raised < written, since.join(' '));
  await leases.close();
});

test('in a bucket that was made anew nobody acquires while `=fresh` is there (BUS-NATS-LEASES-4)', async () => {
  const { clock, nats, leases } = await scene();
  const lease = await leases.acquire('x', 'a');
  nats.lose(BUCKET);
  await clock.advance(LEASE_MS / 5 - 400); // before the renewal that would tell it too
  assert.ok(nats.streams.get(BUCKET)?.messages.has('$KV.L.=fresh'));
  assert.ok((lease?.endsAt() ?? 0) <= clock.now(), 'the lease is lost with its bucket');
  const refused = outcome(leases.acquire('x', 'a'));
  await clock.settle();
  assert.instance(refused.error, TransientError);
  assert.ok(((refused.error as TransientError).retryAfterMs ?? 0) > 0);
  nats.streams.get(BUCKET)?.messages.delete('$KV.L.=fresh'); // it has ended by itself
  const acquired = outcome(leases.acquire('x', 'a'));
  await clock.settle();
  assert.ok(acquired.value);
  await leases.close();
});

test('whoever makes the first bucket says whether a predecessor may still act (BUS-NATS-LEASES-4)', async () => {
  const [waiting, immediate] = [await scene('wait'), await scene('immediate')];
  assert.ok(waiting.nats.streams.get(BUCKET)?.messages.has('$KV.L.=fresh'));
  assert.not(immediate.nats.streams.get(BUCKET)?.messages.has('$KV.L.=fresh'));
  await waiting.leases.close();
  await immediate.leases.close();
});

test('a first start is no loss: nobody waits where nobody can be acting, and until that is known all do (BUS-NATS-LEASES-4)', async () => {
  const clock = new ManualClock();
  const nats = new ScriptedNats(clock);
  const { connection } = nats;
  const open = (firstLease: NatsLeasesOptions['firstLease']): NatsLeases =>
    new NatsLeases({ connection, isOfUse: () => true, bucket: 'L', leaseMs: LEASE_MS, replicas: 1, firstLease });
  const answer = Promise.withResolvers<'wait' | 'immediate'>();
  let asked = 0;
  const first = open(() => {
    asked += 1;
    return answer.promise;
  });
  const opening = first.open();
  await clock.settle();
  const second = open(() => Promise.reject(new Error('not asked: the bucket is there')));
  await second.open();
  const early = outcome(second.acquire('x', 'b'));
  await clock.settle();
  assert.instance(early.error, TransientError, 'it is not known yet');
  answer.resolve('immediate');
  await opening;
  assert.ok(await first.acquire('x', 'a'));
  assert.ok(await second.acquire('y', 'b'));

  nats.lose(BUCKET);
  await clock.advance(LEASE_MS / 5);
  const lost = outcome(first.acquire('z', 'a'));
  await clock.settle();
  assert.instance(lost.error, TransientError, 'a loss is one, whatever was the first time');
  assert.is(asked, 1);
  await first.close();
  await second.close();
});

test('a lease that was acquired in a bucket that is lost meanwhile is lost (BUS-5)', async () => {
  const { clock, nats, leases } = await scene();
  nats.delays = (subject) => (subject === '$KV.L.x' ? clock.sleep(1_500) : undefined);
  const acquired = outcome(leases.acquire('x', 'a'));
  await clock.settle();
  nats.lose(BUCKET);
  await clock.advance(3_000);
  assert.ok(acquired.settled);
  if (acquired.value !== undefined) assert.ok(acquired.value.endsAt() <= clock.now());
  else assert.instance(acquired.error, TransientError);
  await leases.close();
});

test('the bucket’s time to live is not lowered, not for a moment, while somebody’s lease relies on it (BUS-NATS-LEASES-3)', async () => {
  const { clock, nats, leases } = await scene();
  const bucket = nats.streams.get(BUCKET);
  assert.ok(bucket);
  bucket.config = { ...bucket.config, max_age: 2 * LEASE_MS * 1_000_000 };
  const longer = { name: 'y', holder: 'b', token: 'longer', leaseMs: 2 * LEASE_MS };
  nats.stored('$KV.L.y', longer);
  const acquired = outcome(leases.acquire('x', 'a'));
  // Read before the acquisition, and after it.
  for (const [at, names] of [['y'], ['y', 'x']].entries()) {
    await clock.settle();
    for (const [before, name] of names.entries()) {
      const sequence = nats.streams.get(BUCKET)?.messages.get(`$KV.L.${name}`)?.sequence;
      const reply = `$JS.ACK.S.c.1.${sequence}.${before + 1}.0.0`;
      const payload = JSON.stringify({ ...longer, name });
      nats.deliver(String(nats.consumers[at]?.['deliver_subject']), { subject: `$KV.L.${name}`, reply, payload });
    }
  }
  await clock.settle();
  assert.ok(acquired.value);
  assert.is(nats.count(`$JS.API.STREAM.UPDATE.${BUCKET}`), 0);
  await leases.close();
});

test.run();
