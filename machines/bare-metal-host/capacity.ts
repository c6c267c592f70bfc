// Room in Ironic: which states a host may enter only when there is some, and what it says while there is none.
import { type HostChange, type HostStatus, OperationalStatus, ProvisioningState } from './host.ts';
import { patchStatus } from './status.ts';

const MEASURES: ReadonlyMap<string, string> = new Map<string, string>([
  [ProvisioningState.Inspecting, 'metal3_delayed__provisioning_total'],
  [ProvisioningState.Provisioning, 'metal3_delayed__provisioning_total'],
  [ProvisioningState.Deprovisioning, 'metal3_delayed__deprovisioning_total'],
]);

/** Before such a state is entered, and at each pass in it. */
export function needsCapacity(state: string): boolean {
  return MEASURES.has(state);
}

/** There is no room for the host in the state: it stays in the one it is in. */
export function delayed(status: HostStatus, state: string): HostChange {
  const name = MEASURES.get(state);
  return {
    status: patchStatus(status, { operationalStatus: OperationalStatus.Delayed }),
    events: [],
    measures: name === undefined ? [] : [{ name }],
  };
}

/** There is room: the host, if it was delayed, is not any more. */
export function admitted(status: HostStatus): HostStatus {
  if (status.operationalStatus !== OperationalStatus.Delayed) return status;
  return patchStatus(status, { operationalStatus: OperationalStatus.OK });
}
