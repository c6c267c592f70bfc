// The life of a host from its beginning to its end, in a world that stores what it says.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { BMC, EARLIER, IMAGE, STATES } from './hosts.ts';
import {
  done,
  fail,
  failed,
  live,
  MINUTE,
  NODE,
  ON,
  ON_FIRST,
  RUNNING,
  secret,
  transient,
  view,
  WELL,
  waiting,
} from './lives.ts';

const test = suite('life of a host');

test('from a name to a machine that runs an image, and back to nothing', async () => {
  const life = await live(WELL, view({ spec: { online: true }, status: { operationalStatus: '' } }, { owned: false }));
  assert.equal(life.calls, [
    'addOwnFinalizer',
    'register',
    'capacity',
    'register',
    'inspect',
    'register',
    'prepare',
    'register',
    'power',
  ]);
  assert.is(life.phase(), 'available.idle');
  assert.equal(life.states, ['registering', 'inspecting', 'preparing', 'available']);
  assert.equal(life.stored().hardware, { hostname: 'node-1' });
  assert.is(life.stored().poweredOn, true);
  assert.is(life.stored().operationalStatus, 'OK');

  life.calls.length = 0;
  await life.edit({ state: 'available', spec: { image: IMAGE } });
  assert.equal(
    life.calls.filter((name) => name !== 'register'),
    ['capacity', 'provision', 'adopt', 'attachDataImage', 'service', 'power'],
  );
  assert.is(life.phase(), 'provisioned.idle');
  assert.equal(life.stored().provisioning?.image, IMAGE);
  assert.equal(life.stored().lastAttemptedImage, IMAGE);

  life.calls.length = 0;
  await life.edit({ state: 'provisioned' });
  assert.equal(
    life.calls.filter((name) => name !== 'register'),
    ['capacity', 'deprovision', 'power'],
  );
  assert.is(life.phase(), 'available.idle');
  assert.equal(life.stored().provisioning?.image, { url: '' });

  life.calls.length = 0;
  await life.edit({ state: 'available', deleted: true });
  assert.equal(life.calls, ['register', 'power', 'remove', 'endClaims', 'removeOwnFinalizer']);
  assert.is(life.phase(), 'deleted');
  assert.equal(life.states.slice(4), [
    'provisioning',
    'provisioned',
    'deprovisioning',
    'available',
    'powering off before delete',
    'deleting',
  ]);
});

/** As an earlier life has told of the host. */
const TOLD = {
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Provisioned',
      message: '',
      lastTransitionTime: EARLIER,
      observedGeneration: 3,
    },
  ],
} as const;

test('an edit of which nothing comes is told by the conditions, once it was decided by (BARE-METAL-HOST-10)', async () => {
  const running = { ...RUNNING, status: { ...RUNNING.status, ...TOLD } };
  const rests = await live(ON_FIRST, view(running));
  assert.is(rests.phase(), 'provisioned.idle');
  rests.all.length = 0;
  await rests.edit({ spec: { image: IMAGE, inspectionMode: 'fast' } });
  assert.is(rests.phase(), 'provisioned.idle');
  const said = rests.all.filter((name) => ['register', 'writeStatus'].includes(name));
  assert.equal(said, ['register', 'writeStatus']);

  const waits = await live({ ...WELL, prepare: () => waiting() }, view({ state: 'preparing', status: TOLD }));
  waits.all.length = 0;
  await waits.edit({ state: 'preparing', spec: { online: false } });
  assert.is(waits.phase(), 'preparing.awaiting');
  assert.is(waits.all.at(-1), 'writeStatus');

  rests.all.length = 0;
  await rests.edit({ spec: { image: IMAGE }, annotations: { 'baremetalhost.metal3.io/paused': '' } });
  assert.is(rests.phase(), 'paused');
  assert.equal(rests.all, [], 'a paused host is not written (BARE-METAL-HOST-1)');
});

test('a host without a BMC is discovered, and managed once there is one', async () => {
  const life = await live(
    { register: () => new Promise(() => undefined) },
    view({ spec: { bmc: { address: '', credentialsName: '' } } }),
    { dependencies: [] },
  );
  assert.is(life.phase(), 'unmanaged');
  assert.is(life.stored().operationalStatus, 'discovered');
  assert.equal(life.events, ['Discovered']);
  assert.equal(life.calls, []);
  await life.edit({ spec: BMC });
  assert.is(life.states.at(-1), 'registering');
});

