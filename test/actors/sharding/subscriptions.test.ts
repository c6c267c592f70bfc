// The mail that a host reads: of the shards that it holds, once, and hardly any other, however often shards come and go.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { Subscriptions } from '../../../actors/sharding/subscriptions.ts';
import { type Address, type Mailbox, memoryBroker, shardOf, TransientError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('subscriptions');

const SHARDS = 64;

/** Somebody in each shard. */
const PEOPLE = new Map<number, Address>();
for (let index = 0; PEOPLE.size < SHARDS; index++) {
  const address = { realm: 'test', plural: 'things', namespace: 'ns', name: `t${index}` };
  if (!PEOPLE.has(shardOf(address, SHARDS))) PEOPLE.set(shardOf(address, SHARDS), address);
}

/** A process that reads shards, and counts what arrives. */
function reader() {
  const clock = simulatedClock();
  const broker = memoryBroker({ clock, shards: SHARDS });
  const { mailbox } = broker.connect();
  const author = broker.connect().mailbox;
  const counts = { arrived: 0, isAway: false };
  const open = new Set<object>();
  const counted: Pick<Mailbox, 'subscribe'> = {
    async subscribe(filter, handlers) {
      if (counts.isAway) throw new TransientError('the bus is away');
      const onMail: typeof handlers.onMail = (mail) => {
        counts.arrived++;
        handlers.onMail(mail);
      };
      const subscription = await mailbox.subscribe(filter, { ...handlers, onMail });
      open.add(subscription);
      return {
        async close() {
          open.delete(subscription);
          await subscription.close();
        },
      };
    },
  };
  const subscriptions = new Subscriptions({ mailbox: counted, onTrouble: () => undefined });
  /** Which takeover holds a shard. */
  const holders = new Map<number, object>();
  const heard: string[] = [];
  const take = async (shards: readonly number[]): Promise<void> => {
    const takeover = {};
    for (const shard of shards) holders.set(shard, takeover);
    await subscriptions.open({
      shards,
      isHeld: (shard) => holders.get(shard) === takeover,
      onUnreadable: () => undefined,
      onMail({ subject, payload }) {
        const shard = 'to' in subject ? shardOf(subject.to, SHARDS) : -1;
        if (holders.get(shard) === takeover) heard.push(`${shard} ${payload['n']}`);
      },
    });
  };
  const give = (shards: readonly number[]): void => {
    for (const shard of shards) {
      holders.delete(shard);
      subscriptions.closeUnused();
    }
  };
  const write = async (n: number, shards = [...PEOPLE.keys()]): Promise<void> => {
    for (const shard of shards)
      await author.publish({ to: PEOPLE.get(shard) as Address, topic: 'object' }, { n }, undefined);
  };
  return { clock, counts, open, holders, heard, take, give, write };
}

test('33.B3: however often another process restarts, about as much mail arrives as is needed (SUBSCRIPTIONS-1, SUBSCRIPTIONS-2)', async () => {
  const { clock, counts, open, holders, heard, take, give, write } = reader();
  const all = [...PEOPLE.keys()];
  const random = mulberry32(33);
  await take(all);
  for (let restart = 0; restart < 100; restart++) {
    const moved = all.filter(() => random() < 0.5);
    give(moved);
    await clock.settle();
    await take(moved);
  }
  give(all.filter(() => random() < 0.5));
  await clock.settle();
  counts.arrived = 0;
  heard.length = 0;
  await write(1);
  await clock.settle();
  const held = all.filter((shard) => holders.has(shard));
  assert.equal(heard.toSorted(), held.map((shard) => `${shard} 1`).toSorted());
  assert.ok(counts.arrived <= 2 * held.length, `${counts.arrived} messages for ${held.length}`);
  give(all);
  await clock.settle();
  assert.is(open.size, 0);
});

test('mail is handed over once and in order, also while a subscription is replaced by a narrower one (SUBSCRIPTIONS-3)', async () => {
  const { clock, counts, heard, take, give, write } = reader();
  const [kept, ...others] = PEOPLE.keys();
  await write(1);
  await take([...PEOPLE.keys()]);
  assert.is(heard.length, SHARDS);
  heard.length = 0;
  give(others);
  const written = [2, 3, 4].map((n) => write(n));
  await Promise.all(written);
  await clock.settle();
  await write(5);
  await clock.settle();
  const values = heard.map((line) => Number(line.split(' ')[1]));
  assert.equal(values, [...new Set(values)].toSorted(), 'none twice, none older after a newer one');
  assert.is(values.at(-1), 5);
  assert.ok(heard.every((line) => line.startsWith(`${kept} `)));
  counts.arrived = 0;
  await write(6);
  await clock.settle();
  assert.is(counts.arrived, 1);
});

test('what cannot be read more narrowly now goes on to be read', async () => {
  const { clock, counts, open, heard, take, give, write } = reader();
  const all = [...PEOPLE.keys()];
  await take(all);
  counts.isAway = true;
  give(all.slice(10));
  await clock.settle();
  counts.isAway = false;
  await write(1);
  await clock.settle();
  assert.is(heard.length, 10);
  give(all.slice(5));
  await clock.settle();
  counts.arrived = 0;
  await write(2);
  await clock.settle();
  assert.is(heard.length, 15);
  assert.ok(counts.arrived <= 10, `${counts.arrived} messages for 5`);
  // One that is given up on the way to it is read no more.
  give(all.slice(1));
  give(all);
  await clock.settle();
  assert.is(open.size, 0);
});

test.run();
