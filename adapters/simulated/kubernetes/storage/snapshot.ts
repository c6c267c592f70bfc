// The snapshot: all objects at one revision, in one file, so that the logs before it can go.
//
// Invariants:
//   KSIM-SNAPSHOT-1. A file named `snapshot` is whole: it gets its name when all of it is on the disk.
//   KSIM-SNAPSHOT-2. Every change of a revision that is not in the snapshot is in a log from its `firstLog` on.
import { join } from 'node:path';
import { append, type Files } from './files.ts';
import { endRecord, lineOf, putRecord, snapshotHead } from './records.ts';
import type { Stored } from './stored.ts';

export const SNAPSHOT = 'snapshot';
export const UNFINISHED_SNAPSHOT = 'snapshot.new';

/** Bytes that are written at a time: few enough that requests hardly wait for them. */
const CHUNK_BYTES = 256 * 1024;

export interface SnapshotContent {
  readonly revision: number;
  readonly firstLog: number;
  /** Each with the key of its collection. */
  readonly objects: readonly (readonly [string, Stored])[];
  /** Whether all this will stay: nothing is kept of what is undone. */
  readonly stays: () => Promise<boolean>;
}

/** @returns its size in bytes, or undefined when what it would have kept was undone */
export async function writeSnapshot(
  folder: string,
  { revision, firstLog, objects, stays }: SnapshotContent,
  files: Files,
): Promise<number | undefined> {
  const path = join(folder, UNFINISHED_SNAPSHOT);
  const file = await files.open(path);
  let position = 0;
  let isWanted = false;
  try {
    await file.truncate(0);
    let chunk: Buffer[] = [];
    let size = 0;
    const flush = async (): Promise<void> => {
      await append(file, Buffer.concat(chunk), position);
      position += size;
      chunk = [];
      size = 0;
    };
    const add = (record: string): number => {
      const line = lineOf([record]);
      chunk.push(line);
      size += line.length;
      return size;
    };
    add(snapshotHead(revision, firstLog));
    for (const [key, stored] of objects) {
      if (add(putRecord(key, stored.revision, stored.text)) >= CHUNK_BYTES) await flush();
    }
    add(endRecord(objects.length));
    await flush();
    isWanted = await stays();
  } finally {
    await file.close();
    if (!isWanted) await files.remove(path);
  }
  if (!isWanted) return undefined;
  await files.rename(path, join(folder, SNAPSHOT)); // KSIM-SNAPSHOT-1
  await files.syncFolder(folder);
  return position;
}
