// What may wait before it is published: only the last of it counts, and that goes out when nothing new came for a while.
//
// Invariants:
//   T1. Whatever waits is published after `quietMs` without anything newer, and after `limitMs` in any case, or a
//       tenth of `quietMs` later.
//   T2. What was dropped, or was waiting at `close`, is never published: something newer is on its way, or somebody else's.
import type { Clock, Timer } from '../../bus/mod.ts';

/** What is due within this part of a quiet time is published in one turn. */
const TOGETHER_PARTS = 10;

export interface LaterDeps<Value> {
  readonly clock: Clock;
  /** Of one that is not replaced, and the longest of one that is replaced again and again, in milliseconds. */
  readonly quietMs: number;
  readonly limitMs: number;
  readonly publish: (value: Value) => void;
}

interface Waiting<Value> {
  readonly value: Value;
  readonly since: number;
  readonly touchedAt: number;
}

export class Later<Value> {
  readonly #deps: LaterDeps<Value>;
  readonly #waiting = new Map<string, Waiting<Value>>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: LaterDeps<Value>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Replaces what waits under `key`. */
  put(key: string, value: Value): void {
    if (this.#closed) return;
    const { clock, quietMs } = this.#deps;
    const touchedAt = clock.now();
    this.#waiting.set(key, { value, since: this.#waiting.get(key)?.since ?? touchedAt, touchedAt });
    this.#timer ??= clock.setTimeout(() => this.#look(), quietMs);
  }

  drop(key: string): void {
    this.#waiting.delete(key);
  }

  /** Publishes at once all that waits. */
  flush(): void {
    for (const [key, { value }] of this.#waiting) {
      this.#waiting.delete(key);
      this.#deps.publish(value);
    }
  }

  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const { clock, quietMs, limitMs, publish } = this.#deps;
    const now = clock.now();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const [key, { value, since, touchedAt }] of this.#waiting) {
      const dueAt = Math.min(touchedAt + quietMs, since + limitMs);
      if (dueAt <= now) {
        this.#waiting.delete(key);
        publish(value);
      } else nextAt = Math.min(nextAt, dueAt);
    }
    // Not for each by itself: what is due soon after goes out together.
    this.#timer =
      this.#waiting.size === 0
        ? undefined
        : clock.setTimeout(() => this.#look(), Math.max(nextAt - now, quietMs / TOGETHER_PARTS));
  }
}
