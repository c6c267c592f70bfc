// Backoff: pause before a failed attempt is retried.
import type { ErrorData } from './object.ts';

/**
 * Twice as long with each failure, up to a limit, and no less than the other side asked for: how long that may be is the affair of who
 * hears it. In milliseconds, without jitter.
 *
 * @param failures  in a row, the last one included
 */
export function growingPauseMs(
  failures: number,
  { firstMs, limitMs }: { readonly firstMs: number; readonly limitMs: number },
  error?: Pick<ErrorData, 'retryAfterMs'>,
): number {
  return Math.max(Math.min(firstMs * 2 ** Math.max(0, failures - 1), limitMs), error?.retryAfterMs ?? 0);
}
