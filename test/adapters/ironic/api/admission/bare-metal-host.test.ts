// The rules of a BareMetalHost: each is broken alone, beside what just keeps it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { admit } from '../../../../../adapters/ironic/api/admission/admit.ts';
import { DRIVERS } from '../../../../../adapters/ironic/host/drivers.ts';
import { created, type Fields, HOST, host, updated } from './samples.ts';

const test = suite('admission of a BareMetalHost');

const KIND = 'BareMetalHost';
const MAC = '52:54:00:00:00:01';
const IPMI = { address: 'ipmi://192.168.122.1', credentialsName: 'bmc' };
const LIBVIRT = { address: 'libvirt://192.168.122.1:6233/', credentialsName: 'bmc' };
const REDFISH = { address: 'redfish://192.168.122.1/', credentialsName: 'bmc' };

const UUID = '01234567-89ab-cdef-0123-456789abcdef';
const IMAGE = { url: 'http://h/os', checksum: 'http://h/SUMS' };
const HARDWARE = { hardwareRAIDVolumes: [{ level: '1' }] };
const ROOT = { level: '1', rootVolume: true };
const software = (...volumes: readonly Fields[]): Fields => ({ raid: { softwareRAIDVolumes: volumes } });
const hardware = (...volumes: readonly Fields[]): Fields => ({ raid: { hardwareRAIDVolumes: volumes } });

const GOOD: Readonly<Record<string, Fields>> = {
  'a host as it should be': HOST,
  'no bmc': host({ bmc: undefined }),
  'bmc null': host({ bmc: null }),
  'bmc of two empty texts': host({ bmc: { address: '', credentialsName: '' } }),
  'credentials before an address': host({ bmc: { address: '', credentialsName: 'bmc' } }),
  'firmware null': host({ firmware: null }),
  'user data without a namespace': host({ userData: { name: 's' } }),
  'user data with an empty namespace': host({ userData: { name: 's', namespace: '' } }),
  'all data of the own namespace': host({
    userData: { name: 's', namespace: 'metal' },
    networkData: { name: 's', namespace: 'metal' },
    metaData: { name: 's', namespace: 'metal' },
  }),
  'hardware RAID': host({ raid: { ...HARDWARE, softwareRAIDVolumes: [] } }),
  'software RAID': host({ raid: { hardwareRAIDVolumes: [], softwareRAIDVolumes: [{ level: '0' }] } }),
  'no RAID': host({ raid: { hardwareRAIDVolumes: null, softwareRAIDVolumes: null } }),
  'disks of a controller': host(hardware({ level: '1', controller: 'c', physicalDisks: ['a', 'b'] })),
  'as many disks as it says': host(
    hardware({ level: '1', controller: 'c', physicalDisks: ['a', 'b'], numberOfPhysicalDisks: 2 }),
  ),
  'a number of disks without disks': host(hardware({ level: '1', physicalDisks: [], numberOfPhysicalDisks: 2 })),
  'a root volume': host(software(ROOT, { level: '0', rootVolume: false })),
  'hints with RAID that is not the root': host({ ...software({ level: '0' }), rootDeviceHints: { hctl: '0:0:0:0' } }),
  'a root volume with hints null': host({ ...software(ROOT), rootDeviceHints: null }),
  'IPMI with software RAID': host({ bmc: IPMI, ...software({ level: '1' }) }),
  'IPMI with hardware RAID to be taken off': host({ bmc: IPMI, raid: { hardwareRAIDVolumes: [] } }),
  'hardware RAID while the BMC is not known': host({ bmc: undefined, raid: HARDWARE }),
  'libvirt with a MAC': host({ bmc: LIBVIRT }),
  'IPMI without a MAC': host({ bmc: IPMI, bootMACAddress: undefined }),
  'no inspection with a MAC': host({ inspectionMode: 'disabled' }),
  'no inspection and no MAC while the BMC is not known': host({
    bmc: undefined,
    bootMACAddress: '',
    inspectionMode: 'disabled',
  }),
  'inspection without a MAC': host({ bootMACAddress: '', inspectionMode: 'agent' }),
  'a MAC in capitals': host({ bootMACAddress: 'AB:CD:EF:00:00:01' }),
  'a bad MAC while the BMC is not known': host({ bmc: undefined, bootMACAddress: 'x' }),
  'secure boot of Redfish': host({ bmc: REDFISH, bootMode: 'UEFISecureBoot' }),
  'UEFI of IPMI': host({ bmc: IPMI, bootMode: 'UEFI' }),
  'secure boot while the BMC is not known': host({ bmc: undefined, bootMode: 'UEFISecureBoot' }),
  'a name of all that is allowed': host({}, {}, { name: 'Az09._-' }),
  'a name that is almost a UUID': host({}, {}, { name: UUID.slice(1) }),
  'a name of a UUID and more': host({}, {}, { name: `n${UUID}` }),
  'no hint of a device': host({ rootDeviceHints: { deviceName: '', minSizeGigabytes: 1 } }),
  'a device': host({ rootDeviceHints: { deviceName: '/dev/sda' } }),
  'a device by its path': host({ rootDeviceHints: { deviceName: '/dev/disk/by-path/pci-0000:00:1f.2-ata-1' } }),
  'an image': host({ image: IMAGE }),
  'a live ISO': host({ image: { url: 'http://h/os.iso', format: 'live-iso' } }),
  'an image of OCI': host({ image: { url: 'oci://h/os' } }),
  'fast inspection of Redfish': host({ bmc: REDFISH, inspectionMode: 'fast' }),
  'power off disabled': host({ disablePowerOff: true }),
  'off while power off is not disabled': host({ online: false, disablePowerOff: false }),
  'network interfaces': host({
    networkInterfaces: [{ name: 'eth0' }, { name: 'eth1', macAddress: '' }, { macAddress: MAC }],
  }),
};

