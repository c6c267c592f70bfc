// Concurrency limit of a group's calls, with a limited queue.

export interface GateLimits {
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly run: () => void;
}

/** First come, first served. */
export class CallLimiter {
  readonly #limits: GateLimits;
  readonly #waiters = new Set<Waiter>();
  #running = 0;
  #idle: (() => void)[] = [];

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** Resolves when no call is running or waiting. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Calls `run` when a slot is free, immediately if there is one; `run` must call `leave` at its end.
   *
   * @returns how to step out of the line again; undefined: the line is full, and `run` is never called
   */
  enter(run: () => void): (() => void) | undefined {
    if (this.#running < this.#limits.running) {
      this.#running += 1;
      run();
      return () => undefined;
    }
    if (this.#waiters.size >= this.#limits.waiting) return undefined;
    const waiter = { run };
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Releases a slot to the next waiting call. */
  leave(): void {
    const [next] = this.#waiters;
    if (next === undefined) {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    this.#waiters.delete(next);
    next.run();
  }
}
