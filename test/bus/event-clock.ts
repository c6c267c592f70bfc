// A clock on which only what follows an event ever happens: it ends the waits that let files settle, and no longer ones.
import { systemClock } from '../../actors/base/clock.ts';
import { SETTLING_MS } from '../../bus/file-changes.ts';
import type { Clock } from '../../bus/time.ts';

/** Longer than any test. */
const FOREVER_MS = 1_000_000_000;

/** Longer waits end with their signal. */
export function eventClock(): Clock {
  const clock = systemClock();
  return {
    ...clock,
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs <= SETTLING_MS ? 0 : FOREVER_MS),
    sleep: (delayMs, signal) => clock.sleep(delayMs <= SETTLING_MS ? 0 : FOREVER_MS, signal),
  };
}