test('a life that begins anew goes on from the state that is stored (BARE-METAL-HOST-2)', async () => {
  const expected: Readonly<Record<string, string>> = {
    '': 'registering.enrollingNode',
    unmanaged: 'registering.enrollingNode',
    registering: 'registering.enrollingNode',
    inspecting: 'inspecting.enrollingNode',
    'match profile': 'preparing.enrollingNode',
    preparing: 'preparing.enrollingNode',
    available: 'available.enrollingNode',
    ready: 'available.enrollingNode',
    provisioning: 'provisioning.enrollingNode',
    provisioned: 'provisioned.enrollingNode',
    'externally provisioned': 'externallyProvisioned.enrollingNode',
    deprovisioning: 'deprovisioning.enrollingNode',
    'powering off before delete': 'poweringOff.enrollingNode',
    deleting: 'deleting.removing',
    'what nobody knows': 'unknown',
  };
  for (const state of [...STATES, 'what nobody knows']) {
    const life = await live({ register: () => new Promise(() => undefined) }, view({ state }));
    assert.is(life.phase(), expected[state], state);
  }
});

test('a paused host does nothing (BARE-METAL-HOST-1)', async () => {
  const annotations = { 'baremetalhost.metal3.io/paused': '' };
  for (const state of STATES) {
    const life = await live(WELL, view({ state, annotations, deleted: true }, { owned: state !== '' }));
    await life.pass(86_400_000);
    assert.equal(life.all, [], state);
    assert.is(life.phase(), 'paused');
  }
});

test('a host that is paused stops what it waits for, and goes on from what is stored (BARE-METAL-HOST-1)', async () => {
  const life = await live({ ...WELL, prepare: () => waiting() }, view({ state: 'preparing' }));
  assert.is(life.phase(), 'preparing.awaiting');
  life.all.length = 0;
  await life.edit({ state: 'preparing', annotations: { 'baremetalhost.metal3.io/paused': 'metal3.io/capm3' } });
  await life.pass(86_400_000);
  assert.equal(life.all, []);
  await life.edit({ status: { poweredOn: false }, provisioning: {}, state: 'available' });
  assert.is(life.phase(), 'available.idle');
});

test('what was decided is stored before anything else is done for it (BARE-METAL-HOST-3)', async () => {
  let store: () => void = () => undefined;
  const writeStatus = (call: number) => (call === 1 ? new Promise<void>((resolve) => (store = resolve)) : undefined);
  const life = await live({ ...WELL, writeStatus }, view({ state: 'registering', status: { operationalStatus: '' } }));
  assert.equal(life.calls, ['register']);
  store();
  await life.pass(0);
  assert.ok(life.calls.includes('inspect'));
});

test('who takes a host over goes on with a Secret that is being deleted, which the host itself holds; a new host waits', async () => {
  const going = { dependencies: [secret('deleting')] };
  const taken = await live(WELL, view({ state: 'available', provisioning: { ID: 'node-1' } }), going);
  assert.is(taken.phase(), 'available.idle');
  const made = await live(WELL, view({ state: 'registering', provisioning: { ID: '' } }), going);
  assert.equal([made.phase(), made.calls], ['registering.awaitingCredentials', []]);
});

test('a host that was never registered yields a Secret that is being deleted, and goes on with the next one (BARE-METAL-HOST-11)', async () => {
  const fresh = view({ state: 'registering', provisioning: { ID: '' } });
  const life = await live(WELL, fresh, { dependencies: [secret(undefined)] });
  assert.equal(life.claims.at(-1), []);
  await life.depend(secret('deleting'));
  assert.equal(life.claims.at(-1), ['secret-1']);
  const { length } = life.claims;
  await life.depend(secret('deleting'));
  assert.is(life.claims.length, length, 'once');
  await life.depend(secret('absent'));
  await life.depend({ ...secret('ready'), answer: { readiness: 'ready', uid: 'secret-2', version: '2' } });
  assert.ok(life.calls.includes('register'));
});

