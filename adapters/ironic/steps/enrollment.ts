// Definition of a new node, and how an existing node differs from the definition that it would have today.
import type { JsonObject } from '../../../bus/bus.ts';
import {
  type CredentialsStatus,
  ProvisioningState,
  provisioningStateOf,
} from '../../../machines/bare-metal-host/host.ts';
import { isSameCredentials } from '../../../machines/bare-metal-host/registration.ts';
import { type IronicNode, stateOf, textIn } from '../client/node-answer.ts';
import { Feature } from '../client/versions.ts';
import { nodeCapabilities } from '../host/boot-mode.ts';
import { type Driver, inspectInterfaceOf } from '../host/drivers.ts';
import { type Patch, patchOf, under, type Wanted } from '../host/node-patch.ts';
import { ProvisionState } from './states.ts';
import { type NodeRequest, patchNode } from './step.ts';
import { bootModeOf, type Host, nodeNameOf } from './step-host.ts';

export interface EnrolmentInput {
  readonly host: Host;
  readonly driver: Driver;
  /** As a whole. It holds a password. */
  readonly driverInfo: JsonObject;
  /** The Secret that it was made with. */
  readonly credentials: CredentialsStatus;
  /** The node's own `driver_info`, as far as it shows, says otherwise where the BMC is or how it is spoken to. */
  readonly isAddressChanged?: boolean;
  /** `properties.cpu_arch`. */
  readonly architecture: string;
  /** Interface that the current or next deployment needs; undefined: Ironic chooses. */
  readonly deployInterface?: string | undefined;
  /** Features of the Ironic in use. */
  readonly features: readonly Feature[];
}

/**
 * Address at which the BMC finds the images of Ironic. It follows the settings of Ironic, and is not part of the BMC's
 * address.
 */
const EXTERNAL_URL = 'external_http_url';

/** Ironic takes another driver and other interfaces in these states. */
const REWRITABLE: ReadonlySet<string> = new Set([
  ProvisionState.Enroll,
  ProvisionState.Manageable,
  ProvisionState.Available,
]);

export function enrolmentRequest(input: EnrolmentInput): NodeRequest {
  const { host, driver, driverInfo, architecture, deployInterface, features } = input;
  return {
    method: 'POST',
    path: '/v1/nodes',
    body: {
      driver: driver.driver,
      ...interfacesOf(input),
      inspect_interface: inspectInterfaceOf(driver, host.spec?.inspectionMode ?? undefined),
      ...(deployInterface !== undefined && { deploy_interface: deployInterface }),
      name: nodeNameOf(host),
      driver_info: driverInfo,
      ...(features.includes(Feature.DisablePowerOff) && { disable_power_off: isPowerOffDisabled(host) }),
      properties: { capabilities: nodeCapabilities(undefined, bootModeOf(host)), cpu_arch: architecture },
    },
    expects: [201],
    failure: `failed to register host in Ironic as "${nodeNameOf(host)}"`,
    into: 'enrolled',
  };
}

/** The change of a node that is there already; undefined: it is as it would be made today. */
export function updateRequest(input: EnrolmentInput, node: IronicNode): NodeRequest | undefined {
  const { host, driverInfo, architecture, isAddressChanged, features } = input;
  const isDriverInfoStale = isAddressChanged === true || areCredentialsNew(input);
  const wanted: Wanted = {
    '/name': nodeNameOf(host),
    ...(features.includes(Feature.DisablePowerOff) &&
      isPowerOffDisabled(host) !== (node['disable_power_off'] === true) && {
        '/disable_power_off': isPowerOffDisabled(host),
      }),
    '/properties/cpu_arch': architecture,
  };
  const driver = driverPatch(input, node);
  const patch: Patch = [
    ...driver,
    ...(isDriverInfoStale
      ? [{ op: 'add', path: '/driver_info', value: driverInfo } as const]
      : patchOf(node, under('driver_info', { [EXTERNAL_URL]: driverInfo[EXTERNAL_URL] }))),
    ...patchOf(node, wanted),
  ];
  if (patch.length === 0) return undefined;
  const request = patchNode(node, patch, 'updated');
  // Interfaces of the driver that it had may be none of the new one's.
  return driver.some(({ path }) => path === '/driver') ? { ...request, query: { reset_interfaces: 'true' } } : request;
}

/** The Secret is not the one that was tried last. */
export function areCredentialsNew({ host, credentials }: Pick<EnrolmentInput, 'host' | 'credentials'>): boolean {
  return !isSameCredentials(host.status?.triedCredentials, credentials);
}

export function isPowerOffDisabled({ spec }: Host): boolean {
  return spec?.disablePowerOff === true;
}

/** An Ironic refuses the whole request for a field that it does not know. */
function interfacesOf({ driver, features }: EnrolmentInput): Driver['interfaces'] {
  const { firmware_interface: _, ...others } = driver.interfaces;
  return features.includes(Feature.FirmwareComponents) ? driver.interfaces : others;
}

/** An address with another scheme names another driver, or other interfaces of it. What Ironic does not tell is not compared. */
function driverPatch(input: EnrolmentInput, node: IronicNode): Patch {
  const { host, driver, isAddressChanged } = input;
  const mayDiffer = isAddressChanged === true || provisioningStateOf(host) === ProvisioningState.Registering;
  if (!mayDiffer || !REWRITABLE.has(stateOf(node))) return [];
  const wanted = Object.entries({ driver: driver.driver, ...interfacesOf(input) });
  const reported = wanted.filter(([name]) => textIn(node, name) !== '');
  return patchOf(node, Object.fromEntries(reported.map(([name, value]) => [`/${name}`, value])));
}
