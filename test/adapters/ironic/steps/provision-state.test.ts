// What every change of a provision state goes through (13.1).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeProvisionState, recover } from '../../../../adapters/ironic/steps/provision-state.ts';
import { asks, LEAVES_MAINTENANCE, nodeIn, notesOf, reported } from './builders.ts';

const test = suite('changing a provision state');

const FAULTY = { maintenance: true, fault: 'clean failure' };

test('the request goes out, and is looked after in a short while', () => {
  const step = changeProvisionState(nodeIn('available'), { target: 'manage' });
  assert.is(reported(step), asks('manage'));
  assert.ok(step.step === 'send' && step.requests[0]?.failure === 'failed to change provisioning state to "manage"');
});

test('a node with a fault is waited for long', () => {
  assert.is(reported(changeProvisionState(nodeIn('available', FAULTY), { target: 'manage' })), 'wait long');
  assert.is(
    reported(changeProvisionState(nodeIn('available', { fault: 'power failure' }), { target: 'manage' })),
    'wait long',
  );
});

test('a node in maintenance is taken out of it first, and nothing is noted of what was not asked for', () => {
  const step = changeProvisionState(
    nodeIn('available', { maintenance: true }),
    { target: 'manage' },
    { isErrorOver: true },
  );
  assert.is(reported(step), LEAVES_MAINTENANCE);
  assert.equal(notesOf(step), {});
});

test('everything of a change is sent, after what goes before it', () => {
  const before = { method: 'PATCH', path: '/v1/nodes/x', expects: [200], failure: '' } as const;
  const change = { target: 'active', configdrive: { user_data: 'x' }, deploy_steps: [{ step: 'install' }] } as const;
  const step = changeProvisionState(nodeIn('available'), change, { isErrorOver: true }, [before]);
  assert.is(
    reported(step),
    'PATCH x; PUT N/states/provision {"target":"active","configdrive":{"user_data":"x"},"deploy_steps":[{"step":"install"}]}; then short',
  );
  assert.equal(notesOf(step), { isErrorOver: true });
});

test('a node that failed leaves maintenance whatever its fault', () => {
  assert.is(reported(recover(nodeIn('clean failed', FAULTY), { target: 'manage' })), LEAVES_MAINTENANCE);
  assert.is(reported(recover(nodeIn('clean failed'), { target: 'manage' })), asks('manage'));
  assert.is(reported(recover(nodeIn('clean failed', { fault: 'power failure' }), { target: 'manage' })), 'wait long');
});

test.run();
