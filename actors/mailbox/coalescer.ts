// Coalescer of publications: only the last value counts, and it is published when there is little other traffic.
//
// Invariants:
//   COALESCER-1. All that waits is published once nothing was put for QUIET_MS; whatever waits is published after LIMIT_MS at the
//       latest, however busy it stays.
//   COALESCER-2. A dropped value, or one that was waiting at `clear`, is never published: a newer one is on its way, or
//       another writer's.
import type { Clock, Timer } from '../../bus/mod.ts';

export interface CoalescerDeps<Value> {
  readonly clock: Clock;
  readonly publish: (value: Value) => void;
}

interface Waiting<Value> {
  readonly value: Value;
  readonly since: number;
}

/** Without anything new, in milliseconds: while much happens, most of it is replaced soon. */
export const QUIET_MS = 1_000;
/** The longest that anything waits, in milliseconds. */
export const LIMIT_MS = 60_000;
/** Values that are due within this time are published together, in milliseconds. */
const TOGETHER_MS = 100;

export class Coalescer<Value> {
  readonly #deps: CoalescerDeps<Value>;
  /** Waiting values, the oldest first. */
  readonly #waiting = new Map<string, Waiting<Value>>();
  #touchedAt = 0;
  #timer: Timer | undefined;

  constructor(deps: CoalescerDeps<Value>) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Replaces what waits under `key`. */
  put(key: string, value: Value): void {
    const { clock } = this.#deps;
    this.#touchedAt = clock.now();
    this.#waiting.set(key, { value, since: this.#waiting.get(key)?.since ?? this.#touchedAt });
    this.#timer ??= clock.setTimeout(() => this.#look(), QUIET_MS);
  }

  drop(key: string): void {
    // mutant: later-drops-nothing drop
    this.#waiting.delete(key);
  }

  /** Publishes at once all that waits. */
  flush(): void {
    this.#publish(Number.POSITIVE_INFINITY);
  }

  clear(): void {
    this.#waiting.clear();
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const { clock } = this.#deps;
    const now = clock.now();
    const quietAt = this.#touchedAt + QUIET_MS;
    // mutant: later-never-published - -> -$2
    this.#publish(quietAt <= now ? now : now - LIMIT_MS);
    const [first] = this.#waiting.values();
    this.#timer = undefined;
    if (first === undefined) return;
    const dueAt = Math.min(quietAt, first.since + LIMIT_MS);
    this.#timer = clock.setTimeout(() => this.#look(), Math.max(dueAt - now, TOGETHER_MS));
  }

  /** All that waits since then, or for longer. */
  #publish(since: number): void {
    for (const [key, waiting] of this.#waiting) {
      if (waiting.since > since) return;
      this.#waiting.delete(key);
      this.#deps.publish(waiting.value);
    }
  }
}
