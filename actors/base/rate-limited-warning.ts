// Rate-limited warning about events that others can cause at will: a flood of messages must not fill the disk.
import type { Logger } from 'pino';
import type { Clock } from '../../bus/mod.ts';

export interface RateLimitedWarningDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Minimum time between two log lines, in milliseconds. */
const PAUSE_MS = 1_000;

export class RateLimitedWarning {
  readonly #deps: RateLimitedWarningDeps;
  readonly #message: string;
  #untold = 0;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(message: string, deps: RateLimitedWarningDeps) {
    this.#message = message;
    this.#deps = deps;
  }

  /** Logs one line per interval, with the number of suppressed ones since the last. */
  report(fields: object): void {
    const { clock, log } = this.#deps;
    const now = clock.now();
    if (now < this.#quietUntil) {
      this.#untold += 1;
      return;
    }
    log.warn({ ...fields, ...(this.#untold > 0 && { others: this.#untold }) }, this.#message);
    this.#untold = 0;
    this.#quietUntil = now + PAUSE_MS;
  }
}
