// Waiting for a foreign system: it is looked at in a rhythm, and only what is new is told.
import type { Observation, WatchNews } from './operations.ts';

/** While a resource is on its way out, milliseconds between two looks. */
export const REMOVAL_POLL_MS = 1_000;
/** A deletion that the cloud took and has not done for so long is asked for again, ever later. */
const REMOVAL_PATIENCE_MS = 75_000;
const REMOVAL_PATIENCE_LIMIT_MS = 300_000;
const LOOK_LIMIT_MS = 15_000;
/** So many looks in a row keep the first pace. */
const QUICK_LOOKS = 10;

/** What has not come for long is looked for less often. @param looks  in a row, this one included */
export function rarer(pauseMs: number, looks: number): number {
  // mutant: looks-as-often-as-at-first <.2 -> 1_000 * $
  return looks < QUICK_LOOKS
    ? pauseMs
    : Math.max(pauseMs, Math.min(pauseMs * (looks - QUICK_LOOKS + 2), LOOK_LIMIT_MS));
}

/** @param removals  how often the deletion has been asked for */
export function removalPatienceMs(removals: number): number {
  return Math.min(REMOVAL_PATIENCE_MS * Math.max(1, removals), REMOVAL_PATIENCE_LIMIT_MS);
}

/** Tells what is seen, unless it is what was known, or told before. */
export function onlyNews(
  known: Observation | undefined,
  tell: (news: WatchNews) => void,
): (seen: Observation | undefined) => void {
  let before = known === undefined ? undefined : canonical(known);
  return (seen) => {
    const now = seen === undefined ? 'gone' : canonical(seen);
    // mutant: nothing-new-is-told drop
    if (now === before) return;
    before = now;
    tell(seen === undefined ? { gone: true } : { observation: seen });
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
