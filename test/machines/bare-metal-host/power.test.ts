// The power of a host step by step, and what its reboot annotations ask for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  clearServicing,
  type PowerInput,
  powerErrorMessage,
  powerStep,
} from '../../../machines/bare-metal-host/power.ts';
import { rebootAnnotationEvents, rebootRequest } from '../../../machines/bare-metal-host/reboot.ts';
import { BARE, HOSTILE, host, type Parts } from './hosts.ts';

const test = suite('power and reboots');
const BASE = 'reboot.metal3.io';
const HELD = 'reboot.metal3.io/upgrade';
const ON = { powerState: 'power on' };
const OFF = { powerState: 'power off' };
const SEEN_TO = { dataImage: true, servicing: true };
const on = { poweredOn: true };

function step(parts: Parts, input: PowerInput) {
  return powerStep(host({ state: 'provisioned', ...parts }), input);
}

test('1: what Ironic says is stored first', () => {
  const turned = step({ status: { poweredOn: false } }, ON);
  assert.is(turned.step, 'record');
  assert.is(turned.step === 'record' && turned.status.poweredOn, true);
  assert.is(step({ status: on }, OFF).step, 'record');
});

test('1: a power state that nobody knows leaves what was known', () => {
  for (const powerState of [undefined, null, '', 'error', 'rebooting']) {
    assert.is(step({ status: on }, { powerState }).step, 'rest');
  }
});

test('1: a change that came about clears a power error, and its count', () => {
  const failed = { poweredOn: true, operationalStatus: 'error', errorType: 'power management error', errorCount: 2 };
  const turned = step({ status: failed }, OFF);
  assert.is(turned.step, 'record');
  if (turned.step !== 'record') return;
  assert.is(turned.status.errorType, undefined);
  assert.is(turned.status.operationalStatus, 'OK');
  assert.is(turned.status.errorCount, 0);
  const other = step({ status: { ...failed, errorType: 'servicing error' } }, OFF);
  assert.is(other.step === 'record' && other.status.errorType, 'servicing error');
  assert.is(other.step === 'record' && other.status.errorCount, 2);
});

test('2: the data image comes before a provisioned host is switched on', () => {
  for (const state of ['provisioned', 'externally provisioned']) {
    assert.is(step({ state }, OFF).step, 'dataImage');
    assert.is(step({ state, spec: { online: false } }, OFF).step, 'rest');
    assert.is(step({ state, status: on }, ON).step, 'rest');
  }
  assert.is(step({ state: 'available' }, OFF).step, 'powerOn');
});

test('3: once it is off the base annotation goes, and no other', () => {
  const seenTo = { dataImage: true };
  assert.equal(step({ annotations: { [BASE]: '' } }, { ...OFF, seenTo }), { step: 'removeAnnotation', key: BASE });
  assert.is(step({ annotations: { [HELD]: '' } }, { ...OFF, seenTo: SEEN_TO }).step, 'rest');
});

test('4: firmware is serviced while a provisioned host is off and wanted on', () => {
  const seenTo = { dataImage: true };
  assert.is(step({}, { ...OFF, seenTo }).step, 'service');
  assert.is(step({ state: 'available' }, { ...OFF, seenTo }).step, 'powerOn');
  assert.is(step({ status: { ...on, operationalStatus: 'servicing' } }, ON).step, 'service');
  assert.is(step({ status: { ...on, errorType: 'servicing error' } }, ON).step, 'service');
});

test('5: any reboot annotation holds a provisioned host off, elsewhere only by force', () => {
  const isHeld = (state: string, text: string, key = BASE): boolean =>
    step({ state, status: on, annotations: { [key]: text } }, ON).step === 'powerOff';
  for (const state of ['provisioned', 'externally provisioned']) {
    assert.ok(isHeld(state, ''));
    assert.ok(isHeld(state, '{"force": false}', HELD));
    assert.ok(isHeld(state, 'what is this'));
  }
  for (const state of ['available', 'ready']) {
    assert.not(isHeld(state, ''));
    assert.not(isHeld(state, 'true'));
    assert.ok(isHeld(state, '{"force": true}'));
    assert.ok(isHeld(state, '{"force": true}', HELD));
  }
});

test('6: it is switched as wanted, or left alone', () => {
  const seenTo = SEEN_TO;
  assert.equal(step({ status: on }, ON), { step: 'rest' });
  assert.equal(step({ spec: { online: false } }, OFF), { step: 'rest' });
  assert.equal(step({}, { ...OFF, seenTo }), { step: 'powerOn', force: false });
  assert.equal(step({ spec: { online: false }, status: on }, ON), { step: 'powerOff', mode: 'soft', force: false });
  const failed = { errorType: 'power management error', errorCount: 1 };
  assert.equal(step({ status: failed }, { ...OFF, seenTo }), { step: 'powerOn', force: true });
  assert.equal(step({ spec: { online: false }, status: { ...on, ...failed } }, ON), {
    step: 'powerOff',
    mode: 'hard',
    force: true,
  });
  assert.equal(
    step(
      { spec: { online: false }, status: { ...on, errorCount: 1, errorType: 'servicing error' } },
      { ...ON, seenTo },
    ),
    {
      step: 'powerOff',
      mode: 'hard',
      force: false,
    },
  );
});

