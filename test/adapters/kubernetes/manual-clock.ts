// A clock that a test moves by hand. Real sockets go on meanwhile: the test waits for what they bring, not for time.
import { systemClock } from '../../../actors/base/clock.ts';
import type { Clock, Timer } from '../../../bus/mod.ts';

/** How long a test waits for what must come, in real milliseconds. */
const DEADLINE_MS = 3_000;

interface Alarm extends Timer {
  readonly at: number;
  readonly run: () => void;
}

interface Pause {
  readonly durationMs: number;
  readonly end: () => void;
}

export class ManualClock implements Clock {
  #now = Date.UTC(2030, 0, 1);
  #lastId = 0;
  readonly #alarms = new Map<number, Alarm>();
  readonly #pauses: Pause[] = [];
  #onPause = (): void => undefined;
  #onAlarm = (): void => undefined;

  now(): number {
    return this.#now;
  }

  steady(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    const id = ++this.#lastId;
    this.#alarms.set(id, { id, at: this.#now + delayMs, run });
    this.#onAlarm();
    return { id };
  }

  clearTimeout(timer: Timer): void {
    this.#alarms.delete(timer.id);
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const pause = { durationMs, end: resolve };
      this.#pauses.push(pause);
      signal?.addEventListener('abort', () => {
        this.#pauses.splice(this.#pauses.indexOf(pause), 1);
        resolve();
      });
      this.#onPause();
    });
  }

  /** Timers that are set. */
  get armed(): number {
    return this.#alarms.size;
  }

  /** Waits until so many timers are set. */
  async untilArmed(count = 1): Promise<void> {
    while (this.armed < count) await soon(new Promise<void>((resolve) => (this.#onAlarm = resolve)), 'a timer');
  }

  /** Moves on, and runs what is due by then. Who sleeps goes on sleeping. */
  advance(durationMs: number): void {
    const untilAt = this.#now + durationMs;
    for (;;) {
      const [next] = [...this.#alarms.values()].filter(({ at }) => at <= untilAt).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#alarms.delete(next.id);
      this.#now = next.at;
      next.run();
    }
    this.#now = untilAt;
  }

  /** Waits until somebody sleeps, and ends it as if its time had passed. @returns for how long, in milliseconds */
  async passPause(): Promise<number> {
    if (this.#pauses.length === 0) await soon(new Promise<void>((resolve) => (this.#onPause = resolve)), 'a pause');
    const { durationMs, end } = this.#pauses.shift() as Pause;
    this.advance(durationMs);
    end();
    return durationMs;
  }
}

/** What must come in no time, or the test fails. */
export async function soon<T>(coming: Promise<T>, what: string): Promise<T> {
  const deadline = new AbortController();
  const late = systemClock().sleep(DEADLINE_MS, deadline.signal);
  try {
    return await Promise.race([
      coming,
      late.then(() => {
        throw new Error(`${what} did not come`);
      }),
    ]);
  } finally {
    deadline.abort();
  }
}
