// W3C Trace Context of a change: `traceparent` of messages, events and requests.
//
// What others send may be anything: what is malformed is ignored, as the recommendation asks, and never an error.
//
// @see https://www.w3.org/TR/trace-context/#traceparent-header

import { Lately } from './interning.ts';

export interface TraceContext {
  /** All that one change caused; 32 hexadecimal digits, not all of them 0. */
  readonly traceId: string;
  /** One step of it; 16 hexadecimal digits, not all of them 0. */
  readonly spanId: string;
  /** Sampling flag of the trace's origin; no other flag is kept. */
  readonly sampled: boolean;
}

/** Version 00 has four parts; of later ones those four come first, and more may follow. */
// mutant: trace-of-zeros / -> new RegExp($.source.replace('(?!0{32})', ''))
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 0x01;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

/** Parsed texts: each comes with all that an object does and says for one change. */
const KNOWN = new Lately<TraceContext>(2_048);

/** The inverse of `formatTraceparent`; undefined for what is malformed, of another type, or missing. */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== 'string') return undefined;
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  const context = { traceId, spanId, sampled: (Number.parseInt(flags ?? '0', 16) & SAMPLED) !== 0 };
  KNOWN.set(text, context);
  return context;
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** A text that is a `traceparent`, as it is; undefined otherwise. */
export function validTraceparent(text: unknown): string | undefined {
  return parseTraceparent(text) === undefined ? undefined : (text as string);
}

/**
 * Trace of an object with an unknown cause: all its work has the same trace, in every process.
 *
 * @param uid  `metadata.uid`; a UUID is the trace's id without its hyphens, any other text becomes one
 */
export function traceparentOf(uid: string): string {
  const plain = uid.replaceAll('-', '').toLowerCase();
  const traceId = TRACE_ID.test(plain) ? plain : [1, 2, 3, 4].map((salt) => hash(`${salt}${uid}`)).join('');
  const half = traceId.slice(16);
  return formatTraceparent({ traceId, spanId: /^0+$/.test(half) ? '0000000000000001' : half, sampled: true });
}

/** FNV-1a, 32 bits; never 0, so that no id is. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return word(value >>> 0 || 1);
}

function word(value: number): string {
  return value.toString(16).padStart(8, '0');
}
