// The end of a host, and hosts that are detached.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { IMAGE } from './hosts.ts';
import {
  DEPLOYED,
  done,
  fail,
  failed,
  live,
  MINUTE,
  NODE,
  ON_FIRST,
  outcome,
  RUNNING,
  secret,
  transient,
  view,
  WELL,
  waiting,
} from './lives.ts';

const test = suite('the end of a host');

test('a host that waits for room and is deleted does not wait (22.11)', async () => {
  const life = await live({ ...WELL, capacity: () => ({ isFree: false, at: 0 }) }, view({ state: 'registering' }));
  assert.is(life.phase(), 'inspecting.delayed');
  await life.edit({ state: 'registering', deleted: true });
  assert.is(life.phase(), 'deleted');
});

test('a deletion gives up what fails too often', async () => {
  const life = await live(
    { ...WELL, deprovision: () => failed(ErrorType.Provisioning), power: () => failed(ErrorType.PowerManagement) },
    view({ ...RUNNING, deleted: true }),
  );
  const passes = [2, 4, 8];
  for (const minutes of passes) {
    assert.is(life.phase(), 'deprovisioning.backingOff');
    await life.pass(minutes * MINUTE);
  }
  assert.is(life.phase(), 'deleted');
  assert.equal(life.states.slice(-3), ['deprovisioning', 'powering off before delete', 'deleting']);
  assert.ok(life.measures.includes('metal3_delete_without_deprovisioning_total'));
  assert.ok(life.measures.includes('metal3_delete_without_powering_off_total'));
});

test('a deletion does not wait for a BMC that cannot be registered', async () => {
  const status = { errorType: 'registration error', errorCount: 3, operationalStatus: 'error' };
  const life = await live(
    { ...WELL, register: () => failed(ErrorType.Registration) },
    view({ state: 'deprovisioning', deleted: true, status }),
  );
  assert.is(life.phase(), 'deleted');
  assert.not.ok(life.calls.includes('deprovision'));
});

test('a deletion does without credentials, as far as that goes', async () => {
  const unknown = () => outcome('absent', {});
  const life = await live({ ...WELL, deprovision: unknown, remove: unknown }, view({ ...DEPLOYED, deleted: true }), {
    dependencies: [secret('absent')],
  });
  assert.equal(life.calls, ['capacity', 'deprovision', 'remove', 'endClaims', 'removeOwnFinalizer']);
  const known = await live({ ...WELL, power: unknown }, view({ state: 'available', deleted: true }), {
    dependencies: [secret('absent')],
  });
  assert.is(known.phase(), 'deleted');
  assert.not.ok(known.calls.includes('register'));
});

test('a deletion does without credentials of which nothing can be made, and is waited for by nobody', async () => {
  const refused = outcome('failed', { errorType: ErrorType.Registration, message: 'no user name', until: 'change' });
  const life = await live({ ...WELL, register: () => refused }, view({ ...DEPLOYED, deleted: true }));
  assert.is(life.phase(), 'deleted');
  assert.equal(
    life.calls.filter((name) => name !== 'capacity'),
    ['register', 'deprovision', 'power', 'remove', 'endClaims', 'removeOwnFinalizer'],
  );
  assert.is.not(life.stored().errorMessage, 'no user name');

  const repaired = await live(
    { ...WELL, register: (call) => (call === 1 ? refused : done({ node: NODE })), deprovision: () => waiting() },
    view({ ...DEPLOYED, deleted: true }),
  );
  assert.is(repaired.phase(), 'deprovisioning.awaiting');
  await repaired.depend(secret('ready', '2'));
  assert.is(repaired.calls.filter((name) => name === 'register').length, 2, 'they can be used again');
});

test('a host that must not be switched off is not, at its end', async () => {
  const life = await live(WELL, view({ state: 'available', spec: { disablePowerOff: true }, deleted: true }));
  assert.is(life.phase(), 'deleted');
  assert.not.ok(life.calls.includes('power'));
});

test('others who hold a host are waited for before its node goes (BARE-METAL-HOST-9)', async () => {
  const life = await live(WELL, view({ state: 'deleting', deleted: true }, { heldBy: ['example.org/claim'] }));
  assert.is(life.phase(), 'deleting.held');
  assert.equal(life.calls, []);
  await life.edit({ state: 'deleting', deleted: true }, { heldBy: [] });
  assert.is(life.phase(), 'deleted');
});

test('the node is waited for before the finalizer goes (BARE-METAL-HOST-9)', async () => {
  const life = await live(
    {
      ...WELL,
      remove: (call) => (call === 1 ? waiting({ node: NODE }) : done()),
      removeOwnFinalizer: (call) => (call === 1 ? fail(transient)() : undefined),
    },
    view({ state: 'deleting', deleted: true }),
  );
  assert.is(life.phase(), 'deleting.awaiting');
  await life.see(undefined);
  assert.is(life.phase(), 'deleting.retryingRelease');
  await life.pass(5);
  assert.is(life.phase(), 'deleted');
});

