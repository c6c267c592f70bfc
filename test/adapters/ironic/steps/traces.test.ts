// The traces of section 23, on a model of Ironic: which requests are made, and in which order.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import { Lifecycle } from './host-passes.ts';
import { IronicModel, uuidOfNode } from './model.ts';

const test = suite('traces of a host in Ironic');

const MAC = '52:54:00:00:01:01';
const OTHER_MAC = '52:54:00:00:01:02';

const host: Host = {
  metadata: { name: 'one', namespace: 'ns', uid: 'uid', annotations: {} },
  spec: { online: true, bootMACAddress: MAC, image: { url: 'http://image' } },
  status: { provisioning: { state: 'registering', ID: '', bootMode: 'UEFI' } },
};

const targets = (target: string) => `PUT N1/states/provision {"target":"${target}"}`;
const powers = (body: object) => `PUT N1/states/power ${JSON.stringify(body)}`;

test('a new host with virtual media, inspected by its agent, until it is deleted', () => {
  const life = new Lifecycle(new IronicModel(), host);

  assert.is(life.register().step, 'done');
  assert.equal(life.taken(), [
    'GET ns~one',
    'GET one',
    `GET /v1/ports?address=${MAC}`,
    'POST /v1/nodes',
    `GET /v1/ports?node_uuid=${uuidOfNode(1)}`,
    `GET /v1/ports?address=${MAC}`,
    'POST /v1/ports',
    targets('manage'),
    'GET N1',
    'PATCH N1 add /driver_info/deploy_iso, add /automated_clean',
    'GET N1/firmware',
  ]);

  life.state = 'inspecting';
  assert.is(life.inspect().step, 'done');
  assert.equal(life.taken(), ['GET N1', 'GET N1/inventory', targets('inspect'), 'GET N1', 'GET N1/inventory']);

  life.state = 'preparing';
  life.nics = [{ mac: MAC, pxe: true }, { mac: OTHER_MAC }];
  assert.is(life.prepare(() => false).step, 'done');
  assert.equal(
    life.taken(),
    ['GET N1', `GET /v1/ports?node_uuid=${uuidOfNode(1)}`, `GET /v1/ports?address=${OTHER_MAC}`, 'POST /v1/ports'],
    'nothing to apply; the ports of the NICs that were found',
  );

  life.state = 'available';
  assert.is(life.powerOn().step, 'done');
  assert.equal(life.taken(), ['GET N1', powers({ target: 'power on' }), 'GET N1']);
  assert.is(life.powerOn().step, 'done');
  assert.equal(life.taken(), ['GET N1'], 'nothing else while nothing differs');

  life.state = 'provisioning';
  assert.is(life.provision().step, 'done');
  assert.equal(life.taken(), [
    'GET N1',
    targets('provide'),
    'GET N1',
    'PATCH N1 add /instance_uuid, add /instance_info/image_source',
    'GET N1/validate',
    'PUT N1/states/provision {"target":"active","configdrive":{"meta_data":{"name":"one"}}}',
    'GET N1',
  ]);

  life.state = 'provisioned';
  assert.is(life.adopt().step, 'done');
  assert.is(life.powerOn().step, 'done');
  assert.equal(life.taken(), ['GET N1']);

  life.state = 'deprovisioning';
  assert.is(life.deprovision().step, 'done');
  assert.equal(life.taken(), ['GET N1', targets('deleted'), 'GET N1']);

  life.state = 'powering off before delete';
  assert.is(life.powerOff('hard').step, 'done');
  assert.equal(life.taken(), ['GET N1', powers({ target: 'power off' }), 'GET N1']);

  life.state = 'deleting';
  assert.is(life.remove().step, 'done');
  assert.equal(life.taken(), ['GET N1', 'PATCH N1 remove /instance_uuid', 'DELETE N1', 'GET N1', 'GET ns~one']);

  assert.equal(life.events, [
    'Registered',
    'BMCAccessValidated',
    'InspectionStarted',
    'InspectionComplete',
    'PowerOn',
    'ProvisioningStarted',
    'ProvisioningComplete',
    'DeprovisioningStarted',
    'DeprovisioningComplete',
    'PowerOff',
  ]);
});

test('what is wanted of RAID is applied by manual cleaning, once', () => {
  const life = new Lifecycle(new IronicModel(), host);
  life.register();
  life.taken();
  life.state = 'preparing';
  life.plan = {
    cleanSteps: [{ interface: 'raid', step: 'create_configuration' }],
    logicalDisks: [{ size_gb: 'MAX', raid_level: '1' }],
    raidInterface: 'agent',
  };
  const cleans =
    'PUT N1/states/provision {"target":"clean","clean_steps":[{"interface":"raid","step":"create_configuration"}]}';
  let isUnprepared = true;
  const prepared = life.prepare(() => {
    const was = isUnprepared;
    isUnprepared = false;
    return was;
  });
  assert.is(prepared.step, 'done');
  assert.equal(life.taken(), [
    'GET N1',
    'PATCH N1 add /raid_interface',
    'PUT N1/states/raid {"logical_disks":[{"size_gb":"MAX","raid_level":"1"}]}',
    cleans,
    'GET N1',
  ]);
});

test('Ironic lost its database under a host that runs something', () => {
  const ironic = new IronicModel();
  const life = new Lifecycle(ironic, host);
  life.register();
  life.provision();
  life.taken();
  ironic.nodes.clear();
  ironic.ports.length = 0;

  life.state = 'provisioned';
  assert.is(life.adopt().step, 'done');
  assert.equal(life.taken(), [
    'GET N1',
    'GET ns~one',
    'GET one',
    `GET /v1/ports?address=${MAC}`,
    'POST /v1/nodes',
    `GET /v1/ports?node_uuid=${uuidOfNode(2)}`,
    `GET /v1/ports?address=${MAC}`,
    'POST /v1/ports',
    'PUT N2/states/provision {"target":"manage"}',
    'GET N2',
    'PATCH N2 add /driver_info/deploy_iso, add /automated_clean',
    'GET N2/firmware',
    'PUT N2/states/provision {"target":"adopt"}',
    'GET N2',
  ]);
  assert.is(life.host.status?.provisioning?.ID, uuidOfNode(2));
  assert.is(ironic.nodes.get(uuidOfNode(2))?.['provision_state'], 'active');
});

test('a power cycle', () => {
  const life = new Lifecycle(new IronicModel(), host);
  life.register();
  life.powerOn();
  life.provision();
  life.taken();
  life.state = 'provisioned';
  assert.is(life.powerOff('soft').step, 'done');
  assert.is(life.powerOn().step, 'done');
  assert.equal(life.taken(), [
    'GET N1',
    powers({ target: 'soft power off', timeout: 180 }),
    'GET N1',
    powers({ target: 'power on' }),
    'GET N1',
  ]);
});

test('deleting a host while it is cleaned by hand does not wait for the end of that', () => {
  const ironic = new IronicModel();
  const life = new Lifecycle(ironic, host);
  life.register();
  life.powerOn();
  life.taken();
  const node = ironic.nodes.get(uuidOfNode(1));
  Object.assign(node ?? {}, { provision_state: 'clean wait', target_provision_state: 'manageable' });
  life.state = 'powering off before delete';
  assert.is(life.powerOff('hard').step, 'done');
  assert.equal(life.taken(), ['GET N1', targets('abort'), 'GET N1', powers({ target: 'power off' }), 'GET N1']);
});

test.run();
