// What Ironic answers, as JSON: read for what it is expected to be, and taken for absent where it is anything else.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../bus/bus.ts';
import { textOf } from '../json-values.ts';

/** As `GET /v1/nodes/{id}` has it. */
export type IronicNode = JsonObject;

/** As `GET /v1/ports` has it: `address`, `node_uuid`, `uuid`. */
export type IronicPort = JsonObject;

/** A member that is a text; empty: there is none. */
export function textIn(answer: JsonObject, member: string): string {
  return textOf(answer[member]);
}

export function uuidOf(node: IronicNode): string {
  return textIn(node, 'uuid');
}

export function stateOf(node: IronicNode): string {
  return textIn(node, 'provision_state');
}

/** What Ironic says of the last failure; empty: nothing. */
export function lastErrorOf(node: IronicNode): string {
  return textIn(node, 'last_error');
}

/** Where Ironic is taking it; empty: nowhere. */
export function targetOf(node: IronicNode): string {
  return textIn(node, 'target_provision_state');
}

export function isInMaintenance(node: IronicNode): boolean {
  return node['maintenance'] === true;
}

/** Ironic itself has put it into maintenance, and says why. */
export function hasFault(node: IronicNode): boolean {
  return textIn(node, 'fault') !== '';
}

/** Cleaning that was requested manually, rather than on the way to `available`. */
export function isManualCleaning(node: IronicNode): boolean {
  // Ironic tells the state that it comes back to; elsewhere the verb is expected.
  return ['manageable', 'clean'].includes(targetOf(node));
}

/** For messages. */
export function called(node: IronicNode): string {
  return `node "${uuidOf(node) || textIn(node, 'name')}"`;
}

/** What of a node operations wait for, or decide by when it comes by itself. */
export const WATCHED = [
  'provision_state',
  'target_provision_state',
  'provision_updated_at',
  'power_state',
  'target_power_state',
  'last_error',
  'maintenance',
  'fault',
  'health',
] as const;

/** The same for a node as for another one while nothing of it changes that operations wait for. */
export function revisionOf(node: JsonObject): string {
  const seen = WATCHED.map((field) => node[field] ?? null);
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64url').slice(0, 16);
}
