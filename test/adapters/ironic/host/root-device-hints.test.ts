// Root device hints: each as Ironic reads it, and which of them hold for a host.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Host, RootDeviceHints } from '../../../../adapters/ironic/host/host-json.ts';
import { effectiveHints, rootDeviceHints } from '../../../../adapters/ironic/host/root-device-hints.ts';

const test = suite('root device hints');

test('each hint has the key and the operator of the table', () => {
  const table: readonly (readonly [RootDeviceHints, Readonly<Record<string, string>>])[] = [
    [{ deviceName: '/dev/disk/by-path/pci-0000:00:1f.2' }, { by_path: 's== /dev/disk/by-path/pci-0000:00:1f.2' }],
    [{ deviceName: '/dev/sda' }, { name: 's== /dev/sda' }],
    [{ deviceName: '/dev/disk/by-id/x' }, { name: 's== /dev/disk/by-id/x' }],
    [{ hctl: '0:0:0:0' }, { hctl: 's== 0:0:0:0' }],
    [{ model: 'QEMU disk' }, { model: '<in> QEMU disk' }],
    [{ vendor: 'ATA' }, { vendor: '<in> ATA' }],
    [{ serialNumber: 'S1' }, { serial: 's== S1' }],
    [{ minSizeGigabytes: 50 }, { size: '>= 50' }],
    [{ wwn: '0x50' }, { wwn: 's== 0x50' }],
    [{ wwnWithExtension: '0x51' }, { wwn_with_extension: 's== 0x51' }],
    [{ wwnVendorExtension: '0x52' }, { wwn_vendor_extension: 's== 0x52' }],
    [{ rotational: true }, { rotational: 'true' }],
    [{ rotational: false }, { rotational: 'false' }],
  ];
  for (const [hints, expected] of table) assert.equal(rootDeviceHints(hints), expected);
  const all: RootDeviceHints = Object.assign({}, ...table.map(([hints]) => hints));
  assert.equal(rootDeviceHints(all), {
    name: 's== /dev/disk/by-id/x',
    hctl: 's== 0:0:0:0',
    model: '<in> QEMU disk',
    vendor: '<in> ATA',
    serial: 's== S1',
    size: '>= 50',
    wwn: 's== 0x50',
    wwn_with_extension: 's== 0x51',
    wwn_vendor_extension: 's== 0x52',
    rotational: 'false',
  });
});

test('what is empty, zero, null or unknown is no hint', () => {
  const unknown = { devicePath: '/dev/sda', constructor: 'x' } as RootDeviceHints;
  const none = { deviceName: '', hctl: null, model: '', minSizeGigabytes: 0, rotational: null };
  for (const hints of [none, unknown, {}, null, undefined]) assert.equal(rootDeviceHints(hints), {});
});

test('the spec wins over the profile, even if it is empty', () => {
  const spec = { hardwareProfile: 'dell' };
  const cases: readonly (readonly [Host & { profile?: string }, RootDeviceHints | undefined])[] = [
    [{ spec: { ...spec, rootDeviceHints: { model: 'm' } } }, { model: 'm' }],
    [{ spec: { ...spec, rootDeviceHints: {} } }, {}],
    [{ spec: { ...spec, rootDeviceHints: null } }, { hctl: '0:0:0:0' }],
    [{ spec }, { hctl: '0:0:0:0' }],
    [{ spec, status: { hardwareProfile: 'openstack' } }, { deviceName: '/dev/vdb' }],
    [{ spec, profile: 'libvirt' }, { deviceName: '/dev/vda' }],
    [{ spec, profile: '' }, { hctl: '0:0:0:0' }],
    [{}, { deviceName: '/dev/sda' }],
    [{ spec: { hardwareProfile: 'empty' } }, {}],
    [{ spec: { hardwareProfile: 'constructor' } }, undefined],
  ];
  for (const [host, hints] of cases) assert.equal(effectiveHints(host), hints, JSON.stringify(host));
});

test('a software RAID volume that is the root device leaves no hints', () => {
  const withVolumes = (...softwareRAIDVolumes: readonly ({ rootVolume?: boolean | null } | null)[]): Host => ({
    spec: { raid: { softwareRAIDVolumes }, rootDeviceHints: { model: 'm' } },
  });
  assert.is(effectiveHints(withVolumes({}, { rootVolume: true })), undefined);
  assert.equal(effectiveHints(withVolumes({ rootVolume: false }, { rootVolume: null }, null)), { model: 'm' });
  assert.equal(effectiveHints(withVolumes()), { model: 'm' });
  assert.equal(effectiveHints({ spec: { raid: { softwareRAIDVolumes: null } } }), { deviceName: '/dev/sda' });
  assert.equal(effectiveHints({ spec: { raid: null } }), { deviceName: '/dev/sda' });
});

test.run();
