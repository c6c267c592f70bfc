// Where a deletion leads from each state, and what the annotation of a detached host may say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deletion } from '../../../machines/bare-metal-host/deletion.ts';
import { detachedArguments, detachedStatus, detachment } from '../../../machines/bare-metal-host/detachment.ts';
import { BARE, HOSTILE, host, STATES } from './hosts.ts';

const test = suite('deletion and detachment');
const DETACHED = 'baremetalhost.metal3.io/detached';
const DELAY = { [DETACHED]: '{"deleteAction": "delay"}' };
const FORCE = { [DETACHED]: '{"force": true}' };

test('nothing of it without a deletion', () => {
  for (const state of STATES) assert.equal(deletion(host({ state })), { kind: 'none' });
});

test('each state has its way out', () => {
  const enter = (state: string) => ({ kind: 'enter', state });
  const goOn = { kind: 'continue' };
  const expected: Readonly<Record<string, object>> = {
    '': enter('deleting'),
    unmanaged: enter('deleting'),
    registering: enter('deleting'),
    provisioning: enter('deprovisioning'),
    provisioned: enter('deprovisioning'),
    deprovisioning: goOn,
    'powering off before delete': goOn,
    deleting: goOn,
    inspecting: enter('powering off before delete'),
    'match profile': enter('powering off before delete'),
    preparing: enter('powering off before delete'),
    available: enter('powering off before delete'),
    ready: enter('powering off before delete'),
    'externally provisioned': enter('powering off before delete'),
    'what nobody knows': enter('powering off before delete'),
    constructor: enter('powering off before delete'),
  };
  for (const [state, wanted] of Object.entries(expected)) {
    assert.equal(deletion(host({ state, deleted: true })), wanted, state);
  }
});

test('what cannot be registered any more is not undone for ever', () => {
  for (const state of ['deprovisioning', 'powering off before delete']) {
    const failing = (errorCount: number, errorType = 'registration error') =>
      deletion(host({ state, deleted: true, status: { errorType, errorCount } }));
    assert.equal(failing(4), { kind: 'enter', state: 'deleting' });
    assert.equal(failing(3), { kind: 'continue' });
    assert.equal(failing(4, 'provisioning error'), { kind: 'continue' });
  }
});

test('a detached host goes at once, by the annotation or the status with it', () => {
  for (const state of STATES.filter((each) => each !== 'deleting')) {
    for (const status of [{}, { operationalStatus: 'detached' }]) {
      for (const text of ['', 'anything', '{"deleteAction": "delete"}', ...HOSTILE]) {
        const deleted = deletion(host({ state, status, deleted: true, annotations: { [DETACHED]: text } }));
        assert.equal(deleted, { kind: 'enter', state: 'deleting' }, `${state} ${text.slice(0, 40)}`);
      }
    }
  }
});

test('a deletion is delayed where the annotation asks for it, or an attachment comes first', () => {
  const measures = [{ name: 'metal3_delete_delayed_for_detached_total' }];
  for (const state of STATES.filter((each) => each !== 'deleting')) {
    const detached = { operationalStatus: 'detached' };
    assert.equal(deletion(host({ state, deleted: true, annotations: DELAY })), { kind: 'delayed', measures });
    assert.equal(deletion(host({ state, deleted: true, status: detached, annotations: DELAY })), {
      kind: 'delayed',
      measures,
    });
    assert.equal(deletion(host({ state, deleted: true, status: detached })), { kind: 'delayed', measures });
  }
  assert.equal(deletion(host({ state: 'deleting', deleted: true, annotations: DELAY })), { kind: 'continue' });
});

test('a host that is not at anything is detached', () => {
  for (const state of ['provisioned', 'externally provisioned', 'ready', 'available']) {
    for (const annotations of [{ [DETACHED]: '' }, FORCE, DELAY]) {
      assert.equal(detachment(host({ state, annotations })), { kind: 'detach', force: false });
    }
  }
});

test('what a host is at is interrupted by force alone', () => {
  const steady = new Set(['provisioned', 'externally provisioned', 'ready', 'available', 'deleting']);
  for (const state of STATES.filter((each) => !steady.has(each))) {
    assert.equal(detachment(host({ state, annotations: { [DETACHED]: '' } })), { kind: 'wait' });
    assert.equal(detachment(host({ state, annotations: FORCE })), { kind: 'detach', force: true });
  }
});

test('a host that is being removed is not detached', () => {
  assert.equal(detachment(host({ state: 'deleting', annotations: FORCE })), { kind: 'none' });
});

test('a detached host stays so as long as the annotation does', () => {
  const status = { operationalStatus: 'detached' };
  assert.equal(detachment(host({ state: 'provisioned', status, annotations: FORCE })), { kind: 'detached' });
  assert.equal(detachment(host({ state: 'preparing', status, annotations: { [DETACHED]: '' } })), { kind: 'detached' });
});

test('without the annotation it is attached again, and an error of that is over', () => {
  const attached = (status: object) => {
    const found = detachment(host({ state: 'provisioned', status }));
    return found.kind === 'attach' ? found.status : undefined;
  };
  assert.equal(detachment(host({ state: 'provisioned' })), { kind: 'none' });
  assert.is(attached({ operationalStatus: 'detached' })?.operationalStatus, 'OK');
  const other = attached({ operationalStatus: 'detached', errorType: 'power management error', errorCount: 3 });
  assert.is(other?.operationalStatus, 'error');
  assert.is(other?.errorType, 'power management error');
  assert.is(other?.errorCount, 3);
  const failed = attached({
    operationalStatus: 'error',
    errorType: 'detach error',
    errorMessage: 'no',
    errorCount: 3,
  });
  assert.is(failed?.operationalStatus, 'OK');
  assert.is(failed?.errorType, undefined);
  assert.is(failed?.errorMessage, '');
  assert.is(failed?.errorCount, 0);
});

test('once the node is gone the host is detached, in the state that it has', () => {
  const { status } = host({
    state: 'provisioned',
    status: { operationalStatus: 'error', errorType: 'detach error', errorCount: 2 },
  });
  const after = detachedStatus(status);
  assert.is(after.operationalStatus, 'detached');
  assert.is(after.errorType, undefined);
  assert.is(after.errorCount, 0);
  assert.is(after.provisioning?.state, 'provisioned');
});

test('the annotation may say anything, and each part of it is read by itself', () => {
  const read = (text: string) => detachedArguments(host({ annotations: { [DETACHED]: text } }));
  const usual = { deleteAction: 'delete', force: false };
  assert.is(detachedArguments(host()), undefined);
  for (const text of ['', 'yes', ...HOSTILE]) assert.equal(read(text), usual, text.slice(0, 40));
  assert.equal(read('{"deleteAction":"delay","force":true}'), { deleteAction: 'delay', force: true });
  assert.equal(read('{"deleteAction":"delay","force":"yes"}'), { deleteAction: 'delay', force: false });
  assert.equal(read('{"deleteAction":7,"force":true}'), { deleteAction: 'delete', force: true });
});

test('nothing is certain to be there', () => {
  for (const bare of BARE) {
    assert.equal(deletion(bare), { kind: 'none' });
    assert.equal(detachment(bare), { kind: 'none' });
  }
});

test.run();
