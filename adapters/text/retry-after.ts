// `Retry-After`, as any HTTP server may send it.
import { boundedPauseMs } from '../../bus/errors.ts';

/** In milliseconds, no longer than anybody is waited for; it comes as seconds or as a date. Undefined: it is not there, or neither. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return boundedPauseMs(Number(value) * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : boundedPauseMs(Math.ceil(at - now));
}
