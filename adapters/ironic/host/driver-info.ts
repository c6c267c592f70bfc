// `driver_info` of a node: where its BMC is and how to get in.
import type { BmcAddress } from './bmc-address.ts';
import { type Driver, driverOf } from './drivers.ts';

/** As Ironic takes it. It holds a password: never in a message or a log. */
export type DriverInfo = Readonly<Record<string, string | boolean>>;

export interface DriverInfoInput {
  readonly address: BmcAddress;
  readonly username: string;
  readonly password: string;
  /** `spec.bmc.disableCertificateVerification`. */
  readonly disableCertificateVerification?: boolean | undefined;
  /** Where BMCs that speak IPv6 find Ironic's images (`IRONIC_EXTERNAL_URL_V6`); unset or empty: where all others do. */
  readonly externalUrlV6?: string | undefined;
  /** The first address that the BMC's name resolves to is one of IPv6. Not needed if the address itself is one. */
  readonly isIpv6?: boolean | undefined;
}

/** RMCP+'s port. */
const IPMI_PORT = '623';
const PRIVILEGE_LEVEL = 'ADMINISTRATOR';

/** Segments of the paths that name no system: Ironic takes the only one that there is. */
const ROOTS: readonly string[] = ['', 'redfish/v1'];

/**
 * Complete `driver_info` of a node.
 *
 * @throws {TerminalError} the address is of no driver
 */
export function driverInfo(input: DriverInfoInput): DriverInfo {
  const { address, disableCertificateVerification, externalUrlV6 = '', isIpv6 } = input;
  const driver = driverOf(address);
  return {
    ...(driver.protocol === 'ipmi' ? ipmiInfo(input) : redfishInfo(input, driver)),
    ...(disableCertificateVerification === true && { [`${driver.protocol}_verify_ca`]: false }),
    ...(externalUrlV6 !== '' && (address.isIpv6 || isIpv6 === true) && { external_http_url: externalUrlV6 }),
  };
}

function ipmiInfo({ address, username, password }: DriverInfoInput): DriverInfo {
  return {
    ipmi_address: address.hostname,
    ipmi_port: address.port || IPMI_PORT,
    ipmi_username: username,
    ipmi_password: password,
    ipmi_priv_level: new URLSearchParams(address.query).get('privilegelevel') || PRIVILEGE_LEVEL,
  };
}

function redfishInfo({ address, username, password }: DriverInfoInput, driver: Driver): DriverInfo {
  const { hostname, isIpv6, port, path } = address;
  const host = isIpv6 ? `[${hostname}]` : hostname;
  const segments = path.split('/').filter((segment) => segment !== '');
  const namesSystem = !ROOTS.includes(segments.join('/'));
  return {
    redfish_address: `${driver.transport}://${host}${port === '' ? '' : `:${port}`}`,
    redfish_username: username,
    redfish_password: password,
    ...((namesSystem || driver.alwaysSendsSystemId) && { redfish_system_id: path }),
  };
}

/** Keys that locate a BMC and set its protocol, with the default of Ironic for each. */
const REACH: readonly (readonly [key: string, unset: string])[] = [
  ['ipmi_address', ''],
  ['ipmi_port', IPMI_PORT],
  ['ipmi_priv_level', PRIVILEGE_LEVEL],
  ['ipmi_verify_ca', 'true'],
  ['redfish_address', ''],
  ['redfish_system_id', ''],
  ['redfish_verify_ca', 'true'],
];

/**
 * Whether the address of a node's BMC must be updated: address, port, privilege level, system or certificate check
 * differ from the wanted ones. Names and passwords are not compared: Ironic does not return passwords.
 *
 * @param stored  `driver_info` as Ironic tells it
 * @param wanted  of `driverInfo`
 */
export function didAddressChange(
  stored: Readonly<Record<string, unknown>> | null | undefined,
  wanted: DriverInfo,
): boolean {
  return REACH.some(([key, unset]) => reported(stored?.[key], unset) !== reported(wanted[key], unset));
}

/** Other clients of Ironic write a port as a number, and a flag as text. */
function reported(value: unknown, unset: string): string {
  const text = String(value ?? unset);
  return /^(true|false)$/i.test(text) ? text.toLowerCase() : text;
}
