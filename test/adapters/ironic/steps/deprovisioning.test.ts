// Deprovisioning (13.7), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { deprovision } from '../../../../adapters/ironic/steps/deprovisioning.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import type { HostStatus } from '../../../../machines/bare-metal-host/host.ts';
import {
  asks,
  FOREIGN,
  failedHost,
  hostIn,
  LEAVES_MAINTENANCE,
  nodeIn,
  notesOf,
  OWN,
  reported,
  UUID,
} from './builders.ts';

const test = suite('deprovisioning of a node');

const host = hostIn('deprovisioning');
const unclean = hostIn('deprovisioning', { spec: { automatedCleaningMode: 'disabled' } });
const again = failedHost('deprovisioning', 'provisioning error');
const broken = { maintenance: true, fault: 'clean failure', last_error: 'the disk is broken' };
const cleans = (value: boolean) =>
  `PATCH N [{"op":"add","path":"/automated_clean","value":${String(value)}}]; then again`;

const ROWS: readonly (readonly [string, Host, IronicNode | null, string])[] = [
  ...['active', 'deploy failed', 'wait call-back'].flatMap((state): [string, Host, IronicNode, string][] => [
    [state, host, nodeIn(state), asks('deleted')],
    [`${state}, cleaning is not wanted`, unclean, nodeIn(state), cleans(false)],
    [`${state}, cleaning is wanted again`, host, nodeIn(state, { automated_clean: false }), cleans(true)],
  ]),
  ['error', host, nodeIn('error', { last_error: 'no agent' }), 'provisioning error: no agent'],
  ['error without a reason', host, nodeIn('error'), 'provisioning error: Deprovisioning failed'],
  ['error, tried anew', again, nodeIn('error'), asks('deleted')],
  ['clean failed', host, nodeIn('clean failed', broken), 'provisioning error: Cleaning failed: the disk is broken'],
  ['clean failed, tried anew', again, nodeIn('clean failed'), asks('manage')],
  ['clean failed, tried anew, in maintenance', again, nodeIn('clean failed', broken), LEAVES_MAINTENANCE],
  ['manageable', host, nodeIn('manageable'), asks('provide')],
  ...['deleting', 'cleaning', 'clean wait', 'deploying'].map((state): [string, Host, IronicNode, string] => [
    state,
    host,
    nodeIn(state),
    'wait long',
  ]),
  ['available', host, nodeIn('available'), 'done'],
  ['there is no node', host, null, 'register'],
];
for (const [title, of, node, expected] of ROWS) {
  test(title, () => assert.is(reported(deprovision({ host: of, node })), expected));
}

const IMAGE = { instance_info: { image_source: 'http://image' } };
const recorded = { provisioning: { image: { url: 'http://image' } } };
const custom = { provisioning: { customDeploy: { method: 'install' } } };

for (const state of ['active', 'deploy failed', 'wait call-back', 'error']) {
  const stepFor = (node: JsonObject, { provisioning }: HostStatus = {}) => {
    const { status, ...of } = again;
    const all = { ...status, provisioning: { ...status?.provisioning, ...provisioning } };
    return reported(deprovision({ host: { ...of, status: all }, node: nodeIn(state, node) }));
  };
  test(`${state}: only what this host deployed is removed (IRONIC-OWNERSHIP-2)`, () => {
    assert.match(stepFor({ instance_uuid: FOREIGN }), /^stuck: .* it is kept; undeploy it in Ironic/);
    assert.match(stepFor({ ...IMAGE, instance_uuid: FOREIGN }), /^stuck: .* did not make .*: it is kept/);
    assert.is(stepFor(IMAGE), asks('deleted'), 'adopted as externally provisioned, which it is no more');
    assert.is(stepFor({ ...IMAGE, instance_uuid: OWN }), asks('deleted'), 'begun by this host, and failed');
    assert.is(stepFor(IMAGE, recorded), asks('deleted'), 'adopted after Ironic had lost it');
    assert.is(stepFor({ ...IMAGE, instance_uuid: FOREIGN }, recorded), asks('deleted'), 'deployed before a move');
    assert.is(stepFor({ instance_uuid: FOREIGN }, custom), asks('deleted'), 'deployed before a move');
  });
}

const UNHANDLED: readonly string[] = [
  'enroll',
  'verifying',
  'inspecting',
  'inspect wait',
  'inspect failed',
  'adopting',
  'adopt failed',
  'servicing',
  'service wait',
  'service failed',
];
test('all states are here', () => {
  const handled = ROWS.flatMap(([, , node]) => (node === null ? [] : [node['provision_state']]));
  assert.equal(new Set([...handled, ...UNHANDLED]), new Set([...handled, ...Object.values(ProvisionState)]));
});
for (const state of [...UNHANDLED, '']) {
  test(`nobody knows what to do in any other state: ${state}`, () => {
    const message = `stuck: deprovisioning cannot continue while node "${UUID}" is in provision state "${state}"`;
    assert.is(reported(deprovision({ host, node: nodeIn(state) })), message);
  });
}

test('the start is told of when it is asked for, and ends the error of the deployment', () => {
  assert.equal(notesOf(deprovision({ host, node: nodeIn('active') })), { events: ['DeprovisioningStarted'] });
  assert.equal(notesOf(deprovision({ host: unclean, node: nodeIn('active') })), {});
  assert.equal(notesOf(deprovision({ host: again, node: nodeIn('deploy failed') })), {
    events: ['DeprovisioningStarted'],
    isErrorOver: true,
  });
});

test('33.D: the start is told of after an error of the node, too', () => {
  const notes = notesOf(deprovision({ host: again, node: nodeIn('error') }));
  assert.equal(notes, { events: ['DeprovisioningStarted'], isErrorOver: true });
});

test('one that is tried anew ends the error when the node goes on, not before', () => {
  assert.equal(notesOf(deprovision({ host: again, node: nodeIn('clean failed') })), { isErrorOver: true });
  assert.equal(notesOf(deprovision({ host: again, node: nodeIn('clean failed', broken) })), {});
});

test('at the end nothing is recorded of what was deployed', () => {
  assert.equal(notesOf(deprovision({ host, node: nodeIn('available') })), {
    events: ['DeprovisioningComplete'],
    unannotate: ['reboot.metal3.io'],
    forget: ['image', 'customDeploy', 'rootDeviceHints', 'softwareRaid'],
  });
});

test.run();
