// Provisioning: what the host is to run is deployed.
//
// Invariants:
//   IRONIC-PROVISIONING-1. A deployment is requested only after the node was set up and validated in the same attempt.
//   IRONIC-PROVISIONING-2. Every failure always reaches the host in the end: cleaning is restarted a limited number of
//       times, and a failure without a reason is polled for it a limited number of times.
//   IRONIC-PROVISIONING-3. What was deployed while something else came to be wanted is taken away, and not told of as what is wanted.
//   IRONIC-PROVISIONING-4. Only a deployment that this host began is ever removed or replaced.
import type { JsonObject } from '../../../bus/bus.ts';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { HostAnnotation, type Image } from '../../../machines/bare-metal-host/host.ts';
import { rebootRequest } from '../../../machines/bare-metal-host/reboot.ts';
import {
  called,
  type IronicNode,
  isInMaintenance,
  lastErrorOf,
  stateOf,
  textIn,
  uuidOf,
} from '../client/node-answer.ts';
import type { ConfigDriveOutcome } from '../host/config-drive.ts';
import type { DeployStep } from '../host/instance-info.ts';
import type { Patch } from '../host/node-patch.ts';
import { mapOf } from '../json-values.ts';
import type { Facts } from './facts.ts';
import { type Memory, memoryOf } from './node-memory.ts';
import { foreignDeployment, foreignReservation, isOwnInstance, isReserved } from './ownership.ts';
import { changeProvisionState, leaveMaintenance } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import {
  failed,
  type NodeRequest,
  type Notes,
  nodePath,
  patchNode,
  REGISTER,
  type Step,
  send,
  stuck,
  type Unfinished,
  wait,
  waitFor,
} from './step.ts';
import type { Host } from './step-host.ts';

export interface ProvisioningInput {
  readonly host: Host;
  /** Null: Ironic has none. */
  readonly node: IronicNode | null;
  readonly facts: Facts;
  readonly memory?: Memory | undefined;
  /** Problems of `spec.image` by the rules of checksums. */
  readonly imageProblems: readonly string[];
  /** The node was set up to deploy this very image. */
  readonly isSameImage: boolean;
  /** The node was set up to deploy from another URL than is wanted now; false by default. */
  readonly isOtherImage?: boolean;
  /** Instance data for the node; undefined until it is needed. */
  readonly instanceData?: { readonly patch: Patch } | Problem | undefined;
  /** Undefined until it is asked for. */
  readonly configDrive?: ConfigDriveOutcome | undefined;
  /** Steps of a custom deployment. */
  readonly deploySteps?: readonly DeployStep[] | undefined;
}

/** It could not be made. No secret. */
export interface Problem {
  readonly problem: string;
}

/** Number of times that cleaning is restarted before its failure becomes that of the host. */
const CLEANING_RETRIES = 3;
/**
 * Number of polls for the reason of a failed deployment where Ironic reports it: powering the machine off may remove
 * it.
 */
const SILENT_LOOKS = 3;
const UNSAID = 'Ironic does not say why';
const HISTORY_LIMIT = '20';

/** @returns done: it is deployed */
export function provision(input: ProvisioningInput): Step {
  const { host, node, imageProblems, isSameImage, isOtherImage } = input;
  if (node === null) return REGISTER;
  if (imageProblems.length > 0) {
    return failed(ErrorType.Provisioning, `Validation failed: ${imageProblems.join('; ')}`);
  }
  switch (stateOf(node)) {
    case ProvisionState.Manageable:
      return changeProvisionState(node, { target: Target.Provide });
    case ProvisionState.CleanFailed:
      return cleanAnew(input, node);
    case ProvisionState.Available:
      return deploy(input, node);
    case ProvisionState.DeployFailed:
      return isSameImage ? tellFailure(input, node) : deploy(input, node);
    case ProvisionState.Active:
      // mutant: host-keeps-other-image if -> $ && isSameImage
      if (isOtherImage === true) return startOver(host, node);
      return { step: 'done', events: [{ reason: 'ProvisioningComplete', message: provisioned(host) }] };
    case ProvisionState.Error:
      // The deployment was not removed, and Ironic does not retry: deprovisioning does.
      return failed(ErrorType.Provisioning, `Deprovisioning failed: ${lastErrorOf(node) || UNSAID}`);
    case ProvisionState.DeployWait:
      if (rebootRequest(host, { onlyForced: true }) !== undefined) {
        return startOver(host, node, { unannotate: [HostAnnotation.Reboot] });
      }
      return waitFor(node, 'long');
    default:
      return waitFor(node, 'long');
  }
}

function startOver(host: Host, node: IronicNode, notes: Notes = {}): Unfinished {
  // mutant: host-wipes-foreign-image if -> false
  if (!isOwnInstance(host, node)) return stuck(foreignDeployment(node));
  return changeProvisionState(node, { target: Target.Deleted }, notes);
}

