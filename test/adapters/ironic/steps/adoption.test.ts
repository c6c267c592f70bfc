// Adoption (13.6), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { adopt } from '../../../../adapters/ironic/steps/adoption.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import { asks, failedHost, hostIn, LEAVES_MAINTENANCE, nodeIn, notesOf, reported, UUID } from './builders.ts';

const test = suite('adoption of a node');

const host = hostIn('provisioned');
const leaving = hostIn('deprovisioning');
const again = failedHost('provisioned', 'provisioned registration error');
const failure = nodeIn('adopt failed', { last_error: 'no boot device' });

const ROWS: readonly (readonly [string, Host, IronicNode | null, string])[] = [
  [
    'enroll',
    host,
    nodeIn('enroll'),
    `stuck: adoption cannot continue while node "${UUID}" is in provision state "enroll"`,
  ],
  [
    'verifying',
    host,
    nodeIn('verifying'),
    `stuck: adoption cannot continue while node "${UUID}" is in provision state "verifying"`,
  ],
  ['manageable while deprovisioning', leaving, nodeIn('manageable'), 'done'],
  ['manageable', host, nodeIn('manageable'), asks('adopt')],
  ['manageable, externally provisioned', hostIn('externally provisioned'), nodeIn('manageable'), asks('adopt')],
  ['adopting', host, nodeIn('adopting'), 'wait short'],
  ['adopt failed', host, failure, 'provisioned registration error: Host adoption failed: no boot device'],
  ['adopt failed, tried anew', again, failure, asks('adopt')],
  ['active in maintenance', host, nodeIn('active', { maintenance: true }), LEAVES_MAINTENANCE],
  ['active in maintenance with a fault', host, nodeIn('active', { maintenance: true, fault: 'power failure' }), 'done'],
  ['active', host, nodeIn('active'), 'done'],
  ['there is no node', host, null, 'register'],
];
for (const [title, of, node, expected] of ROWS) {
  test(title, () => assert.is(reported(adopt({ host: of, node })), expected));
}

const HANDLED: readonly string[] = ['enroll', 'verifying', 'manageable', 'adopting', 'adopt failed', 'active'];
for (const state of [...Object.values(ProvisionState), ''].filter((state) => !HANDLED.includes(state))) {
  test(`nothing is done in any other state: ${state}`, () =>
    assert.is(reported(adopt({ host, node: nodeIn(state) })), 'done'));
}

test('one that is tried anew ends the error, so that it can fail anew', () => {
  assert.equal(notesOf(adopt({ host: again, node: failure })), { isErrorOver: true });
});

test.run();
