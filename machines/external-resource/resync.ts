// A look at what nothing has to be done for: when it is made, and what it changes when it is not made in time.
import type { ErrorData } from '../object.ts';
import type { ResourceContext } from './context.ts';

/** Part of a period by which looks are spread. */
export const RESYNC_SPREAD = 0.2;
/** Longest time until what is overdue is looked at, in milliseconds: enough to look at hundreds one after another. */
const OVERDUE_MS = 30_000;

/**
 * Milliseconds until the next resync. A lifecycle that has observed the resource counts its period from now; one that
 * started settled, from the last observation. Overdue resyncs are late already, and may be many: each gets its part of
 * the spread.
 *
 * @param chance  from 0 to 1, where in the spread it is
 */
export function resyncMs({ observation, object }: ResourceContext, chance = 0): number {
  const { resyncInMs, resyncEveryMs = Number.POSITIVE_INFINITY } = object;
  if (observation !== undefined || resyncInMs === undefined) return resyncEveryMs * (1 + RESYNC_SPREAD * chance);
  // mutant: overdue-looks-at-once ||.1 -> true
  return resyncInMs > 0 || resyncEveryMs === Number.POSITIVE_INFINITY
    ? resyncInMs
    : Math.min(RESYNC_SPREAD * resyncEveryMs, OVERDUE_MS) * chance;
}

/** The object only needed an observation, which was postponed for lack of a slot: nothing changes. */
export function isPostponed({ object, error }: Pick<ResourceContext, 'object' | 'error'>): boolean {
  // mutant: late-resync-tells return -> false
  return error?.unsent === true && object.settled !== 'no';
}

/** Context after a failure. */
export function failed(
  context: ResourceContext,
  error: ErrorData,
): Pick<ResourceContext, 'error' | 'attempts' | 'inDoubtUntil' | 'landsInMs' | 'available'> {
  // Only a failed read makes the state uncertain; other failures, and a late observation, do not.
  const isSure = context.observation !== undefined || isPostponed({ object: context.object, error });
  return {
    error,
    attempts: context.attempts + 1,
    // mutant: unanswered-create-forgotten : -> $1
    inDoubtUntil: Math.max(context.inDoubtUntil, error.inDoubtUntil ?? 0),
    landsInMs: undefined,
    available: context.available && isSure,
  };
}