test('6: a power that is as wanted ends what failed before, so that later reboots are polite again', () => {
  const left = step({ status: { ...on, errorCount: 3 } }, ON);
  assert.is(left.step === 'record' && left.status.errorCount, 0);
  const failed = step({ status: { ...on, errorType: 'power management error', errorCount: 3 } }, ON);
  assert.is(failed.step === 'record' && failed.status.errorType, undefined);
});

test('7: a host that must not be switched off is rebooted instead, once for each annotation', () => {
  const spec = { disablePowerOff: true };
  assert.equal(step({ spec, status: on, annotations: { [BASE]: '{"mode":"hard"}' } }, ON), {
    step: 'reboot',
    mode: 'hard',
    force: false,
    removeAnnotation: BASE,
    keys: [BASE],
  });
  const held = { spec, status: on, annotations: { [HELD]: '' } };
  assert.equal(step(held, ON), {
    step: 'reboot',
    mode: 'soft',
    force: false,
    removeAnnotation: undefined,
    keys: [HELD],
  });
  assert.equal(step(held, { ...ON, seenTo: { reboots: [HELD] } }), { step: 'rest' });
});

test('7: a host that must not be switched off and is not wanted on is left alone', () => {
  assert.equal(step({ spec: { disablePowerOff: true, online: false }, status: on }, ON), { step: 'rest' });
});

test('8: what follows a soft attempt is told', () => {
  assert.is(
    powerErrorMessage('no answer', 'soft'),
    'Continuing with hard poweroff after soft poweroff fails. More details: no answer',
  );
  assert.is(powerErrorMessage('no answer', 'hard'), 'no answer');
  assert.is(powerErrorMessage('no answer', undefined), 'no answer');
});

test('when servicing is over the host is well', () => {
  assert.is(clearServicing({ operationalStatus: 'servicing' }).operationalStatus, 'OK');
  const failed = clearServicing({ operationalStatus: 'servicing', errorType: 'servicing error', errorMessage: 'no' });
  assert.equal(failed, { operationalStatus: 'OK', errorMessage: '' });
  const power = { operationalStatus: 'error', errorType: 'power management error' };
  assert.is(clearServicing(power), power);
});

test('annotations: one that asks for hard wins, and the default is soft', () => {
  const asked = (annotations: Record<string, string>) => rebootRequest(host({ annotations }));
  assert.is(asked({ other: '' }), undefined);
  assert.is(asked({ 'reboot.metal3.iox': '', 'reboot.metal3.i': '' }), undefined);
  assert.equal(asked({ [BASE]: '' }), { mode: 'soft', force: false, keys: [BASE] });
  assert.equal(asked({ [BASE]: '{"mode":"hard"}' }), { mode: 'hard', force: false, keys: [BASE] });
  assert.equal(asked({ [HELD]: '{"mode":"hard"}', [BASE]: '{"mode":"soft","force":true}' }), {
    mode: 'hard',
    force: true,
    keys: [BASE, HELD],
  });
  assert.is(asked({ 'reboot.metal3.io/': '' })?.keys.length, 1);
});

test('annotations: only forced ones are heeded where that is asked', () => {
  const annotations = { [BASE]: '{"mode":"hard"}', [HELD]: '{"force":true}' };
  assert.equal(rebootRequest(host({ annotations }), { onlyForced: true }), {
    mode: 'soft',
    force: true,
    keys: [HELD],
  });
});

test('annotations: what nobody understands is soft, and told', () => {
  const asked = { mode: 'soft', force: false, keys: [BASE] };
  const fine = new Set(['null', '{"mode":"medium"}', '{"constructor":{"force":true}}']);
  for (const text of HOSTILE) {
    const reported = host({ annotations: { [BASE]: text } });
    assert.equal(rebootRequest(reported), asked, text.slice(0, 40));
    const isFine = fine.has(text) || text.startsWith('{"__proto__"') || text.endsWith('}}}}');
    assert.is(rebootAnnotationEvents(reported).length, isFine ? 0 : 1, text.slice(0, 40));
  }
  assert.equal(rebootAnnotationEvents(host({ annotations: { [BASE]: '{', other: '{' } })), [
    { reason: 'InvalidAnnotationValue', message: 'the value of annotation reboot.metal3.io is not understood' },
  ]);
  assert.equal(({} as Record<string, unknown>)['force'], undefined);
});

test('nothing is certain to be there', () => {
  for (const bare of BARE) {
    assert.equal(powerStep(bare, { powerState: undefined }), { step: 'rest' });
    assert.is(rebootRequest(bare), undefined);
    assert.equal(rebootAnnotationEvents(bare), []);
  }
});

test.run();
