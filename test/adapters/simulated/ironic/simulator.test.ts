// What is particular to the simulated Ironic: its machines, what goes wrong with them, and what tests may do to it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TIMES } from '../../../../adapters/simulated/ironic/conductor.ts';
import type { Deed } from '../../../../adapters/simulated/ironic/mod.ts';
import type { JsonObject } from '../../../../bus/json.ts';
import { enrol, faultOf, follow, objectOf, openSimulated, provision, type Simulated } from './open.ts';

const test = suite('simulated Ironic');

const HOUR_MS = 3_600_000;

/** A node on machine 1, with its ports, manageable. @returns its UUID */
async function ready(on: Simulated, more: JsonObject = {}): Promise<string> {
  const body = { name: 'n', driver: 'redfish', driver_info: on.driverInfo(1), inspect_interface: 'agent', ...more };
  const uuid = await enrol(on, body);
  await on.ask('POST /v1/ports', { node_uuid: uuid, address: '52:54:00:00:01:01' });
  await provision(on, uuid, 'manage');
  return uuid;
}

async function withImage(on: Simulated, uuid: string): Promise<void> {
  const info = { image_source: on.image.url, image_os_hash_algo: 'sha256', image_os_hash_value: on.image.sha256 };
  await on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/instance_info', value: info }]);
}

async function deployed(on: Simulated, more: JsonObject = {}): Promise<string> {
  const uuid = await ready(on, more);
  await provision(on, uuid, 'provide');
  await withImage(on, uuid);
  await provision(on, uuid, 'active');
  return uuid;
}

function counts(on: Simulated): Readonly<Record<Deed, number>> {
  return on.ironic.machine('bm1').counts;
}

function put(on: Simulated, uuid: string, what: 'provision' | 'power', body: JsonObject, version?: string) {
  return on.ask(`PUT /v1/nodes/${uuid}/states/${what}`, body, version);
}

test('a machine says how often it was wiped, written, inspected and switched, when, and for whom', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  assert.equal(counts(on), { 'powered on': 0, 'powered off': 0, inspected: 0, wiped: 0, deployed: 0, configured: 0 });
  await provision(on, uuid, 'inspect');
  assert.equal([counts(on).inspected, counts(on).wiped], [1, 0]);
  await provision(on, uuid, 'provide');
  assert.equal([counts(on).wiped, counts(on).deployed], [1, 0]);
  const instance = '21111111-1111-4111-8111-111111111111';
  await on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/instance_uuid', value: instance }]);
  await withImage(on, uuid);
  await provision(on, uuid, 'active', { configdrive: { user_data: 'x' } });
  const { disk, events, running, power } = on.ironic.machine('bm1');
  assert.equal(counts(on), { 'powered on': 4, 'powered off': 3, inspected: 1, wiped: 1, deployed: 1, configured: 0 });
  assert.equal([running, power], [`instance ${on.image.url}`, 'power on']);
  assert.equal([disk?.image, disk?.checksum, disk?.instance], [on.image.url, on.image.sha256, instance]);
  assert.equal(disk?.configDrive, { user_data: 'x' });
  const written = events.find(({ what }) => what === 'deployed');
  assert.equal([written?.node, written?.of, written?.at], [uuid, on.image.url, disk?.at]);
  assert.ok((written?.at ?? 0) < on.clock.now());
});

test('the database is lost: machines run on, and a new node adopts one without touching it', async () => {
  const on = openSimulated();
  const before = await deployed(on);
  const { disk, counts: were } = on.ironic.machine('bm1');
  on.ironic.forget();
  assert.is((await on.ask(`GET /v1/nodes/${before}`)).status, 404);
  assert.equal(objectOf(await on.ask('GET /v1/ports'))['ports'], []);
  const uuid = await ready(on);
  assert.is.not(uuid, before);
  const { node, states } = await provision(on, uuid, 'adopt');
  assert.equal([states.join(' > '), node['power_state']], ['adopting > active', 'power on']);
  assert.equal([on.ironic.machine('bm1').disk, counts(on)], [disk, were]);
});

