// The order of steps, the BIOS and the firmware step, and when a host is unprepared.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { biosStep, isSettingChanged } from '../../../../adapters/ironic/host/bios-settings.ts';
import { cleanSteps, isUnprepared, serviceSteps } from '../../../../adapters/ironic/host/clean-steps.ts';
import { firmwareStep } from '../../../../adapters/ironic/host/firmware-components.ts';

const test = suite('clean steps');

const raid = [{ interface: 'raid', step: 'delete_configuration' }];
const bios = { interface: 'bios', step: 'apply_configuration', args: { settings: [] } };
const firmware = { interface: 'firmware', step: 'update', args: { settings: [] } };

test('RAID, then BIOS settings, then firmware; what has nothing to do is left out', () => {
  assert.equal(cleanSteps({ firmware, bios, raid }), [...raid, bios, firmware]);
  assert.equal(cleanSteps({ firmware }), [firmware]);
  assert.equal(cleanSteps({ raid, bios: undefined, firmware: undefined }), raid);
  assert.equal(cleanSteps({}), []);
});

test('service steps: the same without RAID', () => {
  assert.equal(serviceSteps({ firmware, bios }), [bios, firmware]);
  assert.equal(serviceSteps({}), []);
});

test('the BIOS step has the settings that differ as texts, numbers as numbers, by name', () => {
  const wanted = { ZMode: 'On', Same: 'x', SameNumber: 5, Count: 7, Text: '8', New: 'n' };
  const current = { ZMode: 'Off', Same: 'x', SameNumber: '5', Count: '5', Text: '7' };
  assert.equal(biosStep(wanted, current), {
    interface: 'bios',
    step: 'apply_configuration',
    args: {
      settings: [
        { name: 'Count', value: 7 },
        { name: 'New', value: 'n' },
        { name: 'Text', value: '8' },
        { name: 'ZMode', value: 'On' },
      ],
    },
  });
});

test('nothing differs, nothing wanted: no BIOS step', () => {
  assert.is(biosStep({ A: 1 }, { A: '1' }), undefined);
  for (const nothing of [{}, null, undefined]) assert.is(biosStep(nothing, { A: '1' }), undefined);
});

test('what is not known yet differs', () => {
  for (const nothing of [{}, null, undefined]) assert.ok(isSettingChanged('A', 'x', nothing));
  assert.ok(isSettingChanged('constructor', 'x', {}));
  assert.ok(isSettingChanged('__proto__', '', {}));
  assert.not(isSettingChanged('A', 0, { A: '0' }));
});

const update = { component: 'bios', url: 'http://x/bios.bin' };

test('the firmware step has the updates that were not applied from the same URL', () => {
  const newer = { component: 'bmc', url: 'http://x/bmc-2.bin' };
  const older = { component: 'bmc', url: 'http://x/bmc-1.bin' };
  assert.equal(firmwareStep({ spec: { updates: [newer, update] }, status: { updates: [update, older] } }), {
    interface: 'firmware',
    step: 'update',
    args: { settings: [newer] },
  });
  // The same image for another component is another update.
  const nic = { component: 'nic:a', url: update.url };
  assert.equal(firmwareStep({ spec: { updates: [nic] }, status: { updates: [update] } })?.args, { settings: [nic] });
});

test('no updates left: no firmware step', () => {
  assert.is(firmwareStep({ spec: { updates: [update] }, status: { updates: [update] } }), undefined);
  assert.is(firmwareStep({ spec: { updates: [] }, status: { updates: [update] } }), undefined);
  for (const nothing of [null, undefined, {}, { updates: null }]) {
    assert.is(firmwareStep({ spec: nothing, status: nothing }), undefined);
  }
});

const calm = { wanted: {}, recorded: {}, settings: 'none', components: 'none' } as const;

test('unprepared: RAID, hints, settings or components differ', () => {
  assert.not(isUnprepared(calm));
  assert.ok(isUnprepared({ ...calm, wanted: { raid: { hardwareRAIDVolumes: [] } } }));
  assert.ok(isUnprepared({ ...calm, wanted: { rootDeviceHints: { deviceName: '/dev/sda' } } }));
  assert.ok(isUnprepared({ ...calm, recorded: { rootDeviceHints: { deviceName: '/dev/sda' } } }));
  assert.ok(isUnprepared({ ...calm, settings: 'changed' }));
  assert.ok(isUnprepared({ ...calm, components: 'changed' }));
});

test('prepared: the same in other words', () => {
  const hints = { rootDeviceHints: { wwn: 'w', model: 'm' } };
  assert.not(isUnprepared({ ...calm, wanted: hints, recorded: { rootDeviceHints: { model: 'm', wwn: 'w' } } }));
  assert.not(isUnprepared({ ...calm, wanted: { rootDeviceHints: {} }, recorded: { rootDeviceHints: null } }));
  assert.not(isUnprepared({ ...calm, settings: 'notReady', components: 'notReady' }));
});

test.run();
