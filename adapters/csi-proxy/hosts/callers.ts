// Those who wait for the same work.

import { Code, StatusError } from '../base/status.ts';
import type { Caller } from './keyed-mutex.ts';

/** As one caller: gone when all of them are. */
export class Callers implements Caller {
  readonly #signals: AbortSignal[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(first: AbortSignal) {
    this.join(first);
  }

  get aborted(): boolean {
    return this.#signals.every(({ aborted }) => aborted);
  }

  join(signal: AbortSignal): void {
    this.#signals.push(signal);
    const report = (): void => {
      for (const listener of this.#listeners) listener();
    };
    signal.addEventListener('abort', report, { once: true });
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/**
 * Stops waiting when the caller has disconnected; the work continues.
 *
 * @throws {StatusError} `CANCELLED`
 */
export async function orGone<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(new StatusError(Code.Cancelled, 'nobody waits for it any more'));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, gone.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
