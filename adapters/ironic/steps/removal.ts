// Removal: Ironic forgets the node. What runs on the machine is left running.

import { called, type IronicNode, isInMaintenance, stateOf, uuidOf } from '../client/node-answer.ts';
import { Feature } from '../client/versions.ts';
import { patchOf } from '../host/node-patch.ts';
import { changeProvisionState } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import { type NodeRequest, nodePath, patchNode, type Step, send, type Unfinished, waitFor } from './step.ts';

export interface RemovalInput {
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
  /** An operation that the node waits for is interrupted. */
  readonly isForced: boolean;
  /** Features of the Ironic in use. */
  readonly features: readonly Feature[];
}

const REASON = 'forcing deletion in baremetal-operator';

/** @returns done: there is no such node any more */
export function remove(input: RemovalInput): Step {
  const { node } = input;
  if (node === null) return { step: 'done' };
  switch (stateOf(node)) {
    case ProvisionState.Enroll:
      return send([deleteNode(node)], 'again');
    case ProvisionState.Verifying:
      return waitFor(node, 'short');
    case ProvisionState.Available:
    case ProvisionState.Manageable: {
      const patch = patchOf(node, { '/instance_uuid': undefined });
      return send([...(patch.length === 0 ? [] : [patchNode(node, patch)]), deleteNode(node)], 'again');
    }
    case ProvisionState.Deploying:
    case ProvisionState.Cleaning:
    case ProvisionState.Inspecting:
    case ProvisionState.Servicing:
    case ProvisionState.Deleting:
      return waitFor(node, 'long');
    case ProvisionState.DeployWait:
    case ProvisionState.InspectWait:
    case ProvisionState.CleanWait:
    case ProvisionState.ServiceWait:
      return interrupt(input, node);
    default:
      return send([isInMaintenance(node) ? deleteNode(node) : enterMaintenance(node)], 'again');
  }
}

function interrupt({ isForced, features }: RemovalInput, node: IronicNode): Unfinished {
  if (!isForced) return waitFor(node, 'long');
  const isAbortable = stateOf(node) !== ProvisionState.DeployWait || features.includes(Feature.DeploymentAbort);
  return changeProvisionState(node, { target: isAbortable ? Target.Abort : Target.Deleted });
}

function deleteNode(node: IronicNode): NodeRequest {
  return {
    method: 'DELETE',
    path: nodePath(uuidOf(node)),
    expects: [204, 404],
    failure: `failed to remove ${called(node)}`,
  };
}

/** Ironic removes such a node in any state. */
function enterMaintenance(node: IronicNode): NodeRequest {
  return {
    method: 'PUT',
    path: nodePath(uuidOf(node), 'maintenance'),
    body: { reason: REASON },
    expects: [202],
    failure: `failed to put ${called(node)} into maintenance`,
  };
}
