// Provisioning: what the host is to run is deployed.
//
// Invariants:
//   IRONIC-PROVISIONING-1. A deployment is asked for only after the node was told what to deploy, and validated, in the same pass.
//   IRONIC-PROVISIONING-2. Every failure reaches the host in the end: cleaning is begun anew a few times, a failure that says nothing is asked for its
//       reason a few times.
//   IRONIC-PROVISIONING-3. What was deployed while something else came to be wanted is taken away, and not told of as what is wanted.
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
import { changeProvisionState, leaveMaintenance } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import {
  failed,
  type NodeRequest,
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
  /** What is wrong with `spec.image` by the rules of checksums. */
  readonly imageProblems: readonly string[];
  /** The node was told to deploy this very image. */
  readonly isSameImage: boolean;
  /** The node was told to deploy from another address than is wanted by now; no, unless stated. */
  readonly isOtherImage?: boolean;
  /** What the node is to be told of the instance; undefined until it is asked for. */
  readonly instanceData?: { readonly patch: Patch } | Problem | undefined;
  /** Undefined until it is asked for. */
  readonly configDrive?: ConfigDriveOutcome | undefined;
  /** Of a custom deployment. */
  readonly deploySteps?: readonly DeployStep[] | undefined;
}

/** It could not be made. No secret. */
export interface Problem {
  readonly problem: string;
}

/** So often is cleaning begun anew before its failure is the host's. */
const CLEANING_RETRIES = 3;
/** So often is looked for the reason of a failed deployment where Ironic tells it: switching the machine off may take it away. */
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
      if (isOtherImage === true) return changeProvisionState(node, { target: Target.Deleted });
      return { step: 'done', events: [{ reason: 'ProvisioningComplete', message: provisioned(host) }] };
    case ProvisionState.Error:
      // What was to be taken away was not, and Ironic does not try again: deprovisioning does.
      return failed(ErrorType.Provisioning, `Deprovisioning failed: ${lastErrorOf(node) || UNSAID}`);
    case ProvisionState.DeployWait:
      if (rebootRequest(host, { onlyForced: true }) !== undefined) {
        return changeProvisionState(node, { target: Target.Deleted }, { unannotate: [HostAnnotation.Reboot] });
      }
      return waitFor(node, 'long');
    default:
      return waitFor(node, 'long');
  }
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
  const { facts, instanceData, configDrive, deploySteps } = input;
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
    events: [{ reason: 'ProvisioningStarted', message: `Provisioning started${imageOf(input.host)}` }],
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
  const named = `url: ${withoutPassword(url)}${checksum ? `, checksum: ${checksum}` : ''}`;
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
