// External calls, and writes to the API server, under way on behalf of the actors of a shard.
//
// Invariants:
//   IN-FLIGHT-CALLS-1. Until `ended` resolves, a call may still change something outside: a takeover always waits for
//       it (P10).
//   IN-FLIGHT-CALLS-2. A call without a response may take effect until `inDoubtUntil`: nothing is ever created again
//       before.
import { type Clock, toErrorData } from '../../bus/mod.ts';

export class InFlightCalls {
  readonly #clock: Clock;
  readonly #underWay = new Map<Promise<unknown>, string>();
  readonly #writes = new Map<Promise<unknown>, string>();
  /** Time until which requests may still take effect, by actor; milliseconds since the epoch. */
  readonly #inDoubtUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of entries. */
  get size(): number {
    return this.#underWay.size + this.#writes.size + this.#inDoubtUntil.size;
  }

  /** Notes a call for the actor `key`. */
  add(key: string, call: Promise<unknown>): void {
    this.#underWay.set(call, key);
    call.then(
      () => this.#underWay.delete(call),
      (error: unknown) => {
        this.#underWay.delete(call);
        this.#undecided(key, toErrorData(error).inDoubtUntil);
      },
    );
  }

  /** Notes a write for the actor `key`. A stale host's write fails, so a takeover does not wait for it. */
  addWrite(key: string, write: Promise<unknown>): void {
    this.#writes.set(write, key);
    const end = (): boolean => this.#writes.delete(write);
    write.then(end, end);
  }

  /** Resolves when no external call is under way any more. */
  async ended(): Promise<void> {
    // mutant: calls-not-waited-for ().1 -> []
    await Promise.allSettled(this.#underWay.keys());
  }

  /** Resolves when neither a call nor a write of an actor is under way any more: it would make what is under way again (I8). */
  async quiet(key: string): Promise<void> {
    const waited = [...this.#underWay, ...this.#writes].filter(([, owner]) => owner === key);
    await Promise.allSettled(waited.map(([each]) => each));
  }

  /** Time until which requests of the actor may still take effect, in milliseconds since the epoch; 0: none can. */
  inDoubtUntil(key: string): number {
    return this.#inDoubtUntil.get(key) ?? 0;
  }

  #undecided(key: string, inDoubtUntil: number | undefined): void {
    const now = this.#clock.now();
    for (const [other, at] of this.#inDoubtUntil) if (at <= now) this.#inDoubtUntil.delete(other);
    // mutant: calls-forget-landing if -> false
    if (inDoubtUntil !== undefined && inDoubtUntil > now)
      this.#inDoubtUntil.set(key, Math.max(inDoubtUntil, this.#inDoubtUntil.get(key) ?? 0));
  }
}
