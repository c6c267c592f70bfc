// A set of callbacks.

/** Listeners of an event. Each listener counts once for each time it was added. */
export class Listeners<Value> {
  readonly #entries = new Set<{ readonly listener: (value: Value) => void }>();

  /** Returns the way to stop. */
  add(listener: (value: Value) => void): () => void {
    const entry = { listener };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  /** Calls every listener, in the order they came. Who is added meanwhile hears only the next. */
  report(value: Value): void {
    for (const entry of [...this.#entries]) {
      if (this.#entries.has(entry)) entry.listener(value);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
