// The one place that touches timers, the wall clock and chance.
//
// Invariants:
//   CLOCK-1. Time never goes back. While the wall clock is not set it passes as evenly as the machine can tell.
//   CLOCK-2. A process that was suspended, or whose wall clock was set ahead, is at the same time as all others at once: what ended meanwhile
//       has ended. One whose wall clock was set back catches up with it by going at `SLOWEST_PACE`.
//   CLOCK-3. The steady time is never slower than the even clock, also while the time catches up with a wall clock that was
//       set back: a lease, which another machine counts, never ends later here than there (BUS-5).
import { type Clock, SLOWEST_PACE, type Timer } from '../../bus/time.ts';

/** setTimeout of Node fires at once beyond this many milliseconds. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Normal difference between the wall clock and the monotonic one, in milliseconds. */
const TOLERANCE_MS = 100;
/** Number of readings of both clocks when a clock starts. */
const READINGS = 4;

interface SystemTimer extends Timer {
  handle: NodeJS.Timeout | undefined;
}

/**
 * The clock of a real process.
 *
 * @param options.seed  of the random source; by default from the wall clock
 * @param options.wall  milliseconds since the epoch, as the machine says; it may be set, and counts what the other does not
 * @param options.even  milliseconds since any instant, at an even pace, and not while the process, or its machine, is suspended
 */
export function systemClock({
  seed = Date.now() >>> 0,
  wall = () => Date.now(),
  even = () => performance.now(),
}: {
  seed?: number;
  wall?: () => number;
  even?: () => number;
} = {}): Clock {
  let lastId = 0;
  const { now, steady } = timeBy({ wall, even });
  const arm = (timer: SystemTimer, run: () => void, delayMs: number): void => {
    if (delayMs === Number.POSITIVE_INFINITY) return;
    // Node must not warn of overdue timers, as after a suspended process.
    const partMs = Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS);
    timer.handle = setTimeout(() => (delayMs > partMs ? arm(timer, run, delayMs - partMs) : run()), partMs);
  };
  const clock: Clock = {
    now,
    steady,
    setTimeout(run, delayMs) {
      const timer: SystemTimer = { id: ++lastId, handle: undefined };
      arm(timer, run, delayMs);
      return timer;
    },
    clearTimeout(timer) {
      clearTimeout((timer as SystemTimer | undefined)?.handle);
    },
    sleep(delayMs, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const finish = (): void => {
          signal?.removeEventListener('abort', finish);
          clock.clearTimeout(timer);
          resolve();
        };
        const timer = clock.setTimeout(finish, delayMs);
        signal?.addEventListener('abort', finish, { once: true });
      });
    },
    random: mulberry32(seed),
  };
  return clock;
}

/** The time by two clocks of a machine (CLOCK-1, CLOCK-2, CLOCK-3). Both begin with what the wall clock shows. */
export function timeBy({ wall, even }: { wall: () => number; even: () => number }): Pick<Clock, 'now' | 'steady'> {
  let { at: last, said: time } = readTogether({ wall, even });
  let steady = time;
  /** Difference from the even clock to the wall clock. */
  let lead = time - last;
  const read = (): void => {
    const at = even();
    const said = wall();
    // The process may have stood still between the two.
    // mutant: clock-reads-apart - -> 0
    const apartMs = even() - at;
    const passedMs = at - last;
    last = at;
    time += passedMs;
    steady += passedMs;
    // Not counted by the even clock: the process, or its machine, was suspended.
    const gainedMs = said - at - lead - apartMs;
    // mutant: lease-outlasts-suspension if -> false
    if (gainedMs > TOLERANCE_MS) steady += gainedMs;
    if (gainedMs > TOLERANCE_MS || said - at < lead) lead = said - at;
    const aheadMs = time - said;
    // mutant: clock-lags-for-ever if -> false
    if (aheadMs + apartMs < -TOLERANCE_MS) time -= aheadMs + apartMs;
    // mutant: clock-leads-for-ever if -> false
    if (aheadMs > TOLERANCE_MS) time -= Math.min(aheadMs, passedMs * (1 - SLOWEST_PACE));
  };
  return {
    now() {
      read();
      return time;
    },
    steady() {
      read();
      // mutant: steady-time-slowed return -> time
      return steady;
    },
  };
}

/** Both clocks at one moment, as near as a few readings come to it: the process may stand still between two. */
function readTogether({ wall, even }: { wall: () => number; even: () => number }): {
  readonly at: number;
  readonly said: number;
} {
  const readings = Array.from({ length: READINGS }, () => {
    const at = even();
    const said = wall();
    return { at, said, apartMs: even() - at };
  });
  // mutant: clock-begins-apart ?: -> $2
  return readings.reduce((best, one) => (one.apartMs < best.apartMs ? one : best));
}

/** The mulberry32 generator: 32 bits of state, uniform in [0, 1), the same sequence for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word = (word + Math.imul(word ^ (word >>> 7), word | 61)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pause until the next moment of this rhythm: all polls of one interval happen at the same moment, so one list serves them. */
export function alignedPause(pauseMs: number, clock: Clock): number {
  if (!Number.isFinite(pauseMs) || pauseMs <= 0) return pauseMs;
  const now = clock.now();
  return Math.ceil((now + pauseMs / 2) / pauseMs) * pauseMs - now;
}

/** The pause, a quarter shorter or longer by chance. */
export function jitter(delayMs: number, clock: Clock): number {
  return delayMs * (0.75 + clock.random() / 2);
}
