// The drivers, and the interfaces that each supports: the first of a kind is the default.
import type { Json } from '../../../bus/json.ts';
import { refusal } from './exchange.ts';
import type { Item } from './records.ts';

type Interfaces = Readonly<Record<string, readonly string[]>>;

const REDFISH: Interfaces = {
  bios: ['redfish', 'no-bios'],
  boot: ['redfish-virtual-media', 'ipxe', 'redfish-https'],
  console: ['no-console'],
  deploy: ['direct', 'custom-agent', 'ramdisk'],
  firmware: ['redfish', 'no-firmware'],
  inspect: ['redfish', 'agent', 'no-inspect'],
  management: ['redfish'],
  network: ['noop'],
  power: ['redfish'],
  raid: ['redfish', 'agent', 'no-raid'],
  rescue: ['no-rescue', 'agent'],
  storage: ['noop'],
  vendor: ['redfish', 'no-vendor'],
};

const FAKE: Interfaces = {
  ...Object.fromEntries(Object.entries(REDFISH).map(([kind, names]) => [kind, ['fake', ...names]])),
  network: ['noop'],
  storage: ['noop', 'fake'],
  boot: ['fake', 'redfish-virtual-media'],
  rescue: ['fake', 'agent', 'no-rescue'],
};

const IDRAC: Interfaces = {
  ...REDFISH,
  bios: ['idrac-redfish', 'no-bios'],
  boot: ['ipxe', 'idrac-redfish-virtual-media', 'redfish-https'],
  inspect: ['idrac-redfish', 'redfish', 'agent', 'no-inspect'],
  management: ['idrac-redfish'],
  power: ['idrac-redfish'],
  raid: ['idrac-redfish', 'redfish', 'agent', 'no-raid'],
  vendor: ['idrac-redfish', 'no-vendor'],
};

const IPMI: Interfaces = {
  ...REDFISH,
  bios: ['no-bios'],
  boot: ['ipxe'],
  firmware: ['no-firmware'],
  inspect: ['agent', 'no-inspect'],
  management: ['ipmitool'],
  power: ['ipmitool'],
  raid: ['no-raid', 'agent'],
  vendor: ['ipmitool', 'no-vendor'],
};

const HARDWARE_TYPES: Readonly<Record<string, { readonly className: string; readonly interfaces: Interfaces }>> = {
  'fake-hardware': { className: 'FakeHardware', interfaces: FAKE },
  idrac: { className: 'IDRACHardware', interfaces: IDRAC },
  ipmi: { className: 'IPMIHardware', interfaces: IPMI },
  redfish: { className: 'RedfishHardware', interfaces: REDFISH },
};

export const DRIVERS: readonly string[] = Object.keys(HARDWARE_TYPES);
/** Kinds of interfaces, as fields name them without their ending. */
export const INTERFACE_KINDS: readonly string[] = Object.keys(REDFISH);

/** @throws {Refusal} 400: there is no such driver */
export function refuseDriver(driver: Json | undefined, drivers: readonly string[]): void {
  if (typeof driver === 'string' && drivers.includes(driver) && Object.hasOwn(HARDWARE_TYPES, driver)) return;
  const why = `No conductor service registered which supports driver ${String(driver)} for conductor group "".`;
  throw refusal(400, `No valid host was found. Reason: ${why} Ensure the driver is valid and enabled.`);
}

/** Sets what a node has no choice of its own for. @throws {Refusal} 400: an interface that its driver has not */
export function chooseInterfaces(item: Item): void {
  const type = HARDWARE_TYPES[String(item['driver'])];
  if (type === undefined) return;
  for (const kind of INTERFACE_KINDS) {
    const supported = type.interfaces[kind] ?? [];
    const field = `${kind}_interface`;
    const wanted = item[field] ?? null;
    if (wanted === null) item[field] = supported[0] ?? null;
    else if (!supported.includes(String(wanted))) throw unsupported(kind, String(wanted), type.className);
  }
}

function unsupported(kind: string, name: string, className: string): Error {
  const enabled = new Set(Object.values(HARDWARE_TYPES).flatMap(({ interfaces }) => interfaces[kind] ?? []));
  if (enabled.has(name)) {
    return refusal(400, `${kind} interface implementation '${name}' is not supported by hardware type ${className}.`);
  }
  const valid = [...enabled].sort().map((each) => `'${each}'`);
  const where = `'ironic.hardware.interfaces.${kind}' entrypoint`;
  return refusal(
    400,
    `Could not find the following interface in the ${where}: ${name}. Valid interfaces are [${valid.join(', ')}].`,
  );
}

/** Whether deployments, cleaning and so on boot an agent on the machine. */
export function usesAgent({ deploy_interface: deploy }: Item): boolean {
  return deploy !== 'fake';
}
