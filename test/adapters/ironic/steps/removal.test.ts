// Removal (13.10), by the state of the node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { Feature } from '../../../../adapters/ironic/client/versions.ts';
import { type RemovalInput, remove } from '../../../../adapters/ironic/steps/removal.ts';
import { ProvisionState } from '../../../../adapters/ironic/steps/states.ts';
import { asks, nodeIn, reported } from './builders.ts';

const test = suite('removal of a node');

function stepOf(node: IronicNode | null, more: Partial<RemovalInput> = {}) {
  return remove({ node, isForced: false, features: Object.values(Feature), ...more });
}

const DELETES = 'DELETE N; then again';
const FREES = `PATCH N [{"op":"remove","path":"/instance_uuid"}]; ${DELETES}`;
const KEEPS_OUT = 'PUT N/maintenance {"reason":"forcing deletion in baremetal-operator"}; then again';
const forced = { isForced: true };
const old = { isForced: true, features: [Feature.DisablePowerOff] };

const ROWS: readonly (readonly [string, IronicNode | null, Partial<RemovalInput>, string])[] = [
  ['there is no node', null, {}, 'done'],
  ['enroll', nodeIn('enroll', { instance_uuid: 'i' }), {}, DELETES],
  ['verifying', nodeIn('verifying'), {}, 'wait short'],
  ['available', nodeIn('available'), {}, DELETES],
  ['available with an instance', nodeIn('available', { instance_uuid: 'i' }), {}, FREES],
  ['manageable', nodeIn('manageable'), {}, DELETES],
  ['manageable with an instance', nodeIn('manageable', { instance_uuid: 'i' }), {}, FREES],
  ['wait call-back, forced, an older Ironic', nodeIn('wait call-back'), old, asks('deleted')],
  ['inspect wait, forced, an older Ironic', nodeIn('inspect wait'), old, asks('abort')],
];
for (const [title, node, more, expected] of ROWS) {
  test(title, () => assert.is(reported(stepOf(node, more)), expected));
}

const AT_WORK: readonly string[] = ['deploying', 'cleaning', 'inspecting', 'servicing', 'deleting'];
for (const state of AT_WORK) {
  test(`${state} is waited for, forced or not`, () => {
    assert.is(reported(stepOf(nodeIn(state))), 'wait long');
    assert.is(reported(stepOf(nodeIn(state), forced)), 'wait long');
  });
}

const WAITING: readonly string[] = ['wait call-back', 'inspect wait', 'clean wait', 'service wait'];
for (const state of WAITING) {
  test(`${state} is waited for, and interrupted where it is forced`, () => {
    assert.is(reported(stepOf(nodeIn(state))), 'wait long');
    assert.is(reported(stepOf(nodeIn(state), forced)), asks('abort'));
  });
}

const ELSEWHERE = ['enroll', 'verifying', 'available', 'manageable', ...AT_WORK, ...WAITING];
for (const state of [...Object.values(ProvisionState), 'rescue', ''].filter((state) => !ELSEWHERE.includes(state))) {
  test(`any other state goes by way of maintenance: ${state}`, () => {
    assert.is(reported(stepOf(nodeIn(state))), KEEPS_OUT);
    assert.is(reported(stepOf(nodeIn(state, { maintenance: true, fault: 'clean failure' }))), DELETES);
  });
}

test('a node that is gone already is what was asked for', () => {
  const step = stepOf(nodeIn('enroll'));
  assert.ok(step.step === 'send');
  assert.equal(step.requests[0]?.expects, [204, 404]);
});

test.run();