test('what a conductor is in the midst of when it ends fails; what waits for an agent goes on', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await put(on, uuid, 'provision', { target: 'inspect' });
  on.ironic.restart();
  const broken = await follow(on, uuid);
  assert.equal([broken.node['provision_state'], broken.node['reservation']], ['inspect failed', null]);
  const text = "The inspecting state can't be resumed by conductor conductor0. Moving to fail state.";
  assert.is(broken.node['last_error'], text);
  await put(on, uuid, 'provision', { target: 'inspect' });
  await follow(on, uuid, 'inspect wait');
  on.ironic.restart();
  assert.is((await follow(on, uuid)).node['provision_state'], 'manageable');
});

test('a BMC that is away when a deployment begins, and back when the machine is booted, keeps nothing from being written', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await provision(on, uuid, 'provide');
  await withImage(on, uuid);
  on.ironic.behave('bm1', { bmc: 'unreachable' });
  await put(on, uuid, 'provision', { target: 'active' });
  on.clock.advance(TIMES.bmcMs);
  on.ironic.behave('bm1', {});
  on.clock.advance(HOUR_MS);
  assert.is(on.ironic.node(uuid)?.['provision_state'], 'active');
  assert.is(on.ironic.machine('bm1').disk?.image, on.image.url);
});

test('a conductor that holds a node keeps everybody else from it, and lets what is under way go on', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  on.ironic.hold(uuid);
  const path = `/v1/nodes/${uuid}`;
  const refused = [
    await on.ask(`PATCH ${path}`, [{ op: 'add', path: '/extra/x', value: 1 }]),
    await on.ask(`DELETE ${path}`),
    await put(on, uuid, 'provision', { target: 'provide' }),
    await put(on, uuid, 'power', { target: 'power on' }),
    await on.ask(`PUT ${path}/maintenance`, {}),
  ];
  assert.equal(
    refused.map(({ status }) => status),
    [409, 409, 409, 409, 409],
  );
  assert.is(objectOf(await on.ask(`GET ${path}`))['reservation'], 'conductor0');
  on.ironic.release(uuid);
  assert.is((await put(on, uuid, 'provision', { target: 'provide' })).status, 202);
  await follow(on, uuid, 'clean wait');
  on.ironic.hold(uuid);
  on.clock.advance(HOUR_MS / 60);
  assert.is(objectOf(await on.ask(`GET ${path}`))['reservation'], 'conductor0');
  on.ironic.release(uuid);
  assert.equal([(await follow(on, uuid)).node['provision_state'], counts(on).wiped], ['available', 1]);
});

test('an agent that never calls is given up after the time-out, in each state that waits for it', async () => {
  for (const [target, state, text] of [
    ['inspect', 'inspect failed', 'Timeout reached while inspecting the node.'],
    ['provide', 'clean failed', 'Timeout reached while cleaning the node.'],
    ['active', 'deploy failed', 'Timeout reached while waiting for callback for node'],
  ] as const) {
    const on = openSimulated();
    const uuid = await ready(on);
    if (target === 'active') await provision(on, uuid, 'provide');
    await withImage(on, uuid);
    await on.behave(1, { agent: 'never' });
    await put(on, uuid, 'provision', { target });
    on.clock.advance(HOUR_MS / 2);
    const node = objectOf(await on.ask(`GET /v1/nodes/${uuid}`));
    assert.is(
      node['provision_state'],
      target === 'inspect' ? 'inspect wait' : target === 'active' ? 'wait call-back' : 'clean wait',
    );
    // Before power is looked at again, which wipes what was said.
    on.clock.advance(20_000);
    const failed = await follow(on, uuid);
    assert.is(failed.node['provision_state'], state);
    assert.ok(String(failed.node['last_error']).startsWith(text), String(failed.node['last_error']));
    assert.is(failed.node['maintenance'], false);
  }
});

test('a node without a port is found by no agent', async () => {
  const on = openSimulated();
  const uuid = await enrol(on, { name: 'n', driver: 'redfish', driver_info: on.driverInfo(1) });
  await provision(on, uuid, 'manage');
  await put(on, uuid, 'provision', { target: 'provide' });
  on.clock.advance(HOUR_MS);
  assert.is((await follow(on, uuid)).node['provision_state'], 'clean failed');
  assert.is(counts(on).wiped, 0);
});

