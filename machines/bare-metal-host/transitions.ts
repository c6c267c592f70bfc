// Transition table of host states: conditions and further status changes. In the order of evaluation.

import type { JsonObject } from '../object.ts';
import { bootModeOnEntry } from './boot-mode.ts';
import { admitted } from './capacity.ts';
import { isPatienceOver } from './deletion.ts';
import { clearError, ErrorType, hasError } from './errors.ts';
import { beginOperation, endOperation, operationOf } from './history.ts';
import {
  type BareMetalHost,
  type HostChange,
  type HostEvent,
  type HostStatus,
  hasBmcDetails,
  type Image,
  isDeleting,
  isInspectionDisabled,
  isInspectionRequested,
  type Measure,
  OperationalStatus,
  ProvisioningState,
  provisioningStateOf,
} from './host.ts';
import { isLastAttempted, needsProvisioning, provisioningCanceled, retryLimit } from './needs-provisioning.ts';
import { forgottenSettings, patchStatus, type StatusPatch } from './status.ts';

/** Facts beside the host itself. */
export interface HostFacts {
  /** The operation of the state: done; failed, and the status tells so already; or the node is unknown to Ironic. Undefined: none of it. */
  readonly outcome?: 'done' | 'failed' | 'absent' | undefined;
  /** Result of an inspection. */
  readonly hardware?: JsonObject | undefined;
  /** Whether Ironic can be configured to reach the BMC; true by default. */
  readonly hasCredentials?: boolean;
  /** Wanted root device hints or RAID are not those of the status. */
  readonly isUnprepared?: boolean;
  /** HostFirmwareSettings or HostFirmwareComponents are valid, and changed. */
  readonly isFirmwareChanged?: boolean;
  readonly maxProvisioningRetries?: number;
}

export interface Transition {
  readonly from: readonly ProvisioningState[];
  readonly to: ProvisioningState;
  readonly when: (host: BareMetalHost, facts: HostFacts) => boolean;
  /** Further status changes. */
  readonly also?: (host: BareMetalHost, facts: HostFacts) => StatusPatch;
  readonly events?: readonly HostEvent[];
  readonly measures?: readonly Measure[];
}

const S = ProvisioningState;
const AVAILABLE = [S.Available, S.Ready] as const;
const always = (): boolean => true;
const isDone = (_: BareMetalHost, { outcome }: HostFacts): boolean => outcome === 'done';
/** It is given up: it was tried often enough, or there is nothing that could be done. */
const isGivenUp = (host: BareMetalHost, { outcome }: HostFacts): boolean =>
  outcome === 'failed' && isDeleting(host) && isPatienceOver(host.status?.errorCount);
const isOutOfReach = (host: BareMetalHost, { outcome, hasCredentials = true }: HostFacts): boolean =>
  outcome === 'absent' && !hasCredentials && isDeleting(host);
const isExternal = ({ spec }: BareMetalHost): boolean => spec?.externallyProvisioned === true;

const COUNT_RESET: StatusPatch = { errorCount: 0 };
const resetCount = (): StatusPatch => COUNT_RESET;
/** A success: an error of the operation's own kind is over, and none is counted. */
const overcome = ({ status }: BareMetalHost, errorType: ErrorType): StatusPatch => {
  if (status?.errorType !== errorType) return COUNT_RESET;
  return { ...COUNT_RESET, ...withoutError(status) };
};
const withoutError = (status: HostStatus): StatusPatch => {
  const { operationalStatus, errorType, errorMessage } = clearError(status);
  return { operationalStatus, errorType, errorMessage };
};

