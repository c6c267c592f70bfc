// Annotations by which others tell an object's actor something: for which requests it was last written and deleted, and that a user wants
// what failed tried again.
//
// A request is two annotations. Others write the object later without them: they count for the generation that they name, and for no
// other; those of a deletion only once the object is being deleted.
import type { KubeObject } from './object.ts';

const TRACEPARENT = 'troupe/traceparent';
const GENERATION = 'troupe/traceparent-generation';
const DELETION_TRACEPARENT = 'troupe/deletion-traceparent';
const DELETION_GENERATION = 'troupe/deletion-traceparent-generation';

export const REQUEST_ANNOTATIONS: readonly string[] = [
  TRACEPARENT,
  GENERATION,
  DELETION_TRACEPARENT,
  DELETION_GENERATION,
];

/**
 * Annotations for a write of the spec.
 *
 * @param traceparent  W3C Trace Context of the request
 * @param generation  of the object after the write
 */
export function requestAnnotations(traceparent: string, generation: number): Readonly<Record<string, string>> {
  return { [TRACEPARENT]: traceparent, [GENERATION]: String(generation) };
}

/**
 * Annotations for a deletion, which carries none itself: written before it.
 *
 * @param traceparent  W3C Trace Context of the request; undefined: removes them
 * @param generation  of the object after the deletion
 */
export function deletionAnnotations(
  traceparent: string | undefined,
  generation: number,
): Readonly<Record<string, string | null>> {
  return {
    [DELETION_TRACEPARENT]: traceparent ?? null,
    [DELETION_GENERATION]: traceparent === undefined ? null : String(generation),
  };
}

/** Trace context of the request that the object's last change was made for; undefined where none is known. */
export function requestTraceparent({ metadata }: KubeObject): string | undefined {
  const { annotations = {}, generation, deletionTimestamp } = metadata;
  if (annotations[GENERATION] === String(generation)) return annotations[TRACEPARENT];
  // mutant: deletion-traced-early &&.1 -> true
  const isItsDeletion = deletionTimestamp !== undefined && annotations[DELETION_GENERATION] === String(generation);
  return isItsDeletion ? annotations[DELETION_TRACEPARENT] : undefined;
}

/** Option of a deleted object whose spec has none: `detach` leaves its external resource as it is. */
export const ON_DELETE_ANNOTATION = 'troupe/on-delete';
const DETACH = 'detach';
/** Annotations for an object whose external resource stays when it is deleted. */
export const DETACHED: Readonly<Record<string, string>> = { [ON_DELETE_ANNOTATION]: DETACH };

/** Whether the external resource stays when the object is deleted, by its annotation. */
export function isAnnotatedDetached({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[ON_DELETE_ANNOTATION] === DETACH;
}

/** Retry request of a user, kept for every managed kind. Only a change of its value matters: `troupe retry` writes the time. */
export const RETRY_ANNOTATION = 'troupe/retry';

/** Value of a kind's own annotation for pauses if `troupe pause` wrote it: other clients end their pauses themselves. */
export const TROUPE_PAUSE = 'troupe.dev/pause';

/** Undefined if there is no request. */
export function retryOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[RETRY_ANNOTATION];
}

/** A new request. The removal of the annotation is none. */
export function isRetried(before: { readonly retry?: string }, now: { readonly retry?: string }): boolean {
  return now.retry !== undefined && now.retry !== before.retry;
}