const BAD: Readonly<Record<string, readonly [text: string, host: Fields]>> = {
  'an unknown scheme': ["Unknown BMC type 'ilo4' for address ilo4://h", host({ bmc: { address: 'ilo4://h' } })],
  'a bad host': [
    'failed to parse BMC address information: BMC address hostname/IP : [h_h] is invalid',
    host({ bmc: { address: 'redfish://h_h' } }),
  ],
  firmware: ['the Firmware field is no longer supported', host({ firmware: { sriovEnabled: true } })],
  'empty firmware': ['the Firmware field is no longer supported', host({ firmware: {} })],
  'user data of another namespace': [
    'spec.userData: cross-namespace Secret references are not allowed',
    host({ userData: { name: 's', namespace: 'other' } }),
  ],
  'network data of another namespace': [
    'spec.networkData: cross-namespace Secret references are not allowed',
    host({ networkData: { name: 's', namespace: 'other' } }),
  ],
  'metadata of another namespace': [
    'spec.metaData: cross-namespace Secret references are not allowed',
    host({ metaData: { name: 's', namespace: 'other' } }),
  ],
  'both kinds of RAID': [
    'can not be set at the same time',
    host({ raid: { ...HARDWARE, softwareRAIDVolumes: [{ level: '1' }] } }),
  ],
  'disks without a controller': [
    "'physicalDisks' specified without 'controller' in hardware RAID volume 1",
    host(hardware({ level: '0' }, { level: '1', physicalDisks: ['a', 'b'] })),
  ],
  'other disks than it says': [
    "the 'numberOfPhysicalDisks'[3] and number of 'physicalDisks'[2] is not same for volume 0",
    host(hardware({ level: '1', controller: 'c', physicalDisks: ['a', 'b'], numberOfPhysicalDisks: 3 })),
  ],
  'two root volumes': ['can only be set once', host(software(ROOT, ROOT))],
  'a root volume with hints': [
    'rootVolume and rootDeviceHints',
    host({ ...software(ROOT), rootDeviceHints: { deviceName: '/dev/sda' } }),
  ],
  'a root volume with empty hints': [
    'rootVolume and rootDeviceHints',
    host({ ...software(ROOT), rootDeviceHints: {} }),
  ],
  'a root volume of another level': ['must use RAID level 1', host(software({ level: '0', rootVolume: true }))],
  'hardware RAID of IPMI': ['BMC driver ipmi does not support configuring RAID', host({ bmc: IPMI, raid: HARDWARE })],
  'libvirt without a MAC': [
    'BMC driver libvirt requires a BootMACAddress value',
    host({ bmc: LIBVIRT, bootMACAddress: '' }),
  ],
  'no inspection and no MAC': [
    'BMC driver redfish requires a BootMACAddress value',
    host({ bmc: REDFISH, bootMACAddress: undefined, inspectionMode: 'disabled' }),
  ],
  'no inspection by annotation, and no MAC': [
    'BMC driver redfish requires a BootMACAddress value',
    host({ bmc: REDFISH, bootMACAddress: undefined }, { 'inspect.metal3.io': 'disabled' }),
  ],
  'a MAC that is too long': ['invalid MAC address', host({ bootMACAddress: `${MAC}:00:00` })],
  'a MAC that is none': ['invalid MAC address', host({ bootMACAddress: 'xyz' })],
  'secure boot of IPMI': [
    'BMC driver ipmi does not support secure boot',
    host({ bmc: IPMI, bootMode: 'UEFISecureBoot' }),
  ],
  'a name with a tilde': ['resource name cannot contain', host({}, {}, { name: 'a~b' })],
  'a name that is a UUID': ['resource name cannot be a UUID', host({}, {}, { name: UUID })],
  'a name that is a UUID without hyphens': [
    'resource name cannot be a UUID',
    host({}, {}, { name: UUID.replaceAll('-', '').toUpperCase() }),
  ],
  'a device that is no path': [
    'device name of root device hint must be',
    host({ rootDeviceHints: { deviceName: 'sda' } }),
  ],
  'a device elsewhere': [
    'device name of root device hint must be',
    host({ rootDeviceHints: { deviceName: '/sys/sda' } }),
  ],
  'a device by its id': [
    'device name of root device hint must be',
    host({ rootDeviceHints: { deviceName: '/dev/disk/by-id/x' } }),
  ],
  'a device below a path': [
    'device name of root device hint must be',
    host({ rootDeviceHints: { deviceName: '/dev/disk/by-path/a/b' } }),
  ],
  'a device without a name': [
    'device name of root device hint must be',
    host({ rootDeviceHints: { deviceName: '/dev/' } }),
  ],
  'an image of a bad URL': [
    'image URL file:///os is invalid: invalid scheme in URL',
    host({ image: { ...IMAGE, url: 'file:///os' } }),
  ],
  'an image without a checksum': ['checksum is required for normal images', host({ image: { url: 'http://h/os' } })],
  'an image of OCI with a checksum': [
    'spec.image.checksum must be empty for OCI images',
    host({ image: { ...IMAGE, url: 'oci://h/os' } }),
  ],
  'an image with another checksum type': [
    'unknown checksumType sha1',
    host({ image: { ...IMAGE, checksumType: 'sha1' } }),
  ],
  'fast inspection of IPMI': [
    'BMC driver ipmi does not support fast (out-of-band) inspection',
    host({ bmc: IPMI, inspectionMode: 'fast' }),
  ],
  'power off disabled and off': ['power off disabled', host({ online: false, disablePowerOff: true })],
  'an interface without a name': [
    'spec.networkInterfaces[1]: must specify either name or macAddress',
    host({ networkInterfaces: [{ name: 'eth0' }, { name: '' }] }),
  ],
  'an interface of a name and a MAC': [
    'mutually exclusive',
    host({ networkInterfaces: [{ name: 'eth0', macAddress: MAC }] }),
  ],
  'an interface twice by name': [
    'spec.networkInterfaces[2]: duplicate interface selector',
    host({ networkInterfaces: [{ name: 'eth0' }, { name: 'eth1' }, { name: 'ETH0' }] }),
  ],
  'an interface twice by MAC': [
    'duplicate interface selector',
    host({ networkInterfaces: [{ macAddress: 'aa:bb:cc:00:00:01' }, { macAddress: 'AA:BB:CC:00:00:01' }] }),
  ],
};