test('waits are aborted: cleaning fails without maintenance, a step that cannot be interrupted is done first', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await put(on, uuid, 'provision', { target: 'provide' });
  await follow(on, uuid, 'clean wait');
  const early = await provision(on, uuid, 'abort');
  const { last_error: error, maintenance, power_state: power } = early.node;
  assert.equal(
    [early.node['provision_state'], error, maintenance, power],
    ['clean failed', 'By request, the clean operation was aborted', false, 'power off'],
  );
  assert.is(counts(on).wiped, 0);
  await provision(on, uuid, 'manage');
  const settings = [{ name: 'ProcTurboMode', value: 'Disabled' }];
  await put(on, uuid, 'provision', {
    target: 'clean',
    clean_steps: [
      { interface: 'bios', step: 'apply_configuration', args: { settings } },
      { interface: 'deploy', step: 'erase_devices' },
    ],
  });
  on.clock.advance(10_000);
  const during = objectOf(await on.ask(`GET /v1/nodes/${uuid}`));
  assert.equal([during['provision_state'], during['target_provision_state']], ['clean wait', 'manageable']);
  assert.is((during['clean_step'] as JsonObject)['step'], 'apply_configuration');
  assert.is((await put(on, uuid, 'provision', { target: 'abort' })).status, 202);
  const late = await follow(on, uuid);
  const after = ' during or after the completion of step "bios.apply_configuration"';
  assert.is(late.node['last_error'], `By request, the clean operation was aborted${after}`);
  assert.equal([counts(on).configured, counts(on).wiped], [1, 0]);
});

test('a deployment is aborted from version 1.110 on, an inspection from 1.41 on', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await put(on, uuid, 'provision', { target: 'inspect' });
  await follow(on, uuid, 'inspect wait');
  assert.is((await put(on, uuid, 'provision', { target: 'abort' }, '1.40')).status, 406);
  await provision(on, uuid, 'abort');
  await provision(on, uuid, 'manage');
  await provision(on, uuid, 'provide');
  await withImage(on, uuid);
  await put(on, uuid, 'provision', { target: 'active' });
  await follow(on, uuid, 'wait call-back');
  assert.is((await put(on, uuid, 'provision', { target: 'abort' }, '1.109')).status, 406);
  assert.is((await put(on, uuid, 'provision', { target: 'abort' }, '1.110')).status, 202);
  const { node } = await follow(on, uuid);
  assert.equal(
    [node['provision_state'], node['last_error']],
    ['deploy failed', 'By request, the deploy operation was aborted'],
  );
  assert.is(counts(on).deployed, 0);
});

test('steps change BIOS, firmware and RAID, and a step that is not known is refused by cleaning', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const path = `/v1/nodes/${uuid}`;
  const disks = { logical_disks: [{ size_gb: 'MAX', raid_level: '1' }] };
  assert.is((await on.ask(`PUT ${path}/states/raid`, disks)).status, 204);
  const { node } = await provision(on, uuid, 'clean', {
    clean_steps: [
      { interface: 'raid', step: 'delete_configuration' },
      { interface: 'raid', step: 'create_configuration' },
      { interface: 'bios', step: 'apply_configuration', args: { settings: [{ name: 'NumCores', value: 8 }] } },
      { interface: 'firmware', step: 'update', args: { settings: [{ component: 'bmc', url: 'http://x/2.01' }] } },
    ],
  });
  assert.is(node['provision_state'], 'manageable', String(node['last_error']));
  assert.equal((node['raid_config'] as JsonObject)['logical_disks'], disks.logical_disks);
  const bios = objectOf(await on.ask(`GET ${path}/bios`))['bios'] as readonly JsonObject[];
  assert.is(bios.find(({ name }) => name === 'NumCores')?.['value'], '8');
  const firmware = objectOf(await on.ask(`GET ${path}/firmware`))['firmware'] as readonly JsonObject[];
  assert.is(firmware.find(({ component }) => component === 'bmc')?.['current_version'], '2.01');
  const unknown = await provision(on, uuid, 'clean', { clean_steps: [{ interface: 'deploy', step: 'nothing' }] });
  assert.equal([unknown.node['provision_state'], unknown.node['maintenance']], ['clean failed', false]);
  assert.match(String(unknown.node['last_error']), /node does not support this clean step/);
});

