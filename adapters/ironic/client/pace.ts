// Polling intervals of Ironic nodes.

/** Verify, manage, provide, adopt, abort, power, and a node that is locked; in milliseconds. */
export const SHORT_PACE_MS = 3_000;
/** Inspect, clean, deploy, delete, service, and a node with a fault. */
export const LONG_PACE_MS = 10_000;
/** Interval for an idle node. */
export const REST_PACE_MS = 60_000;

/** Part of a pause that chance adds at most. */
const JITTER = 1 / 4;

/** The pause with its jitter, in milliseconds. @param random  uniform in [0, 1) */
export function paced(paceMs: number, random: number): number {
  return paceMs * (1 + JITTER * random);
}
