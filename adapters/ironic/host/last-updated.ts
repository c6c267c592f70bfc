// The statuses that tell when they were written last: whether there is anything new to write. Pure.

import { isDeepStrictEqual } from 'node:util';
import type { Maybe } from './host-json.ts';

interface Updated {
  readonly lastUpdated?: Maybe<string>;
}

/** Whether they say the same at perhaps another time, whatever the order of members. */
export function isSameStatus(stored: Maybe<Updated>, status: Updated): boolean {
  return stored != null && isDeepStrictEqual({ ...stored, lastUpdated: '' }, { ...status, lastUpdated: '' });
}
