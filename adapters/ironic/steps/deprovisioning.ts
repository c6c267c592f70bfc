// Deprovisioning: what is deployed is taken away, and the disks are cleaned where that is wanted.
// What another client deployed stays (IRONIC-OWNERSHIP-2).
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { HostAnnotation } from '../../../machines/bare-metal-host/host.ts';
import { type IronicNode, lastErrorOf, stateOf } from '../client/node-answer.ts';
import { patchOf } from '../host/node-patch.ts';
import { foreignDeployment, mayUndeploy } from './ownership.ts';
import { changeProvisionState, recover } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import {
  failed,
  type Notes,
  patchNode,
  REGISTER,
  restarting,
  type Step,
  send,
  stuck,
  stuckIn,
  type Unfinished,
  waitFor,
} from './step.ts';
import { type Host, hasErrorOf, isCleaningWanted } from './step-host.ts';

export interface DeprovisioningInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
}

const COMPLETE: Notes = {
  events: [{ reason: 'DeprovisioningComplete', message: 'Deprovisioning completed' }],
  unannotate: [HostAnnotation.Reboot],
  forget: ['image', 'customDeploy', 'rootDeviceHints', 'softwareRaid'],
};

const STARTED = [{ reason: 'DeprovisioningStarted', message: 'Deprovisioning started' }];

/** @returns done: nothing is deployed any more */
export function deprovision({ host, node }: DeprovisioningInput): Step {
  if (node === null) return REGISTER;
  const isRestart = hasErrorOf(host, ErrorType.Provisioning);
  const notes = restarting(host, ErrorType.Provisioning);
  switch (stateOf(node)) {
    case ProvisionState.Active:
    case ProvisionState.DeployFailed:
    case ProvisionState.DeployWait:
      return start(host, node);
    case ProvisionState.Error:
      if (isRestart && !mayUndeploy(host, node)) return stuck(foreignDeployment(node));
      if (isRestart) return changeProvisionState(node, { target: Target.Deleted }, { events: STARTED, ...notes });
      return failed(ErrorType.Provisioning, lastErrorOf(node) || 'Deprovisioning failed');
    case ProvisionState.CleanFailed:
      if (isRestart) return recover(node, { target: Target.Manage }, notes);
      return failed(ErrorType.Provisioning, `Cleaning failed: ${lastErrorOf(node)}`);
    case ProvisionState.Manageable:
      return changeProvisionState(node, { target: Target.Provide });
    case ProvisionState.Deleting:
    case ProvisionState.Cleaning:
    case ProvisionState.CleanWait:
    case ProvisionState.Deploying:
      return waitFor(node, 'long');
    case ProvisionState.Available:
      return { step: 'done', ...COMPLETE };
    default:
      return stuckIn(node, 'deprovisioning');
  }
}

function start(host: Host, node: IronicNode): Unfinished {
  if (!mayUndeploy(host, node)) return stuck(foreignDeployment(node));
  const patch = patchOf(node, { '/automated_clean': isCleaningWanted(host) });
  if (patch.length > 0) return send([patchNode(node, patch)], 'again');
  return changeProvisionState(
    node,
    { target: Target.Deleted },
    { events: STARTED, ...restarting(host, ErrorType.Provisioning) },
  );
}
