// When an object that is up to date is compared with the cloud again.
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
