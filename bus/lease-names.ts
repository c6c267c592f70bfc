// Names of leases, and their keys: shared by requests and permissions.
import { encodeToken } from './subjects.ts';

/** Lease of the watch leader. */
export const WATCH_LEASE = 'role.watch';

/** Says that the bucket is new; no encoded name looks like it. */
export const FRESH = '=fresh';

/** A lease's name as a key of the bucket: its `%` would not be allowed there. */
export function leaseKey(name: string): string {
  return encodeToken(name).replaceAll('%', '=');
}