test('one that is registered, or on its way out, does not', async () => {
  const going = { dependencies: [secret('deleting')] };
  const registered = await live(WELL, view({ state: 'available', provisioning: { ID: 'node-1' } }), going);
  const deleted = await live(WELL, view({ state: 'registering', provisioning: { ID: '' }, deleted: true }), going);
  for (const { claims } of [registered, deleted])
    assert.ok(claims.every((withdrawnUids) => withdrawnUids.length === 0));
});

test('without the Secret of the BMC nothing is asked of Ironic (BARE-METAL-HOST-5), and that is told once', async () => {
  const life = await live(WELL, view({ state: 'registering' }), { dependencies: [secret(undefined)] });
  assert.equal(life.calls, []);
  assert.equal(life.events, []);
  await life.depend(secret('absent'));
  assert.equal(life.events, ['RegistrationError', 'BMCCredentialError']);
  assert.is(life.stored().errorType, 'registration error');
  assert.is(life.stored().errorMessage, "BMC CredentialsName secret doesn't exist: 'bmc'");
  assert.ok(life.measures.includes('metal3_credentials_missing_total'));
  await life.pass(86_400_000);
  assert.is(life.stored().errorCount, 1);
  assert.equal(life.calls, []);
  await life.depend(secret('ready'));
  assert.ok(life.calls.includes('register'));
  assert.is(life.stored().errorType, undefined);
});

test('other credentials are registered at once, in the state that the host is in (BARE-METAL-HOST-7)', async () => {
  const life = await live(ON_FIRST, view(RUNNING));
  assert.is(life.phase(), 'provisioned.idle');
  life.calls.length = 0;
  await life.depend(secret('ready', '2'));
  assert.equal(life.calls, ['register']);
  assert.is(life.phase(), 'provisioned.idle');
});

test('what did not change costs no registration (BARE-METAL-HOST-7)', async () => {
  const life = await live(ON_FIRST, view(RUNNING));
  life.calls.length = 0;
  for (let look = 0; look < 5; look += 1) await life.see({ ...ON, revision: `${look}` });
  assert.not.ok(life.calls.includes('register'));
  await life.see(undefined);
  assert.is(life.calls.filter((name) => name === 'register').length, 1);
});

test('a host that Ironic lost is registered and adopted again', async () => {
  const life = await live(ON_FIRST, view(RUNNING));
  life.calls.length = 0;
  await life.see(undefined);
  assert.equal(life.calls, ['register', 'adopt']);
});

test('an answer is waited for when the host is deleted meanwhile (BARE-METAL-HOST-6)', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const register = (): unknown => new Promise((resolve) => (answer = resolve));
  const life = await live({ ...WELL, register }, view({ state: 'registering' }));
  await life.edit({ state: 'registering', deleted: true });
  assert.is(life.phase(), 'registering.enrollingNode');
  answer(done({ node: NODE, status: { provisioning: { ID: 'made-just-now' } } }));
  await life.pass(0);
  assert.equal(life.calls.slice(-3), ['remove', 'endClaims', 'removeOwnFinalizer']);
  assert.is(life.stored().provisioning?.ID, 'made-just-now');
});

test('a state that needs room is not entered without (BARE-METAL-HOST-4)', async () => {
  const life = await live(
    { ...WELL, capacity: (call) => ({ isFree: call > 2, at: 0 }) },
    view({ state: 'registering' }),
  );
  assert.is(life.phase(), 'inspecting.delayed');
  assert.is(life.stored().provisioning?.state, 'registering');
  assert.is(life.stored().operationalStatus, 'delayed');
  assert.ok(life.measures.includes('metal3_delayed__provisioning_total'));
  await life.pass(MINUTE);
  assert.is(life.calls.filter((name) => name === 'capacity').length, 1);
  await life.pass(MINUTE);
  assert.is(life.phase(), 'inspecting.delayed');
  await life.pass(2 * MINUTE);
  assert.is(life.phase(), 'available.idle');
  assert.is(life.stored().operationalStatus, 'OK');
});

