// Hardware details of a host, from what an inspection left in Ironic (`GET /v1/nodes/{id}/inventory`). Pure.
//
// Missing values, and values of an unexpected form, are left out: nothing here throws, and nothing is written that
// would make the API reject all the rest.
import type { JsonObject } from '../../../bus/json.ts';
import { byBytes, integerOf, listOf, mapOf, ownMember, textOf, wordOf } from '../json-values.ts';

export interface HardwareDetails {
  readonly systemVendor: {
    readonly manufacturer?: string;
    readonly productName?: string;
    readonly serialNumber?: string;
  };
  readonly firmware: {
    readonly bios: { readonly vendor?: string; readonly version?: string; readonly date?: string };
  };
  readonly ramMebibytes?: number;
  readonly nics?: readonly Nic[];
  readonly storage?: readonly Storage[];
  readonly cpu: {
    readonly arch?: string;
    readonly model?: string;
    readonly clockMegahertz?: number;
    readonly flags?: readonly string[];
    readonly count?: number;
  };
  readonly hostname?: string;
}

export interface Nic {
  readonly name?: string;
  readonly model?: string;
  readonly mac?: string;
  readonly ip?: string;
  readonly speedGbps?: number;
  readonly pxe?: boolean;
  readonly pciAddress?: string;
  readonly vlans?: readonly { readonly id: number; readonly name?: string }[];
  readonly vlanId?: number;
  readonly lldp?: { readonly switchID?: string; readonly portID?: string; readonly switchSystemName?: string };
}

export interface Storage {
  readonly name?: string;
  readonly alternateNames?: readonly string[];
  readonly rotational?: boolean;
  readonly type: 'HDD' | 'SSD' | 'NVME';
  readonly sizeBytes?: number;
  readonly vendor?: string;
  readonly model?: string;
  readonly serialNumber?: string;
  readonly hctl?: string;
  readonly wwn?: string;
  readonly wwnWithExtension?: string;
  readonly wwnVendorExtension?: string;
}

/** As the API checks it: longer addresses, such as those of InfiniBand, pass. */
const MAC = /[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}/;

const LAST_VLAN = 4094;

/** @param answer  `{ inventory, plugin_data }`; without the latter only PXE, LLDP and VLANs of the NICs are missing */
export function hardwareDetails(answer: unknown): HardwareDetails {
  const { inventory: reported, plugin_data: plugins } = mapOf(answer);
  const inventory = mapOf(reported);
  const vendor = mapOf(inventory['system_vendor']);
  const bios = mapOf(vendor['firmware']);
  const memory = mapOf(inventory['memory']);
  const plugged = mapOf(plugins);
  return given<HardwareDetails>({
    systemVendor: given<HardwareDetails['systemVendor']>({
      manufacturer: textOf(vendor['manufacturer']),
      productName: textOf(vendor['product_name']),
      serialNumber: textOf(vendor['serial_number']),
    }),
    firmware: {
      bios: given<HardwareDetails['firmware']['bios']>({
        vendor: textOf(bios['vendor']),
        version: textOf(bios['version']),
        date: textOf(bios['build_date']),
      }),
    },
    ramMebibytes: integerOf(memory['physical_mb']),
    nics: listOf(inventory['interfaces']).flatMap((nic) => nicsOf(mapOf(nic), plugged)),
    storage: listOf(inventory['disks']).map((disk) => storageOf(mapOf(disk))),
    cpu: cpuOf(mapOf(inventory['cpu'])),
    hostname: textOf(inventory['hostname']),
  });
}

function cpuOf(cpu: JsonObject): HardwareDetails['cpu'] {
  return given<HardwareDetails['cpu']>({
    arch: textOf(cpu['architecture']),
    model: textOf(cpu['model_name']),
    clockMegahertz: megahertzOf(cpu['frequency']),
    flags: listOf(cpu['flags'])
      .filter((flag) => typeof flag === 'string')
      .sort(byBytes),
    count: integerOf(cpu['count']),
  });
}

/** The number that the text begins with, rounded; undefined: it begins with none. */
function megahertzOf(frequency: unknown): number | undefined {
  const [number] = /^\s*\d+(?:\.\d+)?/.exec(wordOf(frequency)) ?? [];
  return integerOf(Math.round(Number(number)));
}

/** One entry for each IP family in use, and one without an address for a NIC that has none. */
function nicsOf(nic: JsonObject, plugins: JsonObject): readonly Nic[] {
  const name = textOf(nic['name']);
  const mac = textOf(nic['mac_address']);
  const speed = integerOf(nic['speed_mbps']);
  const lldp = mapOf(ownMember(mapOf(plugins['parsed_lldp']), name));
  const known = {
    name,
    model: `${textOf(nic['vendor'])} ${textOf(nic['product'])}`.replace(/^ +/, ''),
    mac: MAC.test(mac) ? mac : '',
    speedGbps: speed === undefined ? undefined : integerOf(speed / 1000),
    pxe: mapOf(ownMember(mapOf(plugins['all_interfaces']), name))['pxe_enabled'] === true,
    pciAddress: textOf(nic['pci_address']),
    vlans: listOf(lldp['switch_port_vlans']).flatMap((vlan) => vlansOf(mapOf(vlan))),
    vlanId: vlanIdOf(lldp['switch_port_untagged_vlan_id']),
    lldp: lldpOf(lldp),
  };
  const ipv4 = textOf(nic['ipv4_address']);
  const ipv6 = textOf(nic['ipv6_address']);
  const addresses = ipv4 !== '' && ipv6 !== '' ? [ipv4, ipv6] : [ipv4 || ipv6];
  return addresses.map((ip) => given<Nic>({ ...known, ip }));
}

function lldpOf(lldp: JsonObject): Nic['lldp'] | undefined {
  const port = given<NonNullable<Nic['lldp']>>({
    switchID: textOf(lldp['switch_chassis_id']),
    portID: textOf(lldp['switch_port_id']),
    switchSystemName: textOf(lldp['switch_system_name']),
  });
  return Object.keys(port).length === 0 ? undefined : port;
}

function vlansOf({ id, name }: JsonObject): NonNullable<Nic['vlans']> {
  const number = vlanIdOf(id);
  return number === undefined ? [] : [{ id: number, ...(textOf(name) && { name: textOf(name) }) }];
}

function vlanIdOf(value: unknown): number | undefined {
  const id = integerOf(value);
  return id !== undefined && id >= 0 && id <= LAST_VLAN ? id : undefined;
}

function storageOf(disk: JsonObject): Storage {
  const name = textOf(disk['name']);
  const byPath = textOf(disk['by_path']);
  const rotational = disk['rotational'] === true;
  return given<Storage>({
    name: byPath || name,
    alternateNames: [name, byPath].filter((known) => known !== ''),
    rotational,
    type: rotational ? 'HDD' : name.startsWith('/dev/nvme') ? 'NVME' : 'SSD',
    sizeBytes: integerOf(disk['size']),
    vendor: textOf(disk['vendor']),
    model: textOf(disk['model']),
    serialNumber: textOf(disk['serial']),
    hctl: textOf(disk['hctl']),
    wwn: textOf(disk['wwn']),
    wwnWithExtension: textOf(disk['wwn_with_extension']),
    wwnVendorExtension: textOf(disk['wwn_vendor_extension']),
  });
}

/** Without what says nothing: undefined, an empty text, 0, false, an empty list. The API's own clients write it so. */
function given<T extends object>(members: { readonly [K in keyof T]-?: T[K] | undefined }): T {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value))),
  ) as T;
}
