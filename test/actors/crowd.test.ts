// long
// Many objects that refer to the same few: ports on one network, one subnet and one security group, with the credentials of all.
// What one of them costs is counted: requests, messages and timers. What it costs a processor is for test/bench to say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inMemory } from '../world/environments.ts';
import { type Kind, World } from '../world/world.ts';

const test = suite('crowd');

const PORTS = 100;
/** A port that is one of many may cost so many times what it costs as one of a tenth of them. */
const MOST_TIMES = 1.1;

/** So much was done so far: what the runtime sent, and which timers were set. */
type Counts = Readonly<Record<'reads' | 'writes' | 'calls' | 'mail' | 'events' | 'timers', number>>;

function countsOf(world: World, own: Pick<Counts, 'mail' | 'timers'>): Counts {
  const { GET: reads = 0, ...others } = world.ground.api?.requests() ?? {};
  return {
    reads,
    writes: Object.values(others).reduce((sum, count) => sum + count, 0),
    calls: world.calls.length,
    events: world.events.length,
    ...own,
  };
}

/** What one port costs that is made and removed again. */
async function costOf(count: number): Promise<{ readonly up: Counts; readonly down: Counts }> {
  const own = { mail: 0, timers: 0 };
  const world = await World.open(
    async (options) => {
      const ground = await inMemory(options);
      const { clock } = ground;
      const setTimeout = clock.setTimeout.bind(clock);
      clock.setTimeout = (run, delayMs) => {
        own.timers += 1;
        return setTimeout(run, delayMs);
      };
      return {
        ...ground,
        async connect(...asked) {
          const bus = await ground.connect(...asked);
          const publish = bus.mailbox.publish.bind(bus.mailbox);
          bus.mailbox.publish = (...letter) => {
            own.mail += 1;
            return publish(...letter);
          };
          return bus;
        },
      };
    },
    { logLevel: 'silent' },
  );
  try {
    const [net, sub, group] = ['net', 'sub', 'group'].map((suffix) => world.name(suffix)) as [string, string, string];
    const ports = Array.from({ length: count }, (_, index) => world.name(`port-${index}`));
    await world.apply(
      world.managed('Network', net),
      world.managed('Subnet', sub, { networkRef: net, ipVersion: 4, cidr: '10.0.0.0/16' }),
      world.managed('SecurityGroup' as Kind, group, { rules: [] }),
    );
    await world.available('Subnet', sub);
    const perPort = (after: Counts, before: Counts): Counts =>
      Object.fromEntries(
        Object.entries(after).map(([what, so]) => [what, (so - before[what as keyof Counts]) / count]),
      ) as Counts;
    const before = countsOf(world, own);
    const resource = { networkRef: net, addresses: [{ subnetRef: sub }], securityGroupRefs: [group] };
    await world.apply(...ports.map((name) => world.managed('Port' as Kind, name, resource)));
    for (const name of ports) await world.available('Port' as Kind, name);
    const up = countsOf(world, own);

    await world.deleteNamespace();
    await world.namespaceGone();
    const down = countsOf(world, own);
    // The last port is gone from the cloud before anything that it uses is asked to go.
    const removals = world.events
      .slice(up.events)
      .filter(({ type, data }) => type === 'call' && data['method'] === 'DELETE');
    const order = removals.map(({ actor }) => actor.plural);
    const [lastPort, firstOther] = [order.lastIndexOf('ports'), order.findIndex((plural) => plural !== 'ports')];
    assert.is(order.filter((plural) => plural === 'ports').length, count);
    assert.ok(firstOther > lastPort, `a ${order[firstOther]} was removed before the last port`);
    assert.equal(
      order.slice(firstOther).indexOf('networks'),
      order.slice(firstOther).length - 1,
      order.slice(-5).join(),
    );
    return { up: perPort(up, before), down: perPort(down, up) };
  } finally {
    await world.close();
  }
}

test(`${PORTS} ports cost no more each than a tenth of them, and go before what they use (I2)`, async () => {
  const few = await costOf(PORTS / 10);
  const many = await costOf(PORTS);
  for (const way of ['up', 'down'] as const)
    for (const [what, cost] of Object.entries(many[way])) {
      const asFew = few[way][what as keyof Counts];
      assert.ok(cost <= asFew * MOST_TIMES + 1, `${what} on the way ${way}: ${asFew} each, and ${cost} as one of many`);
    }
});

test.run();
