// long
// limit: 300 s
// BareMetalHosts on the whole runtime and a simulated Ironic: from nothing to provisioned and back, and what comes in between.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { BMC_SECRET, machine, openWorld, PASSWORD, type Raw, type World, type WorldOptions } from './world.ts';

const test = suite('bare-metal hosts');
const HOST = 'baremetalhosts/one';
const RAMDISK = { DEPLOY_KERNEL_URL: 'http://images/kernel', DEPLOY_RAMDISK_URL: 'http://images/ramdisk' };
const IMAGE = { url: 'http://images/instance.raw', checksum: 'a'.repeat(64), checksumType: 'sha256', format: 'raw' };

const provisioningOf = ({ status }: Raw): JsonObject => (status?.['provisioning'] ?? {}) as JsonObject;
const isIn = (state: string) => (host: Raw) => provisioningOf(host)['state'] === state;
const isSwitched = (on: boolean) => (host: Raw) => host.status?.['poweredOn'] === on;
const says = (name: string, value: unknown) => (host: Raw) => host.status?.[name] === value;

/** When the condition came to be as it is; when an operation began; milliseconds since the epoch. */
function sinceOf({ status }: Raw, condition: string): number {
  const all = (status?.['conditions'] ?? []) as readonly JsonObject[];
  return Date.parse(String(all.find(({ type }) => type === condition)?.['lastTransitionTime']));
}

function startOf({ status }: Raw, operation: string): number {
  const { [operation]: times } = (status?.['operationHistory'] ?? {}) as Readonly<Record<string, JsonObject>>;
  return Date.parse(String(times?.['start']));
}

async function on(run: (world: World) => Promise<void>, options: WorldOptions = {}): Promise<void> {
  const world = await openWorld({ machines: [machine(1).options], env: RAMDISK, ...options });
  try {
    await world.start();
    await run(world);
    assert.equal(world.errors, []);
    for (const secret of [PASSWORD, Buffer.from(PASSWORD).toString('base64')]) {
      assert.not(JSON.stringify(world.log).includes(secret), 'the password of a BMC is in the log');
      assert.not(
        world.heard.some((line) => line.includes(secret)),
        'the password of a BMC is on the bus',
      );
      assert.not((await world.everything()).includes(secret), 'the password of a BMC is in an object or an event');
    }
  } finally {
    await world.close();
  }
}

