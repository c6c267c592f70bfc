// Next action about the power of a host that is available or provisioned.
import { clearError, clearErrorOf, ErrorType, hasError } from './errors.ts';
import {
  type BareMetalHost,
  HostAnnotation,
  type HostStatus,
  isProvisionedState,
  OperationalStatus,
  provisioningStateOf,
} from './host.ts';
import { hasBaseRebootAnnotation, type Reboot, type RebootMode, rebootRequest } from './reboot.ts';
import { patchStatus } from './status.ts';

export interface PowerInput {
  /** Ironic's `power_state`; undefined: the node was not looked at. */
  readonly powerState: string | null | undefined;
  /** Actions of this attempt that are completed. */
  readonly seenTo?: {
    readonly dataImage?: boolean;
    readonly servicing?: boolean;
    /** Annotations for which a host that must not be switched off was rebooted: they stay there until their client takes them away. */
    readonly reboots?: readonly string[];
  };
}

export type PowerStep =
  /** Ironic reports another state than the status: stored first, then decided again. */
  | { readonly step: 'record'; readonly status: HostStatus }
  /** The request of the DataImage is completed before the host is switched on. */
  | { readonly step: 'dataImage' }
  /** It is off, so that what asked for one power cycle is done. */
  | { readonly step: 'removeAnnotation'; readonly key: string }
  /** Its firmware is seen to while it is off. */
  | { readonly step: 'service' }
  | { readonly step: 'powerOn'; readonly force: boolean }
  | { readonly step: 'powerOff'; readonly mode: RebootMode; readonly force: boolean }
  /** In place of switching it off, which is forbidden; `removeAnnotation` goes at once. */
  | {
      readonly step: 'reboot';
      readonly mode: RebootMode;
      readonly force: boolean;
      readonly removeAnnotation: string | undefined;
      readonly keys: readonly string[];
    }
  /** It is as it is to be. */
  | { readonly step: 'rest' };

/** The first thing that is to be done; each is followed by another decision. */
export function powerStep(host: BareMetalHost, { powerState, seenTo = {} }: PowerInput): PowerStep {
  const { spec } = host;
  const status = host.status ?? {};
  const recorded = recordedPower(status, powerState);
  if (recorded !== undefined) return { step: 'record', status: recorded };
  const isOn = status.poweredOn === true;
  const isWantedOn = spec?.online === true;
  const isProvisioned = isProvisionedState(provisioningStateOf(host));
  const isAboutToStart = isProvisioned && isWantedOn && !isOn;
  if (isAboutToStart && seenTo.dataImage !== true) return { step: 'dataImage' };
  if (!isOn && hasBaseRebootAnnotation(host)) return { step: 'removeAnnotation', key: HostAnnotation.Reboot };
  if ((isAboutToStart || isInService(status)) && seenTo.servicing !== true) return { step: 'service' };
  const force = status.errorType === ErrorType.PowerManagement;
  const reboot = rebootRequest(host, { onlyForced: !isProvisioned });
  if (isOn === (isWantedOn && reboot === undefined)) return rest(status);
  if (!isOn) return { step: 'powerOn', force };
  // Whatever failed before, asking politely is not tried again.
  const mode = (status.errorCount ?? 0) > 0 ? 'hard' : (reboot?.mode ?? 'soft');
  if (spec?.disablePowerOff === true) return rebootInstead(host, { reboot, mode, force, done: seenTo.reboots ?? [] });
  return { step: 'powerOff', mode, force };
}

/** Text of a failed power change. @param mode  of the failed one; undefined: switching on */
export function powerErrorMessage(message: string, mode: RebootMode | undefined): string {
  return mode === 'soft'
    ? `Continuing with hard poweroff after soft poweroff fails. More details: ${message}`
    : message;
}

/** Undefined if the status has it already, or Ironic does not know. A successful change resets the failure count. */
function recordedPower(status: HostStatus, powerState: string | null | undefined): HostStatus | undefined {
  if (powerState !== 'power on' && powerState !== 'power off') return undefined;
  const poweredOn = powerState === 'power on';
  if (poweredOn === (status.poweredOn ?? false)) return undefined;
  return patchStatus(overcome(status), { poweredOn });
}

/** The power is as it is to be: no failure of it counts any more. */
function rest(status: HostStatus): PowerStep {
  const settled = overcome(status);
  return settled === status ? { step: 'rest' } : { step: 'record', status: settled };
}

/** Without an error of another type nothing is left of the failures before. */
function overcome(status: HostStatus): HostStatus {
  const cleared = clearErrorOf(status, ErrorType.PowerManagement);
  return hasError(cleared) || (cleared.errorCount ?? 0) <= 0 ? cleared : patchStatus(cleared, { errorCount: 0 });
}

function isInService({ operationalStatus, errorType }: HostStatus): boolean {
  return operationalStatus === OperationalStatus.Servicing || errorType === ErrorType.Servicing;
}

interface RebootInstead {
  readonly reboot: Reboot | undefined;
  readonly mode: RebootMode;
  readonly force: boolean;
  readonly done: readonly string[];
}

/** Only for annotations that have not led to one: a host that is to be off and must not would be rebooted for ever. */
function rebootInstead(host: BareMetalHost, { reboot, mode, force, done }: RebootInstead): PowerStep {
  const keys = (reboot?.keys ?? []).filter((key) => !done.includes(key));
  if (keys.length === 0) return rest(host.status ?? {});
  const removeAnnotation = keys.includes(HostAnnotation.Reboot) ? HostAnnotation.Reboot : undefined;
  return { step: 'reboot', mode, force, removeAnnotation, keys: reboot?.keys ?? [] };
}

/** Power is managed again after another successful operation. */
export function clearServicing(status: HostStatus): HostStatus {
  const cleared = clearErrorOf(status, ErrorType.Servicing);
  return cleared.operationalStatus === OperationalStatus.Servicing ? clearError(cleared) : cleared;
}
