// A lease as the bucket has it: JSON on one line.
import type { LeaseRecord } from './bus.ts';
import { isJsonObject, parseJsonObject } from './json.ts';

/** Lease in a bucket. */
export interface StoredLease extends LeaseRecord {
  readonly token: string;
  readonly leaseMs: number;
}

/** Lease in a message; undefined for deletions, the entry `=fresh` and anything else. */
export function parseLease({
  payload,
  deleted,
}: {
  readonly payload: string;
  readonly deleted: boolean;
}): StoredLease | undefined {
  if (deleted || payload === '') return undefined;
  const { name, holder, token, leaseMs, note } = (parseJsonObject(payload) ?? {}) as Partial<StoredLease>;
  if (typeof name !== 'string' || typeof holder !== 'string' || typeof token !== 'string') return undefined;
  return { ...recordOf({ name, holder, note }), token, leaseMs: typeof leaseMs === 'number' ? leaseMs : 0 };
}

/** Public part of a lease. */
export function recordOf({ name, holder, note }: { name: string; holder: string; note?: unknown }): LeaseRecord {
  return { name, holder, ...(isJsonObject(note) && { note }) };
}
