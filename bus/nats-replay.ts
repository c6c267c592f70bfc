// Completion of a replay (BUS-3): every subject in a listing that was requested after the consumer's creation has been
// delivered, or is missing in a later listing. The consumer's own count of pending messages is no measure: an
// overwritten value moves to the end.
import { TransientError } from './errors.ts';
import type { Clock, Timer } from './time.ts';

/** Without progress for this long the listing is asked again, and after twice as long the next time. */
const FIRST_RELIST_MS = 50;
const LAST_RELIST_MS = 2_000;

export interface ReplayOptions {
  readonly clock: Clock;
  /** All subjects that the reader wants and the stream holds. @throws {TransientError} */
  readonly list: () => Promise<ReadonlySet<string>>;
  /** Called once. */
  readonly onComplete: () => void;
}

export class Replay {
  readonly #options: ReplayOptions;
  /** Handed over before the first listing came. */
  #delivered: Set<string> | undefined = new Set();
  #waiting: Set<string> | undefined;
  #progress = false;
  #ended = false;
  #timer: Timer | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  get complete(): boolean {
    return this.#ended;
  }

  /** To be called once the consumer exists. */
  start(): void {
    void this.#look(FIRST_RELIST_MS);
  }

  /** A value of the subject was handed over. */
  saw(subject: string): void {
    if (this.#ended) return;
    this.#progress = true;
    this.#delivered?.add(subject);
    if (this.#waiting?.delete(subject) && this.#waiting.size === 0) this.#finish();
  }

  stop(): void {
    this.#ended = true;
    this.#delivered = undefined;
    this.#waiting = undefined;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  async #look(relistMs: number): Promise<void> {
    let listed: ReadonlySet<string> | undefined;
    try {
      listed = await this.#options.list();
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
    }
    if (this.#ended) return;
    if (listed !== undefined) this.#await(listed);
    if (this.#waiting?.size === 0) return this.#finish();
    this.#lookAgain(relistMs);
  }

  #await(listed: ReadonlySet<string>): void {
    // Later listings only remove deleted subjects: new ones did not exist when the reader began.
    const candidates = this.#waiting ?? listed;
    const waiting = new Set<string>();
    for (const subject of candidates) {
      // mutant: replay-waits-for-deleted if -> $2
      if (listed.has(subject) && !this.#delivered?.has(subject)) waiting.add(subject);
    }
    this.#waiting = waiting;
    this.#delivered = undefined;
  }

  #lookAgain(relistMs: number): void {
    this.#progress = false;
    this.#timer = this.#options.clock.setTimeout(() => {
      if (this.#progress && this.#waiting !== undefined) this.#lookAgain(FIRST_RELIST_MS);
      else void this.#look(Math.min(LAST_RELIST_MS, relistMs * 2));
    }, relistMs);
  }

  #finish(): void {
    this.stop();
    this.#options.onComplete();
  }
}
