// Retry request of a user: an annotation whose value has changed.
import type { KubeObject } from './object.ts';

/** Kept for every managed kind. Only a change of its value matters: `troupe retry` writes the time. */
export const RETRY_ANNOTATION = 'troupe/retry';

/** Undefined if there is no request. */
export function retryOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[RETRY_ANNOTATION];
}

/** A new request. The removal of the annotation is none. */
export function isRetried(before: { readonly retry?: string }, now: { readonly retry?: string }): boolean {
  return now.retry !== undefined && now.retry !== before.retry;
}
