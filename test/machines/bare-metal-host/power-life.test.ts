// The power of a host that is available or provisioned, reboots and servicing included.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { IMAGE } from './hosts.ts';
import {
  type Answers,
  done,
  failed,
  firmware,
  type Lifecycle,
  live,
  MINUTE,
  NODE,
  ON,
  outcome,
  RUNNING,
  secret,
  view,
  waiting,
} from './lives.ts';

const test = suite('power of a living host');
const BASE = 'reboot.metal3.io';
const HELD = 'reboot.metal3.io/upgrade';
/** A machine that is switched as asked. */
function machine(first = ON): Answers {
  let node = first;
  return {
    register: () => done({ node }),
    power: (_, { target }) => {
      node = target === 'off' ? NODE : ON;
      return done({ node });
    },
  };
}
const asked = (inputs: readonly Record<string, unknown>[] | undefined) =>
  (inputs ?? []).map(({ target, mode, force }) => [target, mode, force].join(' '));

const takenOff = ({ inputs }: Lifecycle) => (inputs['writeStatus'] ?? []).flatMap(({ unannotate }) => unannotate);

test('a host whose power is as it is to be is only looked on', async () => {
  const life = await live(machine(), view(RUNNING));
  assert.is(life.phase(), 'provisioned.idle');
  assert.not.ok(life.calls.includes('power'));
  const { pollAfterMs, ...watched } = life.inputs['watch']?.at(-1) ?? {};
  assert.ok('key' in watched);
  assert.is(pollAfterMs, undefined, 'as often as a host at rest is');
  life.calls.length = 0;
  await life.pass(86_400_000);
  assert.equal(life.calls, []);
});

test('a machine that somebody switched off is switched on again', async () => {
  const life = await live(machine(), view(RUNNING));
  await life.see(NODE);
  assert.equal(asked(life.inputs['power']), ['on hard false']);
  assert.is(life.stored().poweredOn, true);
  assert.is(life.phase(), 'provisioned.idle');
});

test('an annotation makes one power cycle, and goes when the host is off', async () => {
  const life = await live(machine(), view({ ...RUNNING, annotations: { [BASE]: '' } }));
  assert.equal(
    life.calls.filter((name) => name !== 'register'),
    ['adopt', 'power', 'attachDataImage', 'service', 'power'],
  );
  assert.equal(asked(life.inputs['power']), ['off soft false', 'on hard false']);
  assert.equal(takenOff(life), [BASE]);
  assert.is(life.phase(), 'provisioned.idle');
  assert.is(life.stored().poweredOn, true);
});

test('an annotation with a suffix holds the host off until its client takes it away', async () => {
  const life = await live(machine(), view({ ...RUNNING, annotations: { [HELD]: '{"mode": "hard"}' } }));
  assert.equal(asked(life.inputs['power']), ['off hard false']);
  assert.equal(takenOff(life), []);
  assert.is(life.stored().poweredOn, false);
  assert.is(life.phase(), 'provisioned.idle');
  await life.edit({ spec: { image: IMAGE } });
  assert.equal(asked(life.inputs['power']), ['off hard false', 'on hard false']);
});

test('a soft attempt that fails is followed by a hard one, and later ones are soft again (22.19)', async () => {
  const good = machine();
  const power: Answers[string] = (call, input) =>
    call === 1 ? failed(ErrorType.PowerManagement, 'timed out') : good['power']?.(call, input);
  const life = await live({ ...good, power }, view({ ...RUNNING, annotations: { [BASE]: '' } }));
  assert.is(life.phase(), 'provisioned.backingOff');
  assert.is(
    life.stored().errorMessage,
    'Continuing with hard poweroff after soft poweroff fails. More details: timed out',
  );
  await life.pass(2 * MINUTE);
  assert.equal(asked(life.inputs['power']), ['off soft false', 'off hard true', 'on hard false']);
  assert.is(life.stored().errorCount, 0);
  assert.is(life.stored().errorType, undefined);
  await life.edit({ spec: { image: IMAGE }, annotations: { [BASE]: '' } });
  assert.equal(asked(life.inputs['power']).slice(3), ['off soft false', 'on hard false']);
});

test('a power that is said to be switched and is not is asked for again with a pause', async () => {
  const life = await live({ ...machine(), power: () => done({ node: NODE }) }, view({ ...RUNNING, status: {} }));
  await life.see(NODE);
  assert.is(life.phase(), 'provisioned.retrying');
});

test('a host that must not be switched off is rebooted, once for each annotation', async () => {
  const spec = { image: IMAGE, disablePowerOff: true };
  const begun = { ...RUNNING, spec, annotations: { [BASE]: '', [HELD]: '' } };
  const life = await live(machine(), view(begun));
  assert.equal(asked(life.inputs['power']), ['reboot soft false']);
  assert.equal(takenOff(life), [BASE]);
  assert.is(life.phase(), 'provisioned.idle');
  await life.see({ ...ON, revision: '2' });
  assert.is(life.inputs['power']?.length, 1);
  await life.edit({ spec });
  await life.edit({ spec, annotations: { [HELD]: '' } });
  assert.is(life.inputs['power']?.length, 2);
});

