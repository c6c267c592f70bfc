// Changing the provision state of a node: what every such request goes through.
import type { JsonObject } from '../../../bus/bus.ts';
import { called, hasFault, type IronicNode, isInMaintenance, uuidOf } from '../client/node-answer.ts';
import type { Target } from './states.ts';
import { type NodeRequest, type Notes, nodePath, type Send, send, type Wait, waitForNode } from './step.ts';

export interface Change {
  readonly target: Target;
  /** With `active`. */
  readonly configdrive?: JsonObject;
  readonly deploy_steps?: readonly JsonObject[];
  /** With `clean`. */
  readonly clean_steps?: readonly JsonObject[];
  /** With `service`. */
  readonly service_steps?: readonly JsonObject[];
}

/**
 * Requests another provision state. Waits for a node with a fault; a node that was put into maintenance manually is
 * taken out of it first.
 *
 * @param before  requests that are made before this one, in the same step
 */
export function changeProvisionState(
  node: IronicNode,
  change: Change,
  notes: Notes = {},
  before: readonly NodeRequest[] = [],
): Send | Wait {
  if (hasFault(node)) return waitForNode('long', `${called(node)} has a fault: ${String(node['fault'])}`);
  if (isInMaintenance(node)) return leaveMaintenance(node);
  const request: NodeRequest = {
    method: 'PUT',
    path: nodePath(uuidOf(node), 'states', 'provision'),
    body: { ...change },
    expects: [202],
    failure: `failed to change provisioning state to "${change.target}"`,
  };
  return send([...before, request], 'short', notes);
}

export function leaveMaintenance(node: IronicNode, notes: Notes = {}): Send {
  const request: NodeRequest = {
    method: 'DELETE',
    path: nodePath(uuidOf(node), 'maintenance'),
    expects: [202],
    failure: `failed to take ${called(node)} out of maintenance`,
  };
  return send([request], 'again', notes);
}

/** The same, of a node that failed: Ironic put it into maintenance itself, and its fault goes with that. */
export function recover(node: IronicNode, change: Change, notes: Notes = {}): Send | Wait {
  return isInMaintenance(node) ? leaveMaintenance(node) : changeProvisionState(node, change, notes);
}