test('fake hardware refuses to be cleaned by a step that it does not know, and fails when it is to serve by one', async () => {
  const on = openSimulated();
  const uuid = await enrol(on, { name: 'n', driver: 'fake-hardware' });
  await provision(on, uuid, 'manage');
  const steps = [{ interface: 'deploy', step: 'nothing' }];
  const { node } = await provision(on, uuid, 'clean', { clean_steps: steps });
  assert.equal([node['provision_state'], node['maintenance']], ['clean failed', false]);
  const shown = "{'interface': 'deploy', 'step': 'nothing'}";
  assert.is(node['last_error'], `Cannot clean node ${uuid}: node does not support this clean step: ${shown}`);
  await provision(on, uuid, 'manage');
  await provision(on, uuid, 'adopt');
  const { node: served } = await provision(on, uuid, 'service', { service_steps: steps });
  assert.equal([served['provision_state'], served['fault']], ['service failed', 'service failure']);
  assert.ok(String(served['last_error']).startsWith(`Node ${uuid} failed step ${shown}: `));
});

test('a node in maintenance is cleaned on the way to use all the same', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await on.ask(`PUT /v1/nodes/${uuid}/maintenance`, {});
  assert.equal([(await provision(on, uuid, 'provide')).node['provision_state'], counts(on).wiped], ['available', 1]);
});

test('while cleaning is asked for, the node is on its way to where it was', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const clean_steps = [{ interface: 'deploy', step: 'burnin_memory' }];
  await put(on, uuid, 'provision', { target: 'clean', clean_steps });
  assert.equal(
    [on.ironic.node(uuid)?.['provision_state'], on.ironic.node(uuid)?.['target_provision_state']],
    ['cleaning', 'manageable'],
  );
  await follow(on, uuid);
  await put(on, uuid, 'provision', { target: 'provide' });
  assert.is(on.ironic.node(uuid)?.['target_provision_state'], 'available');
});

test('in the midst of something an instance may be taken from a node in maintenance, and nothing else changed', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const path = `/v1/nodes/${uuid}`;
  const instance = '21111111-1111-4111-8111-111111111111';
  await on.ask(`PATCH ${path}`, [{ op: 'add', path: '/instance_uuid', value: instance }]);
  await put(on, uuid, 'provision', { target: 'provide' });
  await follow(on, uuid, 'clean wait');
  const free = [{ op: 'remove', path: '/instance_uuid' }];
  const refused = await on.ask(`PATCH ${path}`, free);
  const text = `Node ${uuid} can not be updated while a state transition is in progress.`;
  assert.equal([refused.status, faultOf(refused)], [409, text]);
  await on.ask(`PUT ${path}/maintenance`, {});
  assert.is((await on.ask(`PATCH ${path}`, [{ op: 'add', path: '/extra/x', value: 1 }])).status, 409);
  assert.is((await on.ask(`PATCH ${path}`, free)).status, 200);
});

test('with a node go its ports, and no others', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const other = await enrol(on, { name: 'other', driver: 'fake-hardware' });
  await on.ask('POST /v1/ports', { node_uuid: other, address: '52:54:00:00:0f:01' });
  assert.is((await on.ask(`DELETE /v1/nodes/${uuid}`)).status, 204);
  const left = objectOf(await on.ask('GET /v1/ports'))['ports'] as readonly JsonObject[];
  assert.equal(
    left.map(({ address }) => address),
    ['52:54:00:00:0f:01'],
  );
});

test('old versions know neither the state available nor service', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await provision(on, uuid, 'provide');
  assert.is(objectOf(await on.ask(`GET /v1/nodes/${uuid}`, undefined, '1.1'))['provision_state'], null);
  await withImage(on, uuid);
  await provision(on, uuid, 'active');
  const service_steps = [{ interface: 'deploy', step: 'burnin_memory' }];
  assert.is((await put(on, uuid, 'provision', { target: 'service', service_steps }, '1.86')).status, 406);
  assert.is((await put(on, uuid, 'provision', { target: 'service', service_steps }, '1.87')).status, 202);
});

