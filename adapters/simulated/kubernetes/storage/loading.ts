// Reads a folder: the snapshot, then the logs that continue it.
import { join } from 'node:path';
import { TerminalError } from '../../../../bus/errors.ts';
import { type DataFile, type Files, linesOf } from './files.ts';
import { Log, logName, logNumber } from './log.ts';
import { type Head, parseHead, parseRecord, recordsOf } from './records.ts';
import { SNAPSHOT, UNFINISHED_SNAPSHOT } from './snapshot.ts';
import type { Store } from './store.ts';

export interface Loaded {
  /** The log that is written on. */
  readonly current: Log;
  /** Size of the logs before it, in bytes. */
  readonly olderBytes: number;
  readonly snapshotBytes: number;
  /** The oldest log that is there. */
  readonly firstLog: number;
}

/**
 * Fills a store with what is in a folder.
 *
 * @throws {TerminalError} something is damaged that a crash cannot explain; the files are as they were
 */
export async function loadFolder(folder: string, files: Files, store: Store): Promise<Loaded> {
  const names = await files.list(folder);
  const snapshot = names.includes(SNAPSHOT) ? await readSnapshot(join(folder, SNAPSHOT), files, store) : undefined;
  const firstLog = snapshot?.firstLog ?? 1;
  const numbers = names
    .map(logNumber)
    .filter((number) => number !== undefined)
    .sort((left, right) => left - right);
  const logs: ReadLog[] = [];
  for (const number of numbers.filter((one) => one >= firstLog)) {
    const expected = firstLog + logs.length;
    if (number !== expected) throw missing(join(folder, logName(expected)));
    const path = join(folder, logName(number));
    const isStart = snapshot === undefined && logs.length === 0;
    const log = await reading(path, files, (file) => readLog(path, file, store, snapshot?.revision, isStart));
    const torn = logs.find(({ tornLine }) => tornLine !== undefined);
    if (torn !== undefined && log.changedLines > 0) throw damaged(torn.path, torn.tornLine ?? 0, CHECKSUM);
    logs.push(log);
  }
  if (snapshot !== undefined && logs.length === 0) throw missing(join(folder, logName(firstLog)));

  // Nothing is wrong: from here on files are changed.
  await files.remove(join(folder, UNFINISHED_SNAPSHOT));
  for (const number of numbers) if (number < firstLog) await files.remove(join(folder, logName(number)));
  // Logs that were begun and never written; the one before them may be torn.
  while (logs.length > 1 && logs.at(-1)?.changedLines === 0) await files.remove(logs.pop()?.path ?? '');
  const last = logs.at(-1);
  const number = firstLog + Math.max(0, logs.length - 1);
  let current: Log;
  if (last === undefined || last.length === 0) {
    current = await Log.begin(folder, number, store.revision(), files);
  } else {
    current = new Log(folder, number, await files.open(last.path), last.length);
    if (last.tornLine !== undefined) await current.cut();
  }
  const olderBytes = logs.slice(0, -1).reduce((sum, { length }) => sum + length, 0);
  return { current, olderBytes, snapshotBytes: snapshot?.bytes ?? 0, firstLog };
}

const CHECKSUM = 'its checksum is not the one of its content';

interface ReadSnapshot {
  readonly revision: number;
  readonly firstLog: number;
  readonly bytes: number;
}

function readSnapshot(path: string, files: Files, store: Store): Promise<ReadSnapshot> {
  return reading(path, files, async (file) => {
    let head: Extract<Head, { kind: 'snapshot' }> | undefined;
    let count = 0;
    let isEnded = false;
    let bytes = 0;
    for await (const line of linesOf(file)) {
      bytes = line.offset + line.bytes.length + 1;
      const [record] = recordsOf(line.bytes) ?? [];
      if (!line.isWhole || record === undefined) throw damaged(path, line.number, CHECKSUM);
      inLine(path, line.number, () => {
        if (head === undefined) {
          const parsed = parseHead(record);
          if (parsed.kind !== 'snapshot') throw new Error(`it begins a ${parsed.kind}`);
          head = parsed;
          store.restoreRevision(parsed.revision);
          return;
        }
        const parsed = parseRecord(record);
        if (isEnded) throw new Error('it comes after the end');
        if (parsed.kind === 'end') {
          if (parsed.count !== count) throw new Error(`it ends ${parsed.count} objects, and there are ${count}`);
          isEnded = true;
        } else {
          if (parsed.stored === undefined) throw new Error('it deletes something');
          store.restore(parsed.key, parsed.stored);
          count++;
        }
      });
    }
    if (head === undefined || !isEnded) throw damaged(path, count + 2, 'it is missing');
    const { revision, firstLog } = head;
    return { revision, firstLog, bytes };
  });
}

interface ReadLog {
  readonly path: string;
  /** Length of the part that is whole, in bytes. */
  readonly length: number;
  /** Lines but the first. */
  readonly changedLines: number;
  /** The number of a last line that never got to the disk as a whole. */
  readonly tornLine: number | undefined;
}

/**
 * @param known  revision up to which changes are in the store already
 * @param isStart  whether the store begins with this log
 */
async function readLog(
  path: string,
  file: DataFile,
  store: Store,
  known: number | undefined,
  isStart: boolean,
): Promise<ReadLog> {
  let length = 0;
  let changedLines = 0;
  let tornLine: number | undefined;
  for await (const line of linesOf(file)) {
    if (tornLine !== undefined) throw damaged(path, tornLine, CHECKSUM);
    const records = line.isWhole ? recordsOf(line.bytes) : undefined;
    if (records === undefined) {
      // Blocks that never reached the disk are read as zeros, which are in no line that was written.
      if (line.isWhole && !line.bytes.includes(0)) throw damaged(path, line.number, CHECKSUM);
      tornLine = line.number;
      continue;
    }
    length = line.offset + line.bytes.length + 1;
    inLine(path, line.number, () => {
      if (line.number === 1) {
        const { kind, revision } = parseHead(records[0] ?? '');
        if (kind !== 'log') throw new Error(`it begins a ${kind}`);
        if (isStart) store.restoreRevision(revision);
        return;
      }
      changedLines++;
      for (const record of records) {
        const parsed = parseRecord(record);
        if (parsed.kind !== 'change') throw new Error('it ends a snapshot');
        if (known !== undefined && parsed.revision <= known) continue;
        if (parsed.revision <= store.revision()) throw new Error(`its revision is not after ${store.revision()}`);
        store.restoreChange(parsed.key, parsed);
      }
    });
  }
  return { path, length, changedLines, tornLine };
}

async function reading<T>(path: string, files: Files, read: (file: DataFile) => Promise<T>): Promise<T> {
  const file = await files.open(path);
  return read(file).finally(() => file.close());
}

/** Says where an error is. */
function inLine(path: string, number: number, read: () => void): void {
  try {
    read();
  } catch (error) {
    throw damaged(path, number, error instanceof Error ? error.message : String(error), error);
  }
}

function damaged(path: string, line: number, why: string, cause?: unknown): TerminalError {
  return new TerminalError(
    `the file '${path}' cannot be read at line ${line}: ${why}; nothing was changed: put back a copy of the folder, or begin with another one`,
    { cause },
  );
}

const missing = (path: string): TerminalError =>
  new TerminalError(`the file '${path}' is missing: put back a copy of the folder, or begin with another one`);
