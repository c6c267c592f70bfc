// The sequences that were measured on the real Ironic, whoever plays it: states passed through, codes and texts.
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../bus/json.ts';
import { sideBySide } from '../../../side-by-side.ts';
import { assertPassed, enrol, faultOf, follow, type OpenIronic, objectOf, provision, remove } from './open.ts';

const CLEANING = 'cleaning > clean wait > cleaning > clean wait > cleaning';
const DEPLOYING = 'deploying > wait call-back > deploying > wait call-back > deploying';

/** The suite of one implementation; the caller runs it. @param atOnce  so many sequences at a time: each has a machine of its own */
export function sequencesSuite(name: string, open: () => Promise<OpenIronic>, atOnce = 1): Test {
  const all = sideBySide(suite(name), atOnce);

  /** A node with an agent on machine `number`. */
  const agentNode = async (on: OpenIronic, number: number): Promise<{ uuid: string; path: string; name: string }> => {
    await on.behave(number, {});
    const nodeName = `troupe-agent-${number}`;
    const uuid = await enrol(on, {
      name: nodeName,
      driver: 'redfish',
      driver_info: on.driverInfo(number),
      inspect_interface: 'agent',
    });
    assertPassed(on, await provision(on, uuid, 'manage'), 'verifying > manageable');
    return { uuid, path: `/v1/nodes/${uuid}`, name: nodeName };
  };
  const setImage = async (on: OpenIronic, path: string, url: string, sha256: string): Promise<void> => {
    const fields = {
      image_source: url,
      image_os_hash_algo: 'sha256',
      image_os_hash_value: sha256,
      image_disk_format: 'raw',
    };
    const patch = Object.entries(fields).map(([key, value]) => ({ op: 'add', path: `/instance_info/${key}`, value }));
    assert.is((await on.ask(`PATCH ${path}`, patch)).status, 200);
  };

  all('fake hardware goes through every state', async () => {
    const on = await open();
    const uuid = await enrol(on, { name: 'troupe-fake', driver: 'fake-hardware', resource_class: 'baremetal' });
    const path = `/v1/nodes/${uuid}`;
    const ends = async (target: string, state: string, more: JsonObject = {}): Promise<void> => {
      const { node } = await provision(on, uuid, target, more);
      assert.is(node['provision_state'], state, String(node['last_error']));
      assert.is(node['target_provision_state'], null);
    };
    await ends('manage', 'manageable');
    await ends('inspect', 'manageable');
    const inventory = await on.ask(`GET ${path}/inventory`);
    assert.is(inventory.status, 404);
    assert.match(faultOf(inventory), /^Node inventory record for node \d+ could not be found\.$/);
    const settings = [{ name: 'setting1', value: 'on' }];
    const steps = [{ interface: 'bios', step: 'apply_configuration', args: { settings } }];
    await ends('clean', 'manageable', { clean_steps: steps });
    const early = await on.ask(`PUT ${path}/states/provision`, { target: 'active' });
    assert.is(early.status, 400);
    const what = `The requested action "active" can not be performed on node "${uuid}" while it is in state "manageable".`;
    assert.is(faultOf(early), what);
    const { node } = await provision(on, uuid, 'clean', { clean_steps: [{ interface: 'deploy', step: 'nothing' }] });
    const shown = "{'interface': 'deploy', 'step': 'nothing'}";
    const text = `Cannot clean node ${uuid}: node does not support this clean step: ${shown}`;
    assert.equal(
      [node['provision_state'], node['last_error'], node['maintenance'], node['target_provision_state']],
      ['clean failed', text, false, 'manageable'],
    );
    await ends('manage', 'manageable');
    await ends('provide', 'available');
    await ends('active', 'active');
    await ends('deleted', 'available');
    await ends('manage', 'manageable');
    await ends('adopt', 'active');
    const refused = await on.ask(`DELETE ${path}`);
    assert.is(refused.status, 409);
    const valid = `"('manageable', 'enroll', 'adopt failed', 'available')"`;
    const inState = `Can not delete node "${uuid}" while it is in provision state "active".`;
    const where = `Valid provision states to perform deletion are: ${valid}, or set the node into maintenance mode`;
    assert.is(faultOf(refused), `${inState} ${where}`);
    assert.is((await on.ask(`PUT ${path}/maintenance`, { reason: 'for the test' })).status, 202);
    assert.is((await on.ask(`DELETE ${path}`)).status, 204);
    assert.is((await on.ask(`GET ${path}`)).status, 404);
  });

  all('a Redfish node is verified, switched, inspected by its BMC, and shows BIOS, firmware and media', async () => {
    const on = await open();
    await on.behave(1, {});
    const info = on.driverInfo(1);
    const uuid = await enrol(on, {
      name: 'troupe-redfish',
      driver: 'redfish',
      driver_info: { ...info, redfish_password: 'wrong' },
      inspect_interface: 'redfish',
    });
    const path = `/v1/nodes/${uuid}`;
    const wrong = await provision(on, uuid, 'manage');
    assertPassed(on, wrong, 'verifying > enroll');
    const error = String(wrong.node['last_error']);
    const url = `${info['redfish_address']}${info['redfish_system_id']}`;
    const prefix = `Failed to get power state for node ${uuid}. Error: Redfish exception occurred. Error:`;
    const denied = `${prefix} HTTP GET ${url} returned code 401. Base.1.0.GeneralError: Incorrect username or password`;
    assert.ok(error.startsWith(denied), error);
    const set = async (key: string, value: string): Promise<void> => {
      const answer = await on.ask(`PATCH ${path}`, [{ op: 'add', path: `/driver_info/${key}`, value }]);
      assert.is(answer.status, 200);
      const shown = objectOf(answer)['driver_info'] as JsonObject;
      assert.is(shown['redfish_password'], '******');
    };
    await set('redfish_password', String(info['redfish_password']));
    await set('redfish_system_id', '/redfish/v1/Systems/nothing');
    const lost = await provision(on, uuid, 'manage');
    assertPassed(on, lost, 'verifying > enroll');
    const nowhere = `Resource ${info['redfish_address']}/redfish/v1/Systems/nothing not found`;
    assert.is(lost.node['last_error'], `${prefix} ${nowhere}`);
    await set('redfish_system_id', String(info['redfish_system_id']));
    const managed = await provision(on, uuid, 'manage');
    assertPassed(on, managed, 'verifying > manageable');
    assert.is(managed.node['last_error'], null);
    assert.match(String(managed.node['power_state']), /^power o/);

    const power = async (target: string, wanted: string): Promise<void> => {
      assert.is((await on.ask(`PUT ${path}/states/power`, { target })).status, 202);
      for (let tries = 0; tries < 500; tries++) {
        const node = objectOf(await on.ask(`GET ${path}`));
        if (node['target_power_state'] === null && node['reservation'] === null) {
          assert.is(node['power_state'], wanted);
          return;
        }
        await on.pause(50);
      }
      assert.unreachable(`${target} was not done`);
    };
    await power('power on', 'power on');
    await power('rebooting', 'power on');
    await power('soft power off', 'power off');

    assertPassed(on, await provision(on, uuid, 'inspect'), 'inspecting > manageable');
    const inventory = objectOf(await on.ask(`GET ${path}/inventory`));
    assert.equal(Object.keys(inventory).sort(), ['inventory', 'plugin_data']);
    const ports = objectOf(await on.ask(`GET ${path}/ports`))['ports'] as readonly JsonObject[];
    assert.equal(ports.map(({ address }) => address).sort(), ['52:54:00:00:01:01', '52:54:00:00:01:02']);
    const bios = objectOf(await on.ask(`GET ${path}/bios?detail=true`))['bios'] as readonly JsonObject[];
    assert.is(bios.length, 7);
    const turbo = bios.find((setting) => setting['name'] === 'ProcTurboMode');
    assert.is(turbo?.['attribute_type'], 'Enumeration');
    const firmware = objectOf(await on.ask(`GET ${path}/firmware`))['firmware'] as readonly JsonObject[];
    assert.equal(
      firmware.map(({ component, current_version: version }) => [component, version]),
      [
        ['bios', '1.0.0'],
        ['bmc', '1.00'],
      ],
    );
    const media = async (): Promise<unknown> =>
      ((await on.ask(`GET ${path}/vmedia`)).body as readonly JsonObject[])[0]?.['inserted'];
    const settled = async (wanted: boolean): Promise<void> => {
      for (let tries = 0; tries < 100 && (await media()) !== wanted; tries++) await on.pause(100);
      assert.is(await media(), wanted);
    };
    assert.is((await on.ask(`POST ${path}/vmedia`, { device_type: 'cdrom', image_url: on.image.url })).status, 204);
    await settled(true);
    assert.is((await on.ask(`DELETE ${path}/vmedia?device_types=cdrom`)).status, 204);
    await settled(false);
    await remove(on, uuid);
  });

  all('an agent inspects, cleans, deploys, serves and is cleaned again', async () => {
    const on = await open();
    const { uuid, path, name: nodeName } = await agentNode(on, 2);
    assertPassed(on, await provision(on, uuid, 'inspect'), 'inspecting > inspect wait > inspecting > manageable');
    const inspected = objectOf(await on.ask(`GET ${path}/inventory`));
    const plugin = inspected['plugin_data'] as JsonObject;
    const nic = (plugin['all_interfaces'] as JsonObject)['eth0'] as JsonObject;
    assert.is(nic['pxe_enabled'], true);
    assertPassed(on, await provision(on, uuid, 'provide'), `${CLEANING} > available`);
    await setImage(on, path, on.image.url, on.image.sha256);
    const validity = objectOf(await on.ask(`GET ${path}/validate`));
    assert.equal([validity['boot'], validity['deploy']], [{ result: true }, { result: true }]);
    const configdrive = { meta_data: { hostname: nodeName }, user_data: '#!/bin/sh\n' };
    const deployed = await provision(on, uuid, 'active', { configdrive });
    assertPassed(on, deployed, `${DEPLOYING} > active`);
    assert.is(deployed.node['power_state'], 'power on');
    assert.equal(await seen(on, 2, 'instance instance.raw'), {
      running: 'instance instance.raw',
      sha256: on.image.sha256,
    });
    const serviced = await provision(on, uuid, 'service', {
      service_steps: [{ interface: 'deploy', step: 'burnin_memory' }],
    });
    assertPassed(on, serviced, 'servicing > service wait > servicing > service wait > servicing > active');
    const deleted = await provision(on, uuid, 'deleted');
    assertPassed(on, deleted, `deleting > ${CLEANING} > available`);
    assert.equal(deleted.node['instance_info'], {});
    assert.is((await on.look(2)).sha256, undefined);
    assertPassed(on, await provision(on, uuid, 'manage'), 'manageable');
    const cleaned = await provision(on, uuid, 'clean', {
      clean_steps: [
        { interface: 'deploy', step: 'erase_devices' },
        { interface: 'deploy', step: 'burnin_memory' },
      ],
    });
    assertPassed(on, cleaned, `${CLEANING} > clean wait > cleaning > manageable`);
    assert.is((await on.ask(`DELETE ${path}`)).status, 204);
  });

  all('what fails says why, where the contract looks for it', async () => {
    const on = await open();
    const { uuid, path } = await agentNode(on, 4);
    await on.behave(4, { inspectionError: 'no disks found' });
    const inspection = await provision(on, uuid, 'inspect');
    assertPassed(on, inspection, 'inspecting > inspect wait > inspecting > inspect failed');
    const reason = 'Failed to inspect hardware. Reason:';
    const hooks = `The following failures happened while running preprocess hooks for node ${uuid}:`;
    const how = `${reason} failed to run inspection hooks: ${reason} ${hooks}`;
    const hook = `Error in preprocess hook ramdisk-error: ${reason} Ramdisk reported error: no disks found`;
    const whole = `Async execution of continue_inspection failed with error: ${how}\n${hook}`;
    assert.is(inspection.node['last_error'], whole);
    await on.behave(4, {});
    const managed = await provision(on, uuid, 'manage');
    assertPassed(on, managed, 'manageable');
    assert.is(managed.node['last_error'], inspection.node['last_error']);

    await on.behave(4, { agent: 'never' });
    assert.is((await on.ask(`PUT ${path}/states/provision`, { target: 'inspect' })).status, 202);
    const waiting = await follow(on, uuid, 'inspect wait');
    assert.is(waiting.node['provision_state'], 'inspect wait');
    assert.is(waiting.node['target_provision_state'], 'manageable');
    const aborted = await provision(on, uuid, 'abort');
    assert.is(aborted.node['provision_state'], 'inspect failed');
    assert.is(aborted.node['last_error'], 'Inspection was aborted by request.');
    await provision(on, uuid, 'manage');

    // Ports are made by inspections that succeed alone.
    await on.behave(4, {});
    for (const nic of [1, 2]) await on.ask('POST /v1/ports', { node_uuid: uuid, address: `52:54:00:00:04:0${nic}` });
    await on.behave(4, { failingSteps: { erase_devices_metadata: 'cannot erase /dev/sda' } });
    const cleaning = await provision(on, uuid, 'provide');
    assertPassed(on, cleaning, `${CLEANING} > clean failed`);
    const { last_error: error, maintenance, fault, target_provision_state: goal } = cleaning.node;
    const failed = `Clean step deploy.erase_devices_metadata failed on node ${uuid}. cannot erase /dev/sda`;
    assert.equal([error, maintenance, fault, goal], [failed, true, 'clean failure', 'available']);
    await on.behave(4, {});
    assert.is((await on.ask(`DELETE ${path}/maintenance`)).status, 202);
    assertPassed(on, await provision(on, uuid, 'manage'), 'manageable');
    assertPassed(on, await provision(on, uuid, 'provide'), `${CLEANING} > available`);

    await setImage(on, path, on.image.url, '0'.repeat(64));
    const spoilt = await provision(on, uuid, 'active');
    assertPassed(on, spoilt, `${DEPLOYING} > deploy failed`);
    assert.is(spoilt.node['last_error'], null);
    const history = objectOf(await on.ask(`GET ${path}/history?detail=true`))['history'] as readonly JsonObject[];
    const said = history.map(({ event }) => String(event));
    const verified = `Deploy step deploy.write_image failed on node ${uuid}. Error verifying image checksum:`;
    assert.ok(
      said.some((event) => event.startsWith(verified)),
      said.join('\n'),
    );
    await setImage(on, path, `${on.image.url}.missing`, '0'.repeat(64));
    const missing = await provision(on, uuid, 'active');
    assertPassed(on, missing, 'deploying > deploy failed');
    const why = 'failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.';
    const validation = `Failed to prepare to deploy: Validation of image href ${on.image.url}.missing ${why}`;
    assert.is(missing.node['last_error'], validation);
    assertPassed(on, await provision(on, uuid, 'deleted'), `deleting > ${CLEANING} > available`);
    assert.is((await on.ask(`DELETE ${path}`)).status, 204);
  });

  all('a node that is held is refused to others, and said to be so', async () => {
    const on = await open();
    const { uuid, path } = await agentNode(on, 3);
    assert.is((await on.ask(`PUT ${path}/states/provision`, { target: 'inspect' })).status, 202);
    const during = await on.ask(`PUT ${path}/states/provision`, { target: 'provide' });
    assert.is(during.status, 409);
    const held = `Node ${uuid} is locked by host conductor0, please retry after the current operation is completed.`;
    assert.is(faultOf(during), held);
    const patched = await on.ask(`PATCH ${path}`, [{ op: 'add', path: '/extra/x', value: 1 }]);
    assert.is(patched.status, 409);
    assert.is(faultOf(patched), `Cannot update node "${uuid}" while it is in state "inspecting".`);
    assert.is((await on.ask(`DELETE ${path}`)).status, 409);
    assert.is((await on.ask(`GET ${path}`)).status, 200);
    const done = await follow(on, uuid);
    assert.is(done.node['provision_state'], 'manageable');
    assert.is((await on.ask(`DELETE ${path}`)).status, 204);
  });
  return all;
}

/** What a machine runs, once it has had time to boot it. */
async function seen(on: OpenIronic, number: number, running: string): ReturnType<OpenIronic['look']> {
  for (let tries = 0; tries < 100 && (await on.look(number)).running !== running; tries++) await on.pause(100);
  return on.look(number);
}