test('service that fails puts the node into maintenance; without that it is aborted back into use', async () => {
  const on = openSimulated();
  const uuid = await deployed(on);
  await on.behave(1, { failingSteps: { burnin_memory: 'bad memory' } });
  const { node } = await provision(on, uuid, 'service', {
    service_steps: [{ interface: 'deploy', step: 'burnin_memory' }],
  });
  const text = `Service step deploy.burnin_memory failed on node ${uuid}. bad memory`;
  assert.equal(
    [node['provision_state'], node['fault'], node['maintenance'], node['last_error']],
    ['service failed', 'service failure', true, text],
  );
  const held = await put(on, uuid, 'provision', { target: 'abort' });
  assert.is(held.status, 409);
  await on.ask(`DELETE /v1/nodes/${uuid}/maintenance`);
  assert.is((await provision(on, uuid, 'abort')).node['provision_state'], 'active');
  assert.is((await on.look(1)).running, 'instance instance.raw');
  assert.equal([counts(on).wiped, counts(on).deployed], [1, 1]);
});

test('power: soft ones may be ignored or unknown, a BMC may refuse, and what is there already is done at once', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const power = async (target: string, more: JsonObject = {}): Promise<JsonObject> => {
    const answer = await put(on, uuid, 'power', { target, ...more });
    assert.is(answer.status, 202, JSON.stringify(answer.body));
    on.clock.advance(5_000);
    return objectOf(await on.ask(`GET /v1/nodes/${uuid}`));
  };
  assert.is((await power('power on'))['power_state'], 'power on');
  on.ironic.behave('bm1', { softPowerOff: 'unsupported' });
  const refused = await put(on, uuid, 'power', { target: 'soft power off' });
  assert.equal(
    [refused.status, faultOf(refused)],
    [400, 'The driver redfish does not support the power state, soft power off'],
  );
  on.ironic.behave('bm1', { softPowerOff: 'ignored' });
  const waits = await power('soft power off', { timeout: 180 });
  assert.equal([waits['power_state'], waits['target_power_state']], ['power on', 'power off']);
  on.clock.advance(180_000);
  const ignored = objectOf(await on.ask(`GET /v1/nodes/${uuid}`));
  assert.equal([ignored['power_state'], ignored['target_power_state']], ['power on', null]);
  const text =
    "Failed to change power state to 'power off' by 'soft power off': Failed to set node power state to soft power off.";
  assert.is(ignored['last_error'], text);
  on.ironic.behave('bm1', { powerError: 'no permission' });
  assert.is(
    (await power('power off'))['last_error'],
    "Failed to change power state to 'power off' by 'power off': no permission",
  );
  on.ironic.behave('bm1', {});
  assert.equal([(await power('power off'))['power_state'], counts(on)['powered off']], ['power off', 1]);
  await power('power off');
  assert.is(counts(on)['powered off'], 1);
  await power('rebooting');
  assert.equal([counts(on)['powered on'], counts(on)['powered off']], [2, 1]);
});

test('power is looked at once a minute: set right, or given up after some failures, and found again', async () => {
  const on = openSimulated();
  const uuid = await deployed(on);
  on.ironic.press('bm1', 'power off');
  on.clock.advance(60_000);
  assert.equal(
    [on.ironic.machine('bm1').power, on.ironic.machine('bm1').running],
    ['power on', `instance ${on.image.url}`],
  );
  await on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/disable_power_off', value: true }]);
  on.ironic.press('bm1', 'power off');
  on.clock.advance(60_000);
  assert.is(on.ironic.node(uuid)?.['power_state'], 'power off');
  on.ironic.behave('bm1', { bmc: 'unreachable' });
  on.clock.advance(180_000);
  assert.is(on.ironic.node(uuid)?.['maintenance'], false);
  on.clock.advance(60_000);
  const lost = on.ironic.node(uuid);
  assert.equal([lost?.['maintenance'], lost?.['fault'], lost?.['power_state']], [true, 'power failure', null]);
  on.ironic.behave('bm1', {});
  on.clock.advance(300_000);
  const found = on.ironic.node(uuid);
  assert.equal([found?.['maintenance'], found?.['fault'], found?.['power_state']], [false, null, 'power off']);
});

