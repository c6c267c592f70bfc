// Power: a machine is switched on or off, once its node is at nothing else.

import { SOFT_POWER_OFF_TIMEOUT_SECONDS } from '../../../machines/bare-metal-host/delays.ts';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import type { HostEvent } from '../../../machines/bare-metal-host/host.ts';
import type { RebootMode } from '../../../machines/bare-metal-host/reboot.ts';
import {
  called,
  type IronicNode,
  isManualCleaning,
  lastErrorOf,
  stateOf,
  targetOf,
  textIn,
  uuidOf,
} from '../client/node-answer.ts';
import { isPowerOffDisabled } from './enrollment.ts';
import { changeProvisionState } from './provision-state.ts';
import { isFailure, PowerState, PowerTarget, ProvisionState, Target } from './states.ts';
import {
  failed,
  type NodeRequest,
  nodePath,
  REGISTER,
  restarting,
  type Step,
  send,
  type Unfinished,
  waitFor,
  waitForNode,
} from './step.ts';
import { type Host, hasErrorOf, isCleaningWanted } from './step-host.ts';

export interface PowerInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
}

export interface PowerOffInput extends PowerInput {
  /** Mode of powering off; a `soft` one that is not supported becomes `hard`. */
  readonly mode: RebootMode;
}

const SWITCHING_OFF: ReadonlySet<string> = new Set([
  PowerTarget.Off,
  PowerTarget.SoftOff,
  PowerTarget.Reboot,
  PowerTarget.SoftReboot,
]);

/** @returns done: it is on */
export function powerOn({ host, node }: PowerInput): Step {
  if (node === null) return REGISTER;
  if (textIn(node, 'power_state') === PowerState.On) return { step: 'done' };
  if (textIn(node, 'target_power_state') === PowerTarget.On) return waitForPower(node);
  const error = lastErrorOf(node);
  if (error !== '' && !isForced(host)) {
    return failed(ErrorType.PowerManagement, `PowerOn operation failed: ${error}`);
  }
  return changePower(host, node, powerRequest(node, { target: PowerTarget.On }), {
    reason: 'PowerOn',
    message: 'Host is being powered on',
  });
}

/**
 * A failure of a soft power off is reported without the prefix (`powerErrorMessage`).
 *
 * @returns done: it is off. A machine whose power must never be cut is restarted by the request, and is never off
 */
export function powerOff(input: PowerOffInput): Step {
  const { host, node, mode } = input;
  if (node === null) return REGISTER;
  const interruption = interrupt(host, node);
  if (interruption !== undefined) return interruption;
  if (textIn(node, 'power_state') === PowerState.Off) return { step: 'done' };
  const target = textIn(node, 'target_power_state');
  if (SWITCHING_OFF.has(target)) return waitForPower(node);
  const isSoft = mode === 'soft' && !isForced(host);
  const error = lastErrorOf(node);
  if (target === '' && error !== '' && !error.includes('aborted') && !isForced(host))
    return failed(ErrorType.PowerManagement, error);
  return changePower(host, node, isSoft ? softRequest(node) : hardRequest(node), {
    reason: 'PowerOff',
    message: isSoft ? 'Host is being powered off' : 'Host is being powered off without asking what runs there',
  });
}

/** Powers off a host before its deletion. @returns done: it is off, or stays on because its power must never be cut */
export function powerOffBeforeDelete({ host, node }: PowerInput): Step {
  return isPowerOffDisabled(host) ? { step: 'done' } : powerOff({ host, node, mode: 'hard' });
}

/** After a failure, earlier failures are ignored, and the power off is hard. */
function isForced(host: Host): boolean {
  return hasErrorOf(host, ErrorType.PowerManagement);
}

/** The node is got out of inspection and cleaning. */
function interrupt(host: Host, node: IronicNode): Unfinished | undefined {
  switch (stateOf(node)) {
    case ProvisionState.InspectWait:
      return changeProvisionState(node, { target: Target.Abort });
    case ProvisionState.Inspecting:
    case ProvisionState.Cleaning:
      return waitFor(node, 'long');
    case ProvisionState.InspectFailed:
      return targetOf(node) === '' ? undefined : changeProvisionState(node, { target: Target.Manage });
    case ProvisionState.CleanWait:
      if (isManualCleaning(node) || !isCleaningWanted(host))
        return changeProvisionState(node, { target: Target.Abort });
      return waitFor(node, 'long');
    default:
      return undefined;
  }
}

function waitForPower(node: IronicNode): Unfinished {
  return waitForNode('short', `${called(node)} is changing its power state to "${textIn(node, 'target_power_state')}"`);
}

function changePower(host: Host, node: IronicNode, request: NodeRequest, event: HostEvent): Unfinished {
  // A node that failed keeps its target for ever, and takes the request.
  if (targetOf(node) !== '' && !isFailure(stateOf(node))) return waitFor(node, 'short');
  return send([request], 'short', { events: [event], ...restarting(host, ErrorType.PowerManagement) });
}

function softRequest(node: IronicNode): NodeRequest {
  const target = node['disable_power_off'] === true ? PowerTarget.SoftReboot : PowerTarget.SoftOff;
  return {
    ...powerRequest(node, { target, timeout: SOFT_POWER_OFF_TIMEOUT_SECONDS }),
    // The driver cannot ask.
    otherwise: { status: 400, request: hardRequest(node) },
  };
}

function hardRequest(node: IronicNode): NodeRequest {
  return powerRequest(node, { target: node['disable_power_off'] === true ? PowerTarget.Reboot : PowerTarget.Off });
}

function powerRequest(
  node: IronicNode,
  body: { readonly target: PowerTarget; readonly timeout?: number },
): NodeRequest {
  return {
    method: 'PUT',
    path: nodePath(uuidOf(node), 'states', 'power'),
    body,
    expects: [202],
    failure: `failed to change power state to "${body.target}"`,
  };
}
