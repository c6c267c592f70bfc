// A look that many want and one makes: what it found is good for a while, and whoever comes meanwhile waits for the same.
//
// Invariants:
//   IRONIC-CACHED-FETCH-1. At most one look is under way, and all who want it wait for that one.
//   IRONIC-CACHED-FETCH-2. Only what was found is kept. A look that failed is made again for whoever asks next.
//   IRONIC-CACHED-FETCH-3. Nobody waits longer than until his own deadline; the look goes on for the others.
import { TransientError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';

export interface SharedLookDeps<Found> {
  readonly clock: Clock;
  /** How long what was found is good for; 0: for those who wait for it alone. */
  readonly ttlMs: number;
  /** Makes the look. Must come to an end by itself. */
  readonly look: () => Promise<Found>;
  /** Of the look, for people. */
  readonly name: string;
}

export class CachedFetch<Found> {
  readonly #deps: SharedLookDeps<Found>;
  #found: { readonly value: Found; readonly at: number } | undefined;
  #underWay: Promise<Found> | undefined;

  constructor(deps: SharedLookDeps<Found>) {
    this.#deps = deps;
  }

  /** @throws as the look; {TransientError} it was not over by the deadline, milliseconds since the epoch */
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

  /** What was found holds no longer. */
  forget(): void {
    this.#found = undefined;
  }

  async #look(): Promise<Found> {
    const value = await this.#deps.look();
    this.#found = { value, at: this.#deps.clock.now() };
    return value;
  }
}