export const TRANSITIONS = {
  managed: {
    from: [S.None, S.Unmanaged],
    to: S.Registering,
    when: hasBmcDetails,
    measures: [{ name: 'metal3_host_registration_required_total' }],
  },
  discovered: {
    from: [S.None],
    to: S.Unmanaged,
    when: always,
    also: () => ({ operationalStatus: OperationalStatus.Discovered }),
    events: [{ reason: 'Discovered', message: 'the host is known, and nothing says how to reach its BMC' }],
    measures: [{ name: 'metal3_host_unmanaged_total' }],
  },
  registeredExternal: {
    from: [S.Registering],
    to: S.ExternallyProvisioned,
    when: (host, facts) => isDone(host, facts) && isExternal(host),
    also: resetCount,
  },
  registeredUninspected: {
    from: [S.Registering],
    to: S.Preparing,
    when: (host, facts) => isDone(host, facts) && isInspectionDisabled(host),
    also: resetCount,
  },
  registered: { from: [S.Registering], to: S.Inspecting, when: isDone, also: resetCount },
  inspectionSkipped: {
    from: [S.Inspecting],
    to: S.Preparing,
    when: isInspectionDisabled,
    also: (host) => overcome(host, ErrorType.Inspection),
    events: [{ reason: 'InspectionSkipped', message: 'the inspection was disabled' }],
  },
  inspected: {
    from: [S.Inspecting],
    to: S.Preparing,
    when: isDone,
    also: (host, { hardware }) => ({
      ...overcome(host, ErrorType.Inspection),
      ...(hardware !== undefined && { hardware }),
    }),
  },
  profileMatched: { from: [S.MatchProfile], to: S.Preparing, when: always, also: resetCount },
  prepared: {
    from: [S.Preparing],
    to: S.Available,
    when: isDone,
    also: (host) => overcome(host, ErrorType.Preparation),
  },
  externallyProvisioned: {
    from: AVAILABLE,
    to: S.ExternallyProvisioned,
    when: isExternal,
    also: (host) => ({ provisioning: forgottenSettings(host.status) }),
  },
  inspectedAgain: { from: AVAILABLE, to: S.Inspecting, when: isInspectionRequested },
  preparedAgain: {
    from: AVAILABLE,
    to: S.Preparing,
    when: (_, { isUnprepared, isFirmwareChanged }) => isUnprepared === true || isFirmwareChanged === true,
  },
  wanted: {
    from: AVAILABLE,
    to: S.Provisioning,
    when: (host, { maxProvisioningRetries }) =>
      needsProvisioning(host) && !retryLimit(host, maxProvisioningRetries).isReached,
    also: (host) => ({
      ...withoutError(host.status ?? {}),
      ...attempted(host),
      provisioningFailCount: retryLimit(host).provisioningFailCount,
    }),
  },
  abandoned: {
    from: [S.Provisioning],
    to: S.Deprovisioning,
    when: (host) => hasError(host.status) || provisioningCanceled(host),
    also: ({ status }) => (hasError(status) ? { provisioningFailCount: (status?.provisioningFailCount ?? 0) + 1 } : {}),
  },
  provisioned: {
    from: [S.Provisioning],
    to: S.Provisioned,
    when: (host, facts) => isDone(host, facts) && isLastAttempted(host),
    also: (host) => ({
      ...overcome(host, ErrorType.Provisioning),
      provisioningFailCount: 0,
      provisioning: deployed(host),
    }),
  },
  canceled: { from: [S.Provisioned], to: S.Deprovisioning, when: provisioningCanceled },
  takenOver: {
    from: [S.ExternallyProvisioned],
    to: S.Provisioned,
    when: (host) => !isExternal(host),
    also: (host) => ({ provisioning: deployed(host) }),
  },
  deprovisionedAtEnd: {
    from: [S.Deprovisioning],
    to: S.PoweringOffBeforeDelete,
    when: (host, facts) => isDone(host, facts) && isDeleting(host),
    also: (host) => ({ ...overcome(host, ErrorType.Provisioning), provisioning: undeployed(host) }),
  },
  deprovisioned: {
    from: [S.Deprovisioning],
    to: S.Available,
    when: isDone,
    also: (host) => ({ ...overcome(host, ErrorType.Provisioning), provisioning: undeployed(host) }),
  },
  deprovisioningGivenUp: {
    from: [S.Deprovisioning],
    to: S.PoweringOffBeforeDelete,
    when: isGivenUp,
    measures: [{ name: 'metal3_delete_without_deprovisioning_total' }],
  },
  deprovisioningOutOfReach: { from: [S.Deprovisioning], to: S.Deleting, when: isOutOfReach },
  poweredOff: {
    from: [S.PoweringOffBeforeDelete],
    to: S.Deleting,
    when: (host, facts) => isDone(host, facts) || host.spec?.disablePowerOff === true,
    also: (host) => ({
      ...overcome(host, ErrorType.PowerManagement),
      ...(host.spec?.disablePowerOff !== true && { poweredOn: false }),
    }),
  },
  powerOffGivenUp: {
    from: [S.PoweringOffBeforeDelete],
    to: S.Deleting,
    when: (host, facts) => facts.outcome === 'failed' && isPatienceOver(host.status?.errorCount),
    measures: [{ name: 'metal3_delete_without_powering_off_total' }],
  },
  powerOffOutOfReach: {
    from: [S.PoweringOffBeforeDelete],
    to: S.Deleting,
    when: isOutOfReach,
    measures: [{ name: 'metal3_delete_without_powering_off_total' }],
  },
} as const satisfies Readonly<Record<string, Transition>>;
export type TransitionName = keyof typeof TRANSITIONS;

