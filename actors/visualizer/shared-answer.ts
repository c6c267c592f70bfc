// Request coalescing for an answer that is expensive to make: callers at about the same time share one promise.
//
// Invariants:
//   UI-SHARED-ANSWER-1. At most one answer is being made at a time.
//   UI-SHARED-ANSWER-2. An answer is dropped after its time, so that it takes no memory while no page asks for it.
import type { Clock, Timer } from '../../bus/mod.ts';

export interface SharedAnswerDeps<Answer> {
  readonly clock: Clock;
  readonly make: () => Promise<Answer>;
  /** Time for which an answer is kept, in milliseconds. @param tookMs  duration of making it */
  readonly keepMs: (tookMs: number) => number;
}

export class SharedAnswer<Answer> {
  readonly #deps: SharedAnswerDeps<Answer>;
  /** Answer that is being made or kept. */
  #answer: Promise<Answer> | undefined;
  #beganAt = 0;
  /** Ends the time of the kept answer. Undefined while the answer is being made. */
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(deps: SharedAnswerDeps<Answer>) {
    this.#deps = deps;
  }

  /**
   * @param after  earliest time at which making the answer may have begun, not in the future, in milliseconds since the epoch
   * @throws as `make`; a failure is not kept
   */
  async get(after = 0): Promise<Answer> {
    if (this.#answer !== undefined && this.#beganAt >= after) return this.#answer;
    if (this.#answer !== undefined && this.#timer === undefined) {
      await this.#answer.catch(() => undefined); // its callers handle the error
      return this.get(after);
    }
    this.#drop();
    const answer = this.#made();
    answer.catch(() => this.#drop());
    this.#answer = answer;
    return answer;
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #made(): Promise<Answer> {
    const { clock, make, keepMs } = this.#deps;
    this.#beganAt = clock.now();
    const answer = await make();
    const ms = this.#isClosed ? 0 : keepMs(clock.now() - this.#beganAt);
    this.#timer = clock.setTimeout(() => this.#drop(), ms);
    return answer;
  }

  #drop(): void {
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#answer = undefined;
  }
}
