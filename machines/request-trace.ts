// The request that an object's spec was last written for, as its writer recorded it at the object: two annotations in one write.
//
// Others write the spec later without them: they count for the generation that they name, and for no other.
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
