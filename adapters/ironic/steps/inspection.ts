// Inspection: what the machine consists of is found out, by its ramdisk or by its BMC.
//
// Invariant:
//   IRONIC-INSPECTION-1. An inventory that was there before the host was to be inspected is none of this inspection.
import type { JsonObject } from '../../../bus/bus.ts';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { HostAnnotation, isInspectionRequested } from '../../../machines/bare-metal-host/host.ts';
import { rebootRequest } from '../../../machines/bare-metal-host/reboot.ts';
import { type IronicNode, lastErrorOf, stateOf, textIn, uuidOf } from '../client/node-answer.ts';
import { nodeCapabilities } from '../host/boot-mode.ts';
import { type Driver, inspectInterfaceOf } from '../host/drivers.ts';
import { patchOf } from '../host/node-patch.ts';
import { mapOf } from '../json-values.ts';
import type { Facts } from './facts.ts';
import { type Memory, memoryOf } from './node-memory.ts';
import { changeProvisionState } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import {
  failed,
  nodePath,
  patchNode,
  REGISTER,
  restarting,
  type Step,
  send,
  stuckIn,
  type Unfinished,
  waitFor,
} from './step.ts';
import { bootModeOf, type Host, hasErrorOf, isFastInspection } from './step-host.ts';

export interface InspectionInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
  readonly facts: Facts;
  readonly memory?: Memory | undefined;
  readonly driver: Driver;
  /** `properties.cpu_arch`. */
  readonly architecture: string;
}

export interface Inspected {
  /** `inventory` and `plugin_data` as Ironic has them. */
  readonly inventory: JsonObject;
}

/** Assumed maximum difference between the clocks of two machines, in milliseconds. */
const CLOCK_TOLERANCE_MS = 300_000;

/** @returns done with what was found */
export function inspect(input: InspectionInput): Step<Inspected> {
  const { host, node } = input;
  if (node === null) return REGISTER;
  switch (stateOf(node)) {
    case ProvisionState.Available:
      return changeProvisionState(node, { target: Target.Manage });
    case ProvisionState.InspectWait:
      if (rebootRequest(host, { onlyForced: true }) !== undefined) {
        return changeProvisionState(node, { target: Target.Abort }, { unannotate: [HostAnnotation.Reboot] });
      }
      return waitForInspection(host, node);
    case ProvisionState.Inspecting:
      return waitForInspection(host, node);
    case ProvisionState.InspectFailed:
      if (lastErrorOf(node).includes('aborted') || hasErrorOf(host, ErrorType.Inspection)) {
        return start(input, node);
      }
      return failed(ErrorType.Inspection, lastErrorOf(node) || 'Inspection failed');
    case ProvisionState.Manageable:
      return isInspectionRequested(host) ? start(input, node) : take(input, node);
    default:
      return stuckIn(node, 'inspection');
  }
}

function waitForInspection(host: Host, node: IronicNode): Unfinished {
  return waitFor(node, isFastInspection(host) ? 'short' : 'long');
}

function take(input: InspectionInput, node: IronicNode): Step<Inspected> {
  const { inventory } = input.facts;
  const uuid = uuidOf(node);
  if (inventory === undefined) {
    const failure = 'failed to read the inventory';
    const path = nodePath(uuid, 'inventory');
    return send([{ method: 'GET', path, expects: [200, 404], failure, into: 'inventory' }], 'onward');
  }
  if (inventory === null || isLeftOver(input, node)) return start(input, node);
  return {
    step: 'done',
    inventory,
    events: [{ reason: 'InspectionComplete', message: 'Hardware inspection completed' }],
    remember: { node: uuid, inspecting: false },
  };
}

/**
 * Whether the last inspection of the node was over before that of the host began. Where one of the times is not known it counts
 * as fresh, and so it does in the process that began it: clocks may differ by more than is tolerated, and nothing is inspected
 * again and again for that.
 */
function isLeftOver({ host, memory }: InspectionInput, node: IronicNode): boolean {
  if (memoryOf(memory, uuidOf(node)).inspecting === true) return false;
  const finishedAt = Date.parse(textIn(node, 'inspection_finished_at'));
  const startedAt = Date.parse(host.status?.operationHistory?.['inspect']?.start ?? '');
  return finishedAt < startedAt - CLOCK_TOLERANCE_MS;
}

function start({ host, driver, architecture }: InspectionInput, node: IronicNode): Unfinished {
  const patch = patchOf(node, {
    '/properties/capabilities': nodeCapabilities(mapOf(node['properties'])['capabilities'], bootModeOf(host)),
    '/properties/cpu_arch': architecture,
    '/inspect_interface': inspectInterfaceOf(driver, host.spec?.inspectionMode ?? undefined),
  });
  const notes = {
    events: [{ reason: 'InspectionStarted', message: 'Hardware inspection started' }],
    unannotate: [HostAnnotation.Inspect, HostAnnotation.Reboot],
    remember: { node: uuidOf(node), inspecting: true },
    ...restarting(host, ErrorType.Inspection),
  };
  const before = patch.length === 0 ? [] : [patchNode(node, patch)];
  return changeProvisionState(node, { target: Target.Inspect }, notes, before);
}
