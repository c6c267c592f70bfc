// Circuit breaker for a service that does not respond, or that returned 503 with Retry-After: all its callers back off
// together, and one call at a time probes whether it has recovered. Other services are not affected.
//
// Invariants:
//   HTTP-CIRCUIT-BREAKER-1. After this number of consecutive calls without any response nothing is sent until the pause
//       is over, and then only one call.
//   HTTP-CIRCUIT-BREAKER-2. Any response closes the breaker; after a Retry-After, only the response to a call that
//       started later.
//   HTTP-CIRCUIT-BREAKER-3. A caller that gave up soon proves nothing.
//   HTTP-CIRCUIT-BREAKER-4. After a Retry-After no call is sent until its time is over, and then only one.
import { boundedPauseMs, TransientError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';

/** Calls in a row that make an outage. */
const CALLS = 5;
/** The first pause; it doubles with every failure, up to the longest, in milliseconds. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Minimum wait, in milliseconds, after which a missing response counts: shorter waits prove nothing. */
const FAIR_WAIT_MS = 5_000;
/** Tolerance of timers that fire before the clock has reached their time, in milliseconds. */
const TIMER_SLACK_MS = 10;

/** A call that is sent. One of the two is to be called, once. */
export interface BreakerCall {
  answered(): void;
  /** Nothing came back. */
  failed(reason: string): void;
}

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #name: string;
  #failures = 0;
  #pauseMs = 0;
  #retryAt = 0;
  #isTrying = false;
  #message = '';
  /** Number of Retry-After responses. */
  #rests = 0;

  /** @param name  of who is called, for people: `the cloud` */
  constructor(clock: Clock, name: string) {
    this.#clock = clock;
    this.#name = name;
  }

  /** @throws {TransientError} the breaker is open, or another call is probing the service */
  check(): void {
    if (this.#pauseMs === 0) return;
    const leftMs = this.#retryAt - this.#clock.now();
    // mutant: outage-everybody-tries if -> $1
    if (leftMs <= 0 && !this.#isTrying) return;
    const retryAfterMs = Math.ceil(Math.max(leftMs, FIRST_PAUSE_MS));
    throw new TransientError(this.#message, { retryAfterMs });
  }

  /** Just before a call is sent. @throws as `check` */
  begin(deadlineAt: number): BreakerCall {
    this.check();
    const isTrial = this.#pauseMs > 0;
    if (isTrial) this.#isTrying = true;
    const beganAt = this.#clock.now();
    const rests = this.#rests;
    const over = (): void => {
      if (isTrial) this.#isTrying = false;
    };
    return {
      answered: () => {
        over();
        // A call from before the Retry-After says nothing about the state now.
        // mutant: outage-rest-ended if -> true
        if (rests === this.#rests) this.#end();
      },
      failed: (reason) => {
        over();
        const now = this.#clock.now();
        const isImpatience = now >= deadlineAt - TIMER_SLACK_MS && now - beganAt < FAIR_WAIT_MS;
        // mutant: outage-by-impatience if -> true
        if (!isImpatience) this.#failed(reason, isTrial);
      },
    };
  }

  /** It answered that it is not to be called for so long. @param service  for people */
  rest(retryAfterMs: number, service: string): void {
    const pauseMs = boundedPauseMs(retryAfterMs);
    const now = this.#clock.now();
    this.#rests++;
    this.#failures = 0;
    if (this.#pauseMs > 0 && this.#retryAt >= now + pauseMs) return;
    this.#pauseMs = pauseMs;
    this.#retryAt = now + pauseMs;
    this.#message = `service '${service}' returned 503 with Retry-After; pausing its requests until ${instant(this.#retryAt)}`;
  }

  #end(): void {
    this.#failures = 0;
    this.#pauseMs = 0;
  }

  #failed(reason: string, isTrial: boolean): void {
    this.#failures++;
    // Those that were under way when the outage began say nothing new.
    if (!isTrial && (this.#failures < CALLS || this.#pauseMs > 0)) return;
    this.#message = `${this.#name} does not answer: ${reason}`;
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#retryAt = this.#clock.now() + this.#pauseMs;
  }
}

/**
 * Circuit breakers of the services of one cloud. Callers that use the same connection share them: the response to one
 * concerns all.
 */
export class CircuitBreakers {
  readonly #clock: Clock;
  readonly #name: string;
  readonly #all = new Map<string, CircuitBreaker>();

  /** @param name  as that of `CircuitBreaker` */
  constructor(clock: Clock, name: string) {
    this.#clock = clock;
    this.#name = name;
  }

  /** @param base  where the service is; some name a project in its path, which makes no other service of it */
  of(service: string, base: string): CircuitBreaker {
    const key = `${service} ${new URL(base).origin}`;
    const outage = this.#all.get(key) ?? new CircuitBreaker(this.#clock, this.#name);
    this.#all.set(key, outage);
    return outage;
  }
}

/** In whole seconds of UTC. */
function instant(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
