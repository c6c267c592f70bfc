// Preparation: RAID, BIOS settings and firmware are applied by manual cleaning.
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { type IronicNode, lastErrorOf, stateOf, uuidOf } from '../client/node-answer.ts';
import type { Step as RamdiskStep } from '../host/manual-step.ts';
import { patchOf } from '../host/node-patch.ts';
import type { LogicalDisk } from '../host/raid.ts';
import { changeProvisionState, recover } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import {
  failed,
  type NodeRequest,
  type Notes,
  nodePath,
  patchNode,
  REGISTER,
  restarting,
  type Step,
  stuckIn,
  waitFor,
} from './step.ts';
import { type Host, hasErrorOf } from './step-host.ts';

export interface PreparationInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
  /** Whether the wanted settings differ from the recorded ones. */
  readonly isUnprepared: boolean;
  readonly plan: PreparationPlan;
}

/** Plan for applying the differences. */
export interface PreparationPlan {
  /** In their order; none: nothing has to be done to the machine. */
  readonly cleanSteps: readonly RamdiskStep[];
  /** For `states/raid`; none: that stays as it is. */
  readonly logicalDisks: readonly LogicalDisk[];
  readonly raidInterface?: string | undefined;
  /** Reason why the wanted settings are impossible. */
  readonly problem?: string | undefined;
}

export interface Prepared {
  /** Whether the wanted settings count as applied from here on (`record`). */
  readonly started: boolean;
}

const STARTED: Notes = { record: ['rootDeviceHints', 'raid', 'firmwareUpdates'] };
const FORGOTTEN: Notes = { forget: ['rootDeviceHints', 'softwareRaid', 'firmwareUpdates'] };

/** @returns done: nothing more is to be applied */
export function prepare(input: PreparationInput): Step<Prepared> {
  const { host, node } = input;
  if (node === null) return REGISTER;
  switch (stateOf(node)) {
    case ProvisionState.Available:
    case ProvisionState.Manageable:
      return input.isUnprepared ? apply(input, node) : { step: 'done', started: false };
    case ProvisionState.CleanFailed:
      if (hasErrorOf(host, ErrorType.Preparation)) {
        return recover(node, { target: Target.Manage }, restarting(host, ErrorType.Preparation));
      }
      return failed(ErrorType.Preparation, lastErrorOf(node) || 'Preparation failed', FORGOTTEN);
    case ProvisionState.Cleaning:
    case ProvisionState.CleanWait:
      return waitFor(node, 'long');
    default:
      return stuckIn(node, 'preparation');
  }
}

function apply({ plan }: PreparationInput, node: IronicNode): Step<Prepared> {
  const { cleanSteps, problem } = plan;
  if (problem !== undefined) return failed(ErrorType.Preparation, problem, FORGOTTEN);
  if (cleanSteps.length === 0) return { step: 'done', started: true, ...STARTED };
  if (stateOf(node) === ProvisionState.Available) return changeProvisionState(node, { target: Target.Manage });
  return changeProvisionState(
    node,
    { target: Target.Clean, clean_steps: cleanSteps.map((step) => ({ ...step })) },
    STARTED,
    raidRequests(plan, node),
  );
}

function raidRequests({ logicalDisks, raidInterface }: PreparationPlan, node: IronicNode): readonly NodeRequest[] {
  if (logicalDisks.length === 0) return [];
  const patch = raidInterface === undefined ? [] : patchOf(node, { '/raid_interface': raidInterface });
  const target: NodeRequest = {
    method: 'PUT',
    path: nodePath(uuidOf(node), 'states', 'raid'),
    body: { logical_disks: logicalDisks.map((disk) => ({ ...disk })) },
    expects: [204],
    failure: 'failed to set the RAID configuration',
  };
  return patch.length === 0 ? [target] : [patchNode(node, patch), target];
}
