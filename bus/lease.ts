// A lease as its holder has it: renewed in time, or known to be lost before anybody else can take it (BUS-5). Where it is
// stored is the affair of `LeaseStore`. It is measured in steady time (CLOCK-3): a wall clock that is set back makes no lease longer.
//
// Invariants:
//   BUS-LEASE-1. `endsAt` counts from the start of the last renewal that succeeded; the store counts from a later instant.
//   BUS-LEASE-2. `lost` resolves a tenth of the lease before `endsAt`, unless a renewal succeeded meanwhile.
//   BUS-LEASE-3. A lost or released lease has ended: `endsAt` is never again later than the instant it was given up.
import type { Lease } from './bus.ts';
import type { Clock, Timer } from './time.ts';

/** One lease in the store, bound to the token of this acquisition. */
export interface LeaseStore {
  /** False: it has another holder, or is deleted. @throws {TransientError} the store is unreachable */
  renew(): Promise<boolean>;
  /** Deletes it if it is still ours. @throws {TransientError} the store is away */
  release(): Promise<void>;
}

/** Renewals start every fifth of the lease, and every tenth after one that failed. */
const RENEWALS = 5;
const RETRIES = 10;
/** Lost this part of the lease before its end: what is then stopped must have stopped by the end. */
const MARGIN = 10;

export class HeldLease implements Lease {
  readonly name: string;
  readonly lost: Promise<void>;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #store: LeaseStore;
  readonly #resolveLost: () => void;
  /** In steady time. */
  #endsAt: number;
  #held = true;
  #renewal: Timer | undefined;
  #end: Timer | undefined;

  /** @param startedAt  when the acquisition was asked for, in steady time of this process */
  constructor(options: { name: string; clock: Clock; leaseMs: number; startedAt: number; store: LeaseStore }) {
    const { name, clock, leaseMs, startedAt, store } = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.name = name;
    this.lost = promise;
    this.#resolveLost = resolve;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#store = store;
    this.#endsAt = startedAt + leaseMs;
    this.#watchEnd();
    this.#renewLater(startedAt + leaseMs / RENEWALS);
  }

  get held(): boolean {
    return this.#held;
  }

  endsAt(): number {
    return this.#clock.now() + (this.#endsAt - this.#clock.steady());
  }

  async confirm(): Promise<boolean> {
    if (!this.#held) return false;
    const startedAt = this.#clock.steady();
    const renewed = await this.#store.renew();
    if (!this.#held) return false;
    if (renewed) this.#endsAt = Math.max(this.#endsAt, startedAt + this.#leaseMs);
    else this.lose();
    return renewed;
  }

  async release(): Promise<void> {
    if (!this.#held) return;
    this.#giveUp();
    try {
      await this.#store.release();
    } catch {
      // The store is unreachable. The lease is no longer renewed and expires there.
    }
  }

  /** Tells the holder that it is lost. A second call changes nothing. */
  lose(): void {
    if (!this.#held) return;
    this.#giveUp();
    this.#resolveLost();
  }

  /** Stops the renewals; the record in the store expires. `lost` does not resolve. */
  abandon(): void {
    this.#giveUp();
  }

  #giveUp(): void {
    this.#held = false;
    // mutant: lease-given-up-lasts drop
    this.#endsAt = Math.min(this.#endsAt, this.#clock.steady());
    if (this.#renewal !== undefined) this.#clock.clearTimeout(this.#renewal);
    if (this.#end !== undefined) this.#clock.clearTimeout(this.#end);
  }

  #watchEnd(): void {
    // mutant: lease-given-up-late /.1 -> 0
    // mutant: lease-on-slowed-clock ().0 -> this.#clock.now
    const remainingMs = this.#endsAt - this.#leaseMs / MARGIN - this.#clock.steady();
    // Renewals move the end but not this timer: it looks again when it fires.
    if (remainingMs > 0) this.#end = this.#clock.setTimeout(() => this.#watchEnd(), remainingMs);
    else this.lose();
  }

  #renewLater(at: number): void {
    if (!this.#held) return;
    this.#renewal = this.#clock.setTimeout(() => void this.#renew(), Math.max(0, at - this.#clock.steady()));
  }

  async #renew(): Promise<void> {
    const startedAt = this.#clock.steady();
    let renewed: boolean;
    try {
      renewed = await this.#store.renew();
    } catch {
      // The store is away. Tried again until `lost` says that it is too late.
      return this.#renewLater(this.#clock.steady() + this.#leaseMs / RETRIES);
    }
    if (!this.#held) return;
    if (!renewed) return this.lose();
    // mutant: lease-counts-from-answer +.1 -> this.#clock.steady()
    this.#endsAt = startedAt + this.#leaseMs;
    this.#renewLater(startedAt + this.#leaseMs / RENEWALS);
  }
}