test('a host that was never taken into care goes without us', async () => {
  const life = await live(WELL, view({ deleted: true }, { owned: false }));
  assert.is(life.phase(), 'deleted');
  assert.equal(life.all, []);
});

const DETACHED = 'baremetalhost.metal3.io/detached';

test('a detached host is out of Ironic and in its state, and comes back', async () => {
  const life = await live(ON_FIRST, view(RUNNING));
  life.calls.length = 0;
  await life.edit({ spec: { image: IMAGE }, annotations: { [DETACHED]: '' } });
  assert.equal(life.calls, ['remove']);
  assert.is(life.inputs['remove']?.at(-1)?.['force'], false);
  assert.is(life.phase(), 'detaching.detached');
  assert.is(life.stored().operationalStatus, 'detached');
  assert.is(life.stored().provisioning?.state, 'provisioned');
  life.calls.length = 0;
  await life.pass(10 * MINUTE);
  assert.equal(life.calls, ['remove'], 'it is made sure now and then');
  life.calls.length = 0;
  await life.edit({ spec: { image: IMAGE } });
  assert.equal(life.calls, ['register', 'adopt']);
  assert.is(life.phase(), 'provisioned.idle');
  assert.is(life.stored().operationalStatus, 'OK');
});

test('a host ends what it is at before it is detached, unless by force', async () => {
  const begun = view({ state: 'preparing', annotations: { [DETACHED]: '' } });
  const life = await live({ ...WELL, prepare: () => waiting() }, begun);
  assert.is(life.phase(), 'preparing.awaiting');
  await life.edit({ state: 'preparing', annotations: { [DETACHED]: '{"force": true}' } });
  assert.is(life.phase(), 'detaching.detached');
  assert.is(life.inputs['remove']?.at(-1)?.['force'], true);
  assert.is(life.stored().provisioning?.state, 'preparing');
});

test('a host that cannot be detached says so', async () => {
  const annotations = { [DETACHED]: '' };
  const remove = (call: number) => (call === 1 ? failed(ErrorType.Detach) : done());
  const life = await live({ ...WELL, remove }, view({ state: 'available', annotations }));
  assert.is(life.phase(), 'detaching.backingOff');
  assert.is(life.stored().errorType, 'detach error');
  await life.pass(2 * MINUTE);
  assert.is(life.phase(), 'detaching.detached');
  assert.is(life.stored().errorType, undefined);
});

test('a detached host that is deleted goes at once, or waits if that is asked for', async () => {
  const detached = { operationalStatus: 'detached' };
  const now = await live(WELL, view({ ...DEPLOYED, status: detached, annotations: { [DETACHED]: '' }, deleted: true }));
  assert.is(now.phase(), 'deleted');
  assert.not.ok(now.calls.includes('deprovision'));
  const delayed = await live(
    WELL,
    view({ ...DEPLOYED, status: detached, annotations: { [DETACHED]: '{"deleteAction":"delay"}' }, deleted: true }),
  );
  assert.is(delayed.phase(), 'detaching.detached');
  assert.ok(delayed.measures.includes('metal3_delete_delayed_for_detached_total'));
  await delayed.edit({ spec: { image: IMAGE }, deleted: true });
  assert.is(delayed.phase(), 'deleted');
  assert.ok(delayed.calls.includes('register') && delayed.calls.includes('deprovision'));
});

test('a state that nobody knows is left alone, and the host may still be deleted', async () => {
  const life = await live(WELL, view({ state: 'what nobody knows' }));
  await life.pass(86_400_000);
  assert.equal(life.calls, []);
  await life.edit({ deleted: true });
  assert.is(life.phase(), 'deleted');
  assert.equal(life.states, ['powering off before delete', 'deleting']);
});

test('nothing is written to a host that may be gone', async () => {
  const life = await live({ ...WELL, removeOwnFinalizer: fail(transient) }, view({ state: 'deleting', deleted: true }));
  life.all.length = 0;
  for (let turn = 0; turn < 5; turn += 1) await life.pass(MINUTE);
  assert.is(life.calls.filter((name) => name === 'removeOwnFinalizer').length, 6);
  assert.not.ok(life.all.includes('writeStatus'));
});

test('a host that is detached, and deleted then, goes as it is', async () => {
  const annotations = { [DETACHED]: '' };
  const life = await live(WELL, view({ ...DEPLOYED, annotations }));
  assert.is(life.phase(), 'detaching.detached');
  await life.edit({ ...DEPLOYED, provisioning: undefined as never, annotations, deleted: true });
  assert.is(life.phase(), 'deleted');
  assert.not.ok(life.calls.includes('deprovision'));
});

test.run();
