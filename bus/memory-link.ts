// The line between one process and the in-memory broker: it takes time, may be cut, and keeps the order of what it carries
// in each direction.
import type { Connectivity } from './bus.ts';
import { TransientError } from './errors.ts';
import { Listeners } from './listeners.ts';
import type { Clock } from './time.ts';

/** State of a process's connection. */
export type LinkState = 'up' | 'cut' | 'closed';

export class MemoryLink {
  readonly connectivity = new Listeners<Connectivity>();
  readonly #clock: Clock;
  readonly #there: Direction;
  readonly #back: Direction;
  #state: LinkState = 'up';
  #cutAt = 0;

  /**
   * @param wire  the clock of what lies between: what was sent arrives though its sender stands still, or has ended
   * @param latencyMs  of the next message, in either direction; undefined: a microtask each
   */
  constructor(clock: Clock, wire: Clock, latencyMs: (() => number) | undefined) {
    this.#clock = clock;
    this.#there = new Direction(wire, latencyMs);
    this.#back = new Direction(clock, latencyMs);
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Runs here later, in the order of the calls, whatever the state is then. */
  later(run: () => void): void {
    this.#back.carry(run);
  }

  /**
   * Runs `operation` at the broker and answers here.
   *
   * @throws {TransientError} the line was cut on the way there or back, or is closed; `operation` may have run
   */
  call<Result>(operation: () => Result): Promise<Result> {
    return this.#ask(operation, () => this.#state === 'up');
  }

  /** The same for a change: it takes effect even if its sender is gone by then. */
  send<Result>(operation: () => Result): Promise<Result> {
    return this.#ask(operation, () => this.#state !== 'cut');
  }

  #ask<Result>(operation: () => Result, arrives: () => boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#state !== 'up') return reject(this.away());
      this.#there.carry(() => {
        if (!arrives()) return reject(this.away());
        let answer: () => void;
        try {
          const result = operation();
          answer = () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        this.#back.carry(() => (this.#state === 'up' ? answer() : reject(this.away())));
      });
    });
  }

  /** Error of every operation while the connection is down. */
  away(): TransientError {
    return new TransientError(this.#state === 'closed' ? 'the bus is closed' : 'the bus is away');
  }

  cut(): void {
    if (this.#state !== 'up') return;
    this.#state = 'cut';
    this.#cutAt = this.#clock.now();
    this.connectivity.report({ kind: 'disconnected', detail: 'disconnected from the bus in memory, reconnecting' });
  }

  heal(): void {
    if (this.#state !== 'cut') return;
    this.#state = 'up';
    const seconds = Math.round((this.#clock.now() - this.#cutAt) / 1_000);
    this.connectivity.report({ kind: 'connected', detail: `connected again after ${seconds} s` });
  }

  close(): void {
    this.#state = 'closed';
    this.connectivity.clear();
  }
}

/** One way of the line. */
class Direction {
  readonly #clock: Clock;
  readonly #latencyMs: (() => number) | undefined;
  readonly #underWay: (() => void)[] = [];
  #lastDueAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, latencyMs: (() => number) | undefined) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  /** Runs `run` later, in the order of the calls. */
  carry(run: () => void): void {
    if (this.#latencyMs === undefined) {
      queueMicrotask(run);
      return;
    }
    const now = this.#clock.now();
    this.#lastDueAt = Math.max(now + this.#latencyMs(), this.#lastDueAt);
    this.#underWay.push(run);
    // Whichever timer fires, the first goes: a clock that counts whole milliseconds may turn two of them around.
    this.#clock.setTimeout(() => this.#underWay.shift()?.(), this.#lastDueAt - now);
  }
}
