// long
// limit: 300 s
// Many objects that refer to the same few: ports on one network, one subnet and one security group, with the credentials
// of all. `CROWD=1000` makes it a thousand, which takes a minute.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inMemory, type OpenGround } from '../world/environments.ts';
import { type Kind, World } from '../world/world.ts';

const test = suite('crowd');

const PORTS = Number(process.env['CROWD'] ?? 200);
/** Longest wait for any of it, in milliseconds. */
const DEADLINE_MS = 100_000;
/** A port that is one of many may cost so many times what it costs as one of a tenth of them: noise, and a logarithm. */
const MOST_TIMES = 3;

/** Processor time of this process for one port, made and removed again, in milliseconds. */
async function costOf(count: number): Promise<{ readonly up: number; readonly down: number }> {
  const patient: OpenGround = async (options) => ({ ...(await inMemory(options)), deadlineMs: DEADLINE_MS });
  const world = await World.open(patient, { logLevel: 'silent' });
  try {
    const [net, sub, group] = ['net', 'sub', 'group'].map((suffix) => world.name(suffix)) as [string, string, string];
    const ports = Array.from({ length: count }, (_, index) => world.name(`port-${index}`));
    await world.apply(
      world.managed('Network', net),
      world.managed('Subnet', sub, { networkRef: net, ipVersion: 4, cidr: '10.0.0.0/16' }),
      world.managed('SecurityGroup' as Kind, group, { rules: [] }),
    );
    await world.available('Subnet', sub);
    const used = (): number => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
    const before = used();
    const resource = { networkRef: net, addresses: [{ subnetRef: sub }], securityGroupRefs: [group] };
    await world.apply(...ports.map((name) => world.managed('Port' as Kind, name, resource)));
    for (const name of ports) await world.available('Port' as Kind, name);
    const up = (used() - before) / count;

    const deletedAt = used();
    const seen = world.events.length;
    await world.deleteNamespace();
    await world.namespaceGone();
    const down = (used() - deletedAt) / count;
    // The last port is gone from the cloud before anything that it uses is asked to go.
    const removals = world.events
      .slice(seen)
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
    return { up, down };
  } finally {
    await world.close();
  }
}

test(`${PORTS} ports cost little more each than a tenth of them, and go before what they use (I2)`, async () => {
  const few = await costOf(PORTS / 10);
  const many = await costOf(PORTS);
  console.log(
    `processor time a port: ${few.up.toFixed(1)} ms up and ${few.down.toFixed(1)} ms down as one of ${PORTS / 10}, ` +
      `${many.up.toFixed(1)} and ${many.down.toFixed(1)} ms as one of ${PORTS}`,
  );
  assert.ok(many.up < few.up * MOST_TIMES, 'coming up grows with the crowd');
  assert.ok(many.down < few.down * MOST_TIMES, 'going grows with the crowd');
});

test.run();