/** It becomes any other by an update. */
const UNKNOWN = host({ bmc: undefined, bootMACAddress: undefined, description: 'to be changed' });

for (const [name, good] of Object.entries(GOOD)) {
  test(`admitted: ${name}`, () => {
    assert.equal(created(KIND, good), []);
    assert.equal(updated(KIND, UNKNOWN, good), []);
  });
}

for (const [name, [text, bad]] of Object.entries(BAD)) {
  test(`refused: ${name}`, () => {
    const problems = created(KIND, bad);
    assert.is(problems.length, 1, JSON.stringify(problems));
    assert.ok(problems[0]?.includes(text), problems[0]);
    assert.equal(updated(KIND, UNKNOWN, bad), problems);
  });
}

test('what a driver cannot do is refused of each that cannot, and of no other', () => {
  for (const { type, protocol } of DRIVERS.values()) {
    const bmc = { address: `${type}://192.168.122.1`, credentialsName: 'bmc' };
    const isIpmi = protocol === 'ipmi';
    const expected = (what: string): readonly string[] =>
      isIpmi ? [`BMC driver ${type} does not support ${what}`] : [];
    assert.equal(created(KIND, host({ bmc, raid: HARDWARE })), expected('configuring RAID'));
    assert.equal(created(KIND, host({ bmc, bootMode: 'UEFISecureBoot' })), expected('secure boot'));
    assert.equal(created(KIND, host({ bmc, inspectionMode: 'fast' })), expected('fast (out-of-band) inspection'));
  }
});

test('all problems are told at once (IRONIC-ADMIT-1)', () => {
  const problems = created(
    KIND,
    host(
      {
        bmc: IPMI,
        bootMACAddress: 'x',
        bootMode: 'UEFISecureBoot',
        disablePowerOff: true,
        firmware: {},
        image: { url: 'x' },
        inspectionMode: 'fast',
        metaData: { namespace: 'other' },
        networkInterfaces: [{}],
        online: false,
        raid: { ...HARDWARE, softwareRAIDVolumes: [{ level: '0', rootVolume: true }] },
        rootDeviceHints: { deviceName: 'x' },
      },
      { 'reboot.metal3.io': '{', 'inspect.metal3.io': 'x' },
      { name: 'ä' },
    ),
  );
  assert.is(problems.length, 17, problems.join('\n'));
});

