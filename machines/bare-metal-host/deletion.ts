// Course of a host's deletion, by its state.
import { detachedArguments } from './detachment.ts';
import { ErrorType } from './errors.ts';
import {
  type BareMetalHost,
  isDeleting,
  type Measure,
  OperationalStatus,
  ProvisioningState,
  provisioningStateOf,
} from './host.ts';

export type Deletion =
  /** It is not being deleted. */
  | { readonly kind: 'none' }
  /** It is on its way out. */
  | { readonly kind: 'continue' }
  /** Not as long as it is detached: nothing is done for the deletion yet. */
  | { readonly kind: 'delayed'; readonly measures: readonly Measure[] }
  | { readonly kind: 'enter'; readonly state: ProvisioningState };

/** Number of tolerated failures of each cleanup step during a deletion. */
export const DELETION_PATIENCE = 3;

const BY_STATE: ReadonlyMap<string, ProvisioningState | 'continue'> = new Map<string, ProvisioningState | 'continue'>([
  [ProvisioningState.None, ProvisioningState.Deleting],
  [ProvisioningState.Registering, ProvisioningState.Deleting],
  [ProvisioningState.Unmanaged, ProvisioningState.Deleting],
  [ProvisioningState.Provisioning, ProvisioningState.Deprovisioning],
  [ProvisioningState.Provisioned, ProvisioningState.Deprovisioning],
  [ProvisioningState.Deprovisioning, 'continue'],
  [ProvisioningState.PoweringOffBeforeDelete, 'continue'],
  [ProvisioningState.Deleting, 'continue'],
]);

export function deletion(host: BareMetalHost): Deletion {
  if (!isDeleting(host)) return { kind: 'none' };
  const state = provisioningStateOf(host);
  if (state === ProvisioningState.Deleting) return { kind: 'continue' };
  const wanted = detachedArguments(host);
  const isDetached = host.status?.operationalStatus === OperationalStatus.Detached;
  // One that is detached and is not to be any more is attached first, and then deleted as any other.
  if (wanted?.deleteAction === 'delay' || (isDetached && wanted === undefined)) {
    return { kind: 'delayed', measures: [{ name: 'metal3_delete_delayed_for_detached_total' }] };
  }
  if (wanted !== undefined) return { kind: 'enter', state: ProvisioningState.Deleting };
  const next = BY_STATE.get(state) ?? ProvisioningState.PoweringOffBeforeDelete;
  if (next !== 'continue') return { kind: 'enter', state: next };
  return isBeyondReach(host) ? { kind: 'enter', state: ProvisioningState.Deleting } : { kind: 'continue' };
}

/** It cannot be registered any more, so that nothing can be undone there. */
function isBeyondReach({ status }: BareMetalHost): boolean {
  return status?.errorType === ErrorType.Registration && isPatienceOver(status.errorCount);
}

export function isPatienceOver(errorCount: number | null | undefined): boolean {
  return (errorCount ?? 0) > DELETION_PATIENCE;
}
