// The drivers of Ironic that a BMC address may name by its scheme, and what can be done with each.
import { TerminalError } from '../../../bus/errors.ts';

export interface Driver {
  /** The scheme as the address has it, with its transport: `redfish+http`. What messages call the driver. */
  readonly type: string;
  /** Begins the keys of `driver_info`. */
  readonly protocol: 'ipmi' | 'redfish';
  /** Transport of Redfish to the BMC. */
  readonly transport: 'http' | 'https';
  /** `driver` of the node. */
  readonly driver: string;
  /** Attributes of the node that name an interface. What is not among them is left to Ironic. */
  readonly interfaces: Readonly<Partial<Record<NodeInterface, string>>>;
  readonly supportsSecureBoot: boolean;
  /** It starts a ramdisk from an ISO. */
  readonly supportsIsoPreprovisioningImage: boolean;
  readonly requiresProvisioningNetwork: boolean;
  /** Whether `bootMACAddress` must be known even where inspection would find it. */
  readonly needsMac: boolean;
  /** `inspect_interface` of an inspection without a ramdisk; undefined: it knows none. */
  readonly fastInspectInterface: string | undefined;
  /** `redfish_system_id` is sent even where the address names no system. */
  readonly alwaysSendsSystemId: boolean;
}

export type NodeInterface =
  | 'bios_interface'
  | 'boot_interface'
  | 'firmware_interface'
  | 'management_interface'
  | 'power_interface'
  | 'raid_interface'
  | 'vendor_interface';

type Row = Omit<Driver, 'type' | 'transport'>;

const IPMI: Row = {
  protocol: 'ipmi',
  driver: 'ipmi',
  interfaces: { boot_interface: 'ipxe', raid_interface: 'no-raid' },
  supportsSecureBoot: false,
  supportsIsoPreprovisioningImage: false,
  requiresProvisioningNetwork: true,
  needsMac: false,
  fastInspectInterface: undefined,
  alwaysSendsSystemId: false,
};

const REDFISH: Row = {
  ...IPMI,
  protocol: 'redfish',
  driver: 'redfish',
  interfaces: { boot_interface: 'ipxe', firmware_interface: 'redfish', raid_interface: 'redfish' },
  supportsSecureBoot: true,
  fastInspectInterface: 'redfish',
};

const REDFISH_VIRTUAL_MEDIA: Row = {
  ...REDFISH,
  interfaces: { ...REDFISH.interfaces, boot_interface: 'redfish-virtual-media' },
  supportsIsoPreprovisioningImage: true,
  requiresProvisioningNetwork: false,
};

const IDRAC_REDFISH: Row = {
  ...REDFISH,
  driver: 'idrac',
  interfaces: {
    bios_interface: 'idrac-redfish',
    boot_interface: 'ipxe',
    firmware_interface: 'redfish',
    management_interface: 'idrac-redfish',
    power_interface: 'idrac-redfish',
    raid_interface: 'idrac-redfish',
    vendor_interface: 'idrac-redfish',
  },
};

const ROWS: Readonly<Record<string, Row>> = {
  ipmi: IPMI,
  libvirt: { ...IPMI, needsMac: true },
  redfish: REDFISH,
  'ilo5-redfish': REDFISH,
  'redfish-virtualmedia': REDFISH_VIRTUAL_MEDIA,
  'ilo5-virtualmedia': REDFISH_VIRTUAL_MEDIA,
  'redfish-uefihttp': {
    ...REDFISH_VIRTUAL_MEDIA,
    interfaces: { ...REDFISH.interfaces, boot_interface: 'redfish-https' },
    alwaysSendsSystemId: true,
  },
  'idrac-redfish': IDRAC_REDFISH,
  'idrac-virtualmedia': {
    ...IDRAC_REDFISH,
    interfaces: { ...IDRAC_REDFISH.interfaces, boot_interface: 'idrac-redfish-virtual-media' },
    supportsIsoPreprovisioningImage: true,
    requiresProvisioningNetwork: false,
  },
};

/** Each driver by the schemes that name it. */
export const DRIVERS: ReadonlyMap<string, Driver> = new Map(
  Object.entries(ROWS).flatMap(([scheme, row]) => {
    const named = (type: string, transport: Driver['transport']): readonly [string, Driver] => [
      type,
      { type, transport, ...row },
    ];
    const plain = named(scheme, 'https');
    return row.protocol === 'redfish'
      ? [plain, named(`${scheme}+http`, 'http'), named(`${scheme}+https`, 'https')]
      : [plain];
  }),
);

/**
 * The driver of a BMC address.
 *
 * @param address  a parsed one (`parseBmcAddress`)
 * @throws {TerminalError} `Unknown BMC type ...`: no driver has this scheme
 */
export function driverOf(address: { readonly scheme: string; readonly text: string }): Driver {
  const driver = DRIVERS.get(address.scheme);
  if (driver === undefined) {
    throw new TerminalError(`Unknown BMC type '${address.scheme}' for address ${address.text}`);
  }
  return driver;
}

/** `inspect_interface` of the node. A mode that the driver does not know is refused before a node is made. */
export function inspectInterfaceOf(driver: Driver, inspectionMode: string | undefined): string {
  return (inspectionMode === 'fast' ? driver.fastInspectInterface : undefined) ?? 'agent';
}
