// A limit of calls to one cloud is one for all pods: each takes its part, and takes more when another has gone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { REALM } from '../../adapters/openstack/mod.ts';
import type { Bus, LeaseRecord } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import { checkIn, type World } from '../world/world.ts';

const test = suite('sharers of a cloud');
const check = checkIn(test, inMemory);

const LIMIT = 5;
const LATENCY_MS = 40;

interface Pod {
  readonly runtime: Runtime;
  readonly calls: () => number;
  /** Most that were under way at a time, since this was asked for last. */
  readonly most: () => number;
  close(): Promise<void>;
}

/** A pod of its own; `bus` is closed with it. */
async function pod(world: World, bus: Bus): Promise<Pod> {
  const { clock, client } = world;
  let calls = 0;
  const spans: { readonly from: number; readonly to: number }[] = [];
  const openstack = world.openstack({ callsInFlight: LIMIT });
  const adapter: ConfiguredAdapter = {
    ...openstack,
    serve: (ports) =>
      openstack.serve({
        ...ports,
        onCall(record) {
          calls++;
          // A call is told of when it has ended.
          spans.push({ from: clock.now() - record.durationMs, to: clock.now() });
          ports.onCall(record);
        },
      }),
  };
  const runtime = await startRuntime({
    bus,
    client,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    adapters: [adapter],
    roles: new Set([...Object.values(Role), REALM]),
    callMs: 10_000,
    events: false,
    kinds: ['Network'],
  });
  return {
    runtime,
    calls: () => calls,
    most() {
      const reported = spans.splice(0);
      return Math.max(
        0,
        ...reported.map(({ from }) => reported.filter((each) => each.from <= from && from < each.to).length),
      );
    },
    async close() {
      await runtime.close();
      await bus.close();
    },
  };
}

/** Resolves when so many pods hold all shards between them. */
async function settled(bus: Bus, count: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  const isSettled = (records: readonly LeaseRecord[]): boolean => {
    const shards = records.filter(({ name }) => name.startsWith('shard.'));
    const pods = records.filter(({ name }) => name.startsWith('pod.'));
    return (
      pods.length === count &&
      shards.length === bus.mailbox.shards &&
      new Set(shards.map(({ holder }) => holder)).size === count
    );
  };
  const watching = await bus.leases.watch((records) => {
    if (isSettled(records)) done.resolve();
  });
  await done.promise;
  await watching.close();
}

async function makeNetworks(world: World, prefix: string): Promise<void> {
  const names = Array.from({ length: 24 }, (_, n) => world.name(`${prefix}${n}`));
  await world.apply(...names.map((name) => world.managed('Network', name)));
  for (const name of names) await world.available('Network', name);
}

check(
  'two pods have no more calls under way than one may; the one that is left takes all',
  async (world) => {
    const [one, other] = (await Promise.all(
      ['one', 'other'].map(async (name) => pod(world, await world.ground.connect(name))),
    )) as [Pod, Pod];
    const bus = await world.ground.connect('onlooker');
    try {
      await settled(bus, 2);
      world.simulator.setLatency(LATENCY_MS);
      world.simulator.resetCounts();
      await makeNetworks(world, 'a');
      assert.ok(one.calls() > 0 && other.calls() > 0, `${one.calls()} and ${other.calls()} calls`);
      // Half of five is two.
      assert.equal([one.most(), other.most()], [2, 2]);
      assert.ok(world.simulator.mostInFlight() <= 4, `${world.simulator.mostInFlight()} at a time`);
      await other.close();
      await settled(bus, 1);
      world.simulator.resetCounts();
      await makeNetworks(world, 'b');
      assert.is(one.most(), LIMIT);
      // How many of them are there at once is a matter of who gets a processor.
      assert.ok(world.simulator.mostInFlight() <= LIMIT, `${world.simulator.mostInFlight()} at a time`);
    } finally {
      await Promise.all([one, other].map((each) => each.close()));
      await bus.close();
    }
  },
  { runtime: 'stopped' },
);

test.run();
