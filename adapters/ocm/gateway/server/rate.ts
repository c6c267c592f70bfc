// The rate limit of callers: a token bucket for each.
//
// Invariants:
//   OCM-RATE-1. The number of buckets does not grow with the number of callers beyond MOST_CALLERS; a forgotten one begins with a full bucket.

const MOST_CALLERS = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

export interface RateOptions {
  /** Requests a second, of each caller. */
  readonly perSecond: number;
  /** Requests at once after a pause. */
  readonly burst: number;
  readonly now: () => number;
}

export class RateLimit {
  readonly #options: RateOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateOptions) {
    this.#options = options;
  }

  /** @returns undefined when the request is admitted, else the whole seconds after which the next one is */
  admit(caller: string): number | undefined {
    const { perSecond, burst, now } = this.#options;
    const at = now();
    const known = this.#buckets.get(caller) ?? { tokens: burst, at };
    const tokens = Math.min(burst, known.tokens + ((at - known.at) / 1_000) * perSecond);
    const isAdmitted = tokens >= 1;
    // The one that was used last comes last.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { tokens: isAdmitted ? tokens - 1 : tokens, at });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    return isAdmitted ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}
