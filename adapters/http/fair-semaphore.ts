// Semaphore that is fair by key: a thousand requests under one key delay no other request by more than one of them.
//
// Invariants:
//   HTTP-FAIR-SEMAPHORE-1. Never more than `limit` are in.
//   HTTP-FAIR-SEMAPHORE-2. Keys are always served round-robin; requests of one key in FIFO order.

/** One who is in calls `leave`, once. */
export class FairSemaphore {
  /** The key whose turn it is comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Undefined: there was a place; otherwise resolves when there is. */
  enter(key = ''): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve) => {
      const queue = this.#waiting.get(key);
      if (queue === undefined) this.#waiting.set(key, [resolve]);
      else queue.push(resolve);
    });
  }

  leave(): void {
    for (const [key, queue] of this.#waiting) {
      const next = queue.shift();
      this.#waiting.delete(key);
      if (queue.length > 0) this.#waiting.set(key, queue);
      next?.();
      return;
    }
    this.#free++;
  }
}
