// Adoption: Ironic takes a machine that runs something already for what it is, as after the loss of its database.
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { ProvisioningState, provisioningStateOf } from '../../../machines/bare-metal-host/host.ts';
import { hasFault, type IronicNode, isInMaintenance, lastErrorOf, stateOf } from '../client/node-answer.ts';
import { changeProvisionState, leaveMaintenance } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import { failed, REGISTER, restarting, type Step, stuckIn, waitFor } from './step.ts';
import { type Host, hasErrorOf } from './step-host.ts';

export interface AdoptionInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
}

/** @returns done: Ironic knows that something runs there */
export function adopt({ host, node }: AdoptionInput): Step {
  if (node === null) return REGISTER;
  switch (stateOf(node)) {
    case ProvisionState.Enroll:
    case ProvisionState.Verifying:
      return stuckIn(node, 'adoption');
    case ProvisionState.Manageable:
      // The deployment is already removed; its cleaning is retried.
      if (provisioningStateOf(host) === ProvisioningState.Deprovisioning) return { step: 'done' };
      // mutant: host-never-adopts return -> { step: 'done' }
      return changeProvisionState(node, { target: Target.Adopt });
    case ProvisionState.Adopting:
      return waitFor(node, 'short');
    case ProvisionState.AdoptFailed:
      if (hasErrorOf(host, ErrorType.ProvisionedRegistration)) {
        const notes = restarting(host, ErrorType.ProvisionedRegistration);
        return changeProvisionState(node, { target: Target.Adopt }, notes);
      }
      return failed(ErrorType.ProvisionedRegistration, `Host adoption failed: ${lastErrorOf(node)}`);
    case ProvisionState.Active:
      return isInMaintenance(node) && !hasFault(node) ? leaveMaintenance(node) : { step: 'done' };
    default:
      return { step: 'done' };
  }
}
