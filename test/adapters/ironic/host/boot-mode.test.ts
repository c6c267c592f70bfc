// Boot modes as capabilities.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { instanceCapabilities, nodeCapabilities } from '../../../../adapters/ironic/host/boot-mode.ts';

const test = suite('boot mode');

test('each mode has its capabilities', () => {
  for (const [mode, capabilities] of [
    ['UEFI', 'boot_mode:uefi'],
    ['UEFISecureBoot', 'boot_mode:uefi,secure_boot:true'],
    ['legacy', 'boot_mode:bios'],
    ['', 'boot_mode:uefi'],
    [null, 'boot_mode:uefi'],
    [undefined, 'boot_mode:uefi'],
    ['constructor', 'boot_mode:uefi'],
  ] as const) {
    assert.is(nodeCapabilities(undefined, mode), capabilities, String(mode));
    assert.is(nodeCapabilities('cpu_vt:true', mode), `cpu_vt:true,${capabilities}`, String(mode));
  }
});

test('other capabilities stay, in their order, and those of the old mode go', () => {
  for (const [old, kept] of [
    ['boot_mode:bios', ''],
    ['boot_mode:uefi,secure_boot:true', ''],
    ['cpu_vt:true,boot_mode:uefi,cpu_aes:true,secure_boot:true', 'cpu_vt:true,cpu_aes:true,'],
    ['my_boot_mode:x,boot_modes:y,secure_boots:z', 'my_boot_mode:x,boot_modes:y,secure_boots:z,'],
    ['a:b, boot_mode:uefi , c:d', 'a:b, c:d,'],
    ['a:b,,', 'a:b,'],
    [',', ''],
  ] as const) {
    assert.is(nodeCapabilities(old, 'legacy'), `${kept}boot_mode:bios`, old);
  }
});

test('an old value that is no text is replaced', () => {
  for (const old of [undefined, null, '', 5, true, {}, [], { boot_mode: 'uefi' }]) {
    assert.is(nodeCapabilities(old, 'UEFI'), 'boot_mode:uefi');
  }
});

test('nothing changes the second time', () => {
  for (const mode of ['UEFI', 'UEFISecureBoot', 'legacy']) {
    const once = nodeCapabilities('cpu_vt:true,boot_mode:bios', mode);
    assert.is(nodeCapabilities(once, mode), once);
  }
});

test('only a secure boot is a capability of the instance', () => {
  assert.equal(instanceCapabilities('UEFISecureBoot'), { secure_boot: 'true' });
  for (const mode of ['UEFI', 'legacy', '', null, undefined]) assert.equal(instanceCapabilities(mode), {});
});

test.run();
