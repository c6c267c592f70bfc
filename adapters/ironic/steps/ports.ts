// The ports of a node: one for each NIC that is known of the machine, so that its ramdisk is recognized by any of them.
//
// They are listed only where there is no memory of them: a MAC address that was never seen, another node, a process that has just
// begun.
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { type IronicNode, type IronicPort, stateOf, textIn, uuidOf } from '../client/node-answer.ts';
import type { Facts } from './facts.ts';
import { getPorts, macConflict } from './lookup.ts';
import type { Memory } from './node-memory.ts';
import { ProvisionState } from './states.ts';
import { failed, type NodeRequest, type Notes, send, type Unfinished } from './step.ts';
import { bootMacOf, type Host } from './step-host.ts';

/** A NIC as HardwareData has it. */
export interface Nic {
  readonly mac?: string | null;
  readonly pxe?: boolean | null;
}

export interface PortsInput {
  readonly host: Host;
  readonly facts: Facts;
  readonly memory?: Memory | undefined;
  /** `spec.hardware.nics` of HardwareData; a NIC may be there twice, once for each family of addresses. */
  readonly nics?: readonly (Nic | null)[] | null | undefined;
}

/** Ironic takes ports in these states. */
const STATES: ReadonlySet<string> = new Set([
  ProvisionState.Enroll,
  ProvisionState.Manageable,
  ProvisionState.Available,
  ProvisionState.Active,
  ProvisionState.Error,
  ProvisionState.AdoptFailed,
  ProvisionState.InspectFailed,
  ProvisionState.CleanFailed,
  ProvisionState.DeployFailed,
  ProvisionState.ServiceFailed,
]);

/** Remaining step for the ports; or none, with what to remember of the node. */
export type Ports = { readonly step: Unfinished } | { readonly step?: undefined; readonly notes: Notes };

export function ensurePorts(input: PortsInput, node: IronicNode): Ports {
  const { facts, memory } = input;
  const wanted = wantedPorts(input);
  const uuid = uuidOf(node);
  const known = new Set(memory?.node === uuid ? memory.macs : []);
  if (!STATES.has(stateOf(node)) || [...wanted.keys()].every((mac) => known.has(mac))) return { notes: {} };
  if (facts.ports === undefined) return { step: send([getPorts({ node_uuid: uuid }, 'ports')], 'onward') };
  const there = new Set(facts.ports.map(macOf));
  const missing = [...wanted].filter(([mac]) => !there.has(mac)).map(([, port]) => port);
  if (facts.owners === undefined && missing.length > 0) {
    return {
      step: send(
        missing.map(({ address }) => getPorts({ address }, 'owners')),
        'onward',
      ),
    };
  }
  const { owners = [] } = facts;
  const foreign = owners.find((port) => textIn(port, 'node_uuid') !== uuid);
  if (foreign !== undefined) {
    const message = macConflict(textIn(foreign, 'address'), textIn(foreign, 'node_uuid'));
    return { step: failed(ErrorType.Registration, message) };
  }
  const unknown = missing.filter(({ address }) => !owners.some((port) => macOf(port) === address.toLowerCase()));
  if (facts.made === undefined && unknown.length > 0) {
    return {
      step: send(
        unknown.map((port) => makePort(uuid, port)),
        'onward',
      ),
    };
  }
  return { notes: { remember: { node: uuid, macs: [...wanted.keys()] } } };
}

interface WantedPort {
  readonly address: string;
  readonly pxe_enabled: boolean;
}

/** By MAC address in lower case. The machine boots from the NIC that the host names, whatever was found of it. */
function wantedPorts({ host, nics }: PortsInput): ReadonlyMap<string, WantedPort> {
  const bootMac = bootMacOf(host);
  const found = (nics ?? []).map((nic): WantedPort => ({ address: nic?.mac ?? '', pxe_enabled: nic?.pxe === true }));
  const all = [...found, { address: bootMac, pxe_enabled: true }].filter(({ address }) => address !== '');
  return new Map(all.map((port) => [port.address.toLowerCase(), port]));
}

function macOf(port: IronicPort): string {
  return textIn(port, 'address').toLowerCase();
}

function makePort(node: string, { address, pxe_enabled }: WantedPort): NodeRequest {
  return {
    method: 'POST',
    path: '/v1/ports',
    body: { node_uuid: node, address, pxe_enabled },
    expects: [201],
    failure: `failed to create a port with MAC address ${address}`,
    into: 'made',
  };
}
