// Annotations by which others tell an object's actor something: for which request its spec was last written, and that a user wants what
// failed tried again.
//
// A request is two annotations in one write. Others write the spec later without them: they count for the generation that they name, and
// for no other.
import type { KubeObject } from './object.ts';

const TRACEPARENT = 'troupe/traceparent';
const GENERATION = 'troupe/traceparent-generation';

export const REQUEST_ANNOTATIONS: readonly string[] = [TRACEPARENT, GENERATION];

/**
 * Annotations for a write of the spec.
 *
 * @param traceparent  W3C Trace Context of the request
 * @param generation  of the object after the write
 */
export function requestAnnotations(traceparent: string, generation: number): Readonly<Record<string, string>> {
  return { [TRACEPARENT]: traceparent, [GENERATION]: String(generation) };
}

/** Trace context of the request that the object's last change was made for; undefined where none is known. */
export function requestTraceparent({ metadata: { annotations, generation } }: KubeObject): string | undefined {
  return annotations?.[GENERATION] === String(generation) ? annotations[TRACEPARENT] : undefined;
}

/** Retry request of a user, kept for every managed kind. Only a change of its value matters: `troupe retry` writes the time. */
export const RETRY_ANNOTATION = 'troupe/retry';

/** Undefined if there is no request. */
export function retryOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[RETRY_ANNOTATION];
}

/** A new request. The removal of the annotation is none. */
export function isRetried(before: { readonly retry?: string }, now: { readonly retry?: string }): boolean {
  return now.retry !== undefined && now.retry !== before.retry;
}
