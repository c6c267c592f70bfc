// Backoff: pause before a failed attempt is retried.
import { growingPauseMs } from '../backoff.ts';

const MINUTE_MS = 60_000;
/** More failures do not wait longer. */
const COUNT_LIMIT = 9;
const RETRY_FIRST_MS = 5;
const RETRY_LIMIT_MS = 1_000_000;

/**
 * Pause after a failure that the status reports: doubled with each one, less up to a half of it.
 *
 * @param errorCount  `status.errorCount`
 * @param random  uniform in [0, 1); 0 is the longest pause
 * @returns milliseconds
 */
export function backoffMs(errorCount: number | null | undefined, random: number): number {
  const count = Math.min(Math.max(0, errorCount ?? 0), COUNT_LIMIT);
  const longest = 2 ** count;
  return (longest - random * 0.5 * longest) * MINUTE_MS;
}

/**
 * Pause after a failure that no status reports. @param attempts in a row, the failed one included @returns milliseconds
 */
export function retryMs(attempts: number): number {
  return growingPauseMs(attempts, { firstMs: RETRY_FIRST_MS, limitMs: RETRY_LIMIT_MS });
}
