// long
// A second tenant forges what it may write of its own hosts, to get at a node that is the host's of somebody else: the node, its machine
// and its way into the BMC stay as they are. Who brings its own status along is taken over as ever.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import {
  BMC_SECRET,
  IMAGE,
  isIn,
  machine,
  provisioningOf,
  RAMDISK,
  type Raw,
  type SimulatedHosts,
  withHosts,
} from '../../world/hosts.ts';

const test = suite('nodes of other tenants');
const VICTIM = 'baremetalhosts/one';
const STATUS = 'baremetalhost.metal3.io/status';
const PAUSED = 'baremetalhost.metal3.io/paused';

const on = (run: (world: SimulatedHosts) => Promise<void>, processes: 'one' | 'two' = 'one'): Promise<void> =>
  withHosts(run, { env: RAMDISK, processes });

/** The only node: what makes it the victim's, and what was done to its machine. */
function stateOf({ ironic }: SimulatedHosts): JsonObject {
  const nodes = ironic.nodes().map(({ uuid, name, driver_info, provision_state, instance_uuid }) => ({
    uuid: uuid ?? null,
    name: name ?? null,
    driver_info: driver_info ?? null,
    provision_state: provision_state ?? null,
    instance_uuid: instance_uuid ?? null,
  }));
  const { counts, disk, power } = ironic.machine('bm1');
  return { nodes, wiped: counts.wiped, deployed: counts.deployed, image: disk?.image ?? null, power } as JsonObject;
}

/** A host that runs its image; with the UUID of its node, and all that is to stay so. */
async function victim(world: SimulatedHosts): Promise<{ readonly id: string; readonly before: JsonObject }> {
  await world.host({ image: IMAGE });
  const host = await world.until(VICTIM, 'provisioned', isIn('provisioned'));
  await world.eventually('the machine is on', () => world.ironic.machine('bm1').power === 'power on');
  return { id: String(provisioningOf(host)['ID']), before: stateOf(world) };
}

