// Work by key, one after another for each.
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all work of the key that came before has ended. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const own = (before ?? Promise.resolve()).then(work, work);
    this.#last.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === own) this.#last.delete(key);
    }
  }
}
