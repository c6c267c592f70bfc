// Whose a node is: told by its name, which hosts give to their nodes, and where that says nothing by what hosts have recorded.
//
// Invariant:
//   IRONIC-OWNERSHIP-1. A node that another existing host has recorded, or that has the name of another existing host,
//       is never taken.

import { type IronicNode, textIn, uuidOf } from '../client/node-answer.ts';
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
