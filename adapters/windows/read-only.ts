// Disks that Windows has attached read-only, as by its policy for storage that several machines may share. They stay
// read-only: an administrator may want that. Pure.
import type { JsonObject } from '../../bus/json.ts';
import { READY, Reason, unready, type Verdict } from './conditions.ts';
import { numberOf } from './values.ts';

/** Error texts of Windows for a write to such a disk, in English only. */
const REFUSED = /write[ -]?protect|read[ -]?only/i;
export const READ_ONLY_TODO = 'if it is to be written, have that on the machine: Set-Disk -IsReadOnly $false';

/** What Windows has said, with what to do where the disk may be such a one. */
export function explained(message: string): string {
  return REFUSED.test(message) ? `${message}; its disk may be attached read-only: ${READ_ONLY_TODO}` : message;
}

/** Verdict on a disk that is as specified: it can be read. */
export function usable(disk: JsonObject): Verdict {
  return disk['isReadOnly'] === true ? { ready: true, reason: Reason.DiskReadOnly, message: reported(disk) } : READY;
}

/** Verdict on a disk that must be written before it is as specified. @returns undefined if it can be */
export function unwritable(disk: JsonObject): Verdict | undefined {
  return disk['isReadOnly'] === true
    ? unready(Reason.DiskReadOnly, `it cannot be partitioned: ${reported(disk)}`)
    : undefined;
}

function reported({ number }: JsonObject): string {
  return `Windows has attached the disk, number ${numberOf(number)}, read-only; ${READ_ONLY_TODO}`;
}