test('v1beta1 is judged by its own names, and told in them', () => {
  const version = 'v1beta1';
  const beta = (spec: Fields): Fields => host({ online: undefined, poweredOn: true, ...spec });
  assert.equal(created(KIND, beta({ disablePowerOff: true }), { version }), []);
  assert.equal(created(KIND, beta({ disablePowerOff: true, poweredOn: false }), { version }), [
    "node can't simultaneously have poweredOn set to false and have power off disabled",
  ]);
  assert.equal(
    created(KIND, beta({ rootDeviceHints: { devicePath: '/dev/sda', modelContains: 'M' } }), { version }),
    [],
  );
  const [problem = '', ...rest] = created(KIND, beta({ rootDeviceHints: { devicePath: 'sda' } }), { version });
  assert.equal(rest, []);
  assert.match(problem, 'device name of root device hint must be');
  assert.match(problem, 'rootDeviceHints.devicePath');
  assert.match(created(KIND, host({ rootDeviceHints: { deviceName: 'sda' } }))[0] ?? '', 'rootDeviceHints.deviceName');
});

const CHANGED = { ...IPMI, address: 'ipmi://192.168.122.2' };
const inStatus = (object: Fields, status: Fields): Fields => ({ ...object, status });

test('the BMC address may change only of a host that is registering or detached, or had none', () => {
  const [before, after] = [host({ bmc: IPMI }), host({ bmc: CHANGED })];
  const change = (status: Fields, to: Fields = after): readonly string[] =>
    updated(KIND, inStatus(before, status), inStatus(to, status));
  const refused = ['BMC address can not be changed if the host is neither registering nor detached'];
  assert.equal(change({ provisioning: { state: 'registering' } }), []);
  assert.equal(change({ operationalStatus: 'detached', provisioning: { state: 'provisioned' } }), []);
  for (const state of ['', 'unmanaged', 'inspecting', 'available', 'provisioned', 'deleting']) {
    assert.equal(change({ operationalStatus: 'OK', provisioning: { state } }), refused, state);
  }
  const available = { provisioning: { state: 'available' } };
  assert.equal(change({}), refused);
  assert.equal(change(available, host({ bmc: undefined })), refused);
  assert.equal(change(available, host({ bmc: { ...IPMI, credentialsName: 'other' } })), []);
  assert.equal(updated(KIND, inStatus(host({ bmc: undefined }), available), inStatus(after, available)), []);
  // An update may come without the status, which it does not change.
  assert.equal(updated(KIND, inStatus(before, { operationalStatus: 'detached' }), after), []);
});

test('a boot MAC address stays once it is set, in whatever case', () => {
  const change = (from: string | undefined, to: string | undefined): readonly string[] =>
    updated(KIND, host({ bootMACAddress: from }), host({ bootMACAddress: to, description: 'changed' }));
  const refused = ['bootMACAddress can not be changed once it is set'];
  assert.equal(change('ab:54:00:00:00:01', 'ab:54:00:00:00:02'), refused);
  assert.equal(change('ab:54:00:00:00:01', undefined), refused);
  assert.equal(change('ab:54:00:00:00:01', ''), refused);
  assert.equal(change('ab:54:00:00:00:01', 'AB:54:00:00:00:01'), []);
  assert.equal(change(undefined, 'ab:54:00:00:00:01'), []);
  assert.equal(change('', 'ab:54:00:00:00:01'), []);
});

test('a host becomes externally provisioned only while it is available', () => {
  const change = (from: unknown, to: unknown, state: string): readonly string[] => {
    const status = { provisioning: { state } };
    const [before, after] = [host({ externallyProvisioned: from }), host({ externallyProvisioned: to })];
    return updated(KIND, inStatus(before, status), inStatus(after, status));
  };
  const refused = ['externallyProvisioned can not be changed to true if the host is not available'];
  assert.equal(change(false, true, 'available'), []);
  assert.equal(change(undefined, true, 'ready'), []);
  for (const state of ['', 'registering', 'inspecting', 'provisioned', 'externally provisioned']) {
    assert.equal(change(false, true, state), refused, state);
    assert.equal(change(undefined, true, state), refused, state);
    assert.equal(change(true, false, state), [], state);
    assert.equal(change(true, undefined, state), [], state);
  }
  assert.equal(created(KIND, host({ externallyProvisioned: true })), []);
});

test('a host may be deleted, whatever is wrong with it', () => {
  const verdict = admit({ kind: KIND, version: 'v1alpha1', operation: 'DELETE', oldObject: host({ firmware: {} }) });
  assert.equal(verdict, { allowed: true, problems: [], warnings: [] });
});

test.run();