test('what is not wanted any more does not wait for room, and the host is not delayed any more', async () => {
  const capacity = () => ({ isFree: false, at: 0 });
  const life = await live({ ...WELL, capacity }, view({ state: 'available', spec: { image: IMAGE } }));
  assert.is(life.phase(), 'provisioning.delayed');
  assert.is(life.stored().provisioning?.state, 'available');
  await life.edit({ state: 'available' });
  assert.is(life.phase(), 'available.idle');
  assert.is(life.stored().operationalStatus, 'OK');
  assert.not.ok(life.calls.includes('provision'));
});

test('what is taken back while room is asked for is not begun', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const capacity = (): unknown => new Promise((resolve) => (answer = resolve));
  const life = await live({ ...WELL, capacity }, view({ state: 'available', spec: { image: IMAGE } }));
  await life.edit({ state: 'available' });
  answer({ isFree: true, at: 0 });
  await life.pass(0);
  assert.is(life.phase(), 'available.idle');
  assert.not.ok(life.calls.includes('provision'));
});

test('what the host brings is taken over before anything else', async () => {
  const life = await live(WELL, view({}, { brings: true, owned: false }));
  assert.equal(life.calls, ['restore']);
  assert.is(life.phase(), 'admitting.retrying', 'it is still there');
  await life.edit({}, { brings: false });
  assert.is(life.calls[1], 'addOwnFinalizer');
});

test('nothing is stored over what is being taken over', async () => {
  let isAway = true;
  const [restore, writeStatus] = [fail(transient), () => (isAway ? fail(transient)() : undefined)];
  const life = await live({ ...WELL, restore, writeStatus }, view({}, { brings: true, owned: false }));
  for (let turn = 0; turn < 6; turn += 1) await life.pass(MINUTE);
  const before = life.calls.filter((call) => call === 'restore').length;
  assert.is(before, 2, 'what it told of that could not be stored');
  isAway = false;
  for (let turn = 0; turn < 6; turn += 1) await life.pass(MINUTE);
  assert.ok(life.calls.filter((call) => call === 'restore').length > before);
});

test('what is brought later is taken over, too', async () => {
  const life = await live(WELL, view({ state: 'available' }));
  assert.not.ok(life.calls.includes('restore'));
  await life.edit({}, { brings: true });
  assert.is(life.calls.at(-1), 'restore');
});

test('a paused host is not written to, whatever is not stored (BARE-METAL-HOST-1)', async () => {
  const life = await live({ ...WELL, writeStatus: fail(transient) }, view({ state: 'registering' }));
  await life.edit({ annotations: { 'baremetalhost.metal3.io/paused': '' } });
  life.all.length = 0;
  for (let turn = 0; turn < 5; turn += 1) await life.pass(MINUTE);
  assert.equal(life.all, []);
});

test('another node is prepared from the beginning', async () => {
  const register = () => done({ node: NODE, status: { provisioning: { ID: 'another' } } });
  const provisioning = { rootDeviceHints: { hctl: '0:0:0:0' } };
  const life = await live({ ...WELL, register, prepare: () => waiting() }, view({ state: 'preparing', provisioning }));
  assert.equal(life.stored().provisioning, { ID: 'another', state: 'preparing' });
});

test('what was decided is not forgotten for an edit that comes before it is stored', async () => {
  let store: () => void = () => undefined;
  const writeStatus = (call: number) => (call === 1 ? new Promise<void>((resolve) => (store = resolve)) : undefined);
  const prepare = () => failed(ErrorType.Preparation);
  const life = await live({ ...WELL, writeStatus, prepare }, view({ state: 'preparing' }));
  assert.is(life.stored().errorCount, 0);
  await life.edit({ spec: { online: false } });
  assert.is(life.status().errorCount, 1);
  store();
  await life.pass(0);
  assert.is(life.stored().errorCount, 2);
});

test('somebody who writes another state leads the host there', async () => {
  const life = await live(WELL, view({ state: 'available' }));
  assert.is(life.phase(), 'available.idle');
  await life.edit({ state: 'preparing', status: { poweredOn: true } });
  assert.equal(life.states, ['available']);
  assert.is(life.calls.filter((name) => name === 'prepare').length, 1);
});

test.run();
