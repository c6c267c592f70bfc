// Changes of a host's status: each makes a new object. Unchanged parts stay identical, so that an unnecessary write can
// be recognized.
import type { BareMetalHost, HostStatus, ProvisioningStatus } from './host.ts';

/** Undefined members are removed. `provisioning` is changed member by member. */
export interface StatusPatch extends Omit<HostStatus, 'provisioning'> {
  readonly provisioning?: ProvisioningStatus;
}

/** The status with the patch on it; the very same one if that changes nothing. */
export function patchStatus(status: HostStatus | null | undefined, patch: StatusPatch): HostStatus {
  const before = status ?? {};
  const { provisioning, ...rest } = patch;
  const merged = merge(before, rest);
  const after =
    provisioning === undefined
      ? merged
      : merge(merged, { provisioning: merge(before.provisioning ?? {}, provisioning) });
  return isEqual(before, after) ? before : after;
}

/** The host as it is with another status. */
export function withStatus<Host extends BareMetalHost>(host: Host, status: HostStatus): Host {
  return { ...host, status };
}

/** With the members that clients find in every status, whatever was decided so far. */
export function completeStatus(status: HostStatus | null | undefined): HostStatus {
  const { provisioning, ...rest } = status ?? {};
  return {
    ...rest,
    operationalStatus: rest.operationalStatus ?? '',
    errorMessage: rest.errorMessage ?? '',
    errorCount: rest.errorCount ?? 0,
    poweredOn: rest.poweredOn ?? false,
    provisioningFailCount: rest.provisioningFailCount ?? 0,
    provisioning: { ...provisioning, state: provisioning?.state ?? '', ID: provisioning?.ID ?? '' },
  };
}

/** Root device hints and software RAID must be applied to the host again; the record of hardware RAID stays. */
export function forgottenSettings(status: HostStatus | null | undefined): ProvisioningStatus {
  const raid = status?.provisioning?.raid;
  if (raid == null) return { rootDeviceHints: undefined };
  const { softwareRAIDVolumes: _, ...kept } = raid;
  return { rootDeviceHints: undefined, raid: kept };
}

/** Whether two values are the same JSON: what is undefined is not there, and the order of members does not matter. */
export function isEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => isEqual(own(left, key), own(right, key)));
}

function merge<Value extends object>(before: Value, patch: object): Value {
  const entries = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Value;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
