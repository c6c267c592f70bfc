// Hardware details: every row of the table, and forms that nobody expects.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hardwareDetails } from '../../../../adapters/ironic/host/hardware-details.ts';

const test = suite('hardware details');

const inventory = {
  hostname: 'node-1',
  system_vendor: {
    manufacturer: 'Maker',
    product_name: 'Product (SKU)',
    serial_number: 'SN1',
    firmware: { vendor: 'FW', version: '1.2', build_date: '01/01/2026' },
  },
  memory: { total: 68719476736, physical_mb: 65536 },
  cpu: {
    model_name: 'CPU',
    frequency: '2600.5000',
    count: 64,
    architecture: 'x86_64',
    socket_count: 2,
    flags: ['vmx', 'aes', 'Z'],
  },
  interfaces: [
    {
      name: 'eth0',
      mac_address: '52:54:00:00:01:01',
      ipv4_address: '192.0.2.1',
      ipv6_address: '2001:db8::1',
      vendor: '0x8086',
      product: '0x1572',
      speed_mbps: 25000,
      pci_address: '0000:04:00.0',
      has_carrier: true,
      lldp: [],
    },
    {
      name: 'eth1',
      mac_address: '52:54:00:00:01:02',
      ipv4_address: null,
      ipv6_address: null,
      vendor: null,
      product: null,
      speed_mbps: 999,
      pci_address: null,
    },
  ],
  disks: [
    {
      name: '/dev/sda',
      by_path: '/dev/disk/by-path/pci-1',
      rotational: true,
      size: 480103981056,
      vendor: 'ATA',
      model: 'M',
      serial: 'S',
      hctl: '0:0:0:0',
      wwn: '0x1',
      wwn_with_extension: '0x1x2',
      wwn_vendor_extension: '0x2',
    },
    { name: '/dev/nvme0n1', by_path: null, rotational: false, size: 1, serial: null },
    { name: '/dev/sdb', rotational: false },
    { name: '/dev/nvme1n1', rotational: true },
  ],
};

const plugins = {
  all_interfaces: { eth0: { pxe_enabled: true }, eth1: { pxe_enabled: false } },
  parsed_lldp: {
    eth0: {
      switch_chassis_id: 'aa:bb:cc:dd:ee:ff',
      switch_port_id: 'p1',
      switch_system_name: 'tor',
      switch_port_vlans: [{ id: 101, name: 'one' }, { id: 102 }],
      switch_port_untagged_vlan_id: 100,
    },
    eth1: { switch_chassis_id: '', switch_mgmt_addresses: ['x'] },
  },
};

const eth0 = {
  name: 'eth0',
  model: '0x8086 0x1572',
  mac: '52:54:00:00:01:01',
  speedGbps: 25,
  pciAddress: '0000:04:00.0',
};
const wired = {
  pxe: true,
  vlans: [{ id: 101, name: 'one' }, { id: 102 }],
  vlanId: 100,
  lldp: { switchID: 'aa:bb:cc:dd:ee:ff', portID: 'p1', switchSystemName: 'tor' },
};
const eth1 = { name: 'eth1', mac: '52:54:00:00:01:02' };

const details = {
  systemVendor: { manufacturer: 'Maker', productName: 'Product (SKU)', serialNumber: 'SN1' },
  firmware: { bios: { vendor: 'FW', version: '1.2', date: '01/01/2026' } },
  ramMebibytes: 65536,
  nics: [{ ...eth0, ...wired, ip: '192.0.2.1' }, { ...eth0, ...wired, ip: '2001:db8::1' }, eth1],
  storage: [
    {
      name: '/dev/disk/by-path/pci-1',
      alternateNames: ['/dev/sda', '/dev/disk/by-path/pci-1'],
      rotational: true,
      type: 'HDD',
      sizeBytes: 480103981056,
      vendor: 'ATA',
      model: 'M',
      serialNumber: 'S',
      hctl: '0:0:0:0',
      wwn: '0x1',
      wwnWithExtension: '0x1x2',
      wwnVendorExtension: '0x2',
    },
    { name: '/dev/nvme0n1', alternateNames: ['/dev/nvme0n1'], type: 'NVME', sizeBytes: 1 },
    { name: '/dev/sdb', alternateNames: ['/dev/sdb'], type: 'SSD' },
    { name: '/dev/nvme1n1', alternateNames: ['/dev/nvme1n1'], rotational: true, type: 'HDD' },
  ],
  cpu: { arch: 'x86_64', model: 'CPU', clockMegahertz: 2601, flags: ['Z', 'aes', 'vmx'], count: 64 },
  hostname: 'node-1',
};

