// The inside of a simulated machine: findings of its agent or its BMC when it is inspected, its BIOS and its firmware.
import type { Json, JsonObject } from '../../../bus/json.ts';
import type { Machine } from './machines.ts';
import type { Item } from './records.ts';

const GIB = 1024 ** 3;
const MEMORY_GIB = 64;
const DISK_GIB = 480;
/** Characters of a Redfish string setting. */
const MAX_LENGTH = 16;

/** The report of an agent. */
export function agentInventory({ options }: Machine): JsonObject {
  const { name, macs, inventory = {} } = options;
  const number = name.replaceAll(/\D/g, '').padStart(4, '0');
  const interfaces = macs.map((mac, index) => ({
    name: `eth${index}`,
    mac_address: mac.toLowerCase(),
    ipv4_address: index === 0 ? `192.0.2.${(Number(number) * 2 + 10) % 250}` : null,
    ipv6_address: null,
    has_carrier: index === 0,
    lldp: [],
    vendor: '0x8086',
    product: '0x1572',
    client_id: null,
    biosdevname: null,
    speed_mbps: 10_000,
    pci_address: `0000:04:00.${index}`,
  }));
  const disks = ['a', 'b'].map((letter, index) => ({
    name: `/dev/sd${letter}`,
    model: 'Simulated',
    size: DISK_GIB * GIB,
    rotational: false,
    wwn: `0x${number.padStart(15, '0')}${index}`,
    serial: `S${number}${letter}`,
    vendor: 'ATA',
    wwn_with_extension: null,
    wwn_vendor_extension: null,
    hctl: `${index}:0:0:0`,
    by_path: null,
    logical_sectors: 512,
    physical_sectors: 4096,
  }));
  const firmware = { vendor: 'Loopback', version: '1.0.0', build_date: '01/01/2026' };
  return {
    interfaces,
    disks,
    cpu: {
      model_name: 'Model 85',
      frequency: '2600.0000',
      count: 64,
      architecture: 'x86_64',
      socket_count: 2,
      flags: ['aes', 'vmx', 'pdpe1gb', 'pse'],
    },
    memory: { total: MEMORY_GIB * GIB, physical_mb: MEMORY_GIB * 1024 },
    bmc_address: null,
    bmc_v6address: null,
    hostname: name,
    system_vendor: { product_name: 'Simulated', manufacturer: 'Loopback', serial_number: `SN${number}`, firmware },
    boot: { current_boot_mode: 'uefi', pxe_interface: macs[0]?.toLowerCase() ?? null },
    ...inventory,
  };
}

/** What Ironic makes of an inventory for those who ask for it. */
export function inspectionData(inventory: JsonObject): JsonObject {
  const interfaces = (inventory['interfaces'] ?? []) as readonly JsonObject[];
  const boot = (inventory['boot'] ?? {}) as JsonObject;
  const all = interfaces.map((nic): [string, Json] => [
    String(nic['name']),
    { ...nic, pxe_enabled: nic['mac_address'] === boot['pxe_interface'] },
  ]);
  const valid = all.filter(([, nic]) => (nic as JsonObject)['mac_address'] !== null);
  return {
    inventory,
    plugin_data: {
      all_interfaces: Object.fromEntries(all),
      valid_interfaces: Object.fromEntries(valid),
      macs: valid.map(([, nic]) => (nic as JsonObject)['mac_address'] ?? null),
      parsed_lldp: {},
    },
  };
}

/** Properties that an inspection writes into a node. */
export function inspectedProperties(properties: JsonObject, inventory: JsonObject): JsonObject {
  const cpu = (inventory['cpu'] ?? {}) as JsonObject;
  const memory = (inventory['memory'] ?? {}) as JsonObject;
  const items = String(properties['capabilities'] ?? '')
    .split(',')
    .filter((item) => item !== '' && !item.startsWith('boot_mode:'));
  const boot = (inventory['boot'] ?? {}) as JsonObject;
  return {
    ...properties,
    cpu_arch: cpu['architecture'] ?? null,
    cpus: cpu['count'] ?? null,
    memory_mb: memory['physical_mb'] ?? null,
    local_gb: DISK_GIB - 1,
    capabilities: [...items, `boot_mode:${boot['current_boot_mode'] ?? 'uefi'}`].join(','),
  };
}

/** Its settings as Ironic keeps them. */
export function biosSettings({ bios }: Machine, now: string): readonly Item[] {
  return [...bios].map(([name, value]) => ({
    name,
    value: String(value),
    created_at: now,
    updated_at: null,
    ...registryOf(name, value),
  }));
}

const ENUMERATIONS: Readonly<Record<string, readonly string[]>> = {
  BootMode: ['Bios', 'Uefi'],
  EmbeddedSata: ['Off', 'Ata', 'Ahci', 'Raid'],
  NicBoot1: ['Disabled', 'NetworkBoot'],
  ProcTurboMode: ['Enabled', 'Disabled'],
};

function registryOf(name: string, value: Json): Item {
  const none: Item = {
    attribute_type: null,
    allowable_values: null,
    lower_bound: null,
    upper_bound: null,
    min_length: null,
    max_length: null,
    read_only: false,
    unique: null,
    reset_required: null,
  };
  if (Object.hasOwn(ENUMERATIONS, name)) {
    return { ...none, attribute_type: 'Enumeration', allowable_values: ENUMERATIONS[name] ?? null };
  }
  if (typeof value === 'number') return { ...none, attribute_type: 'Integer', lower_bound: 1, upper_bound: 64 };
  if (typeof value === 'boolean') return { ...none, attribute_type: 'Boolean' };
  return { ...none, attribute_type: 'String', min_length: 0, max_length: MAX_LENGTH, read_only: true };
}

export function firmwareComponents({ firmware }: Machine, now: string): readonly Item[] {
  return [...firmware].map(([component, version]) => ({
    component,
    initial_version: version,
    current_version: version,
    last_version_flashed: null,
    created_at: now,
    updated_at: null,
  }));
}
