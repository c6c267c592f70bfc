// The conditions of a host: what its state comes to, for those who wait for it.

import { timestamp } from './history.ts';
import {
  type BareMetalHost,
  type Condition,
  type HostStatus,
  OperationalStatus,
  ProvisioningState,
  provisioningStateOf,
} from './host.ts';

export const ConditionType = {
  Manageable: 'Manageable',
  AvailableForProvisioning: 'AvailableForProvisioning',
  Provisioned: 'Provisioned',
  Ready: 'Ready',
  Progressing: 'Progressing',
  Healthy: 'Healthy',
} as const;
export type ConditionType = (typeof ConditionType)[keyof typeof ConditionType];

const OWN_TYPES: ReadonlySet<string> = new Set(Object.values(ConditionType));

/** Facts about the node in Ironic for the conditions; undefined if it was not read, or does not exist. */
export interface NodeCondition {
  readonly fault?: string | null | undefined;
  readonly health?: string | null | undefined;
}

export interface ConditionInput {
  readonly node?: NodeCondition | undefined;
  /** Reason why the host makes no progress, if no error in the status says so. For people, no secret. */
  readonly problem?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface Verdict {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message?: string | undefined;
}
type Row = Readonly<Record<Exclude<ConditionType, 'Healthy'>, Verdict>>;

/** The longest message that the API takes. */
const MESSAGE_LENGTH = 32_768;

const yes = (reason: string): Verdict => ({ status: 'True', reason });
const no = (reason: string): Verdict => ({ status: 'False', reason });

const UNMANAGED: Row = {
  Manageable: no('NotManaged'),
  AvailableForProvisioning: no('NotAvailable'),
  Provisioned: no('NotProvisioned'),
  Ready: no('NotProvisioned'),
  Progressing: no('NotProgressing'),
};
const MANAGED: Row = { ...UNMANAGED, Manageable: yes('Manageable') };
const progressing = (reason: string): Row => ({ ...MANAGED, Progressing: yes(reason) });
const AVAILABLE: Row = { ...MANAGED, AvailableForProvisioning: yes('Available') };
const PROVISIONED: Row = { ...MANAGED, Provisioned: yes('Provisioned'), Ready: yes('Provisioned') };

/** An unknown state is reported like one in which nothing is managed. */
const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  [ProvisioningState.Registering, { ...UNMANAGED, Manageable: no('Registering'), Progressing: yes('Registering') }],
  [ProvisioningState.Inspecting, progressing('Inspecting')],
  [ProvisioningState.MatchProfile, progressing('Inspecting')],
  [ProvisioningState.Preparing, progressing('Preparing')],
  [ProvisioningState.Available, AVAILABLE],
  [ProvisioningState.Ready, AVAILABLE],
  [ProvisioningState.Provisioning, progressing('Provisioning')],
  [ProvisioningState.Provisioned, PROVISIONED],
  [ProvisioningState.ExternallyProvisioned, PROVISIONED],
  [ProvisioningState.Deprovisioning, progressing('Deprovisioning')],
  [ProvisioningState.PoweringOffBeforeDelete, progressing('PoweringOffBeforeDelete')],
  [ProvisioningState.Deleting, progressing('Deleting')],
]);

/** States in which a fault of the node is ignored. */
const FAULT_IGNORED: ReadonlySet<string> = new Set([
  ProvisioningState.None,
  ProvisioningState.Unmanaged,
  ProvisioningState.Registering,
  ProvisioningState.Deleting,
]);

const HEALTH: ReadonlyMap<string, Verdict> = new Map([
  ['OK', yes('Healthy')],
  ['Warning', no('Warning')],
  ['Critical', no('CriticalError')],
]);

/**
 * All conditions of the host as it stands, what others have added to the list included. `lastTransitionTime` stays where the
 * status of a condition does.
 */
export function conditions(host: BareMetalHost, { node, problem, at }: ConditionInput): readonly Condition[] {
  const before = storedConditions(host.status);
  const generation = host.metadata?.generation;
  const verdicts = new Map(Object.entries({ ...rowOf(host, node, problem), Healthy: healthy(host.status, node) }));
  const made = (type: string, verdict: Verdict): Condition => {
    const known = before.find((each) => each.type === type);
    return {
      type,
      status: verdict.status,
      reason: verdict.reason,
      message: (verdict.message ?? '').slice(0, MESSAGE_LENGTH),
      lastTransitionTime: known?.status === verdict.status ? known.lastTransitionTime : timestamp(at),
      ...(typeof generation === 'number' && { observedGeneration: generation }),
    };
  };
  const kept = before.map((each) => {
    const verdict = verdicts.get(each.type);
    verdicts.delete(each.type);
    return verdict === undefined ? each : made(each.type, verdict);
  });
  return [...kept, ...[...verdicts].map(([type, verdict]) => made(type, verdict))];
}

/** Whether all conditions in the status concern the current generation of the host. */
export function areUpToDate({ metadata, status }: BareMetalHost): boolean {
  const generation = metadata?.generation;
  return (
    typeof generation !== 'number' ||
    storedConditions(status).every(
      ({ type, observedGeneration }) => !OWN_TYPES.has(type) || observedGeneration === generation,
    )
  );
}

function rowOf(host: BareMetalHost, node: NodeCondition | undefined, problem: string | undefined): Row {
  const state = provisioningStateOf(host);
  const { operationalStatus, errorMessage } = host.status ?? {};
  const row = ROWS.get(state) ?? UNMANAGED;
  const isDetached = operationalStatus === OperationalStatus.Detached;
  const isPowerless = node?.fault === 'power failure' && !FAULT_IGNORED.has(state) && !isDetached;
  const isRegistrationFailed = state === ProvisioningState.Registering && operationalStatus === OperationalStatus.Error;
  const progress = { ...row.Progressing, message: problem };
  return {
    ...row,
    ...(isRegistrationFailed && { Manageable: { ...no('RegistrationFailed'), message: errorMessage ?? undefined } }),
    ...(isPowerless && { Manageable: no('PowerFailure') }),
    ...(operationalStatus === OperationalStatus.Error && {
      Ready: { ...no('Error'), message: errorMessage ?? undefined },
    }),
    ...(operationalStatus === OperationalStatus.Servicing && { Ready: no('Servicing') }),
    ...(isDetached && { Ready: no('Detached') }),
    Progressing: isDetached ? no('Detached') : progress,
  };
}

function healthy(status: HostStatus | null | undefined, node: NodeCondition | undefined): Verdict {
  const health = node?.health ?? '';
  const unknown: Verdict = { status: 'Unknown', reason: 'Unknown' };
  if (health !== '') return HEALTH.get(health) ?? unknown;
  return storedConditions(status).find(({ type }) => type === ConditionType.Healthy) ?? unknown;
}

function storedConditions(status: HostStatus | null | undefined): readonly Condition[] {
  return Array.isArray(status?.conditions) ? status.conditions : [];
}
