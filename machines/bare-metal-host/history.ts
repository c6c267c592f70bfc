// When the operations of a host began and ended: `status.operationHistory`.

import { type HostStatus, isGiven, type Measure, type OperationMetric, ProvisioningState } from './host.ts';
import { patchStatus } from './status.ts';

export type HostOperation = 'register' | 'inspect' | 'provision' | 'deprovision';

const BY_STATE: ReadonlyMap<string, HostOperation> = new Map<string, HostOperation>([
  [ProvisioningState.Registering, 'register'],
  [ProvisioningState.Inspecting, 'inspect'],
  [ProvisioningState.Provisioning, 'provision'],
  [ProvisioningState.Deprovisioning, 'deprovision'],
]);

/** The operation that a state is; undefined: none that is recorded. */
export function operationOf(state: string): HostOperation | undefined {
  return BY_STATE.get(state);
}

/** To the second, as the API has times. @param at  milliseconds since the epoch */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** It begins now, unless it is under way already. @param at  milliseconds since the epoch */
export function beginOperation(status: HostStatus, operation: HostOperation, at: number): HostStatus {
  const { start, end } = metricOf(status, operation);
  if (isGiven(start) && !isGiven(end)) return status;
  return stamped(status, operation, { start: timestamp(at), end: null });
}

/** It ends now, if it is under way. */
export function endOperation(
  status: HostStatus,
  operation: HostOperation,
  at: number,
): { readonly status: HostStatus; readonly measures: readonly Measure[] } {
  const { start, end } = metricOf(status, operation);
  if (!isGiven(start) || isGiven(end)) return { status, measures: [] };
  const seconds = Math.max(0, (at - Date.parse(start)) / 1_000);
  return {
    status: stamped(status, operation, { start, end: timestamp(at) }),
    measures: Number.isNaN(seconds) ? [] : [{ name: `metal3_operation_${operation}_duration_seconds`, seconds }],
  };
}

function metricOf({ operationHistory }: HostStatus, operation: HostOperation): OperationMetric {
  return operationHistory?.[operation] ?? {};
}

function stamped(status: HostStatus, operation: HostOperation, metric: OperationMetric): HostStatus {
  return patchStatus(status, { operationHistory: { ...status.operationHistory, [operation]: metric } });
}