test('power is not looked at in enroll: what was said stays', async () => {
  const on = openSimulated();
  const info = { ...on.driverInfo(1), redfish_password: 'wrong' };
  const uuid = await enrol(on, { name: 'n', driver: 'redfish', driver_info: info });
  const { node } = await provision(on, uuid, 'manage');
  on.clock.advance(HOUR_MS);
  const later = on.ironic.node(uuid);
  assert.equal([later?.['last_error'], later?.['maintenance']], [node['last_error'], false]);
});

test('a look at power that finds all as it was wipes what was said of a failure; the history keeps it', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  await on.behave(1, { inspectionError: 'no disks found' });
  const { node } = await provision(on, uuid, 'inspect');
  assert.match(String(node['last_error']), /no disks found$/);
  on.clock.advance(60_000);
  assert.is(on.ironic.node(uuid)?.['last_error'], null);
  const history = objectOf(await on.ask(`GET /v1/nodes/${uuid}/history`))['history'] as readonly JsonObject[];
  assert.equal(
    history.map(({ event }) => event),
    [node['last_error']],
  );
});

test('a machine that must not be off is never switched off, and its health is shown from 1.109 on', async () => {
  const on = openSimulated();
  const uuid = await ready(on, { disable_power_off: true });
  await put(on, uuid, 'power', { target: 'rebooting' });
  await follow(on, uuid);
  on.clock.advance(5_000);
  const { node } = await provision(on, uuid, 'provide');
  assert.equal([node['power_state'], on.ironic.machine('bm1').power], ['power on', 'power on']);
  on.ironic.behave('bm1', { health: 'Critical' });
  on.clock.advance(60_000);
  const shown = async (version: string) =>
    objectOf(await on.ask(`GET /v1/nodes/${uuid}`, undefined, version))['health'];
  assert.equal([await shown('1.108'), await shown('1.109')], [undefined, 'Critical']);
});

test('a machine at an address with others is the one that is named; without a name only where it is alone', async () => {
  const on = openSimulated();
  const { redfish_system_id: _, ...info } = on.driverInfo(1);
  const uuid = await enrol(on, { name: 'n', driver: 'redfish', driver_info: info });
  const several = await provision(on, uuid, 'manage');
  assert.match(String(several.node['last_error']), /System count is not exactly one$/);
  const set = (value: string) =>
    on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/driver_info/redfish_address', value }]);
  await set('http://alone.test/');
  const nobody = await provision(on, uuid, 'manage');
  assert.match(String(nobody.node['last_error']), /Unable to connect to http:\/\/alone\.test\/redfish\/v1\//);
  on.ironic.addMachine({ name: 'alone', address: 'http://alone.test', systemId: '/redfish/v1/Systems/1', macs: [] });
  assert.is((await provision(on, uuid, 'manage')).node['provision_state'], 'manageable');
});

test('a live image runs without a disk being written, and a custom deployment does its own steps', async () => {
  const on = openSimulated();
  const uuid = await ready(on, { deploy_interface: 'ramdisk' });
  await provision(on, uuid, 'provide');
  const problem = await put(on, uuid, 'provision', { target: 'active' });
  assert.is(problem.status, 400);
  assert.match(faultOf(problem), `Failed to validate deploy or power info for node ${uuid}. Error: `);
  await on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/instance_info/boot_iso', value: 'http://x/live.iso' }]);
  await provision(on, uuid, 'active');
  assert.equal([(await on.look(1)).running, on.ironic.machine('bm1').disk], ['media http://x/live.iso', null]);
  await provision(on, uuid, 'deleted');
  await on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/deploy_interface', value: 'custom-agent' }]);
  const step = { interface: 'deploy', step: 'install_coreos', args: {}, priority: 80 };
  await on.behave(1, { failingSteps: { install_coreos: 'no space' } });
  const failed = await provision(on, uuid, 'active', { deploy_steps: [step] });
  assert.is(failed.node['provision_state'], 'deploy failed');
  await on.behave(1, {});
  const made = await provision(on, uuid, 'active', { deploy_steps: [step] });
  assert.equal([made.node['provision_state'], on.ironic.machine('bm1').disk?.image], ['active', 'install_coreos']);
});

test('a node that is not to be cleaned keeps what is on its disk', async () => {
  const on = openSimulated();
  const uuid = await deployed(on, { automated_clean: false });
  assert.equal([counts(on).wiped, counts(on).deployed], [0, 1]);
  const { states } = await provision(on, uuid, 'deleted');
  assert.is(states.join(' > '), 'deleting > cleaning > available');
  assert.equal([counts(on).wiped, on.ironic.machine('bm1').disk?.image], [0, on.image.url]);
});

test('things take about as long as they were measured to', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  for (const [target, measuredMs] of [
    ['inspect', 10_400],
    ['provide', 11_900],
    ['active', 11_000],
    ['deleted', 15_000],
  ] as const) {
    if (target === 'active') await withImage(on, uuid);
    const began = on.clock.now();
    await provision(on, uuid, target);
    const tookMs = on.clock.now() - began;
    assert.ok(Math.abs(tookMs - measuredMs) < 0.15 * measuredMs, `${target} took ${tookMs} ms`);
  }
});

