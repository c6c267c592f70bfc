// The names of leases, and the keys under which they are kept: whoever asks for one and whoever may have it agree here.
import { encodeToken } from './subjects.ts';

/** Of who turns the API server's watch into mail. */
export const WATCH_LEASE = 'role.watch';

/** Says that the bucket is new; no encoded name looks like it. */
export const FRESH = '=fresh';

/** A lease's name as a key of the bucket: its `%` would not be allowed there. */
export function leaseKey(name: string): string {
  return encodeToken(name).replaceAll('%', '=');
}
