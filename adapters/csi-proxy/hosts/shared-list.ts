// One listing that answers for all who ask, instead of a question for each.
//
// Invariants:
//   CSI-SHARED-LIST-1. A caller never receives a listing that was started before a change which had ended at its call.
//   CSI-SHARED-LIST-2. At most one listing runs at a time; callers that cannot use it share the next one.
import type { Clock } from '../../../bus/mod.ts';

interface Listing<T> {
  readonly startedAt: number;
  readonly epoch: number;
  promise: Promise<T>;
  isRunning: boolean;
}

export class SharedList<T> {
  readonly #list: () => Promise<T>;
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  #latest: Listing<T> | undefined;
  #next: Promise<T> | undefined;
  /** Counts the changes that a listing may have missed. */
  #epoch = 0;

  /** @param deps.maxAgeMs  how old an answer may be; 0: it was begun after it was asked for */
  constructor({ list, clock, maxAgeMs }: { list: () => Promise<T>; clock: Clock; maxAgeMs: number }) {
    this.#list = list;
    this.#clock = clock;
    this.#maxAgeMs = maxAgeMs;
  }

  get(): Promise<T> {
    const latest = this.#latest;
    const isUsable = latest?.epoch === this.#epoch && this.#clock.now() - latest.startedAt < this.#maxAgeMs;
    if (latest !== undefined && isUsable) return latest.promise;
    if (!latest?.isRunning) return this.#start();
    this.#next ??= this.#afterThis(latest.promise);
    return this.#next;
  }

  /** Something has changed: the next caller starts a listing. */
  forget(): void {
    this.#epoch++;
  }

  /** Something has changed, and this is how: what is known is kept, with the change in it. */
  update(change: (known: T) => T): void {
    const latest = this.#latest;
    const isWhole = latest !== undefined && !latest.isRunning && latest.epoch === this.#epoch;
    if (isWhole) latest.promise = latest.promise.then(change);
    else this.forget();
  }

  #start(): Promise<T> {
    const listing: Listing<T> = {
      startedAt: this.#clock.now(),
      epoch: this.#epoch,
      promise: this.#list(),
      isRunning: true,
    };
    this.#latest = listing;
    const ended = (isSound: boolean) => (): void => {
      listing.isRunning = false;
      if (!isSound && this.#latest === listing) this.#latest = undefined;
    };
    listing.promise.then(ended(true), ended(false));
    return listing.promise;
  }

  async #afterThis(running: Promise<T>): Promise<T> {
    // Its failure is reported to its callers.
    await running.catch(() => undefined);
    this.#next = undefined;
    return this.#start();
  }
}
