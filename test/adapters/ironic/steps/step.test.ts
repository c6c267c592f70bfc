// Steps: what an answer means, how long a pause is, what notes of several come to.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gathered } from '../../../../adapters/ironic/steps/facts.ts';
import { memoryOf, remembered } from '../../../../adapters/ironic/steps/node-memory.ts';
import {
  failed,
  type NodeRequest,
  nodePath,
  noting,
  type Pace,
  pauseMs,
  send,
  stuck,
  verdictOn,
  wait,
} from '../../../../adapters/ironic/steps/step.ts';

const test = suite('steps on nodes');

const put: NodeRequest = {
  method: 'PUT',
  path: nodePath('N', 'states', 'provision'),
  body: { target: 'manage' },
  expects: [202],
  failure: 'failed to change provisioning state to "manage"',
};

const PAUSES: readonly (readonly [Pace, least: number, most: number])[] = [
  ['now', 0, 0],
  ['short', 3_000, 3_750],
  ['long', 10_000, 12_500],
  ['preprovisioningImage', 300_000, 300_000],
  ['servicingEnded', 60_000, 60_000],
];
for (const [pace, first, last] of PAUSES) {
  test(`a pause that is ${pace}`, () => {
    assert.is(pauseMs(pace, 0), first);
    assert.is(Math.round(pauseMs(pace, 0.999_999_9)), last);
  });
}

test('an answer that is expected lets the pass go on', () => {
  assert.equal(verdictOn(put, { status: 202 }), { kind: 'expected' });
});

test('409 is no error: Ironic is busy, which is waited for a short while', () => {
  const paths = [
    '/v1/nodes',
    nodePath('N'),
    nodePath('N', 'states', 'power'),
    nodePath('N', 'maintenance'),
    nodePath('N', 'validate'),
  ];
  for (const path of paths) {
    const verdict = verdictOn({ ...put, path }, { status: 409, detail: 'locked' });
    assert.equal(verdict, { kind: 'ends', step: wait('short', 'Ironic is busy with the node') });
  }
});

test('409 for a port is an error: it is there already, and stays', () => {
  const verdict = verdictOn({ ...put, method: 'POST', path: '/v1/ports' }, { status: 409, detail: 'it exists' });
  assert.equal(verdict, { kind: 'ends', step: stuck('failed to change provisioning state to "manage": it exists') });
});

test('any other answer is an error that says what was tried', () => {
  assert.equal(verdictOn(put, { status: 500, detail: 'no conductor' }), {
    kind: 'ends',
    step: stuck('failed to change provisioning state to "manage": no conductor'),
  });
  assert.equal(verdictOn(put, { status: 404 }), {
    kind: 'ends',
    step: stuck('failed to change provisioning state to "manage": HTTP status 404'),
  });
});

test('a refusal that is foreseen makes another request of it', () => {
  const request = { ...put, otherwise: { status: 400, request: { ...put, body: { target: 'other' } } } };
  assert.equal(verdictOn(request, { status: 400 }), {
    kind: 'otherwise',
    request: { ...put, body: { target: 'other' } },
  });
  assert.is(verdictOn(request, { status: 409 }).kind, 'ends');
});

test('notes are joined: lists one after the other, members of the status one by one', () => {
  const step = send([put], 'short', {
    events: [{ reason: 'B', message: '' }],
    status: { poweredOn: true, provisioning: { state: 'preparing' } },
    unannotate: ['b'],
    remember: { node: 'N', components: true },
  });
  const noted = noting(step, {
    events: [{ reason: 'A', message: '' }],
    status: { errorCount: 0, provisioning: { ID: 'N' } },
    unannotate: ['a'],
    forget: ['raid'],
    remember: { node: 'N', macs: ['m'] },
  });
  assert.equal(noted, {
    ...step,
    events: [
      { reason: 'A', message: '' },
      { reason: 'B', message: '' },
    ],
    status: { errorCount: 0, poweredOn: true, provisioning: { ID: 'N', state: 'preparing' } },
    unannotate: ['a', 'b'],
    forget: ['raid'],
    remember: { node: 'N', macs: ['m'], components: true },
  });
});

test('nothing is noted of a step that saves nothing', () => {
  assert.equal(noting(stuck('so'), { status: { errorCount: 0 } }), stuck('so'));
  const error = noting(failed('registration error', 'so'), { status: { poweredOn: true } });
  assert.equal(error.status, { poweredOn: true });
});

test('what is in a path cannot leave it', () => {
  assert.is(nodePath('a/../b?c', 'states'), '/v1/nodes/a%2F..%2Fb%3Fc/states');
  assert.is(nodePath('ns~one'), '/v1/nodes/ns~one');
  assert.is(nodePath('\ud800'), '/v1/nodes/%EF%BF%BD');
});

test('facts are gathered: one answer each, lists joined', () => {
  assert.equal(gathered({}, 'byId', { uuid: 'N' }), { byId: { uuid: 'N' } });
  assert.equal(gathered({}, 'byId', null), { byId: null });
  const ports = gathered({}, 'owners', { ports: [{ uuid: 'p' }] });
  assert.equal(gathered(ports, 'owners', { ports: [] }), ports);
  assert.equal(gathered(ports, 'owners', { ports: [{ uuid: 'q' }] }), { owners: [{ uuid: 'p' }, { uuid: 'q' }] });
  assert.equal(gathered({}, 'made', { uuid: 'p', address: 'm' }), { made: [{ uuid: 'p', address: 'm' }] });
  assert.equal(gathered({}, 'firmware', null), { firmware: [] });
});

test('a memory is of one node', () => {
  const memory = { node: 'N', macs: ['m'], cleaningRetries: 1 };
  assert.equal(memoryOf(memory, 'N'), memory);
  assert.equal(memoryOf(memory, 'other'), { node: 'other' });
  assert.equal(remembered(memory, { node: 'N', cleaningRetries: 2 }), { ...memory, cleaningRetries: 2 });
  assert.equal(remembered(memory, { node: 'other', components: true }), { node: 'other', components: true });
  assert.equal(remembered(undefined, { node: 'N' }), { node: 'N' });
});

test.run();
