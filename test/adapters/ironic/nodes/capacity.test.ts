// Capacity (13.12): who takes part of it, and what it means for a host.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { awaitCapacity, busyNodes, type CapacityInput } from '../../../../adapters/ironic/nodes/capacity.ts';
import { ProvisionState } from '../../../../adapters/ironic/nodes/states.ts';
import { driverNamed, hostIn, notesOf, told, UUID } from './scene.ts';

const test = suite('capacity');

function stepOf(more: Partial<CapacityInput> = {}) {
  return awaitCapacity({ host: hostIn('inspecting'), facts: {}, driver: driverNamed('redfish'), limit: 2, ...more });
}

const busy = (name: string | null, uuid = name) => ({
  uuid,
  name,
  provision_state: 'cleaning',
  boot_interface: 'ipxe',
});

test('a driver that boots an ISO needs none', () => {
  assert.is(told(stepOf({ driver: driverNamed('redfish-virtualmedia'), limit: 0 })), 'done');
});

test('all nodes are listed otherwise', () => {
  assert.is(told(stepOf()), 'GET /v1/nodes?fields=uuid,name,provision_state,boot_interface; then onward');
});

const ROWS = [
  ['nobody is busy', [], 'done'],
  ['there is room', [busy('a')], 'done'],
  ['there is none', [busy('a'), busy('b')], 'wait delayed'],
  ['there is none, of which it has a part', [busy('a'), busy('ns~one')], 'done'],
  ['there is none, of which it has a part by its UUID', [busy('a'), busy(null, UUID)], 'done'],
  ['names count once', [busy('a', '1'), busy('a', '2')], 'done'],
  ['nodes without a name count one by one', [busy(null, '1'), busy(null, '2')], 'wait delayed'],
] as const;
for (const [title, nodes, expected] of ROWS) {
  test(title, () => assert.is(told(stepOf({ facts: { nodes } })), expected));
}

test('a host that has to wait is delayed', () => {
  assert.equal(notesOf(stepOf({ facts: { nodes: [busy('a'), busy('b')] } })), {
    status: { operationalStatus: 'delayed' },
  });
});

const BUSY: readonly string[] = [
  'cleaning',
  'clean wait',
  'inspecting',
  'inspect wait',
  'deploying',
  'wait call-back',
  'deleting',
];
for (const state of Object.values(ProvisionState)) {
  const isBusy = BUSY.includes(state);
  test(`a node that is ${state} is ${isBusy ? '' : 'not '}busy`, () => {
    assert.is(busyNodes([{ name: 'a', provision_state: state, boot_interface: 'ipxe' }]).has('a'), isBusy);
  });
}

test('virtual media take nothing of it', () => {
  const nodes = ['redfish-virtual-media', 'idrac-redfish-virtual-media'].map((boot_interface) => ({
    ...busy('a'),
    boot_interface,
  }));
  assert.is(busyNodes(nodes).size, 0);
  assert.is(busyNodes([{ ...busy('a'), boot_interface: 'redfish-https' }]).size, 1);
  assert.is(busyNodes([{ ...busy('a'), boot_interface: null }]).size, 1);
});

test.run();
