// What a user says who wants an object tried again at once: an annotation whose value is another one than before.
import type { KubeObject } from './object.ts';

/** Carried for every kind that has a life. Its value means nothing but that it changed: `troupe retry` writes the time. */
export const RETRY_ANNOTATION = 'troupe/retry';

/** Undefined: nobody has asked for it. */
export function retryOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[RETRY_ANNOTATION];
}

/** Somebody asks again. That an annotation is taken away asks for nothing. */
export function isRetried(before: { readonly retry?: string }, now: { readonly retry?: string }): boolean {
  return now.retry !== undefined && now.retry !== before.retry;
}