test('a machine that is slow takes as many times as long', async () => {
  const lasts = async (slowness: number): Promise<number> => {
    const on = openSimulated();
    const uuid = await ready(on);
    on.ironic.behave('bm1', { slowness });
    const began = on.clock.now();
    await provision(on, uuid, 'provide');
    return on.clock.now() - began;
  };
  const [usual, slow] = [await lasts(1), await lasts(3)];
  assert.ok(slow > 2.9 * usual && slow < 3.1 * usual, `${usual} ms, ${slow} ms`);
});

test('a server that knows less says so, and has less', async () => {
  const on = openSimulated({ maxMinor: 82 });
  const version = objectOf(await on.ask('GET /v1', undefined, null))['version'] as JsonObject;
  assert.is(version['version'], '1.82');
  assert.is((await on.ask('GET /v1/nodes', undefined, '1.89')).status, 406);
  assert.is((await on.ask('GET /v1/nodes', undefined, '1.82')).status, 200);
  on.ironic.setMaxMinor(115);
  assert.is((await on.ask('GET /v1/nodes', undefined, '1.115')).status, 200);
});

test('basic authentication is asked for below the version documents', async () => {
  const on = openSimulated({ credentials: { username: 'admin', password: 'secret' } });
  assert.is((await on.ask('GET /v1')).status, 200);
  assert.is((await on.ask('GET /v1/nodes')).status, 401);
  const withPassword = (password: string): number => {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    return on.ironic.handle({ method: 'GET', url: '/v1/nodes', headers: { authorization }, body: '' }).status;
  };
  assert.equal([withPassword('wrong'), withPassword('secret')], [401, 200]);
});

test('IPMI machines are found by host and port, and a wrong password is told without being named', async () => {
  const on = openSimulated();
  on.ironic.addMachine({ name: 'old', address: '192.0.2.7', systemId: '6230', macs: [], password: 'hidden-word' });
  const info = { ipmi_address: '192.0.2.7', ipmi_port: '6230', ipmi_username: 'admin', ipmi_password: 'other-word' };
  const uuid = await enrol(on, { name: 'ipmi', driver: 'ipmi', driver_info: info });
  const wrong = await provision(on, uuid, 'manage');
  assert.equal([wrong.node['provision_state'], wrong.node['raid_interface']], ['enroll', 'no-raid']);
  assert.not.match(JSON.stringify(wrong.node), /-word/);
  on.ironic.setPassword('old', 'other-word');
  assert.is((await provision(on, uuid, 'manage')).node['provision_state'], 'manageable');
});

