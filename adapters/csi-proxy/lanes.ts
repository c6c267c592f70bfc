// Work that must not run beside other work on the same thing: one after the other, in the order it was asked for.
import { Code, StatusError } from './status.ts';

export class Lanes {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs `work` when all that was asked for before in this lane has ended, however long that takes.
   *
   * @param caller  such as a signal: work that nobody waits for any more is not begun; once begun it is not stopped
   * @throws {StatusError} `CANCELLED`: it was not begun
   */
  async run<T>(lane: string, caller: { readonly aborted: boolean }, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(lane);
    const done = Promise.withResolvers<void>();
    this.#last.set(lane, done.promise);
    try {
      await before;
      if (caller.aborted) throw new StatusError(Code.Cancelled, 'nobody waits for it any more; it was not begun');
      return await work();
    } finally {
      if (this.#last.get(lane) === done.promise) this.#last.delete(lane);
      done.resolve();
    }
  }
}
