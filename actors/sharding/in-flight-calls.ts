// External calls, and writes to the API server, under way on behalf of the actors of a shard.
//
// Invariants:
//   IN-FLIGHT-CALLS-1. Until `ended` resolves, a call may still change something outside: whoever takes over waits for it (P10).
//   IN-FLIGHT-CALLS-2. What a call left undecided, as its answer was lost, may be done until `inDoubtUntil`: nothing is made anew before.
import { type Clock, toErrorData } from '../../bus/mod.ts';

export class InFlightCalls {
  readonly #clock: Clock;
  readonly #underWay = new Map<Promise<unknown>, string>();
  readonly #writes = new Map<Promise<unknown>, string>();
  /** Until when what was asked for may still be done, by actor; milliseconds since the epoch. */
  readonly #inDoubtUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How much is remembered. */
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

  /** Notes a write for the actor `key`. A stale host's loses, so nobody who takes over waits for it. */
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

  /** Until when something that was asked for the actor may still be done, milliseconds since the epoch; 0: nothing may. */
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
