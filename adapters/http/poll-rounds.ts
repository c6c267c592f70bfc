// Rounds of polls: all callers that wait for something of one system share one timer, and one poll serves all callers that are due.
//
// Invariants:
//   HTTP-POLL-ROUNDS-1. Without waiting callers there is no timer and no poll.
//   HTTP-POLL-ROUNDS-2. At most one poll runs at a time. A caller that comes meanwhile is served by a later one.
//   HTTP-POLL-ROUNDS-3. A process that was suspended polls only after the other overdue timers have fired, those of lost leases
//       among them (P10).
import { TransientError } from '../../bus/errors.ts';
import type { Clock, Timer } from '../../bus/time.ts';

/** One waiting caller. */
export interface PollWaiter {
  /** Its next moment, in milliseconds since the epoch. */
  dueAt: number;
  /** Ends its wait. */
  fail(error: unknown): void;
}

export interface PollRoundsDeps<Waiter extends PollWaiter> {
  readonly clock: Clock;
  /** Looks, notifies, and sets the next moments of those whose moment has passed. Never rejects. */
  look(due: readonly Waiter[], all: readonly Waiter[]): Promise<void>;
}

/** Ends the wait of one caller. */
export interface PollEnd<Output> {
  resolve(output: Output): void;
  reject(error: unknown): void;
}

/** Later than this, in milliseconds, a timer did not fire by chance: the process stood still. */
const STOOD_STILL_MS = 1_000;

export class PollRounds<Waiter extends PollWaiter> {
  readonly #deps: PollRoundsDeps<Waiter>;
  readonly #waiting = new Set<Waiter>();
  #timer: { readonly timer: Timer; readonly at: number } | undefined;
  #isLooking = false;

  constructor(deps: PollRoundsDeps<Waiter>) {
    this.#deps = deps;
  }

  get waiting(): ReadonlySet<Waiter> {
    return this.#waiting;
  }

  /**
   * Waits until the caller is served or fails.
   *
   * @throws {TransientError} `signal` was aborted, or the rounds were closed
   */
  wait<Output>(signal: AbortSignal, waiterOf: (end: PollEnd<Output>) => Waiter): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const leave = (): void => {
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(waiter);
      // mutant: poller-idle-timer drop
      if (this.#waiting.size === 0) this.#disarm();
    };
    const waiter = waiterOf({
      resolve(output) {
        leave();
        resolve(output);
      },
      reject(error) {
        leave();
        reject(error);
      },
    });
    const abort = (): void => waiter.fail(new TransientError('the watch was ended'));
    this.#waiting.add(waiter);
    if (signal.aborted) abort();
    else {
      signal.addEventListener('abort', abort);
      this.#arm(waiter.dueAt);
    }
    return promise;
  }

  close(): void {
    for (const waiter of [...this.#waiting]) waiter.fail(new TransientError('the adapter was closed'));
  }

  #arm(at: number): void {
    // mutant: poller-lists-twice if -> $2
    if (this.#isLooking || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#disarm();
    const { clock } = this.#deps;
    this.#timer = { timer: clock.setTimeout(() => this.#onTime(at), Math.max(0, at - clock.now())), at };
  }

  /** For those whose moment is the next. */
  #armNext(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#waiting) next = Math.min(next, dueAt);
    if (next < Number.POSITIVE_INFINITY) this.#arm(next);
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer.timer);
    this.#timer = undefined;
  }

  #onTime(at: number): void {
    this.#timer = undefined;
    const now = this.#deps.clock.now();
    // HTTP-POLL-ROUNDS-3
    // mutant: poller-stood-still if -> false
    if (now - at > STOOD_STILL_MS) this.#arm(now);
    else void this.#look(at);
  }

  async #look(at: number): Promise<void> {
    const all = [...this.#waiting];
    const due = all.filter(({ dueAt }) => dueAt <= at);
    // Those for whom it was armed may have left.
    if (due.length > 0) {
      this.#isLooking = true;
      await this.#deps.look(due, all);
      this.#isLooking = false;
    }
    this.#armNext();
  }
}
