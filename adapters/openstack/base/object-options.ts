// Options that an object states for itself: when it is compared with the cloud again, and whether drift, a difference from an unedited
// spec, is repaired or only reported.
import type { KubeObject } from '../../../machines/object.ts';
import { parseGoDuration } from '../../text/go-duration.ts';

/** Resync interval of an object. */
export type Resync =
  | { readonly kind: 'never' }
  | { readonly kind: 'every'; readonly periodMs: number }
  /** `spec.resyncPeriod` is no duration: refused on this object alone, for a person to correct. */
  | { readonly kind: 'malformed'; readonly message: string };

/** @param defaultMs  for objects that do not say; 0 for never */
export function resyncOf({ spec }: Pick<KubeObject, 'spec'>, defaultMs: number): Resync {
  const text = spec?.['resyncPeriod'];
  const periodMs = typeof text === 'string' && text !== '' ? parseGoDuration(text) : defaultMs;
  if (periodMs === undefined) {
    return { kind: 'malformed', message: `resyncPeriod '${text}' is not a duration like '10m' or '1h30m'` };
  }
  return periodMs > 0 ? { kind: 'every', periodMs } : { kind: 'never' };
}

export const Drift = { Repair: 'repair', Report: 'report' } as const;
export type Drift = (typeof Drift)[keyof typeof Drift];

/** Says it for one object. Any other value than `repair` reports: nothing is changed by a slip of the pen. */
export const DRIFT_ANNOTATION = 'troupe/drift';

/** @param byDefault  for objects that do not say */
export function driftOf({ metadata }: Pick<KubeObject, 'metadata'>, byDefault: Drift): Drift {
  const said = metadata.annotations?.[DRIFT_ANNOTATION];
  if (said === undefined) return byDefault;
  return said === Drift.Repair ? Drift.Repair : Drift.Report;
}
