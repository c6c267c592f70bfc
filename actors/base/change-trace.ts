// Change that messages, events and calls belong to, as trace context.
//
// A trace is one change of one object's spec: its creation, each edit, its deletion. All work and messages of the
// object until the next change belong to it: claims, answers, calls to clouds, transitions. An object that waits for
// another stays in its own trace, and the transition that ends the wait links to the other's step: `kubectl apply` of a
// landscape gives one trace per object, connected by links, rather than one trace of thousands of steps.
//
// A trace id is computed from uid and generation, without randomness: every watch leader computes the same, a host that
// takes over continues the same trace, the echo of our own write (status, finalizers) starts none, and nothing is
// stored. A step is an object's whole part in a trace; its span id is the first half of the object's uid, its trace id
// the rest: both are found with `grep`.
import { formatTraceparent, parseTraceparent, traceparentOf } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Hexadecimal digits of a generation in a trace's id, in the place of the first ones of the uid. */
const GENERATION_DIGITS = 8;
const SPAN_DIGITS = 16;

/** The `traceparent` of the last change of an object: what the user did. */
export function changeTraceparent({ metadata: { uid, generation }, contentVersion }: KubeObject): string {
  if (generation === undefined || !UUID.test(uid)) return traceparentOf(`${uid} ${generation ?? contentVersion ?? ''}`);
  const count = generation.toString(16).padStart(GENERATION_DIGITS, '0').slice(-GENERATION_DIGITS);
  return traceparentOf(count + uid.replaceAll('-', '').slice(GENERATION_DIGITS));
}

/** Asked for with all that an object does and says, and the same as long as the object is. */
const WORK = new WeakMap<KubeObject, string>();

/** The `traceparent` of what an object does and says for its own last change. */
export function workTraceparent(object: KubeObject): string {
  const known = WORK.get(object);
  if (known !== undefined) return known;
  const work = stepTraceparent(changeTraceparent(object), object.metadata.uid);
  WORK.set(object, work);
  return work;
}

/** The `traceparent` of what `who` does and says in the trace of `cause`. */
export function stepTraceparent(cause: string, who: string): string {
  const context = parseTraceparent(cause);
  return context === undefined ? traceparentOf(who) : formatTraceparent({ ...context, spanId: spanOf(who) });
}

/** 32 hexadecimal digits; empty for what is no `traceparent`. */
export function traceIdOf(traceparent: string | undefined): string {
  return parseTraceparent(traceparent)?.traceId ?? '';
}

/** 16 hexadecimal digits; empty for what is no `traceparent`. */
export function spanIdOf(traceparent: string): string {
  return parseTraceparent(traceparent)?.spanId ?? '';
}

/** Span of all that `who` does, for whomever. */
export function spanOf(who: string): string {
  const digits = UUID.test(who) ? who.replaceAll('-', '').slice(0, SPAN_DIGITS) : '';
  return digits !== '' && !/^0+$/.test(digits) ? digits : (parseTraceparent(traceparentOf(who))?.spanId ?? '');
}
