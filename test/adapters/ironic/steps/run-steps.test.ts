// A pass that has to end before its time: what was done by then counts, where it was no failure.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QueueTimeoutError } from '../../../../adapters/http/concurrency-limiter.ts';
import type { IronicClient } from '../../../../adapters/ironic/client/client.ts';
import { IronicRefusal } from '../../../../adapters/ironic/client/errors.ts';
import { type Ended, pass } from '../../../../adapters/ironic/steps/run-steps.ts';
import { type NodeRequest, type Step, send } from '../../../../adapters/ironic/steps/step.ts';
import { TransientError } from '../../../../bus/errors.ts';

const test = suite('passes over nodes');

const NODE = { uuid: 'n1', provision_state: 'enroll' };
const make: NodeRequest = { method: 'POST', path: '/v1/nodes', expects: [201], failure: 'no', into: 'enrolled' };
const list: NodeRequest = { method: 'GET', path: '/v1/ports', expects: [200], failure: 'no', into: 'ports' };

/** A node is made, and its ports are to be listed, which fails so. */
function failing(error: Error): Promise<Ended<object>> {
  const call: IronicClient['call'] = async ({ method }) => {
    if (method === 'GET') throw error;
    return { status: 201, body: NODE };
  };
  const asking = { namespace: 'ns', deadlineAt: 0, traceparent: '' };
  return pass(
    { ironic: { call }, memory: undefined, asking, isAnothers: async () => false },
    ({ facts }): Step =>
      facts.enrolled === undefined
        ? send([make], 'onward', { status: { provisioning: { ID: 'n1' } } })
        : send([list], 'onward'),
  );
}

test('where too many are served at once it goes on in a while, and what was done is noted (IRONIC-RUN-STEPS-2)', async () => {
  const { last, notes, node } = await failing(new QueueTimeoutError('Ironic was too busy to answer the call'));
  assert.equal([last.step, last.step === 'wait' && [last.pace, last.until]], ['wait', ['short', 'pause']]);
  assert.equal(
    notes.map(({ status }) => status),
    [{ provisioning: { ID: 'n1' } }],
  );
  assert.equal(node, NODE);
});

for (const status of [undefined, 401, 403, 500, 503]) {
  test(`where Ironic ${status === undefined ? 'does not answer' : `answers ${status}`}, the pass fails, and says nothing of the node`, async () => {
    const cause = status && new IronicRefusal('it failed', { status, detail: '' });
    const error = new TransientError('it failed', { cause });
    try {
      await failing(error);
      assert.unreachable('it did not fail');
    } catch (thrown) {
      assert.is(thrown, error);
    }
  });
}

test('what Ironic refuses of a node is judged by what was asked for', async () => {
  const cause = new IronicRefusal('refused', { status: 400, detail: '' });
  const { last } = await failing(new TransientError('refused', { cause }));
  assert.is(last.step, 'stuck');
});

test.run();