function cleanAnew({ memory }: ProvisioningInput, node: IronicNode): Unfinished {
  const uuid = uuidOf(node);
  const { cleaningRetries = 0 } = memoryOf(memory, uuid);
  if (cleaningRetries >= CLEANING_RETRIES) {
    const message = `Cleaning before the deployment failed ${cleaningRetries + 1} times: ${lastErrorOf(node) || UNSAID}`;
    return failed(ErrorType.Provisioning, message, { remember: { node: uuid, cleaningRetries: 0 } });
  }
  if (isInMaintenance(node)) return leaveMaintenance(node);
  const remember = { node: uuid, cleaningRetries: cleaningRetries + 1 };
  return changeProvisionState(node, { target: Target.Manage }, { remember });
}

function deploy(input: ProvisioningInput, node: IronicNode): Unfinished {
  const { host, facts, instanceData, configDrive, deploySteps } = input;
  // Ironic refuses to replace an instance by another one, with the code for a busy node.
  if (isReserved(host, node)) return stuck(foreignReservation(node));
  if (facts.validation === undefined) {
    if (instanceData === undefined) return { step: 'ask', for: 'instanceData' };
    if ('problem' in instanceData) return failed(ErrorType.Provisioning, instanceData.problem);
    const { patch } = instanceData;
    return send([...(patch.length === 0 ? [] : [patchNode(node, patch)]), validate(node)], 'onward');
  }
  const reasons = reasonsIn(facts.validation ?? {});
  if (reasons.length > 0) return failed(ErrorType.Provisioning, `host validation error: ${reasons.join('; ')}`);
  if (configDrive === undefined) return { step: 'ask', for: 'configDrive' };
  if (configDrive.kind === 'error') return stuck(configDrive.message);
  const change = {
    target: Target.Active,
    ...(configDrive.configDrive !== undefined && { configdrive: { ...configDrive.configDrive } }),
    ...(deploySteps !== undefined && { deploy_steps: deploySteps }),
  };
  return changeProvisionState(node, change, {
    events: [{ reason: 'ProvisioningStarted', message: `Provisioning started${imageOf(host)}` }],
    remember: { node: uuidOf(node), cleaningRetries: 0, silentFailures: 0 },
  });
}

function validate(node: IronicNode): NodeRequest {
  const path = nodePath(uuidOf(node), 'validate');
  return { method: 'GET', path, expects: [200], failure: `failed to validate ${called(node)}`, into: 'validation' };
}

function reasonsIn(validation: JsonObject): readonly string[] {
  const results = ['boot', 'deploy'].map((part) => mapOf(validation[part]));
  return results.filter(({ result }) => result === false).map((part) => textIn(part, 'reason'));
}

function tellFailure({ host, facts, memory }: ProvisioningInput, node: IronicNode): Unfinished {
  const uuid = uuidOf(node);
  const error = lastErrorOf(node);
  if (error !== '') return failed(ErrorType.Provisioning, provisioningFailure(host.spec?.image, error));
  const { silentFailures = 0 } = memoryOf(memory, uuid);
  if (silentFailures < SILENT_LOOKS) {
    const because = `${called(node)} does not say yet why its deployment failed`;
    return wait('long', because, { remember: { node: uuid, silentFailures: silentFailures + 1 } });
  }
  const { history } = facts;
  if (history !== undefined) {
    const last = history.find((event) => textIn(event, 'severity') === 'ERROR');
    const reason = textIn(last ?? {}, 'event') || UNSAID;
    return failed(ErrorType.Provisioning, provisioningFailure(host.spec?.image, reason));
  }
  const request: NodeRequest = {
    method: 'GET',
    path: nodePath(uuid, 'history'),
    query: { detail: 'true', sort_dir: 'desc', limit: HISTORY_LIMIT },
    expects: [200, 404],
    failure: `failed to read the history of ${called(node)}`,
    into: 'history',
  };
  return send([request], 'onward');
}

/** @param reason  as Ironic says it */
function provisioningFailure(image: Image | null | undefined, reason: string): string {
  const { url, checksum } = image ?? {};
  if (!url) return `Image provisioning failed: ${reason}`;
  const named = `url: ${withoutPassword(url)}${checksum ? `, checksum: ${withoutPassword(checksum)}` : ''}`;
  return `Image provisioning failed (${named}): ${reason}`;
}

function provisioned(host: Host): string {
  return `Provisioning completed${imageOf(host)}`;
}

function imageOf({ spec }: Host): string {
  const url = spec?.image?.url;
  return url ? ` of image ${withoutPassword(url)}` : '';
}

function withoutPassword(url: string): string {
  return url.replace(/^([^/?#]*\/\/[^/?#@:]*):[^/?#]*@/, '$1:******@');
}
