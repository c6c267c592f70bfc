// Cached fetch with single-flight: a result is valid for a while, and callers that arrive during a fetch wait for its
// result.
//
// Invariants:
//   IRONIC-CACHED-FETCH-1. At most one fetch runs at a time, and all callers wait for that one.
//   IRONIC-CACHED-FETCH-2. Only results are kept. After a failed fetch, the next caller starts another.
//   IRONIC-CACHED-FETCH-3. A caller waits at most until its own deadline; the fetch continues for the others.
import { TransientError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';

export interface CachedFetchDeps<Found> {
  readonly clock: Clock;
  /** Validity of a result in milliseconds; 0: only for the callers that wait for it. */
  readonly ttlMs: number;
  /** Runs the fetch. Must end without an abort. */
  readonly look: () => Promise<Found>;
  /** Name of the fetch in messages. */
  readonly name: string;
}

export class CachedFetch<Found> {
  readonly #deps: CachedFetchDeps<Found>;
  #found: { readonly value: Found; readonly at: number } | undefined;
  #underWay: Promise<Found> | undefined;

  constructor(deps: CachedFetchDeps<Found>) {
    this.#deps = deps;
  }

  /** @throws the error of the fetch; {TransientError} it was not over by the deadline, milliseconds since the epoch */
  async get(deadlineAt: number): Promise<Found> {
    const { clock, ttlMs, name } = this.#deps;
    if (this.#found !== undefined && clock.now() - this.#found.at < ttlMs) return this.#found.value;
    // mutant: ironic-looks-each ??= -> $1 = $2
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined;
    });
    const late = new AbortController();
    const deadline = clock.sleep(Math.max(0, deadlineAt - clock.now()), late.signal).then(() => undefined);
    const looked = this.#underWay.then((value) => ({ value }));
    const first = await Promise.race([looked, deadline]).finally(() => late.abort());
    if (first === undefined) throw new TransientError(`${name} took longer than there was time`);
    return first.value;
  }

  /** Drops the result. */
  forget(): void {
    this.#found = undefined;
  }

  async #look(): Promise<Found> {
    const value = await this.#deps.look();
    this.#found = { value, at: this.#deps.clock.now() };
    return value;
  }
}
