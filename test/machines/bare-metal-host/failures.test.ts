// What fails in the life of a host, what it waits for, and how it goes on.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import type { Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import { IMAGE, OTHER_IMAGE, type Parts } from './hosts.ts';
import {
  conflict,
  done,
  fail,
  failed,
  firmware,
  type Lifecycle,
  live,
  MINUTE,
  NODE,
  outcome,
  secret,
  settled,
  transient,
  view,
  WELL,
  waiting,
} from './lives.ts';

const test = suite('failures of a living host');

test('a status that somebody else changed meanwhile is written again, at last with pauses', async () => {
  const twice = await live({ ...WELL, writeStatus: (call) => (call < 3 ? fail(conflict)() : undefined) }, view());
  assert.is(twice.phase(), 'available.idle');
  const never = await live({ ...WELL, writeStatus: fail(transient) }, view());
  assert.is(never.phase(), 'registering.deciding');
  const before = never.all.filter((name) => name === 'writeStatus').length;
  await never.pass(10);
  assert.ok(never.all.filter((name) => name === 'writeStatus').length > before);
});

test('an inspection that fails is told, counted, and tried again after the back-off (BARE-METAL-HOST-8)', async () => {
  const life = await live({ ...WELL, inspect: () => failed(ErrorType.Inspection) }, view({ state: 'inspecting' }));
  assert.is(life.phase(), 'inspecting.backingOff');
  assert.equal(life.events, ['InspectionError']);
  const stored = life.stored();
  assert.is(stored.operationalStatus, 'error');
  assert.is(stored.errorMessage, 'it broke');
  const inspections = (): number => life.calls.filter((name) => name === 'inspect').length;
  for (const minutes of [2, 4, 8]) {
    const before = inspections();
    await life.pass(minutes * MINUTE - 1);
    assert.is(inspections(), before);
    await life.pass(1);
    assert.is(inspections(), before + 1);
  }
  assert.is(life.stored().errorCount, 4);
});

test('an edit does not wait for the back-off, and a success ends it', async () => {
  const life = await live(
    { ...WELL, prepare: (call) => (call === 1 ? failed(ErrorType.Preparation) : done()) },
    view({ state: 'preparing' }),
  );
  assert.is(life.phase(), 'preparing.backingOff');
  await life.edit({ state: 'preparing', spec: { description: 'edited' } as never });
  assert.is(life.phase(), 'available.idle');
  assert.is(life.stored().errorType, undefined);
  assert.is(life.stored().errorCount, 0);
});

test('what only a change can mend is not tried before', async () => {
  const refused = outcome('failed', { errorType: ErrorType.Registration, message: 'no such BMC', until: 'change' });
  const life = await live({ ...WELL, register: (call) => (call === 1 ? refused : done({ node: NODE })) }, view());
  assert.is(life.phase(), 'registering.refused');
  assert.is(life.stored().errorCount, 1);
  await life.pass(86_400_000);
  assert.equal(life.calls, ['register']);
  await life.depend(secret('ready', '2'));
  assert.is(life.phase(), 'available.idle');
});

/** What is heard while the first call of an operation is under way, which is answered then. */
async function meanwhile(
  name: string,
  first: Outcome,
  parts: Parts,
  hear: (life: Lifecycle) => Promise<void>,
): Promise<Lifecycle> {
  let answer = (): void => undefined;
  const held = new Promise<Outcome>((resolve) => {
    answer = () => resolve(first);
  });
  const life = await live({ ...WELL, [name]: (call) => (call === 1 ? held : done({ node: NODE })) }, view(parts));
  await hear(life);
  answer();
  await settled();
  return life;
}

test('what changes while something is under way is decided upon before anything is waited for (BARE-METAL-HOST-12)', async () => {
  const replaced = (life: Lifecycle): Promise<void> => life.depend(secret('ready', '2'));
  const refused = outcome('failed', { errorType: ErrorType.Registration, message: 'no such BMC', until: 'change' });
  const registered = await meanwhile('register', refused, {}, replaced);
  assert.is(registered.phase(), 'available.idle');
  for (const first of [
    waiting({ node: NODE }),
    failed(ErrorType.Provisioning),
    outcome('stuck', { message: 'it is' }),
  ]) {
    const taken = await meanwhile('deprovision', first, { state: 'deprovisioning' }, replaced);
    assert.is(taken.phase(), 'available.idle', first.kind);
    const calls = taken.calls.filter((name) => name !== 'capacity');
    assert.equal(calls.slice(0, 3), ['register', 'deprovision', 'register'], 'it is registered anew');
  }
});

