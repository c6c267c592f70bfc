// File systems that were seen on a disk, by the volumes that had them. Windows may say of a volume that it has none, for a while or for
// good: what was seen once is kept from being formatted over, as long as the disk is known. Pure.
//
// Invariants:
//   WIN-FILE-SYSTEMS-1. Records of one disk are merged, wherever they come from: of each volume the latest counts, and none is lost with an object.
//   WIN-FILE-SYSTEMS-2. A record stands in the way of the volume that it is of, and, if no volume of the disk is that one any more, of all volumes: it
//       may be called otherwise by now.
import { listOf, mapOf, textOf } from './values.ts';

/** A type, as an interface would be no JSON. */
export type SeenFileSystem = {
  readonly volumeID: string;
  /** When it was seen first, or made last. */
  readonly seenAt: string;
};

/** Records of a disk that are kept at most, the latest. */
const MOST_RECORDS = 128;

export function seenIn(records: unknown): readonly SeenFileSystem[] {
  return listOf(records)
    .map(mapOf)
    .map(({ volumeID, seenAt }) => ({ volumeID: textOf(volumeID), seenAt: textOf(seenAt) }))
    .filter(({ volumeID, seenAt }) => volumeID !== '' && seenAt !== '');
}

/** In an order that does not depend on where they come from (WIN-FILE-SYSTEMS-1). */
export function mergedSeen(...all: readonly (readonly SeenFileSystem[])[]): readonly SeenFileSystem[] {
  const latest = new Map<string, string>();
  for (const { volumeID, seenAt } of all.flat()) {
    const known = latest.get(volumeID);
    if (known === undefined || known < seenAt) latest.set(volumeID, seenAt);
  }
  return [...latest]
    .map(([volumeID, seenAt]) => ({ volumeID, seenAt }))
    .sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
    .slice(0, MOST_RECORDS);
}

function keyOf({ seenAt, volumeID }: SeenFileSystem): string {
  return `${seenAt} ${volumeID}`;
}

/** The latest; undefined: there is none. */
export function latestSeen(records: readonly SeenFileSystem[]): string | undefined {
  return mergedSeen(records)[0]?.seenAt;
}

/** @param present  all volumes that are on the disk now */
export function seenOn(
  records: readonly SeenFileSystem[],
  volumeID: string,
  present: readonly string[],
): string | undefined {
  // mutant: file-system-of-other-name ||.2 -> false
  return latestSeen(records.filter((each) => each.volumeID === volumeID || !present.includes(each.volumeID)));
}

/** The latest of these times. */
export function latestOf(...times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((each) => each !== undefined)
    .toSorted()
    .at(-1);
}

/** Field by which a user gives up a recorded file system. */
export const DISCARD = 'discardFileSystemSeen';

/** Whether something may be made where a file system was seen: there was none, or the object says that just this one may be lost. */
export function isGivenUp(spec: Readonly<Record<string, unknown>> | undefined, seenAt: string | undefined): boolean {
  // mutant: file-system-seen-once === -> true
  return seenAt === undefined || spec?.[DISCARD] === seenAt;
}

/** The time of a file system that was made over another one: later than what was seen there, so that no order is for both. */
export function madeAt(now: string, seenAt: string | undefined): string {
  if (seenAt === undefined || seenAt < now) return now;
  return new Date(Date.parse(seenAt) + 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
}
