// Time and chance as they are handed to every room. `actors/base/clock.ts` implements them; nothing else touches timers,
// the wall clock or a random source.

/** A clock whose `setTimeout` and `clearTimeout` fit XState's `clock` option too. */
export interface Clock {
  /**
   * Milliseconds since the epoch, with fractions where the platform gives them. After the wall clock was set back less
   * than the time that passes is shown, but at least `SLOWEST_PACE` of it.
   */
  now(): number;
  /** Milliseconds since any instant of this process. Never less than the time that passes: for what must end in time. */
  steady(): number;
  /** Calls `run` once after `delayMs`; `Infinity` means never. Delays beyond 2^31 ms are honored. */
  setTimeout(run: () => void, delayMs: number): Timer;
  /** Cancels a timer; one that has fired is ignored. */
  clearTimeout(timer: Timer): void;
  /** Resolves after `delayMs`, or at once when `signal` is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1), from one seeded source. */
  random(): number;
}

/** Smallest part of the time that passes that `Clock.now` shows. */
export const SLOWEST_PACE = 0.9;

/** Returned by `setTimeout`, understood only by the same clock's `clearTimeout`. */
export interface Timer {
  readonly id: number;
}