test('everything in its place', () => {
  assert.equal(hardwareDetails({ inventory, plugin_data: plugins }), details);
});

test('the inventory is left as it was', () => {
  const before = structuredClone(inventory);
  hardwareDetails({ inventory, plugin_data: plugins });
  assert.equal(inventory, before);
});

test('without plugin data only PXE, LLDP and VLANs are missing', () => {
  const bare = [{ ...eth0, ip: '192.0.2.1' }, { ...eth0, ip: '2001:db8::1' }, eth1];
  for (const plugin_data of [undefined, null, 'broken', [], 5, { all_interfaces: null, parsed_lldp: 'x' }]) {
    assert.equal(hardwareDetails({ inventory, plugin_data }), { ...details, nics: bare });
  }
});

const nicsOf = (nic: object, plugin_data: object = {}): unknown =>
  hardwareDetails({ inventory: { interfaces: [nic] }, plugin_data }).nics;

const addresses: readonly (readonly [string, unknown, unknown, readonly object[]])[] = [
  ['none', undefined, undefined, [{ name: 'e' }]],
  ['empty texts', '', '', [{ name: 'e' }]],
  ['IPv4', '192.0.2.1', null, [{ name: 'e', ip: '192.0.2.1' }]],
  ['IPv6', '', '2001:db8::1', [{ name: 'e', ip: '2001:db8::1' }]],
  [
    'both',
    '192.0.2.1',
    '2001:db8::1',
    [
      { name: 'e', ip: '192.0.2.1' },
      { name: 'e', ip: '2001:db8::1' },
    ],
  ],
];

for (const [title, ipv4_address, ipv6_address, expected] of addresses) {
  test(`addresses: ${title}`, () => assert.equal(nicsOf({ name: 'e', ipv4_address, ipv6_address }), expected));
}

const models: readonly (readonly [unknown, unknown, string | undefined])[] = [
  ['v', 'p', 'v p'],
  ['', 'p', 'p'],
  [undefined, '  p', 'p'],
  ['v', undefined, 'v '],
  ['', '', undefined],
];

for (const [vendor, product, model] of models) {
  test(`model of '${vendor}' and '${product}'`, () => {
    assert.equal(nicsOf({ vendor, product }), [model === undefined ? {} : { model }]);
  });
}

const speeds: readonly (readonly [unknown, number | undefined])[] = [
  [1000, 1],
  [2500, 2],
  [999, undefined],
  [0, undefined],
  [null, undefined],
  ['1000', undefined],
];

for (const [speed_mbps, speedGbps] of speeds) {
  test(`speed of ${JSON.stringify(speed_mbps)}`, () => {
    assert.equal(nicsOf({ speed_mbps }), [speedGbps === undefined ? {} : { speedGbps }]);
  });
}

test('an address that the API refuses is left out, a long one is not', () => {
  assert.equal(nicsOf({ mac_address: 'none' }), [{}]);
  const infiniband = '80:00:02:08:fe:80:00:00:00:00:00:00:e4:1d:2d:03:00:0b:d4:6f';
  assert.equal(nicsOf({ mac_address: infiniband }), [{ mac: infiniband }]);
});

