// Hardware profiles: the table, and which of them is in effect.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hintsOfProfile, isKnownProfile, profileNameOf } from '../../../../adapters/ironic/host/hardware-profiles.ts';

const test = suite('hardware profiles');

test('each profile has the hints of the table', () => {
  const table = [
    ['unknown', { deviceName: '/dev/sda' }],
    ['libvirt', { deviceName: '/dev/vda' }],
    ['dell', { hctl: '0:0:0:0' }],
    ['dell-raid', { hctl: '0:2:0:0' }],
    ['openstack', { deviceName: '/dev/vdb' }],
    ['empty', undefined],
  ] as const;
  for (const [name, hints] of table) {
    assert.equal(hintsOfProfile(name), hints, name);
    assert.is(isKnownProfile(name), true, name);
  }
});

test('other names are unknown, whatever they are', () => {
  for (const name of ['', 'Dell', 'unknown ', 'constructor', '__proto__', 'toString']) {
    assert.is(isKnownProfile(name), false, name);
    assert.is(hintsOfProfile(name), undefined, name);
  }
});

test('the status wins over the spec, the spec over the address, and the address over nothing', () => {
  const libvirt = { address: 'libvirt://192.168.122.1:6233' };
  const cases: readonly (readonly [Parameters<typeof profileNameOf>[0], string])[] = [
    [{ status: { hardwareProfile: 'dell' }, spec: { hardwareProfile: 'empty', bmc: libvirt } }, 'dell'],
    [{ status: { hardwareProfile: '' }, spec: { hardwareProfile: 'empty', bmc: libvirt } }, 'empty'],
    [{ spec: { hardwareProfile: '', bmc: libvirt } }, 'libvirt'],
    [{ spec: { bmc: { address: 'libvirt' } } }, 'libvirt'],
    [{ spec: { bmc: { address: 'ipmi://libvirt' } } }, 'unknown'],
    [{ spec: { hardwareProfile: 'nonsense' } }, 'nonsense'],
    [{ spec: {}, status: {} }, 'unknown'],
    [{ spec: { bmc: null, hardwareProfile: null }, status: { hardwareProfile: null } }, 'unknown'],
    [{ spec: { bmc: { address: null } }, status: null }, 'unknown'],
    [{}, 'unknown'],
    [{ spec: 'x', status: ['dell'] }, 'unknown'],
    [{ spec: { hardwareProfile: 5, bmc: { address: 7 } }, status: { hardwareProfile: {} } }, 'unknown'],
  ];
  for (const [host, name] of cases) assert.is(profileNameOf(host), name, JSON.stringify(host));
});

test.run();
