// A host, its node, and steps in short, as the tests of decisions on nodes need them.

import type { IronicNode } from '../../../../adapters/ironic/client/node-answer.ts';
import { DRIVERS, type Driver } from '../../../../adapters/ironic/host/drivers.ts';
import type { NodeRequest, Step } from '../../../../adapters/ironic/steps/step.ts';
import type { Host } from '../../../../adapters/ironic/steps/step-host.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import type { HostStatus } from '../../../../machines/bare-metal-host/host.ts';

export const UUID = '00000000-0000-4000-8000-00000000000a';
/** Uid of the host: the instance of nodes that it deployed. */
export const OWN = '00000000-0000-4000-8000-0000000000f1';
/** Instance of another client. */
export const FOREIGN = '00000000-0000-4000-8000-0000000000f2';
export const MAC = '52:54:00:00:01:01';
export const CREDENTIALS = { credentials: { name: 'bmc', namespace: 'ns' }, credentialsVersion: '7' };

/** No option of `driver_info` names a ramdisk. */
export const NO_RAMDISK = {
  deploy_kernel: undefined,
  deploy_ramdisk: undefined,
  deploy_iso: undefined,
  kernel_append_params: undefined,
};

/** A host that is registered, in the state given. */
export function hostIn(
  state: string,
  {
    spec = {},
    status = {},
    annotations = {},
  }: {
    readonly spec?: NonNullable<Host['spec']>;
    readonly status?: HostStatus;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Host {
  const { provisioning, ...rest } = status;
  return {
    metadata: { name: 'one', namespace: 'ns', uid: OWN, annotations },
    spec: { online: true, bootMACAddress: MAC, ...spec },
    status: {
      goodCredentials: CREDENTIALS,
      triedCredentials: CREDENTIALS,
      ...rest,
      provisioning: { state, ID: UUID, bootMode: 'UEFI', ...provisioning },
    },
  };
}

/** The same with an error. */
export function failedHost(state: string, errorType: string): Host {
  return hostIn(state, { status: { errorType, errorMessage: 'it failed', errorCount: 1, operationalStatus: 'error' } });
}

/** A node that is as it is to be, in the state given. */
export function nodeIn(state: string, more: JsonObject = {}): IronicNode {
  return {
    uuid: UUID,
    name: 'ns~one',
    provision_state: state,
    target_provision_state: null,
    power_state: 'power on',
    target_power_state: null,
    last_error: null,
    maintenance: false,
    fault: null,
    driver_info: { redfish_address: 'https://bmc' },
    automated_clean: true,
    disable_power_off: false,
    properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
    inspect_interface: 'agent',
    instance_uuid: null,
    instance_info: {},
    ...more,
  };
}

export function driverNamed(type: string): Driver {
  const driver = DRIVERS.get(type);
  if (driver === undefined) throw new Error(`no driver ${type}`);
  return driver;
}

/** A request in short: the node is `N`. */
export function inShort({ method, path, query, body }: NodeRequest): string {
  const parts = [
    method,
    path.replace('/v1/nodes/', '').replace(UUID, 'N'),
    ...(query === undefined
      ? []
      : [
          `?${Object.entries(query)
            .map(([name, value]) => `${name}=${value}`)
            .join('&')}`,
        ]),
  ];
  return [parts[0], parts.slice(1).join(''), ...(body === undefined ? [] : [JSON.stringify(body)])].join(' ');
}

/** A step in short, without its notes. */
export function reported(step: Step): string {
  switch (step.step) {
    case 'send':
      return [...step.requests.map(inShort), `then ${step.then}`].join('; ');
    case 'wait':
      return `wait ${step.pace}`;
    case 'askOwner':
      return `whose is ${step.node['name'] ?? 'it'}?`;
    case 'ask':
      return `ask ${step.for}`;
    case 'failed':
      return `${step.errorType}: ${step.message}`;
    case 'stuck':
      return `stuck: ${step.message}`;
    default:
      return step.step;
  }
}

/** Of a change of the provision state. */
export function asks(target: string): string {
  return `PUT N/states/provision {"target":"${target}"}; then short`;
}

export const LEAVES_MAINTENANCE = 'DELETE N/maintenance; then again';

/** What a step says beside what is done: reasons of events, annotations taken off, and so on. */
export function notesOf(step: Step): JsonObject {
  const { step: _, ...notes } = step as unknown as JsonObject & { step: string };
  const { events, requests: _requests, then: _then, pace: _pace, because: _because, until: _until, ...rest } = notes;
  const reasons = Array.isArray(events) ? events.map((event) => (event as JsonObject)['reason'] ?? null) : undefined;
  return { ...(reasons !== undefined && { events: reasons }), ...rest };
}