test('a reboot that Ironic does not take yet is asked for again', async () => {
  const spec = { image: IMAGE, disablePowerOff: true };
  const power = (call: number) => (call === 1 ? waiting() : done({ node: ON }));
  const life = await live({ ...machine(), power }, view({ ...RUNNING, spec, annotations: { [BASE]: '' } }));
  assert.is(life.phase(), 'provisioned.awaiting');
  assert.equal(takenOff(life), []);
  await life.see({ ...ON, revision: '2' });
  assert.equal(asked(life.inputs['power']), ['reboot soft false', 'reboot soft false']);
  assert.equal(takenOff(life), [BASE]);
});

test('an available host is rebooted by force alone', async () => {
  const life = await live(
    machine(),
    view({ state: 'available', status: { poweredOn: true }, annotations: { [BASE]: '' } }),
  );
  assert.is(life.inputs['power'], undefined);
  await life.edit({ annotations: { [BASE]: '{"force": true}' } });
  assert.equal(asked(life.inputs['power']), ['off soft false', 'on hard false']);
});

test('an annotation that nobody understands is told once it is there', async () => {
  const life = await live(machine(), view(RUNNING));
  await life.edit({ spec: { image: IMAGE }, annotations: { [HELD]: '{' } });
  assert.equal(life.events, ['InvalidAnnotationValue']);
  await life.see({ ...NODE, revision: '2' });
  assert.equal(life.events, ['InvalidAnnotationValue']);
});

test('firmware is serviced while the host is off: registered for it first, and switched on after', async () => {
  const service = (call: number) => (call === 1 ? outcome('due', {}) : call === 2 ? waiting({ node: NODE }) : done());
  const life = await live({ ...machine(NODE), service }, view({ ...RUNNING, status: {} }));
  assert.is(life.phase(), 'provisioned.awaiting');
  assert.is(life.stored().operationalStatus, 'servicing');
  assert.equal(
    life.inputs['service']?.map(({ isBegun }) => isBegun),
    [false, true],
  );
  const between = life.calls.slice(life.calls.indexOf('service') + 1, life.calls.lastIndexOf('service'));
  assert.equal(between, ['register'], 'a ramdisk may be needed');
  await life.see({ ...NODE, revision: '2' });
  assert.is(life.stored().operationalStatus, 'OK');
  assert.equal(asked(life.inputs['power']), ['on hard false']);
  assert.is(life.phase(), 'provisioned.idle');
});

test('servicing that fails is told, and goes on after the back-off', async () => {
  const service = (call: number) =>
    call === 1 ? outcome('due', {}) : call === 2 ? failed(ErrorType.Servicing) : done();
  const life = await live({ ...machine(NODE), service }, view({ ...RUNNING, status: {} }));
  assert.is(life.stored().errorType, 'servicing error');
  await life.pass(2 * MINUTE);
  assert.is(life.stored().errorType, undefined);
  assert.is(life.stored().operationalStatus, 'OK');
  assert.is(life.phase(), 'provisioned.idle');
});

test('changed firmware of an available host is prepared, if it is valid', async () => {
  const prepare = (): unknown => new Promise(() => undefined);
  const life = await live({ ...machine(), prepare }, view({ state: 'available' }));
  await life.depend(secret('ready'), firmware({ isChanged: true, isValid: false }));
  assert.is(life.phase(), 'available.idle');
  await life.depend(secret('ready'), firmware({ isChanged: true, isValid: true }));
  assert.is(life.phase(), 'preparing.applying');
});

test('wanted hints that differ are prepared, and a requested inspection is made', async () => {
  const unprepared = await live(
    { ...machine(), prepare: () => waiting() },
    view({ state: 'available' }, { isUnprepared: true }),
  );
  assert.is(unprepared.phase(), 'preparing.awaiting');
  const life = await live(
    { ...machine(), inspect: () => waiting({ unannotate: ['inspect.metal3.io', BASE] }) },
    view({ state: 'available' }),
  );
  await life.edit({ annotations: { 'inspect.metal3.io': '' } });
  assert.is(life.phase(), 'inspecting.awaiting');
  assert.equal(takenOff(life), ['inspect.metal3.io']);
  assert.equal(life.context().object.host.metadata?.annotations, {});
});

test('an externally provisioned host is adopted and switched, and becomes provisioned when it is so no more', async () => {
  const spec = { externallyProvisioned: true };
  const life = await live(machine(), view({ state: 'available', spec }));
  assert.is(life.phase(), 'externallyProvisioned.idle');
  assert.ok(life.calls.includes('adopt'));
  await life.edit({ spec: { image: IMAGE } });
  assert.is(life.phase(), 'provisioned.idle');
  assert.equal(life.stored().provisioning?.image, IMAGE);
});

test('an adoption that fails is told, and over with the next that succeeds', async () => {
  const adopt = (call: number) => (call === 1 ? failed(ErrorType.ProvisionedRegistration) : done());
  const life = await live({ ...machine(), adopt }, view(RUNNING));
  assert.is(life.stored().errorType, 'provisioned registration error');
  await life.pass(2 * MINUTE);
  assert.is(life.stored().errorType, undefined);
  assert.is(life.stored().errorCount, 0);
});

test.run();