async function makeHost(world: World, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<void> {
  const { address, mac } = machine(1);
  if ((await world.read('secrets/bmc')) === undefined) await world.create('secrets/bmc', BMC_SECRET);
  await world.create(HOST, {
    metadata,
    spec: { online: true, bootMACAddress: mac, bmc: { address, credentialsName: 'bmc' }, ...spec },
  });
}

test('a host is registered, inspected, provisioned, deprovisioned and deleted', () =>
  on(async (world) => {
    await makeHost(world);
    const available = await world.until(HOST, 'available', isIn('available'));
    const { hardware } = available.status as { readonly hardware?: JsonObject };
    assert.is(hardware?.['hostname'], 'bm1');
    assert.ok(sinceOf(available, 'Provisioned') < startOf(available, 'inspect'), 'it never was, from the first on');
    const data = await world.until(
      'hardwaredata/one',
      'held',
      ({ metadata: { finalizers } }) => finalizers !== undefined,
    );
    assert.equal(data.spec?.['hardware'], hardware);
    assert.equal(data.metadata.finalizers, ['baremetalhost.metal3.io/hardwareData']);
    const secret = await world.read('secrets/bmc');
    assert.equal(secret?.metadata.finalizers, ['baremetalhost.metal3.io/secret']);
    assert.equal(secret?.metadata.labels, { 'environment.metal3.io': 'baremetal' });
    assert.equal(
      secret?.metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
      [['BareMetalHost', 'one']],
    );
    await world.merge(HOST, { spec: { image: IMAGE } });
    const provisioned = await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.equal(provisioningOf(provisioned)['image'], IMAGE);
    await world.until(HOST, 'on', isSwitched(true));
    assert.is(world.ironic.machine('bm1').power, 'power on');
    await world.merge(HOST, { spec: { image: null } });
    await world.until(HOST, 'available again', isIn('available'));
    await world.remove(HOST);
    await world.gone(HOST);
    assert.equal(world.ironic.nodes(), []);
    await world.gone('hardwaredata/one');
    await world.gone('secrets/bmc');
    const told = new Set((await world.events()).map(({ reason }) => reason));
    for (const reason of [
      'Registered',
      'BMCAccessValidated',
      'ProfileSet',
      'InspectionComplete',
      'ProvisioningComplete',
    ])
      assert.ok(told.has(reason), reason);
    const figures = await world.figures();
    assert.match(figures, /metal3_operation_provision_duration_seconds_count\{namespace="metal",host="one"\} 1/);
    assert.match(
      figures,
      /metal3_provisioning_state_change_total\{prev_state="provisioning",new_state="provisioned"\} 1/,
    );
  }));

test('a wrong password is told of, and mended by the Secret alone', () =>
  on(async (world) => {
    await world.create('secrets/bmc', { stringData: { username: 'admin', password: 'wrong' } });
    await makeHost(world);
    const failed = await world.until(HOST, 'refused', says('errorType', 'registration error'));
    assert.is(failed.status?.['operationalStatus'], 'error');
    await world.merge('secrets/bmc', { stringData: { password: PASSWORD } });
    const mended = await world.until(HOST, 'available', isIn('available'));
    assert.is(mended.status?.['errorMessage'], '');
    assert.match(
      await world.figures(),
      /^metal3_credentials_updated_total(\{\})? 2$/m,
      'the wrong one, and the right one',
    );
  }));

test('a Secret that is missing is waited for', () =>
  on(async (world) => {
    const { address, mac } = machine(1);
    await world.create(HOST, {
      spec: { online: false, bootMACAddress: mac, bmc: { address, credentialsName: 'bmc' } },
    });
    const waiting = await world.until(HOST, 'without its Secret', says('errorType', 'registration error'));
    assert.match(String(waiting.status?.['errorMessage']), /^BMC CredentialsName secret doesn't exist/);
    await world.create('secrets/bmc', BMC_SECRET);
    await world.until(HOST, 'available', isIn('available'));
    await world.until(HOST, 'off', isSwitched(false));
  }));

test('a provisioned host is switched off and on, rebooted, detached and attached, and adopted when Ironic forgets', () =>
  on(async (world) => {
    await makeHost(world, { image: IMAGE });
    await world.until(HOST, 'provisioned', isIn('provisioned'));
    await world.until(HOST, 'on', isSwitched(true));
    await world.merge(HOST, { spec: { online: false } });
    await world.until(HOST, 'off', isSwitched(false));
    assert.is(world.ironic.machine('bm1').power, 'power off');
    await world.merge(HOST, { spec: { online: true } });
    await world.until(HOST, 'on again', isSwitched(true));

    await world.merge(HOST, { metadata: { annotations: { 'reboot.metal3.io': '{"mode":"hard"}' } } });
    await world.until(
      HOST,
      'off for the reboot',
      ({ metadata }) => metadata.annotations?.['reboot.metal3.io'] === undefined,
    );
    await world.until(HOST, 'on after the reboot', isSwitched(true));

    await world.merge(HOST, { metadata: { annotations: { 'baremetalhost.metal3.io/detached': 'true' } } });
    await world.until(HOST, 'detached', says('operationalStatus', 'detached'));
    assert.equal(world.ironic.nodes(), []);
    await world.merge(HOST, { metadata: { annotations: { 'baremetalhost.metal3.io/detached': null } } });
    await world.until(HOST, 'attached', says('operationalStatus', 'OK'));
    const active = (): boolean => world.ironic.nodes().some((node) => node['provision_state'] === 'active');
    await world.until(HOST, 'adopted', active);

    world.ironic.forget();
    await world.until(HOST, 'adopted anew', active);
    const kept = await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.is(provisioningOf(kept)['ID'], world.ironic.nodes()[0]?.['uuid']);
    assert.is(world.ironic.machine('bm1').counts.deployed, 1, 'nothing was written anew');
  }));

test('a node that was made again when Ironic had lost it, and that nobody came to record, is taken out with its host', () =>
  on(async (world) => {
    await makeHost(world);
    await world.until(HOST, 'available', isIn('available'));
    await world.stop();
    world.ironic.forget();
    const made = await fetch(new URL('nodes', world.ironic.endpoint), {
      method: 'POST',
      headers: { 'X-OpenStack-Ironic-API-Version': '1.95', 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'metal~one', driver: 'redfish' }),
    });
    assert.is(made.status, 201);
    await world.merge(HOST, { metadata: { annotations: { 'baremetalhost.metal3.io/detached': '' } } });
    await world.start();
    await world.until(HOST, 'detached', says('operationalStatus', 'detached'));
    assert.equal(world.ironic.nodes(), []);
  }));

test('an externally provisioned host is adopted, and nothing is done to its machine', () =>
  on(
    async (world) => {
      await makeHost(world, { externallyProvisioned: true });
      await world.until(HOST, 'externally provisioned', isIn('externally provisioned'));
      await world.until(HOST, 'on', isSwitched(true));
      const { events } = world.ironic.machine('bm1');
      assert.equal(
        events.filter(({ what }) => !what.startsWith('powered')),
        [],
      );
      await world.remove(HOST);
      await world.gone(HOST);
      assert.equal(world.ironic.nodes(), []);
    },
    { machines: [{ ...machine(1).options, power: 'power on' }] },
  ));

test('a paused host is left alone', () =>
  on(async (world) => {
    const paused = { annotations: { 'baremetalhost.metal3.io/paused': '' } };
    await makeHost(world, {}, paused);
    await world.create('baremetalhosts/two', { spec: { online: true } });
    await world.until('baremetalhosts/two', 'unmanaged', isIn('unmanaged'));
    assert.is((await world.read(HOST))?.status, undefined);
    await world.merge(HOST, { metadata: { annotations: { 'baremetalhost.metal3.io/paused': null } } });
    await world.until(HOST, 'registered', ({ status }) => status?.['provisioning'] !== undefined);
  }));

test('a host goes with its namespace, in which nothing can be made any more', () =>
  on(async (world) => {
    await makeHost(world, { image: IMAGE });
    await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.ok((await world.read('hostfirmwarecomponents/one')) !== undefined, 'Ironic lists components of its node');
    await world.removeNamespace();
    await world.gone(HOST);
    assert.equal(world.ironic.nodes(), []);
    await world.gone('hardwaredata/one');
    await world.gone('secrets/bmc');
  }));

test('a deployment goes on under another process, and is made once', () =>
  on(async (world) => {
    await makeHost(world, { image: IMAGE });
    await world.until(HOST, 'provisioning', isIn('provisioning'));
    const isDeploying = (): boolean =>
      world.ironic.nodes().some((node) => /wait call-back|deploying/.test(String(node['provision_state'])));
    await world.until(HOST, 'being deployed', isDeploying);
    await world.stop();
    await world.start();
    await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.is(world.ironic.machine('bm1').counts.deployed, 1);
  }));

test('an image that is changed while the one before is deployed is what runs in the end', () =>
  on(async (world) => {
    await makeHost(world, { image: IMAGE });
    const isDeploying = (): boolean =>
      world.ironic.nodes().some((node) => /wait call-back|deploying/.test(String(node['provision_state'])));
    await world.until(HOST, 'being deployed', isDeploying);
    const image = { ...IMAGE, url: 'http://images/another.raw' };
    await world.merge(HOST, { spec: { image } });
    const provisioned = await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.equal(provisioningOf(provisioned)['image'], image);
    assert.is(world.ironic.machine('bm1').disk?.image, image.url);
  }));

test.run();
