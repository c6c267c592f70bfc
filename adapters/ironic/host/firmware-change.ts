// Whether the host may act on HostFirmwareSettings or HostFirmwareComponents: their conditions, what an update policy
// permits on a provisioned host, and when they are looked at again. Pure.

import { type Condition, conditionOf } from './condition.ts';
import type { Maybe } from './host-json.ts';

/** The types of the conditions of both kinds. */
export const FirmwareCondition = { ChangeDetected: 'ChangeDetected', Valid: 'Valid' } as const;

/** Action of the host for an object of these kinds. */
export const FirmwareChange = {
  /** Nothing: it is not there, wants nothing new, or wants what is not valid. */
  None: 'none',
  /** It was not judged as it stands: come again. */
  NotReady: 'notReady',
  Changed: 'changed',
} as const;
export type FirmwareChange = (typeof FirmwareChange)[keyof typeof FirmwareChange];

export interface JudgedObject {
  readonly metadata: { readonly generation?: Maybe<number> };
  readonly status?: Maybe<{ readonly conditions?: Maybe<readonly Condition[]> }>;
}

/** @param object  undefined: there is none */
export function firmwareChange(object: Maybe<JudgedObject>): FirmwareChange {
  if (object == null) return FirmwareChange.None;
  const { conditions } = object.status ?? {};
  const changed = conditionOf(conditions, FirmwareCondition.ChangeDetected);
  if (changed === undefined || changed.observedGeneration !== (object.metadata.generation ?? undefined)) {
    return FirmwareChange.NotReady;
  }
  const isValid = conditionOf(conditions, FirmwareCondition.Valid)?.status === 'True';
  return changed.status === 'True' && isValid ? FirmwareChange.Changed : FirmwareChange.None;
}

/** Verdict for the objects that refer to it, in a few words; undefined if the current generation was not judged. */
export function firmwareVerdict(
  object: JudgedObject,
): { readonly isChanged: boolean; readonly isValid: boolean } | undefined {
  if (firmwareChange(object) === FirmwareChange.NotReady) return undefined;
  const isTrue = (type: string): boolean => conditionOf(object.status?.conditions, type)?.status === 'True';
  return { isChanged: isTrue(FirmwareCondition.ChangeDetected), isValid: isTrue(FirmwareCondition.Valid) };
}

/** `spec` of a HostUpdatePolicy. What is not given is `onPreparing`: applied only while the host is not provisioned. */
export interface UpdatePolicy {
  readonly firmwareSettings?: Maybe<string>;
  readonly firmwareUpdates?: Maybe<string>;
}

/** Changes that may be applied to a provisioned host when it is powered on again. Without a policy, none. */
export function servicedOnReboot(policy: Maybe<UpdatePolicy>): {
  readonly settings: boolean;
  readonly components: boolean;
} {
  const onReboot = (value: Maybe<string>): boolean => value === 'onReboot';
  return { settings: onReboot(policy?.firmwareSettings), components: onReboot(policy?.firmwareUpdates) };
}

const MINUTE_MS = 60_000;

/** Milliseconds until settings and components of a host are looked at again. */
export const FirmwareRefreshMs = {
  Settled: 5 * MINUTE_MS,
  /** Something is wanted that is not there yet. */
  Pending: MINUTE_MS,
  /** Ironic did not say, or the object is not there. */
  Failed: 30_000,
} as const;

/** Milliseconds until the settings are read again, even if no change was reported. */
const RereadMs = { Settled: 6 * 60 * MINUTE_MS, Pending: 5 * MINUTE_MS } as const;

/** When to look again after a successful look. */
export function firmwareRefreshMs(conditions: readonly Condition[]): number {
  return isPending(conditions) ? FirmwareRefreshMs.Pending : FirmwareRefreshMs.Settled;
}

/** Pause until the next reading after a successful one, even if no poll reports a change. */
export function firmwareRereadMs(conditions: readonly Condition[]): number {
  return isPending(conditions) ? RereadMs.Pending : RereadMs.Settled;
}

function isPending(conditions: readonly Condition[]): boolean {
  return conditionOf(conditions, FirmwareCondition.ChangeDetected)?.status === 'True';
}
