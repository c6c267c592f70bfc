// The time limits of calls under way, with hardly a timer: calls of one limit end in the order in which they began, so one
// timer for all of them is enough. A timer of its own is a third of what a short call costs.
import type { Clock, Timer } from '../../../bus/time.ts';

interface Limited {
  readonly lateAt: number;
  readonly giveUp: () => void;
}

interface Lane {
  /** The oldest first. */
  readonly calls: Set<Limited>;
  timer: Timer | undefined;
}

export class TimeLimits {
  readonly #clock: Clock;
  readonly #lanes = new Map<number, Lane>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `giveUp` after `limitMs`. @returns how to let it be */
  start(limitMs: number, giveUp: () => void): () => void {
    let lane = this.#lanes.get(limitMs);
    if (lane === undefined) {
      lane = { calls: new Set(), timer: undefined };
      this.#lanes.set(limitMs, lane);
    }
    const { calls } = lane;
    const limited = { lateAt: this.#clock.now() + limitMs, giveUp };
    calls.add(limited);
    if (lane.timer === undefined) this.#watch(lane, limitMs);
    return () => void calls.delete(limited);
  }

  /** No limit is watched any more. */
  close(): void {
    for (const { timer } of this.#lanes.values()) if (timer !== undefined) this.#clock.clearTimeout(timer);
    this.#lanes.clear();
  }

  #watch(lane: Lane, delayMs: number): void {
    lane.timer = this.#clock.setTimeout(() => {
      lane.timer = undefined;
      const now = this.#clock.now();
      for (const limited of lane.calls) {
        if (limited.lateAt > now) return this.#watch(lane, limited.lateAt - now);
        lane.calls.delete(limited);
        limited.giveUp();
      }
    }, delayMs);
  }
}