test('event subscriptions are made and ended', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const path = `/v1/nodes/${uuid}/vendor_passthru`;
  const body = { Destination: 'https://x/y', Context: 'c', HttpHeaders: [{ a: 'b' }] };
  const made = await on.ask(`POST ${path}?method=create_subscription`, body);
  assert.is(made.status, 200);
  assert.is(on.ironic.machine('bm1').subscriptions.length, 1);
  const { Id: id = '' } = objectOf(made);
  const listed = await on.ask(`GET ${path}?method=get_all_subscriptions`);
  assert.equal(objectOf(listed)['Members'], [{ '@odata.id': `/redfish/v1/EventService/Subscriptions/${id}` }]);
  const shown = objectOf(await on.ask(`GET ${path}?method=get_subscription`, { id }));
  assert.equal([shown['Destination'], shown['Context'], 'HttpHeaders' in shown], ['https://x/y', 'c', false]);
  assert.is((await on.ask(`GET ${path}?method=get_subscription`, { id: 'none' })).status, 500);
  assert.is((await on.ask(`DELETE ${path}?method=delete_subscription`, { id })).status, 204);
  assert.is((await on.ask(`DELETE ${path}?method=delete_subscription`, { id })).status, 500);
  assert.equal(on.ironic.machine('bm1').subscriptions, []);
});

test('members named like those of every object are members like others', async () => {
  const on = openSimulated();
  const uuid = await ready(on);
  const patch =
    '[{"op":"add","path":"/extra/__proto__","value":{"polluted":true}},{"op":"add","path":"/extra/constructor","value":1}]';
  const headers = { 'x-openstack-ironic-api-version': '1.95' };
  const reply = on.ironic.handle({ method: 'PATCH', url: `/v1/nodes/${uuid}`, headers, body: patch });
  assert.is(reply.status, 200);
  assert.is(JSON.stringify((reply.body as JsonObject)['extra']), '{"__proto__":{"polluted":true},"constructor":1}');
  assert.is(({} as Record<string, unknown>)['polluted'], undefined);
  for (const target of ['constructor', '__proto__', 'toString']) {
    assert.is((await put(on, uuid, 'provision', { target })).status, 400);
  }
  assert.is((await on.ask('GET /v1/nodes/constructor')).status, 404);
});

test('validation says what a driver lacks, in each interface that lacks it', async () => {
  const on = openSimulated();
  const uuid = await enrol(on, { name: 'n', driver: 'redfish', driver_info: {} });
  const lacking = objectOf(await on.ask(`GET /v1/nodes/${uuid}/validate`)) as Record<string, JsonObject>;
  const results = Object.entries(lacking).filter(([, { result }]) => result === false);
  assert.equal(
    results.map(([name]) => name),
    ['boot', 'deploy', 'management', 'power', 'console', 'rescue'],
  );
  assert.match(String(lacking['boot']?.['reason']), 'redfish_address');
  assert.match(String(lacking['deploy']?.['reason']), 'instance_info.image_source');
  const set = (value: JsonObject) => on.ask(`PATCH /v1/nodes/${uuid}`, [{ op: 'add', path: '/instance_info', value }]);
  const deploy = async () =>
    (objectOf(await on.ask(`GET /v1/nodes/${uuid}/validate`))['deploy'] as JsonObject)['result'];
  await set({ image_source: 'http://x' });
  assert.is(await deploy(), false);
  await set({ image_source: 'http://x', image_checksum: '0'.repeat(64) });
  assert.is(await deploy(), true);
  await set({ image_source: 'oci://x/y:z' });
  assert.is(await deploy(), true);
});

test('a list is cut by the greatest page that the server allows', async () => {
  const on = openSimulated({ maxLimit: 2 });
  for (const number of [1, 2, 3]) await enrol(on, { name: `p${number}`, driver: 'fake-hardware' });
  const first = objectOf(await on.ask('GET /v1/nodes?limit=100&fields=name'));
  assert.is((first['nodes'] as readonly JsonObject[]).length, 2);
  assert.match(String(first['next']), /^http:\/\/ironic\.test\/v1\/nodes\?.*fields=name&limit=2&marker=/);
  const rest = objectOf(await on.ask(`GET ${String(first['next']).slice('http://ironic.test'.length)}`));
  assert.equal([(rest['nodes'] as readonly JsonObject[]).length, rest['next']], [1, undefined]);
});

test.run();
