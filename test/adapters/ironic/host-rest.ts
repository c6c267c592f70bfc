// Whether a host is as it is asked for, on a machine that the test can look into.
import type { Power } from '../../../adapters/simulated/ironic/mod.ts';
import { ConditionType } from '../../../machines/bare-metal-host/conditions.ts';
import { type BareMetalHost, HostAnnotation, type HostSpec } from '../../../machines/bare-metal-host/host.ts';

/** A host, and what there is of it elsewhere. */
export interface Standing {
  readonly host: BareMetalHost;
  /** `provision_state` of its node; undefined: Ironic has none. */
  readonly state: string | undefined;
  readonly power: Power;
  /** Address of the image that was written last and not wiped. */
  readonly written: string | undefined;
}

/** What is not yet as it has to be; undefined: all is. */
export function unrestOf({ host, state: nodeState, power, written }: Standing): string | undefined {
  const { metadata, spec, status } = host;
  const what = `host '${metadata?.name}'`;
  if (metadata?.deletionTimestamp != null) return `${what} is deleted, and still there: ${JSON.stringify(status)}`;
  const { state, image } = status?.provisioning ?? {};
  const wanted = imageOf(spec);
  // One that is to be off is not provisioned, and stays so if it is.
  const isWanted = wanted !== undefined && (spec?.online === true || state === 'provisioned');
  const settled = isWanted ? 'provisioned' : 'available';
  const end = spec?.externallyProvisioned === true ? 'externally provisioned' : settled;
  const at = `${what} is '${state}', '${status?.operationalStatus}' (${status?.errorType}: ${status?.errorMessage})`;
  const isBehind = status?.conditions?.some(({ observedGeneration }) => observedGeneration !== metadata?.generation);
  if (isDetached(host)) {
    if (status?.operationalStatus !== 'detached') return `${at}, and is to be detached`;
    if (isBehind) return `${what} has not looked at its edit`;
    return nodeState === undefined ? undefined : `${what} is detached, and its node is still there`;
  }
  if (state !== end) return `${at}, and is to be '${end}'`;
  if (status?.operationalStatus !== 'OK') return `${at}, and is to be OK`;
  if (isWanted && image?.url !== wanted) return `${what} has ${image?.url}, and wants ${wanted}`;
  if (isWanted && written !== wanted) return `the machine of ${what} has ${written}, not ${wanted}`;
  const isOn = power === 'power on';
  if (isOn !== spec?.online || status.poweredOn !== isOn)
    return `${what} is ${power}, says ${status.poweredOn}, and is to be ${spec?.online}`;
  // The annotation goes when the machine is off, which is as asked for until then; where nothing runs nobody looks at it.
  if (end !== 'available' && isAnnotated(host, HostAnnotation.Reboot)) return `${what} is to be rebooted`;
  if (isBehind) return `${what} has not looked at its edit`;
  if (nodeState === undefined) return `${what} has no node`;
  const isInUse = isWanted || spec?.externallyProvisioned === true;
  return isInUse && nodeState !== 'active'
    ? `the node of ${what} is '${nodeState}', and something runs there`
    : undefined;
}

/** The failure in the conditions of the host, which is removed when a retry has succeeded; undefined: there is none. */
export function untriedOf({ metadata, status }: Pick<BareMetalHost, 'metadata' | 'status'>): string | undefined {
  const message = status?.conditions?.find(({ type }) => type === ConditionType.Progressing)?.message ?? '';
  return message === '' ? undefined : `host '${metadata?.name}' has not tried again: ${message}`;
}

export function imageOf(spec: HostSpec | null | undefined): string | undefined {
  return spec?.image?.url ?? undefined;
}

export function isDetached(host: Pick<BareMetalHost, 'metadata'>): boolean {
  return isAnnotated(host, HostAnnotation.Detached);
}

function isAnnotated({ metadata }: Pick<BareMetalHost, 'metadata'>, annotation: string): boolean {
  return Object.hasOwn(metadata?.annotations ?? {}, annotation);
}
