// Finding the node of a host: by the UUID that is recorded, by names, and at last by the MAC address that it boots from.
//
// Invariant:
//   L1. A node that is found by its MAC address alone and has a name is never taken: it is somebody else's.
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { isIdent } from '../client/endpoints.ts';
import type { Facts } from './facts.ts';
import { bootMacOf, type Host, nodeNameOf } from './host.ts';
import { type IronicNode, textIn, uuidOf } from './node.ts';
import { failed, type NodeRequest, nodePath, type Send, type Step, send, stuck } from './step.ts';

export interface LookUpInput {
  readonly host: Host;
  readonly facts: Facts;
}

const PORT_FIELDS = 'node_uuid,uuid,address';

export interface Found {
  /** Null: Ironic has none for this host. */
  readonly node: IronicNode | null;
}

type Place = readonly [id: string, fact: 'byId' | 'byName' | 'byBareName'];

/** Finds what is, or may become, the node of the host. @returns done with the node, or with null */
export function lookUp({ host, facts }: LookUpInput): Step<Found> {
  const name = host.metadata?.name ?? '';
  const bareName: readonly Place[] = name === '' || name.includes('~') ? [] : [[name, 'byBareName']];
  // mutant: host-unknown-name [] -> $1.1
  const step = lookUpIn([...recorded(host), [nodeNameOf(host), 'byName'], ...bareName], facts);
  return step ?? lookUpByMac(bootMacOf(host), facts);
}

/** Finds what is the host's for certain: by the UUID alone, or by its name where none is recorded. */
export function lookUpOwn({ host, facts }: LookUpInput): Step<Found> {
  const places = recorded(host);
  return lookUpIn(places.length > 0 ? places : [[nodeNameOf(host), 'byName']], facts) ?? { step: 'done', node: null };
}

/**
 * Finds what is to be removed with the host: also a node of its name that was made when Ironic had lost the one that is recorded, if nobody
 * has come to record it.
 */
export function lookUpToRemove({ host, facts }: LookUpInput): Step<Found> {
  return lookUpIn([...recorded(host), [nodeNameOf(host), 'byName']], facts) ?? { step: 'done', node: null };
}

function recorded({ status }: Host): readonly Place[] {
  const id = status?.provisioning?.ID ?? '';
  // It may have come with an annotation, which anybody writes.
  return isIdent(id) ? [[id, 'byId']] : [];
}

/** Undefined: it is in none of the places. */
function lookUpIn(places: readonly Place[], facts: Facts): Step<Found> | undefined {
  for (const [place, fact] of places) {
    const node = facts[fact];
    if (node === undefined) return ask(getNode(place, fact));
    if (isNode(node)) return { step: 'done', node };
  }
  return undefined;
}

function lookUpByMac(mac: string, { portsByMac, byPort }: Facts): Step<Found> {
  if (mac === '') return { step: 'done', node: null };
  if (portsByMac === undefined) return ask(getPorts({ address: mac }, 'portsByMac'));
  const owner = portsByMac.map((port) => textIn(port, 'node_uuid')).find((uuid) => uuid !== '');
  if (owner === undefined) return { step: 'done', node: null };
  if (byPort === undefined) return ask(getNode(owner, 'byPort'));
  if (!isNode(byPort))
    return stuck(`the port with MAC address ${mac} is of node "${owner}", which Ironic does not have`);
  const name = textIn(byPort, 'name');
  return name === '' ? { step: 'done', node: byPort } : failed(ErrorType.Registration, macConflict(mac, name));
}

/** @param node  name or UUID of the one that has the address */
export function macConflict(mac: string, node: string): string {
  return `MAC address ${mac} conflicts with existing node ${node}`;
}

/** Ports of any node with this address, or of one node. */
export function getPorts(
  filter: { readonly address: string } | { readonly node_uuid: string },
  into: 'portsByMac' | 'ports' | 'owners',
): NodeRequest {
  const query = { fields: PORT_FIELDS, ...filter };
  return { method: 'GET', path: '/v1/ports', query, expects: [200], failure: 'failed to list ports', into };
}

function getNode(id: string, into: 'byId' | 'byName' | 'byBareName' | 'byPort'): NodeRequest {
  return { method: 'GET', path: nodePath(id), expects: [200, 404], failure: `failed to look node "${id}" up`, into };
}

function ask(request: NodeRequest): Send {
  return send([request], 'onward');
}

function isNode(node: IronicNode | null): node is IronicNode {
  return node !== null && uuidOf(node) !== '';
}
