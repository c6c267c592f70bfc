// When an external system is looked at, and the reports of what is new there.
import type { ErrorData } from '../object.ts';
import type { Observation, WatchUpdate } from './operations.ts';

/** While a resource is on its way out, milliseconds between two looks. */
export const REMOVAL_POLL_MS = 1_000;
/** Time after which a deletion that the cloud accepted and has not completed is requested again, with backoff. */
const REMOVAL_PATIENCE_MS = 75_000;
const REMOVAL_PATIENCE_LIMIT_MS = 300_000;
const LOOK_LIMIT_MS = 15_000;
/** Number of consecutive polls at the first interval. */
const QUICK_LOOKS = 10;

/** Interval that grows the longer a change is missing. @param looks  number of consecutive polls, this one included */
export function pollBackoff(pauseMs: number, looks: number): number {
  // mutant: looks-as-often-as-at-first <.2 -> 1_000 * $
  return looks < QUICK_LOOKS
    ? pauseMs
    : Math.max(pauseMs, Math.min(pauseMs * (looks - QUICK_LOOKS + 2), LOOK_LIMIT_MS));
}

/** @param removals  how often the deletion has been asked for */
export function removalPatienceMs(removals: number): number {
  return Math.min(REMOVAL_PATIENCE_MS * Math.max(1, removals), REMOVAL_PATIENCE_LIMIT_MS);
}

/**
 * Number of polls after the end of a use, which the external system may still show for a while: each after twice the
 * pause, two minutes in all.
 */
export const ECHOES = 7;
const ECHO_FIRST_MS = 1_000;

/** @param echoes  looks that are left */
export function echoMs(echoes: number): number {
  return echoes > 0 ? ECHO_FIRST_MS * 2 ** (ECHOES - echoes) : Number.POSITIVE_INFINITY;
}

/** First pause before a failure that only the external system can repair is polled again, in milliseconds; it grows. */
const RELOOK_FIRST_MS = 15_000;
/** Ten minutes, less a quarter for what chance adds to a pause. */
export const RELOOK_LIMIT_MS = 480_000;

/** Observation of a resource, and the time of the next unconditional one; undefined: never. */
interface Looked {
  readonly error: ErrorData | undefined;
  readonly observation: Observation | undefined;
  readonly object: { readonly resyncInMs: number | undefined; readonly resyncEveryMs: number | undefined };
  readonly relooks: number;
}

/**
 * Milliseconds until the next poll of an unusable resource, without jitter: a rejected spec gets none.
 *
 * @param relooks  how many there were in a row
 */
export function relookMs({ error, observation, object: { resyncInMs, resyncEveryMs }, relooks }: Looked): number {
  // A lifecycle that started with it counts from the last observation.
  if (error === undefined && observation === undefined) return resyncInMs ?? Number.POSITIVE_INFINITY;
  // mutant: spec-looked-at-again if -> false
  if (error !== undefined && error.passing !== true) return Number.POSITIVE_INFINITY;
  return Math.min(relookPauseMs(RELOOK_FIRST_MS * 2 ** relooks), resyncEveryMs ?? RELOOK_LIMIT_MS);
}

/** The pause after it has been so for `sinceMs`: as long again, within bounds. */
export function relookPauseMs(sinceMs: number): number {
  return Math.min(Math.max(sinceMs, RELOOK_FIRST_MS), RELOOK_LIMIT_MS);
}

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
export function resyncMs({ observation, object }: Pick<Looked, 'observation' | 'object'>, chance = 0): number {
  const { resyncInMs, resyncEveryMs = Number.POSITIVE_INFINITY } = object;
  if (observation !== undefined || resyncInMs === undefined) return resyncEveryMs * (1 + RESYNC_SPREAD * chance);
  // mutant: overdue-looks-at-once ||.1 -> true
  return resyncInMs > 0 || resyncEveryMs === Number.POSITIVE_INFINITY
    ? resyncInMs
    : Math.min(RESYNC_SPREAD * resyncEveryMs, OVERDUE_MS) * chance;
}

/** Tells what is seen, unless it is what was known, or told before. */
export function onlyChanges(
  known: Observation | undefined,
  report: (news: WatchUpdate) => void,
): (seen: Observation | undefined) => void {
  let before = known === undefined ? undefined : canonical(known);
  return (seen) => {
    const now = seen === undefined ? 'gone' : canonical(seen);
    // mutant: nothing-new-is-told drop
    if (now === before) return;
    before = now;
    report(seen === undefined ? { gone: true } : { observation: seen });
  };
}

/** JSON with sorted keys: one and the same thing may be read in several ways. */
function canonical(value: Observation): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
