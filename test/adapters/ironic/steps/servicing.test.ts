// Servicing (13.11), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { type ServicingInput, service } from '../../../../adapters/ironic/steps/servicing.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import { asks, failedHost, hostIn, LEAVES_MAINTENANCE, nodeIn, notesOf, reported, UUID } from './builders.ts';

const test = suite('servicing of a node');

const serviceSteps = [{ interface: 'bios', step: 'apply_configuration' }];
const SERVICES = `PUT N/states/provision {"target":"service","service_steps":${JSON.stringify(serviceSteps)}}; then short`;
const host = hostIn('provisioned', { status: { operationalStatus: 'servicing' } });
const again = hostIn('provisioned', { status: { operationalStatus: 'servicing', errorType: 'servicing error' } });
const failure = nodeIn('service failed', {
  maintenance: true,
  fault: 'service failure',
  last_error: 'no such setting',
});

function stepOf(node: IronicNode | null, more: Partial<ServicingInput> = {}) {
  return service({ host, node, hasChanges: true, isEmptied: false, serviceSteps, ...more });
}

const ROWS: readonly (readonly [string, IronicNode | null, Partial<ServicingInput>, string])[] = [
  ['nothing changed', nodeIn('active'), { host: hostIn('provisioned'), hasChanges: false }, 'done'],
  ['something changed: the status says it first', nodeIn('active'), { host: hostIn('provisioned') }, 'wait now'],
  [
    'it failed before: the status says it first',
    failure,
    { host: failedHost('provisioned', 'servicing error') },
    'wait now',
  ],
  ['active, changes pending', nodeIn('active'), {}, SERVICES],
  ['active, changes pending, nothing to be done to the machine', nodeIn('active'), { serviceSteps: [] }, 'done'],
  ['active, no changes', nodeIn('active'), { hasChanges: false }, 'done'],
  ['servicing', nodeIn('servicing'), {}, 'wait long'],
  ['service wait', nodeIn('service wait'), {}, 'wait long'],
  ['service wait, nothing is wanted any more', nodeIn('service wait'), { isEmptied: true }, asks('abort')],
  ['service failed', failure, {}, 'servicing error: no such setting'],
  ['service failed without a reason', nodeIn('service failed'), {}, 'servicing error: Servicing failed'],
  ['service failed, nothing is wanted any more', nodeIn('service failed'), { isEmptied: true }, asks('abort')],
  ['service failed, tried anew', nodeIn('service failed'), { host: again }, SERVICES],
  ['service failed, tried anew, in maintenance', failure, { host: again }, LEAVES_MAINTENANCE],
  [
    'service failed, tried anew, nothing to be done to the machine',
    nodeIn('service failed'),
    { host: again, serviceSteps: [] },
    asks('abort'),
  ],
  ['there is no node', null, {}, 'register'],
];
for (const [title, node, more, expected] of ROWS) {
  test(title, () => assert.is(reported(stepOf(node, more)), expected));
}

const HANDLED: readonly string[] = ['active', 'servicing', 'service wait', 'service failed'];
for (const state of [...Object.values(ProvisionState), ''].filter((state) => !HANDLED.includes(state))) {
  test(`nobody knows what to do in any other state: ${state}`, () => {
    const message = `stuck: servicing cannot continue while node "${UUID}" is in provision state "${state}"`;
    assert.is(reported(stepOf(nodeIn(state))), message);
  });
}

test('the status says that it is serviced before anything is done; the error that begins it anew stays', () => {
  const step = stepOf(failure, { host: failedHost('provisioned', 'servicing error') });
  assert.equal(notesOf(step), { status: { operationalStatus: 'servicing' } });
});

test('what is wanted counts as applied from the start, and the error as over', () => {
  assert.equal(notesOf(stepOf(nodeIn('active'))), {
    status: { operationalStatus: 'servicing' },
    record: ['firmwareUpdates'],
  });
  assert.equal(notesOf(stepOf(nodeIn('service failed'), { host: again })), {
    isErrorOver: true,
    status: { operationalStatus: 'servicing' },
    record: ['firmwareUpdates'],
  });
});

test('a failure forgets it, or it would not be tried anew', () => {
  assert.equal(notesOf(stepOf(failure))['forget'], ['firmwareUpdates']);
});

test('at the end the host is as any other', () => {
  const end = { skipped: false, status: { operationalStatus: 'OK' }, isErrorOver: true };
  assert.equal(notesOf(stepOf(nodeIn('active'), { hasChanges: false })), end);
  const untouched = stepOf(nodeIn('active'), { host: hostIn('provisioned'), hasChanges: false });
  assert.equal(notesOf(untouched), { skipped: true });
});

test.run();
