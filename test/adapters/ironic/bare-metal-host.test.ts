// limit: 300 s
// A BareMetalHost from nothing to provisioned and back, on the whole runtime and a simulated Ironic.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { BMC_SECRET, machine, openWorld, type Raw, type World, type WorldOptions } from './world.ts';

const test = suite('bare-metal hosts');
const HOST = 'baremetalhosts/one';
const ISO = { DEPLOY_KERNEL_URL: 'http://images/kernel', DEPLOY_RAMDISK_URL: 'http://images/ramdisk' };
const IMAGE = { url: 'http://images/instance.raw', checksum: 'a'.repeat(64), checksumType: 'sha256', format: 'raw' };

const stateOf = ({ status }: Raw): unknown => (status?.['provisioning'] as JsonObject | undefined)?.['state'];
const isIn = (state: string) => (host: Raw) => stateOf(host) === state;

async function on(run: (world: World) => Promise<void>, options: WorldOptions = {}): Promise<void> {
  const world = await openWorld({ machines: [machine(1).options], env: ISO, ...options });
  try {
    await world.start();
    await run(world);
    assert.equal(world.errors, []);
  } finally {
    await world.close();
  }
}

async function makeHost(world: World, spec: JsonObject = {}): Promise<void> {
  const { address, mac } = machine(1);
  await world.create('secrets/bmc', BMC_SECRET);
  await world.create(HOST, {
    spec: { online: true, bootMACAddress: mac, bmc: { address, credentialsName: 'bmc' }, ...spec },
  });
}

test('a host is registered, inspected, provisioned, deprovisioned and deleted', () =>
  on(async (world) => {
    await makeHost(world);
    const available = await world.until(HOST, 'available', isIn('available'));
    const { hardware } = available.status as { readonly hardware?: JsonObject };
    assert.is(hardware?.['hostname'], 'bm1');
    await world.merge(HOST, { spec: { image: IMAGE } });
    await world.until(HOST, 'provisioned', isIn('provisioned'));
    await world.until(HOST, 'on', ({ status }) => status?.['poweredOn'] === true);
    await world.merge(HOST, { spec: { image: null } });
    await world.until(HOST, 'available again', isIn('available'));
    await world.remove(HOST);
    await world.gone(HOST);
    assert.equal(world.ironic.nodes(), []);
  }));

test.run();