test('a node that was too busy to be configured is registered again once it has changed (BARE-METAL-HOST-13)', async () => {
  const at = (revision: string) => ({ ...NODE, revision });
  const answers = [done({ node: at('idle') }), done({ node: at('busy 1'), isUnconfigured: true })];
  answers.push(done({ node: at('busy 2'), isUnconfigured: true }), done({ node: at('failed') }));
  const life = await live(
    {
      ...WELL,
      register: (call) => answers[call - 1],
      prepare: (call) =>
        call < 4 ? waiting({ node: at(`busy ${Math.min(call, 2)}`) }) : failed(ErrorType.Preparation),
    },
    view({ state: 'preparing' }),
  );
  await life.see(at('busy 1'));
  assert.equal(life.calls, ['register', 'prepare', 'prepare'], 'a change of a node that was configured');
  life.calls.length = 0;
  await life.edit({ state: 'preparing', spec: { inspectionMode: 'fast' } });
  assert.equal(life.calls, ['register', 'prepare'], 'once, and no polling');
  assert.is(life.phase(), 'preparing.awaiting');
  await life.pass(MINUTE);
  assert.equal(life.calls, ['register', 'prepare']);
  life.calls.length = 0;
  await life.see(at('busy 2'));
  assert.equal(life.calls, ['register', 'prepare']);
  assert.is(life.phase(), 'preparing.backingOff');
  life.calls.length = 0;
  await life.pass(60 * MINUTE);
  assert.equal(life.calls, ['prepare'], 'it was configured');
});

test('of what others say news end a wait, and no back-off (BARE-METAL-HOST-12)', async () => {
  const said = (life: Lifecycle): Promise<void> =>
    life.depend(secret('ready'), firmware({ isChanged: false, isValid: true }));
  const looked = await meanwhile('prepare', outcome('pausing', { afterMs: MINUTE }), { state: 'preparing' }, said);
  assert.is(looked.phase(), 'available.idle');
  const backed = await meanwhile('prepare', failed(ErrorType.Preparation), { state: 'preparing' }, said);
  assert.is(backed.phase(), 'preparing.backingOff');
});

test('a refusal is counted once, whoever finds it again', async () => {
  const refused = outcome('failed', { errorType: ErrorType.Registration, message: 'no such BMC', until: 'change' });
  const reported = {
    operationalStatus: 'error',
    errorType: 'registration error',
    errorMessage: 'no such BMC',
    errorCount: 4,
  };
  const again = await live({ ...WELL, register: () => refused }, view({ state: 'registering', status: reported }));
  assert.is(again.phase(), 'registering.refused');
  assert.equal([again.stored().errorCount, again.stored().errorMessage], [4, 'no such BMC']);
  const other = { ...reported, errorMessage: 'another' };
  const counted = await live({ ...WELL, register: () => refused }, view({ state: 'registering', status: other }));
  assert.equal([counted.stored().errorCount, counted.stored().errorMessage], [5, 'no such BMC']);
});

test('a failure that no status tells of is tried again soon, and told when it comes twice (22.21)', async () => {
  const life = await live({ ...WELL, prepare: fail(transient) }, view({ state: 'preparing' }));
  assert.is(life.phase(), 'preparing.retrying');
  assert.is(life.stored().errorType, undefined);
  assert.is(life.context().problem, undefined);
  await life.pass(5);
  assert.is(life.context().problem, 'Ironic answered 500');
  assert.is(life.inputs['writeStatus']?.at(-1)?.['problem'], 'Ironic answered 500');
  const tries = (): number => life.calls.filter((name) => name === 'prepare').length;
  assert.is(tries(), 2);
  await life.pass(9);
  assert.is(tries(), 2);
  await life.pass(1);
  assert.is(tries(), 3);
});

test('an answer that nobody expected is treated alike, and said no more after a success', async () => {
  const prepare = (call: number) =>
    call < 4 ? outcome('stuck', { message: 'the node is in state "rescue"' }) : done();
  const life = await live({ ...WELL, prepare }, view({ state: 'preparing' }));
  await life.pass(5);
  assert.is(life.context().problem, 'the node is in state "rescue"');
  await life.pass(10);
  await life.pass(20);
  assert.is(life.phase(), 'available.idle');
  assert.is(life.context().problem, undefined);
  assert.is(life.inputs['writeStatus']?.at(-1)?.['problem'], undefined);
});

test('Ironic that is not ready is left alone for as long as it says', async () => {
  const notReady = fail({ ...transient, retryAfterMs: 30_000 });
  const life = await live({ ...WELL, register: (call) => (call === 1 ? notReady() : done({ node: NODE })) }, view());
  await life.pass(29_999);
  assert.equal(life.calls, ['register']);
  await life.pass(1);
  assert.is(life.phase(), 'available.idle');
});

test('while Ironic is at work the chart asks nothing, and goes on when the node changes', async () => {
  const life = await live(
    { ...WELL, prepare: (call) => (call < 3 ? waiting({ node: NODE }) : done()) },
    view({ state: 'preparing' }),
  );
  assert.is(life.phase(), 'preparing.awaiting');
  assert.is(life.inputs['watch']?.at(-1)?.['pollAfterMs'], 3_000);
  life.calls.length = 0;
  await life.pass(86_400_000);
  assert.equal(life.calls, []);
  await life.see({ ...NODE, revision: '2' });
  assert.equal(life.calls, ['prepare']);
  await life.see({ ...NODE, revision: '3' });
  assert.is(life.phase(), 'available.idle');
});

