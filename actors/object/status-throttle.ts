// When a status may be written. What an object did or failed at is written at once. That it waits is written when it has
// waited for a moment and nothing else is being written: what is over soon is no news (I8), what lasts is seen (I6).
//
// Invariants:
//   STATUS-THROTTLE-1. A throttled write never starts before PATIENCE_MS, or later than LIMIT_MS except for older
//       waiting ones.
//   STATUS-THROTTLE-2. Between the two, no throttled write starts while another write is running.
//   STATUS-THROTTLE-3. At most TURNS at a time, first come, first served.
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import type { Clock, Timer } from '../../bus/mod.ts';

/** Most dependencies of a dependency that is at work are there by then. */
// mutant: statuses-written-at-once 0 -> 0
const PATIENCE_MS = 500;
// mutant: statuses-wait-for-ever 0 -> 10_000_000
const LIMIT_MS = 10_000;
// mutant: turns-for-everybody 0 -> 4_000
const TURNS = 4;

interface Waiter {
  readonly since: number;
  go(): void;
}

export class StatusThrottle {
  readonly #clock: Clock;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  #writes = 0;
  #turns = 0;
  #timer: Timer | undefined;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  /** Number of waiting writes. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs a write without throttling; while it runs, others wait (STATUS-THROTTLE-2). */
  async unthrottled<Output>(write: () => Promise<Output>): Promise<Output> {
    this.#writes++;
    try {
      return await write();
    } finally {
      this.#writes--;
      this.#admit();
    }
  }

  /** Waits for a slot. @returns the function that releases it; undefined when `signal` was aborted first */
  turn(signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        // mutant: turn-for-who-gave-up drop
        this.#waiting.delete(waiter);
        resolve(undefined);
      };
      const waiter: Waiter = {
        since: this.#clock.now(),
        go: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(() => {
            this.#turns--;
            this.#admit();
          });
        },
      };
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const waiter of this.#waiting) {
      if (this.#turns >= TURNS) return;
      // mutant: statuses-never-wait ?: -> $3
      const leftMs = waiter.since + (this.#writes > 0 ? LIMIT_MS : PATIENCE_MS) - now;
      if (leftMs > 0) {
        this.#timer = this.#clock.setTimeout(() => this.#admit(), leftMs);
        return;
      }
      this.#waiting.delete(waiter);
      this.#turns++;
      waiter.go();
    }
  }
}

/** The same objects; while one of them is written, statuses that can wait do. */
export function unthrottled(objects: Objects, turns: StatusThrottle): Objects {
  return {
    ...objects,
    addFinalizers: (...given) => turns.unthrottled(() => objects.addFinalizers(...given)),
    removeFinalizers: (...given) => turns.unthrottled(() => objects.removeFinalizers(...given)),
    recordId: (...given) => turns.unthrottled(() => objects.recordId(...given)),
    apply: (...given) => turns.unthrottled(() => objects.apply(...given)),
    remove: (...given) => turns.unthrottled(() => objects.remove(...given)),
  };
}
