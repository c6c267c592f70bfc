// For which object a request to a cloud was made, as its `traceparent` tells.

/** The uid of the object; empty for a request that is nobody's. */
export function madeFor(traceparent: unknown): string {
  const [, trace = '', span = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(traceparent)) ?? [];
  // The trace has a generation in the place of what the span tells (actors/base/change-trace.ts).
  const hex = span.slice(0, 8) + trace.slice(8);
  return hex === ''
    ? ''
    : [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
