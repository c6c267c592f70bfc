// Whose a node is: told by its name, which hosts give to their nodes, and where that says nothing by what hosts have recorded.
//
// Invariants:
//   IRONIC-OWNERSHIP-1. A node that another existing host has recorded, or that has the name of another existing host,
//       is never taken.
//   IRONIC-OWNERSHIP-2. A deployment is removed only if the node names this host as its instance, or the status of the host
//       records it, or the node names no instance.

import { isGiven } from '../../../machines/bare-metal-host/host.ts';
import { called, type IronicNode, textIn, uuidOf } from '../client/node-answer.ts';
import { mapOf, textOf } from '../json-values.ts';
import { type Host, nodeNameOf } from './step-host.ts';

/** The node has the name of the host, with its namespace: no other host gives that name. */
export function isNamedAfter(host: Host, node: IronicNode): boolean {
  return textIn(node, 'name') === nodeNameOf(host);
}

/** The older form of that name, without the namespace, which hosts of other namespaces may share. */
export function hasBareName(host: Host, node: IronicNode): boolean {
  const name = bareNameOf(host);
  return name !== '' && textIn(node, 'name') === name;
}

export function bareNameOf({ metadata }: Host): string {
  const name = metadata?.name ?? '';
  return name.includes('~') ? '' : name;
}

/** Host named by the node, with its namespace; undefined if the node has no such name. */
export function namesakeOf(node: IronicNode): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^([a-z0-9.-]+)~([a-z0-9.-]+)$/.exec(textIn(node, 'name')) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** @param hosts  all that there are; this one may be among them */
export function isAnothers(host: Host, node: IronicNode, hosts: readonly Host[]): boolean {
  // mutant: host-takes-foreign-node return -> false
  return hosts.some((other) => !isSame(host, other) && isClaimedBy(other, node, host));
}

function isClaimedBy(other: Host, node: IronicNode, host: Host): boolean {
  if (isRecordedBy(other, node) || isNamedAfter(other, node)) return true;
  // A name that hosts share is no reason to take away what one of them has recorded.
  return hasBareName(other, node) && !isRecordedBy(host, node);
}

function isRecordedBy({ status }: Host, node: IronicNode): boolean {
  return textOf(mapOf(mapOf(status)['provisioning'])['ID']) === uuidOf(node);
}

function isSame(one: Host, other: Host): boolean {
  return nodeNameOf(one) === nodeNameOf(other);
}

/** Whether this host began the deployment on the node: each is preceded by the host's uid as the node's instance. */
export function isOwnInstance({ metadata }: Host, node: IronicNode): boolean {
  return isGiven(metadata?.uid) && textIn(node, 'instance_uuid') === metadata.uid;
}

/** Whether the node names another instance: another client's, or a host's of another uid. */
export function isReserved(host: Host, node: IronicNode): boolean {
  return textIn(node, 'instance_uuid') !== '' && !isOwnInstance(host, node);
}

/** Whether what the node runs is this host's to remove (IRONIC-OWNERSHIP-2). A moved host has another uid, and its status. */
export function mayUndeploy(host: Host, node: IronicNode): boolean {
  const { image, customDeploy } = host.status?.provisioning ?? {};
  if (isOwnInstance(host, node) || isGiven(image?.url) || isGiven(customDeploy?.method)) return true;
  // mutant: host-undeploys-foreign return -> true
  return !isReserved(host, node);
}

/** Message about a deployment that is not this host's. No secret. */
export function foreignDeployment(node: IronicNode): string {
  const instance = textIn(node, 'instance_uuid');
  const whose = instance === '' ? '' : ` (instance "${instance}")`;
  return `${called(node)} has a deployment that this host did not make${whose}: it is kept; undeploy it in Ironic if this host is to have the machine`;
}

/** Message about a node that is kept for another instance. No secret. */
export function foreignReservation(node: IronicNode): string {
  return `${called(node)} is reserved for instance "${textIn(node, 'instance_uuid')}", not for this host: undeploy it in Ironic, or remove its instance_uuid, if this host is to have the machine`;
}
