// Registration: the host has a node with all its settings, and Ironic reaches its BMC.
//
// Made at the beginning of every pass of a registered host, so it asks for nothing but the node while nothing differs: ports are
// listed as `ports.ts` says, firmware components once for each node while the host has no HostFirmwareComponents.
//
// Invariants:
//   IRONIC-REGISTRATION-1. Each request is made once a pass at most: what it was answered is a fact, and facts come before decisions.
//   IRONIC-REGISTRATION-2. A registration that leaves a busy node without a setting always reports that.
import type { JsonObject } from '../../../bus/bus.ts';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import {
  type CredentialsStatus,
  isInspectionDisabled,
  ProvisioningState,
  provisioningStateOf,
} from '../../../machines/bare-metal-host/host.ts';
import { isSameCredentials } from '../../../machines/bare-metal-host/registration.ts';
import { type IronicNode, lastErrorOf, stateOf, targetOf, uuidOf } from '../client/node-answer.ts';
import { Feature } from '../client/versions.ts';
import { nodeCapabilities } from '../host/boot-mode.ts';
import { type Patch, patchOf, under, type Wanted } from '../host/node-patch.ts';
import type { RamdiskDecision } from '../host/preprovisioning.ts';
import { mapOf } from '../json-values.ts';
import {
  areCredentialsNew,
  type EnrolmentInput,
  enrolmentRequest,
  isPowerOffDisabled,
  updateRequest,
} from './enrollment.ts';
import type { Facts } from './facts.ts';
import { lookUp } from './lookup.ts';
import { memoryOf } from './node-memory.ts';
import { ensurePorts, type PortsInput } from './ports.ts';
import { changeProvisionState } from './provision-state.ts';
import { ProvisionState, Target } from './states.ts';
import {
  type Done,
  failed,
  type Notes,
  nodePath,
  noting,
  patchNode,
  restarting,
  type Step,
  send,
  stuck,
  type Unfinished,
  wait,
  waitFor,
} from './step.ts';
import { bootMacOf, bootModeOf, hasErrorOf, isCleaningWanted, isFastInspection } from './step-host.ts';

export interface RegistrationInput extends EnrolmentInput, PortsInput {
  /** Ironic has no network of its own to boot machines from. */
  readonly isProvisioningNetworkDisabled?: boolean;
  /**
   * Problem before any request to Ironic: the PreprovisioningImage could not be built, or its network data not be read.
   */
  readonly problem?: string | undefined;
  readonly ramdisk: RamdiskDecision;
  /** Network data of the ramdisk, if no builder puts it into an image; undefined if there is none. */
  readonly networkData?: JsonObject | undefined;
  /** The host has an object for its firmware components. */
  readonly hasFirmwareComponents: boolean;
}

export interface Registered {
  readonly node: IronicNode;
  /** Whether Ironic lists firmware components of it; undefined if not needed, or not supported. */
  readonly listsComponents?: boolean;
  /** Ironic is at work on the node and would refuse the settings that it lacks. */
  readonly isUnconfigured?: true;
}

/**
 * The next step of a registration. `Facts.byId` may be given from elsewhere, as a whole, if the UUID is recorded.
 *
 * @returns done with the node. Its notes hold once what goes with a registered host is there (profile, firmware objects)
 */
export function register(input: RegistrationInput): Step<Registered> {
  const { host, driver, facts } = input;
  const problem = problemOf(input);
  if (problem !== undefined) return failed(ErrorType.Registration, problem);
  const looked = lookUp(input);
  if (looked.step !== 'done') return looked;
  const node = changedNodeIn(facts) ?? looked.node;
  // Nothing but an inspection would find it, of a node that is new.
  const needsMac = driver.needsMac || (node === null && isInspectionDisabled(host));
  if (needsMac && bootMacOf(host) === '') {
    return failed(ErrorType.Registration, `BMC driver ${driver.type} requires a BootMACAddress value`);
  }
  if (node !== null) return noting(settle(input, node), identityNotes(input, node));
  return facts.enrolled === undefined ? enrol(input) : stuck('Ironic has made a node, and does not say which');
}

/** The node as it was answered last in this pass; undefined: it was not found, or not looked for, yet. None that another host has. */
export function nodeIn(facts: Facts): IronicNode | undefined {
  const { byId, byName, byBareName, byPort, others = {} } = facts;
  const found = [byId, byName, byBareName, byPort].filter((node) => node != null && others[uuidOf(node)] !== true);
  return changedNodeIn(facts) ?? firstOf(found);
}

/** The node as it was answered when this pass made or changed it last. */
export function changedNodeIn({ configured, networked, updated, enrolled }: Facts): IronicNode | undefined {
  return firstOf([configured, networked, updated, enrolled]);
}

function firstOf(nodes: readonly (IronicNode | null | undefined)[]): IronicNode | undefined {
  return nodes.find((node) => node != null && uuidOf(node) !== '') ?? undefined;
}

function problemOf(input: RegistrationInput): string | undefined {
  const { host, driver, features, isProvisioningNetworkDisabled, problem } = input;
  if (problem !== undefined) return problem;
  if (isFastInspection(host) && driver.fastInspectInterface === undefined) {
    return `BMC driver ${driver.type} does not support fast (out-of-band) inspection`;
  }
  if (bootModeOf(host) === 'UEFISecureBoot' && !driver.supportsSecureBoot) {
    return `BMC driver ${driver.type} does not support secure boot`;
  }
  if (isProvisioningNetworkDisabled === true && driver.requiresProvisioningNetwork) {
    return `BMC driver ${driver.type} requires a provisioning network`;
  }
  if (isPowerOffDisabled(host) && !features.includes(Feature.DisablePowerOff)) {
    return 'current ironic version does not support DisablePowerOff, refusing to manage node';
  }
  return undefined;
}

