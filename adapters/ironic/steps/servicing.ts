// Servicing: firmware of a machine that runs something is changed while it is switched off anyway.
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { OperationalStatus } from '../../../machines/bare-metal-host/host.ts';
import { type IronicNode, lastErrorOf, stateOf } from '../client/node-answer.ts';
import type { Step as RamdiskStep } from '../host/manual-step.ts';
import { changeProvisionState, recover } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import { type Done, failed, REGISTER, restarting, type Step, stuckIn, type Unfinished, wait, waitFor } from './step.ts';
import { type Host, hasErrorOf } from './step-host.ts';

export interface ServicingInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
  /** Some change that the HostUpdatePolicy allows on a reboot is not applied yet. */
  readonly hasChanges: boolean;
  /** Nothing of it is wanted any more: the specs are empty. */
  readonly isEmptied: boolean;
  readonly serviceSteps: readonly RamdiskStep[];
}

export interface Serviced {
  /** Nothing was to be done. */
  readonly skipped: boolean;
}

/** @returns done; unless it was skipped, the next pass comes after the pause `servicingEnded` */
export function service(input: ServicingInput): Step<Serviced> {
  const { host, node, hasChanges } = input;
  const isServicing = host.status?.operationalStatus === OperationalStatus.Servicing;
  if (!hasChanges && !isServicing && !hasErrorOf(host, ErrorType.Servicing)) return { step: 'done', skipped: true };
  if (node === null) return REGISTER;
  if (!isServicing) {
    // Stored first, so that the registration of the next attempt gets a ramdisk. The error stays: it makes the
    // servicing restart.
    return wait('now', 'the host is about to be serviced', {
      status: { operationalStatus: OperationalStatus.Servicing },
    });
  }
  return serviceNode(input, node);
}

function serviceNode(input: ServicingInput, node: IronicNode): Step<Serviced> {
  const { host, hasChanges, isEmptied } = input;
  switch (stateOf(node)) {
    case ProvisionState.Active:
      return (hasChanges ? start(input, node) : undefined) ?? finished();
    case ProvisionState.Servicing:
      return waitFor(node, 'long');
    case ProvisionState.ServiceWait:
      return isEmptied ? changeProvisionState(node, { target: Target.Abort }) : waitFor(node, 'long');
    case ProvisionState.ServiceFailed:
      if (isEmptied) return changeProvisionState(node, { target: Target.Abort }, restarting(host, ErrorType.Servicing));
      if (!hasErrorOf(host, ErrorType.Servicing)) {
        // Settings that counted as applied at the start are not, or the restart would have nothing to apply.
        return failed(ErrorType.Servicing, lastErrorOf(node) || 'Servicing failed', { forget: ['firmwareUpdates'] });
      }
      return start(input, node) ?? changeProvisionState(node, { target: Target.Abort });
    default:
      return stuckIn(node, 'servicing');
  }
}

/** Undefined: there is nothing to be done to the machine. */
function start({ host, serviceSteps }: ServicingInput, node: IronicNode): Unfinished | undefined {
  if (serviceSteps.length === 0) return undefined;
  return recover(
    node,
    { target: Target.Service, service_steps: serviceSteps.map((step) => ({ ...step })) },
    {
      ...restarting(host, ErrorType.Servicing),
      status: { operationalStatus: OperationalStatus.Servicing },
      record: ['firmwareUpdates'],
    },
  );
}

function finished(): Done<Serviced> {
  return { step: 'done', skipped: false, status: { operationalStatus: OperationalStatus.OK }, isErrorOver: true };
}
