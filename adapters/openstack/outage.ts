// A cloud that does not answer: all who would call it back off together, and one call at a time finds out whether it is back.
//
// Invariants:
//   D1. After so many calls in a row without any answer nothing is sent until the pause is over, and then one call.
//   D2. One answer, whatever it says, ends the outage.
//   D3. A caller that gave up soon proves nothing.
import { TransientError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';

/** Calls in a row that make an outage. */
const CALLS = 5;
/** The first pause; it doubles with every failure, up to the longest, in milliseconds. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Who gave up sooner does not know, in milliseconds. */
const FAIR_WAIT_MS = 5_000;
/** A timer may fire so much before the clock is there, in milliseconds. */
const TIMER_SLACK_MS = 10;

/** A call that is sent. One of the two is to be called, once. */
export interface Trial {
  answered(): void;
  /** Nothing came back. */
  failed(reason: string): void;
}

export class Outage {
  readonly #clock: Clock;
  #failures = 0;
  #pauseMs = 0;
  #retryAt = 0;
  #isTrying = false;
  #reason = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {TransientError} the cloud does not answer, and it is not time, or somebody else's turn, to try it */
  check(): void {
    if (this.#pauseMs === 0) return;
    const leftMs = this.#retryAt - this.#clock.now();
    if (leftMs <= 0 && !this.#isTrying) return;
    const retryAfterMs = Math.ceil(Math.max(leftMs, FIRST_PAUSE_MS));
    throw new TransientError(`the cloud does not answer: ${this.#reason}`, { retryAfterMs });
  }

  /** Just before a call is sent. @throws as `check` */
  begin(deadlineAt: number): Trial {
    this.check();
    const isTrial = this.#pauseMs > 0;
    if (isTrial) this.#isTrying = true;
    const beganAt = this.#clock.now();
    const over = (): void => {
      if (isTrial) this.#isTrying = false;
    };
    return {
      answered: () => {
        over();
        this.#end();
      },
      failed: (reason) => {
        over();
        const now = this.#clock.now();
        const isImpatience = now >= deadlineAt - TIMER_SLACK_MS && now - beganAt < FAIR_WAIT_MS;
        if (!isImpatience) this.#failed(reason, isTrial);
      },
    };
  }

  #end(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  #failed(reason: string, isTrial: boolean): void {
    this.#failures++;
    this.#reason = reason;
    // Those that were under way when the outage began say nothing new.
    if (this.#failures < CALLS || (this.#pauseMs > 0 && !isTrial)) return;
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#retryAt = this.#clock.now() + this.#pauseMs;
  }
}
