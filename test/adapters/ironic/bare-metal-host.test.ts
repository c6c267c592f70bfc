// long
// BareMetalHosts on the whole runtime and a simulated Ironic: from nothing to provisioned and back, and what comes in between.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import {
  BMC_SECRET,
  conditionOf,
  IMAGE,
  isIn,
  isSwitched,
  machine,
  PASSWORD,
  provisioningOf,
  RAMDISK,
  type Raw,
  type SimulatedHosts,
  type SimulatedHostsOptions,
  withHosts,
} from '../../world/hosts.ts';

const test = suite('bare-metal hosts');
const HOST = 'baremetalhosts/one';
const says = (name: string, value: unknown) => (host: Raw) => host.status?.[name] === value;

/** When the condition came to be as it is; when an operation began; milliseconds since the epoch. */
const sinceOf = (host: Raw, type: string): number =>
  Date.parse(String(conditionOf(host, type)?.['lastTransitionTime']));

function startOf({ status }: Raw, operation: string): number {
  const { [operation]: times } = (status?.['operationHistory'] ?? {}) as Readonly<Record<string, JsonObject>>;
  return Date.parse(String(times?.['start']));
}

/** The password of a BMC is nowhere. */
async function isSecret(world: SimulatedHosts): Promise<void> {
  for (const secret of [PASSWORD, Buffer.from(PASSWORD).toString('base64')]) {
    assert.not(JSON.stringify(world.log).includes(secret), 'it is in the log');
    assert.not(
      world.heard.some((line) => line.includes(secret)),
      'it is on the bus',
    );
    assert.not((await world.everything()).includes(secret), 'it is in an object or an event');
  }
}

const on = (run: (world: SimulatedHosts) => Promise<void>, options: SimulatedHostsOptions = {}): Promise<void> =>
  withHosts(run, { env: RAMDISK, atEnd: isSecret, ...options });

const isDeploying = ({ ironic }: SimulatedHosts): boolean =>
  ironic.nodes().some((node) => /wait call-back|deploying/.test(String(node['provision_state'])));

test('a host is registered, inspected, provisioned, deprovisioned and deleted', () =>
  on(async (world) => {
    await world.host();
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
    const reported = new Set((await world.events()).map(({ reason }) => reason));
    for (const reason of [
      'Registered',
      'BMCAccessValidated',
      'ProfileSet',
      'InspectionComplete',
      'ProvisioningComplete',
    ])
      assert.ok(reported.has(reason), reason);
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
    await world.host();
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
    await world.host({ image: IMAGE });
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
    await world.host();
    await world.until(HOST, 'available', isIn('available'));
    await world.stop();
    world.ironic.forget();
    const { status } = await world.ask('POST', '/v1/nodes', { name: 'metal~one', driver: 'redfish' });
    assert.is(status, 201);
    await world.merge(HOST, { metadata: { annotations: { 'baremetalhost.metal3.io/detached': '' } } });
    await world.start();
    await world.until(HOST, 'detached', says('operationalStatus', 'detached'));
    assert.equal(world.ironic.nodes(), []);
  }));

test('an externally provisioned host is adopted, and nothing is done to its machine', () =>
  on(
    async (world) => {
      await world.host({ externallyProvisioned: true });
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
    await world.host({}, paused);
    await world.create('baremetalhosts/two', { spec: { online: true } });
    await world.until('baremetalhosts/two', 'unmanaged', isIn('unmanaged'));
    assert.is((await world.read(HOST))?.status, undefined);
    await world.merge(HOST, { metadata: { annotations: { 'baremetalhost.metal3.io/paused': null } } });
    await world.until(HOST, 'registered', ({ status }) => status?.['provisioning'] !== undefined);
  }));

test('a host goes with its namespace, in which nothing can be made any more', () =>
  on(async (world) => {
    await world.host({ image: IMAGE });
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
    await world.host({ image: IMAGE });
    await world.until(HOST, 'provisioning', isIn('provisioning'));
    await world.until(HOST, 'being deployed', () => isDeploying(world));
    await world.stop();
    await world.start();
    await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.is(world.ironic.machine('bm1').counts.deployed, 1);
  }));

test('an image that is changed while the one before is deployed is what runs in the end', () =>
  on(async (world) => {
    await world.host({ image: IMAGE });
    await world.until(HOST, 'being deployed', () => isDeploying(world));
    const image = { ...IMAGE, url: 'http://images/another.raw' };
    await world.merge(HOST, { spec: { image } });
    const provisioned = await world.until(HOST, 'provisioned', isIn('provisioned'));
    assert.equal(provisioningOf(provisioned)['image'], image);
    assert.is(world.ironic.machine('bm1').disk?.image, image.url);
  }));

test('cleaning that was switched off while it ran is not begun again after it failed (BARE-METAL-HOST-13)', () =>
  on(async (world) => {
    await world.host({ image: IMAGE });
    await world.until(HOST, 'provisioned', isIn('provisioned'));
    const [node] = world.ironic.nodes();
    await world.merge(HOST, { spec: { image: null } });
    const state = (): unknown => world.ironic.nodes()[0]?.['provision_state'];
    await world.eventually('being cleaned', () => state() === 'clean wait');
    await world.merge(HOST, { spec: { automatedCleaningMode: 'disabled' } });
    const edited = await world.until(
      HOST,
      'heeded',
      (host) => conditionOf(host, 'Ready')?.['observedGeneration'] === host.metadata.generation,
    );
    assert.is(provisioningOf(edited)['state'], 'deprovisioning');
    const { wiped } = world.ironic.machine('bm1').counts;
    const path = `/v1/nodes/${node?.['uuid']}/states/provision`;
    assert.is((await world.ask('PUT', path, { target: 'abort' })).status, 202);
    await world.until(HOST, 'available', isIn('available'));
    assert.is(world.ironic.nodes()[0]?.['automated_clean'], false);
    assert.is(world.ironic.machine('bm1').counts.wiped, wiped, 'no disk is wiped');
  }));

test.run();