test('what is not the node is waited for with a pause', async () => {
  const prepare = (call: number) => (call === 1 ? outcome('pausing', { afterMs: MINUTE }) : done());
  const life = await live({ ...WELL, prepare }, view({ state: 'preparing' }));
  assert.is(life.phase(), 'preparing.requeued');
  await life.pass(MINUTE - 1);
  assert.is(life.phase(), 'preparing.requeued');
  await life.pass(1);
  assert.is(life.phase(), 'available.idle');
});

test('a deployment that fails is undone and tried again, until the limit', async () => {
  const life = await live(
    { ...WELL, provision: () => failed(ErrorType.Provisioning, 'no route to the image') },
    view({ state: 'available', spec: { image: IMAGE } }, { maxProvisioningRetries: 2 }),
  );
  assert.is(life.phase(), 'provisioning.backingOff');
  assert.is(life.stored().provisioningFailCount, 0);
  await life.pass(2 * MINUTE);
  assert.is(life.stored().provisioningFailCount, 1);
  assert.is(life.phase(), 'provisioning.backingOff');
  assert.is(life.stored().errorCount, 1, 'deprovisioning has ended the count');
  await life.pass(2 * MINUTE);
  assert.is(life.phase(), 'available.exhausted');
  assert.is(life.stored().provisioningFailCount, 2);
  assert.is(life.stored().errorType, 'provisioning error');
  assert.is(
    life.stored().errorMessage,
    'provisioning failed 2 times, retry limit (2) reached; change image or reset provisioningFailCount to retry',
  );
  const { length } = life.calls;
  await life.pass(86_400_000);
  assert.is(life.calls.length, length);
});

test('another image, or a count that somebody sets back, lets it try again', async () => {
  const tried = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };
  const begun = view({ state: 'available', spec: { image: IMAGE }, status: tried });
  const another = await live({ ...WELL, provision: () => waiting() }, begun);
  assert.is(another.phase(), 'available.exhausted');
  await another.edit({ state: 'available', spec: { image: OTHER_IMAGE } });
  assert.is(another.phase(), 'provisioning.awaiting');
  assert.is(another.stored().provisioningFailCount, 0);
  const reset = await live({ ...WELL, provision: () => waiting() }, begun);
  await reset.edit({ state: 'available', spec: { image: IMAGE }, status: { ...tried, provisioningFailCount: 0 } });
  assert.is(reset.phase(), 'provisioning.awaiting');
});

test('33.D: failures are forgotten by an available host alone, not by one whose image is changed while it is deployed', async () => {
  const tried = { provisioningFailCount: 2, lastAttemptedImage: IMAGE };
  const life = await live(
    { ...WELL, provision: () => waiting() },
    view({ state: 'provisioning', spec: { image: { ...IMAGE, checksum: 'other' } }, status: tried }),
  );
  assert.is(life.stored().provisioningFailCount, 2);
  assert.equal(life.stored().lastAttemptedImage, { ...IMAGE, checksum: 'other' });
});

test('an image that is wanted since the pass began is not told of as deployed (IRONIC-PROVISIONING-3)', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const provision = (call: number) => (call === 1 ? promise : waiting());
  const life = await live({ ...WELL, provision }, view({ state: 'provisioning', spec: { image: IMAGE } }));
  assert.is(life.phase(), 'provisioning.deploying');
  await life.edit({ state: 'provisioning', spec: { image: OTHER_IMAGE } });
  resolve(done({ node: NODE }));
  await settled();
  await life.pass(0);
  assert.is(life.phase(), 'provisioning.awaiting');
  assert.is(life.calls.filter((name) => name === 'provision').length, 2);
  assert.equal(life.stored().provisioning?.image, undefined);
});

test('a deployment that is not wanted any more is undone without being counted', async () => {
  const life = await live(
    { ...WELL, provision: () => waiting() },
    view({ state: 'provisioning', spec: { image: IMAGE } }),
  );
  assert.is(life.phase(), 'provisioning.awaiting');
  await life.edit({ state: 'provisioning' });
  assert.is(life.phase(), 'available.idle');
  assert.ok(life.states.includes('deprovisioning'));
  assert.is(life.stored().provisioningFailCount, 0);
});

test('room is asked for again after a failure', async () => {
  const inspect = (call: number) => (call === 1 ? failed(ErrorType.Inspection) : waiting());
  const life = await live({ ...WELL, inspect }, view({ state: 'inspecting' }));
  await life.pass(2 * MINUTE);
  assert.is(life.phase(), 'inspecting.awaiting');
  assert.is(life.calls.filter((name) => name === 'capacity').length, 2);
});

test('the image that is tried is noted as it is at each pass', async () => {
  const life = await live(
    { ...WELL, provision: () => waiting() },
    view({ state: 'available', spec: { image: IMAGE } }),
  );
  assert.equal(life.stored().lastAttemptedImage, IMAGE);
  const image = { ...IMAGE, checksum: 'another' };
  await life.edit({ spec: { image } });
  assert.is(life.phase(), 'provisioning.awaiting');
  assert.equal(life.stored().lastAttemptedImage, image);
});

test.run();
