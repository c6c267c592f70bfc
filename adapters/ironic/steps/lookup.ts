// Finding the node of a host: by the UUID that is recorded, by names, and at last by the MAC address that it boots from.
//
// Invariants:
//   IRONIC-LOOKUP-1. A node that is found only by its MAC address and has a name is never taken: it belongs to another
//       owner.
//   IRONIC-LOOKUP-2. A node that another living host has is never taken for this one's, wherever it is found: a status may have come with an
//       annotation, which anybody writes.
//   IRONIC-LOOKUP-3. What Ironic answers is what was asked for: the UUID by a UUID alone, the name by a name alone.
//   IRONIC-LOOKUP-4. A host that is detached removes only the node that it has recorded.
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { OperationalStatus } from '../../../machines/bare-metal-host/host.ts';
import { isIdent, isUuid, isUuidLike } from '../client/endpoints.ts';
import { called, type IronicNode, textIn, uuidOf } from '../client/node-answer.ts';
import type { Facts } from './facts.ts';
import { bareNameOf, isNamedAfter } from './ownership.ts';
import { type AskOwner, failed, type NodeRequest, nodePath, type Send, type Step, send, stuck } from './step.ts';
import { bootMacOf, type Host, nodeNameOf } from './step-host.ts';

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

const NONE = { step: 'done', node: null } as const;

/** Finds what is, or may become, the node of the host. @returns done with the node, or with null */
export function lookUp(input: LookUpInput): Step<Found> {
  const { host, facts } = input;
  const bareName = bareNameOf(host);
  const isName = isIdent(bareName) && !isUuidLike(bareName);
  const bare: readonly Place[] = isName ? [[bareName, 'byBareName']] : [];
  // mutant: host-unknown-name [] -> $1.1
  const step = lookUpIn([...recorded(host), [nodeNameOf(host), 'byName'], ...bare], input, refusalOf);
  return step ?? lookUpByMac(bootMacOf(host), host, facts);
}

/** Finds what is the host's for certain: by the UUID alone, or by its name where none is recorded. */
export function lookUpOwn(input: LookUpInput): Step<Found> {
  const places = recorded(input.host);
  return lookUpIn(places.length > 0 ? places : [[nodeNameOf(input.host), 'byName']], input) ?? NONE;
}

/**
 * Finds the nodes to remove with the host. These include a node of the host's name that was made after Ironic lost the
 * recorded one, unless it is recorded by then. A detached host has none by name any more: another owner may use it.
 */
export function lookUpToRemove(input: LookUpInput): Step<Found> {
  const { host } = input;
  const isDetached = host.status?.operationalStatus === OperationalStatus.Detached;
  // mutant: detached-host-removes-namesake ?:.1 -> false
  const named: readonly Place[] = isDetached ? [] : [[nodeNameOf(host), 'byName']];
  return lookUpIn([...recorded(host), ...named], input) ?? NONE;
}

function recorded({ status }: Host): readonly Place[] {
  const id = status?.provisioning?.ID ?? '';
  // mutant: host-id-is-name () -> isIdent($1)
  return isUuid(id) ? [[id, 'byId']] : [];
}

/**
 * Undefined: it is in none of the places.
 *
 * @param refused result if the recorded node belongs to another host; undefined: the node is skipped
 */
function lookUpIn(
  places: readonly Place[],
  { host, facts }: LookUpInput,
  refused?: (node: IronicNode) => Step<Found>,
): Step<Found> | undefined {
  for (const [place, fact] of places) {
    const node = facts[fact];
    if (node === undefined) return ask(getNode(place, fact));
    if (!isNode(node) || (fact === 'byId' ? uuidOf(node) : textIn(node, 'name')) !== place) continue;
    const others = isAnothersOrAsk(host, node, facts);
    if (others === false) return { step: 'done', node };
    if (others !== true) return others;
    if (fact === 'byId' && refused !== undefined) return refused(node);
  }
  return undefined;
}

/** Whether another host has the node, or that this has to be found out. */
function isAnothersOrAsk(host: Host, node: IronicNode, { others = {} }: Facts): boolean | AskOwner {
  if (isNamedAfter(host, node)) return false;
  return others[uuidOf(node)] ?? { step: 'askOwner', node };
}

function refusalOf(node: IronicNode): Step<Found> {
  return failed(ErrorType.Registration, `${called(node)} belongs to another host: it is not used for this one`);
}

function lookUpByMac(mac: string, host: Host, facts: Facts): Step<Found> {
  const { portsByMac, byPort } = facts;
  if (mac === '') return NONE;
  if (portsByMac === undefined) return ask(getPorts({ address: mac }, 'portsByMac'));
  const owner = portsByMac.map((port) => textIn(port, 'node_uuid')).find((uuid) => uuid !== '');
  if (owner === undefined) return NONE;
  if (byPort === undefined) return ask(getNode(owner, 'byPort'));
  if (!isNode(byPort))
    return stuck(`the port with MAC address ${mac} is of node "${owner}", which Ironic does not have`);
  const name = textIn(byPort, 'name');
  if (name !== '') return failed(ErrorType.Registration, macConflict(mac, name));
  const others = isAnothersOrAsk(host, byPort, facts);
  if (others === false) return { step: 'done', node: byPort };
  return others === true ? failed(ErrorType.Registration, macConflict(mac, uuidOf(byPort))) : others;
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
