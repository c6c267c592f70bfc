// A clock that stands still until it is moved.
import { mulberry32 } from '../../actors/base/clock.ts';
import { type Clock, SLOWEST_PACE, type Timer } from '../../bus/time.ts';

/** The clock of a machine whose wall clock was set back: it is slow, and its steady time is not. */
export function slowed(clock: ManualClock): Clock {
  const startedAt = clock.now();
  return {
    now: () => startedAt + (clock.now() - startedAt) * SLOWEST_PACE,
    steady: () => clock.steady(),
    random: () => clock.random(),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  };
}

/** Turns of the event loop after which whatever needs no time has happened: a request leaves at the end of a turn. */
const TURNS = 40;

export class ManualClock implements Clock {
  readonly random = mulberry32(1);
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  #now = 1_000_000;
  #ids = 0;

  now(): number {
    return this.#now;
  }

  steady(): number {
    return this.#now;
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    this.#ids += 1;
    this.#timers.set(this.#ids, { at: this.#now + Math.max(0, delayMs), run });
    return { id: this.#ids };
  }

  clearTimeout(timer: Timer): void {
    this.#timers.delete(timer.id);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = this.setTimeout(resolve, delayMs);
      const end = (): void => {
        this.clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Timers that have not fired. */
  get armed(): number {
    return this.#timers.size;
  }

  /** Time passes and no timer fires; then all that are overdue do, in their order, at once. */
  async standStill(durationMs: number): Promise<void> {
    await this.settle();
    this.#now += durationMs;
    await this.advance(0);
  }

  /** Everything that needs no time happens. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Time passes, timer by timer; what each begins has happened before the next fires. */
  async advance(durationMs: number): Promise<void> {
    const end = this.#now + durationMs;
    await this.settle();
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined) break;
      const [id, { at, run }] = next;
      this.#timers.delete(id);
      this.#now = Math.max(this.#now, at);
      run();
      await this.settle();
    }
    this.#now = end;
  }
}

/** What became of a promise so far. */
export interface Outcome<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly settled: boolean;
}

export function outcome<Value>(promise: Promise<Value>): Outcome<Value> {
  const seen = { value: undefined as Value | undefined, error: undefined as Error | undefined, settled: false };
  promise.then(
    (value) => Object.assign(seen, { value, settled: true }),
    (error: Error) => Object.assign(seen, { error, settled: true }),
  );
  return seen;
}
