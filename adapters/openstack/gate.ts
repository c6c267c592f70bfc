// Bounds the calls that one cloud serves for us at a time.
//
// Invariants:
//   G1. Never more than `slots` holders.
//   G2. First come, first served; only an authentication goes before those who wait, as all of them need it.
//   G3. Nobody enters while the gate is paused; who cannot enter before its deadline is told at once.
import { TransientError } from '../../bus/errors.ts';
import type { Clock, Timer } from '../../bus/time.ts';

interface Waiter {
  enter(): void;
}

export class Gate {
  readonly #clock: Clock;
  readonly #slots: number;
  readonly #waiting: Waiter[] = [];
  #held = 0;
  #pausedUntil = 0;
  #resume: Timer | undefined;

  constructor({ clock, slots }: { clock: Clock; slots: number }) {
    this.#clock = clock;
    this.#slots = slots;
  }

  /**
   * Waits for a slot. Call `leave` once for each that was entered.
   *
   * @param turn  `first`: before all who wait already
   * @throws {TransientError} the gate is paused beyond `deadlineAt`, or no slot was free until then
   */
  enter(deadlineAt: number, turn: 'first' | 'last' = 'last'): Promise<void> {
    const now = this.#clock.now();
    if (this.#pausedUntil >= deadlineAt && this.#pausedUntil > now) {
      const retryAfterMs = Math.ceil(this.#pausedUntil - now);
      return Promise.reject(new TransientError('the cloud asked to be left alone for a while', { retryAfterMs }));
    }
    if (this.#isOpen() && (turn === 'first' || this.#waiting.length === 0)) {
      this.#held++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: () => {
          this.#clock.clearTimeout(timer);
          resolve();
        },
      };
      const timer = this.#clock.setTimeout(
        () => {
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          reject(new TransientError('the cloud was too busy to take the call before its deadline'));
        },
        Math.max(0, deadlineAt - now),
      );
      if (turn === 'first') this.#waiting.unshift(waiter);
      else this.#waiting.push(waiter);
    });
  }

  leave(): void {
    this.#held--;
    this.#admit();
  }

  /** Lets nobody in for so long, or longer if it is paused longer already. */
  pause(pauseMs: number): void {
    const until = this.#clock.now() + pauseMs;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    if (this.#resume !== undefined) this.#clock.clearTimeout(this.#resume);
    this.#resume = this.#clock.setTimeout(() => {
      // The timer says that the time has come, even where the clock lags behind it by a fraction.
      this.#pausedUntil = 0;
      this.#resume = undefined;
      this.#admit();
    }, pauseMs);
  }

  /** Forgets the pause, so that no timer is left. */
  close(): void {
    if (this.#resume !== undefined) this.#clock.clearTimeout(this.#resume);
  }

  #isOpen(): boolean {
    return this.#held < this.#slots && this.#clock.now() >= this.#pausedUntil;
  }

  #admit(): void {
    while (this.#isOpen()) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#held++;
      next.enter();
    }
  }
}