const ROWS = Object.entries(TRANSITIONS) as readonly (readonly [TransitionName, Transition])[];

/** The transition that the host is to make now; undefined: it stays in its state. */
export function nextTransition(host: BareMetalHost, facts: HostFacts = {}): TransitionName | undefined {
  const state = provisioningStateOf(host);
  const isFrom = ({ from }: Transition): boolean => (from as readonly string[]).includes(state);
  return ROWS.find(([, row]) => isFrom(row) && row.when(host, facts))?.[0];
}

/**
 * Status of the host after the transition.
 *
 * @param at  milliseconds since the epoch
 */
export function makeTransition(
  host: BareMetalHost,
  name: TransitionName,
  { at, facts = {} }: { readonly at: number; readonly facts?: HostFacts },
): HostChange {
  const row: Transition = TRANSITIONS[name];
  const status = patchStatus(host.status, row.also?.(host, facts) ?? {});
  const entered = enterState({ ...host, status }, row.to, at);
  return {
    status: entered.status,
    events: [...(row.events ?? []), ...entered.events],
    measures: [...entered.measures, ...(row.measures ?? [])],
  };
}

/**
 * The host is in another state from now on: its history is stamped, its boot mode taken from the spec where that is due, and it is
 * not delayed any more.
 *
 * @param at  milliseconds since the epoch
 */
export function enterState(host: BareMetalHost, to: ProvisioningState, at: number): HostChange {
  const from = provisioningStateOf(host);
  if (from === to) return { status: host.status ?? {}, events: [], measures: [] };
  const [left, entered] = [operationOf(from), operationOf(to)];
  const ended =
    left === undefined ? { status: host.status ?? {}, measures: [] } : endOperation(host.status ?? {}, left, at);
  const begun = entered === undefined ? ended.status : beginOperation(ended.status, entered, at);
  const moved = admitted(begun);
  const bootMode = bootModeOnEntry(host, to);
  return {
    status: patchStatus(moved, { provisioning: { state: to, ...(bootMode !== undefined && { bootMode }) } }),
    events: [],
    measures: [
      ...ended.measures,
      { name: 'metal3_provisioning_state_change_total', labels: { prev_state: from, new_state: to } },
    ],
  };
}

/** The image that is being tried: at each pass of a host that is being provisioned. */
export function attempted({ spec }: BareMetalHost): StatusPatch {
  return { lastAttemptedImage: spec?.image ?? undefined };
}

/** Empty, as the API has an image that is none. */
const NO_IMAGE: Image = { url: '' };

function deployed({ spec }: BareMetalHost): NonNullable<StatusPatch['provisioning']> {
  return { image: spec?.image ?? NO_IMAGE, customDeploy: spec?.customDeploy ?? undefined };
}

function undeployed(host: BareMetalHost): NonNullable<StatusPatch['provisioning']> {
  return { image: NO_IMAGE, customDeploy: undefined, ...forgottenSettings(host.status) };
}