function enrol(input: RegistrationInput): Unfinished {
  return send([enrolmentRequest(input)], 'onward', {
    events: [{ reason: 'Registered', message: 'Registered the host in Ironic' }],
    status: { triedCredentials: input.credentials },
  });
}

/** The UUID is recorded as soon as it is known. A new node has nothing of what was prepared on the old one. */
function identityNotes({ host }: RegistrationInput, node: IronicNode): Notes {
  const uuid = uuidOf(node);
  if (host.status?.provisioning?.ID === uuid) return {};
  return {
    status: { provisioning: { ID: uuid } },
    ...(provisioningStateOf(host) === ProvisioningState.Preparing && { forget: ['rootDeviceHints', 'softwareRaid'] }),
  };
}

function settle(input: RegistrationInput, node: IronicNode): Step<Registered> {
  const update = updateUnlessDone(input, node);
  if (update !== undefined) return update;
  const ports = ensurePorts(input, node);
  if (ports.step !== undefined) return ports.step;
  return noting(tellNetwork(input, node) ?? manage(input, node), ports.notes);
}

function updateUnlessDone(input: RegistrationInput, node: IronicNode): Unfinished | undefined {
  const { facts, credentials } = input;
  if (facts.enrolled !== undefined || facts.updated !== undefined) return undefined;
  const request = updateRequest(input, node);
  if (request === undefined) return undefined;
  return send([request], 'onward', areCredentialsNew(input) ? { status: { triedCredentials: credentials } } : {});
}

function tellNetwork({ facts, networkData }: RegistrationInput, node: IronicNode): Unfinished | undefined {
  if (networkData === undefined || facts.networked !== undefined) return undefined;
  const patch = patchOf(node, { '/network_data': networkData });
  return patch.length === 0 ? undefined : send([patchNode(node, patch, 'networked')], 'onward');
}

function manage(input: RegistrationInput, node: IronicNode): Step<Registered> {
  switch (stateOf(node)) {
    case ProvisionState.Enroll:
      return verify(input, node);
    case ProvisionState.Verifying:
      return waitFor(node, 'short');
    case ProvisionState.CleanWait:
    case ProvisionState.Cleaning:
    case ProvisionState.DeployWait:
    case ProvisionState.Deploying:
    case ProvisionState.Inspecting:
      // It would be refused now.
      // mutant: busy-node-counts-configured ?: -> {}
      return settled(input, { node, ...(isConfigured(input, node) ? {} : { isUnconfigured: true }) });
    default:
      return configure(input, node) ?? listComponents(input, node);
  }
}

/** Ironic is to reach the BMC. It comes back to this state where it did not. */
function verify(input: RegistrationInput, node: IronicNode): Unfinished {
  const { host } = input;
  const isAnew = areCredentialsNew(input) || hasErrorOf(host, ErrorType.Registration);
  const error = lastErrorOf(node);
  if (error !== '' && !isAnew) return failed(ErrorType.Registration, error);
  if (targetOf(node) === Target.Manage || targetOf(node) === ProvisionState.Manageable) return waitFor(node, 'short');
  return changeProvisionState(node, { target: Target.Manage }, restarting(host, ErrorType.Registration));
}

function isConfigured(input: RegistrationInput, node: IronicNode): boolean {
  return input.ramdisk.kind !== 'wait' && configuration(input, node).length === 0;
}

/** Changes of the node that configure it. */
function configuration({ host, ramdisk, architecture }: RegistrationInput, node: IronicNode): Patch {
  const wanted: Wanted = {
    ...(ramdisk.kind === 'set' && under('driver_info', ramdisk.options)),
    '/automated_clean': isCleaningWanted(host),
    '/properties/capabilities': nodeCapabilities(mapOf(node['properties'])['capabilities'], bootModeOf(host)),
    '/properties/cpu_arch': architecture,
  };
  return patchOf(node, wanted);
}

function configure(input: RegistrationInput, node: IronicNode): Unfinished | undefined {
  const { facts, ramdisk } = input;
  if (facts.configured === undefined) {
    const patch = configuration(input, node);
    if (patch.length > 0) return send([patchNode(node, patch, 'configured')], 'onward');
  }
  return ramdisk.kind === 'wait' ? wait('preprovisioningImage', 'the PreprovisioningImage is not ready') : undefined;
}

function listComponents(input: RegistrationInput, node: IronicNode): Step<Registered> {
  if (input.hasFirmwareComponents || !input.features.includes(Feature.FirmwareComponents))
    return settled(input, { node });
  const uuid = uuidOf(node);
  const known = memoryOf(input.memory, uuid).components;
  if (known !== undefined) return settled(input, { node, listsComponents: known });
  const { firmware } = input.facts;
  if (firmware !== undefined) {
    const listsComponents = firmware.length > 0;
    return noting(settled(input, { node, listsComponents }), { remember: { node: uuid, components: listsComponents } });
  }
  // An interface that knows no firmware refuses to list it.
  const path = nodePath(uuid, 'firmware');
  const failure = 'failed to list firmware components';
  return send([{ method: 'GET', path, expects: [200, 400, 404], failure, into: 'firmware' }], 'onward');
}

function settled({ host, credentials }: RegistrationInput, registered: Registered): Done<Registered> {
  return {
    step: 'done',
    ...registered,
    ...(!isSameCredentials(host.status?.goodCredentials, credentials) && accessNotes(credentials)),
    ...restarting(host, ErrorType.Registration),
  };
}

function accessNotes(credentials: CredentialsStatus): Notes {
  return {
    events: [{ reason: 'BMCAccessValidated', message: 'Ironic reaches the BMC with the credentials' }],
    status: { goodCredentials: credentials },
  };
}