interface Forged {
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A host of the second tenant for the BMC of the victim, of which the address and the user's name are known. */
async function forged(world: SimulatedHosts, { name = 'two', spec = {}, annotations = {} }: Forged): Promise<string> {
  const path = `/mallory/baremetalhosts/${name}`;
  const bmc = { address: machine(1).address, credentialsName: 'bmc' };
  await world.create(path, { metadata: { annotations }, spec: { online: true, bmc, ...spec } });
  return path;
}

const guessed = { stringData: { username: 'admin', password: 'a guess' } };
const hasFailed = ({ status }: Raw): boolean => status?.['errorType'] === 'registration error';
const says = (pattern: RegExp) => (host: Raw) => pattern.test(JSON.stringify(host.status?.['conditions'] ?? []));

/** Everything is as it was, and stays so when the forged host goes. */
async function isUnharmed(world: SimulatedHosts, path: string, { id, before }: { id: string; before: JsonObject }) {
  const own = (): JsonObject => {
    const state = stateOf(world);
    const nodes = (state['nodes'] as readonly JsonObject[]).filter(({ uuid }) => uuid === id);
    return { ...state, nodes };
  };
  assert.equal(own(), before);
  await world.remove(path);
  await world.gone(path);
  assert.equal(stateOf(world), before);
  const now = await world.read(VICTIM);
  assert.is(provisioningOf(now as Raw)['ID'], id);
  assert.is(provisioningOf(now as Raw)['state'], 'provisioned');
}

test("33.A2a: the name of another host's node is no id that a status brings along", () =>
  on(async (world) => {
    const theirs = await victim(world);
    await world.create('/mallory/secrets/bmc', guessed);
    const status = JSON.stringify({ operationalStatus: 'OK', provisioning: { state: 'provisioned', ID: 'metal~one' } });
    const path = await forged(world, { spec: { image: IMAGE }, annotations: { [STATUS]: status } });
    await world.until(path, 'refused', hasFailed);
    await isUnharmed(world, path, theirs);
  }));

test("33.A2b: a status that names another host's node, and its own Secret as tried, is not believed", () =>
  on(async (world) => {
    const theirs = await victim(world);
    const secret = await world.create('/mallory/secrets/bmc', guessed);
    const used = {
      credentials: { name: 'bmc', namespace: 'mallory' },
      credentialsVersion: secret.metadata.resourceVersion,
    };
    const status = JSON.stringify({
      operationalStatus: 'OK',
      lastUpdated: '2026-08-20T10:00:00Z',
      poweredOn: true,
      goodCredentials: used,
      triedCredentials: used,
      provisioning: { state: 'provisioned', ID: theirs.id, image: { url: 'http://images/other.raw' } },
    });
    const path = await forged(world, { annotations: { [STATUS]: status, [PAUSED]: '' } });
    await world.merge(path, { metadata: { annotations: { [PAUSED]: null } } });
    const reported = await world.until(path, 'told of it', says(/is not this host's/));
    assert.is(reported.metadata.annotations?.[STATUS], status, 'nothing is begun as for a new host');
    assert.is(provisioningOf(reported)['ID'], '');
    await isUnharmed(world, path, theirs);
  }));

test("33.A2b: a stored status that names another host's node leads to nothing, and deletion goes on", () =>
  on(async (world) => {
    const theirs = await victim(world);
    const secret = await world.create('/mallory/secrets/bmc', guessed);
    const credentials = { name: 'bmc', namespace: 'mallory' };
    const used = { credentials, credentialsVersion: secret.metadata.resourceVersion };
    const path = await forged(world, { annotations: { [PAUSED]: '' } });
    const status = {
      operationalStatus: 'OK',
      errorMessage: '',
      errorCount: 0,
      provisioningFailCount: 0,
      poweredOn: true,
      lastUpdated: '2026-08-20T10:00:00Z',
      goodCredentials: used,
      triedCredentials: used,
      provisioning: { state: 'provisioned', ID: theirs.id, image: { url: 'http://images/other.raw' } },
    };
    await world.merge(`${path}/status`, { status });
    await world.merge(path, { metadata: { annotations: { [PAUSED]: null } } });
    const reported = await world.until(path, 'refused', hasFailed);
    assert.match(String(reported.status?.['errorMessage']), /belongs to another host/);
    await isUnharmed(world, path, theirs);
  }));

test("33.A2c: a host that is named like the UUID of another host's node does not find it by its name", () =>
  on(async (world) => {
    const theirs = await victim(world);
    await world.create('/mallory/secrets/bmc', guessed);
    for (const name of [theirs.id, theirs.id.replaceAll('-', '')]) {
      const path = await forged(world, { name });
      await world.until(path, 'refused', hasFailed);
      await isUnharmed(world, path, theirs);
    }
  }));

test('33.A2: a node without a name that another host has recorded is not found by its MAC address', () =>
  on(async (world) => {
    const theirs = await victim(world);
    await world.merge(VICTIM, { metadata: { annotations: { [PAUSED]: '' } } });
    await world.ask('PATCH', `/v1/nodes/${theirs.id}`, [{ op: 'remove', path: '/name' }] as never);
    const before = stateOf(world);
    await world.create('/mallory/secrets/bmc', guessed);
    const path = await forged(world, { spec: { bootMACAddress: machine(1).mac } });
    await world.until(path, 'refused', hasFailed);
    assert.equal(stateOf(world), before);
    await world.merge(VICTIM, { metadata: { annotations: { [PAUSED]: null } } });
    await world.eventually('it has its name again', () => world.ironic.node(theirs.id)?.['name'] === 'metal~one');
    await isUnharmed(world, path, theirs);
  }));

for (const [title, name] of [
  ['', 'metal~one'],
  [', by the older form of the name of its node', 'one'],
] as const) {
  test(`33.A2: a host that was moved with its status is taken over${title}`, () =>
    on(async (world) => {
      const { id, before } = await victim(world);
      const { metadata, spec = {}, status } = (await world.read(VICTIM)) as Raw;
      // As `clusterctl move` does it: it is paused, and made in the new place with its status.
      await world.stop();
      await world.merge(VICTIM, { metadata: { finalizers: [] } });
      await world.remove(VICTIM);
      await world.gone(VICTIM);
      for (const each of [
        'hardwaredata/one',
        'hostfirmwaresettings/one',
        'hostfirmwarecomponents/one',
        'secrets/bmc',
      ]) {
        await world.merge(each, { metadata: { finalizers: [] } }).catch(() => undefined);
        await world.remove(each).catch(() => undefined);
      }
      await world.ask('PATCH', `/v1/nodes/${id}`, [{ op: 'add', path: '/name', value: name }] as never);
      const secret = await world.create('secrets/bmc', BMC_SECRET);
      assert.is.not(secret.metadata.uid, metadata.uid);
      world.ironic.resetCounts();
      await world.create(VICTIM, { metadata: { annotations: { [STATUS]: JSON.stringify(status) } }, spec });
      await world.start();
      const host = await world.until(
        VICTIM,
        'taken over',
        (now) => now.metadata.annotations?.[STATUS] === undefined && isIn('provisioned')(now),
      );
      assert.is(provisioningOf(host)['ID'], id);
      await world.eventually('it has the name of today', () => world.ironic.node(id)?.['name'] === 'metal~one');
      const lasting = ({ nodes: _, ...machine }: JsonObject): JsonObject => machine;
      assert.equal(lasting(stateOf(world)), lasting(before));
      assert.is(world.ironic.node(id)?.['provision_state'], 'active');
      const orders = Object.keys(world.ironic.calls()).filter((call) => /^(POST \/nodes|PUT)/.test(call));
      assert.equal(orders, []);
    }, 'two'));
}

test.run();