test('VLANs that the API refuses are left out (22.5)', () => {
  const vlans = (parts: object): unknown => nicsOf({ name: 'e' }, { parsed_lldp: { e: parts } });
  const listed = [{ id: 0 }, { id: 4094, name: 'n' }, { id: 4095 }, { id: -1 }, { id: '7' }, { name: 'x' }, null, 5];
  assert.equal(vlans({ switch_port_vlans: listed }), [{ name: 'e', vlans: [{ id: 0 }, { id: 4094, name: 'n' }] }]);
  for (const id of [0, 4095, -1, '100', null]) {
    assert.equal(vlans({ switch_port_untagged_vlan_id: id, switch_port_vlans: 'x' }), [{ name: 'e' }]);
  }
  assert.equal(vlans({ switch_port_untagged_vlan_id: 1 }), [{ name: 'e', vlanId: 1 }]);
});

test('LLDP with one member, with none, and with odd ones', () => {
  const lldp = (parts: object): unknown => nicsOf({ name: 'e' }, { parsed_lldp: { e: parts } });
  assert.equal(lldp({ switch_port_id: 'p' }), [{ name: 'e', lldp: { portID: 'p' } }]);
  assert.equal(lldp({ switch_system_name: 's', switch_port_id: 5 }), [{ name: 'e', lldp: { switchSystemName: 's' } }]);
  assert.equal(lldp({ switch_port_id: '' }), [{ name: 'e' }]);
});

test('a NIC with a name that every object has', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(nicsOf({ name }, { all_interfaces: {}, parsed_lldp: {} }), [{ name }]);
  }
  const all_interfaces = JSON.parse('{"__proto__":{"pxe_enabled":true}}');
  assert.equal(nicsOf({ name: '__proto__' }, { all_interfaces }), [{ name: '__proto__', pxe: true }]);
  assert.equal(nicsOf({ name: 'e' }, { all_interfaces }), [{ name: 'e' }]);
});

const clocks: readonly (readonly [unknown, number | undefined])[] = [
  ['2600', 2600],
  ['2600.4', 2600],
  ['2599.5', 2600],
  ['2400 MHz', 2400],
  [' 800', 800],
  [1200.7, 1201],
  ['0', undefined],
  ['fast', undefined],
  ['', undefined],
  [null, undefined],
  ['-5', undefined],
  [`${'9'.repeat(400)}`, undefined],
  [{ toString: 1 }, undefined],
];

for (const [frequency, clockMegahertz] of clocks) {
  test(`clock of ${JSON.stringify(frequency)?.slice(0, 20)}`, () => {
    const { cpu } = hardwareDetails({ inventory: { cpu: { frequency } } });
    assert.equal(cpu, clockMegahertz === undefined ? {} : { clockMegahertz });
  });
}

const NOTHING = { systemVendor: {}, firmware: { bios: {} }, cpu: {} };

test('what nobody expects is not there', () => {
  const odd = [undefined, null, 5, 'x', [], {}, { inventory: null }, { inventory: [] }, { inventory: 'x' }];
  for (const answer of odd) assert.equal(hardwareDetails(answer), NOTHING);
  const wrong = {
    hostname: 5,
    system_vendor: 'x',
    memory: { physical_mb: '5' },
    cpu: { count: 1e300, flags: 'aes', architecture: {}, model_name: null },
    interfaces: {},
    disks: null,
  };
  assert.equal(hardwareDetails({ inventory: wrong }), NOTHING);
  const parts = hardwareDetails({
    inventory: {
      cpu: { flags: ['b', 5, null, 'a'] },
      interfaces: [null, 7],
      disks: [null, 'x', { name: 5, size: '5' }],
    },
  });
  assert.equal(parts, {
    ...NOTHING,
    cpu: { flags: ['a', 'b'] },
    nics: [{}, {}],
    storage: [{ type: 'SSD' }, { type: 'SSD' }, { type: 'SSD' }],
  });
});

test('a disk known by its path alone', () => {
  const { storage } = hardwareDetails({ inventory: { disks: [{ by_path: '/p' }] } });
  assert.equal(storage, [{ name: '/p', alternateNames: ['/p'], type: 'SSD' }]);
});

test.run();
