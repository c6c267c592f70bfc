// Writes the changes of a store to a folder, and replaces logs by a snapshot when they outgrow it.
//
// Invariants:
//   KSIM-JOURNAL-1. A snapshot is of what the store had at one revision, and gets its place only when all of that is in the logs.
//   KSIM-JOURNAL-2. No log is deleted before the snapshot that replaces it is in its place.
import { join } from 'node:path';
import type { Clock } from '../../../../bus/time.ts';
import type { Files } from './files.ts';
import type { Loaded } from './loading.ts';
import { Log, logName } from './log.ts';
import { deleteRecord, lineOf, putRecord } from './records.ts';
import type { Entry, Journal } from './settlement.ts';
import { writeSnapshot } from './snapshot.ts';
import type { Store } from './store.ts';
import type { Stored } from './stored.ts';

/** Time without writes after a folder could not be written, in milliseconds. */
const PAUSE_MS = 100;

/** A snapshot that failed is tried again when the logs have grown by this. */
const RETRY_GROWTH = 1.5;

export interface StorageLog {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface FileJournalOptions {
  readonly folder: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: StorageLog | undefined;
  /** Size of the logs, in bytes, below which no snapshot replaces them. */
  readonly leastCompactionBytes: number;
}

export class FileJournal implements Journal {
  readonly #options: FileJournalOptions;
  #store: Store | undefined;
  #current: Log | undefined;
  /** The oldest log that is there. */
  #firstLog = 0;
  /** Names of the logs before the current one. */
  #olderBytes = 0;
  #compactAtBytes = 0;
  #compaction: Promise<void> | undefined;

  constructor(options: FileJournalOptions) {
    this.#options = options;
  }

  /** Goes on where a folder was left. Nothing is written before. */
  begin(store: Store, loaded: Loaded): void {
    this.#store = store;
    this.#current = loaded.current;
    this.#firstLog = loaded.firstLog;
    this.#olderBytes = loaded.olderBytes;
    this.#compactAtBytes = Math.max(this.#options.leastCompactionBytes, loaded.snapshotBytes);
  }

  async write(entries: readonly Entry[]): Promise<void> {
    const current = this.#current;
    if (current === undefined) throw new Error('the journal is not open');
    try {
      await current.write(lineOf(entries.map(recordOf)));
    } catch (error) {
      throw explained(error, current.path);
    }
    const bytes = this.#olderBytes + current.length;
    if (this.#compaction !== undefined || bytes < this.#compactAtBytes) return;
    try {
      await this.#compact(current, bytes, entries.at(-1)?.change.revision ?? 0);
    } catch (error) {
      this.#giveUp(error, bytes); // what was written is safe all the same
    }
  }

  pause(): Promise<void> {
    return this.#options.clock.sleep(PAUSE_MS);
  }

  async close(): Promise<void> {
    await this.#compaction;
    await this.#current?.close();
    this.#current = undefined;
  }

  /** Goes on in a new log; a snapshot that is written meanwhile replaces the ones before. */
  async #compact(current: Log, bytes: number, written: number): Promise<void> {
    const { folder, files, log } = this.#options;
    const store = this.#store;
    if (store === undefined) return;
    const next = await Log.begin(folder, current.number + 1, written, files);
    this.#current = next;
    this.#olderBytes = bytes;
    // Changes that are not settled are in the next log at the earliest.
    const revision = store.revision();
    const settled = store.settled();
    const objects = [...store.collections()].flatMap(({ key, list }) =>
      list(undefined, '').map((stored): readonly [string, Stored] => [key, stored]),
    );
    const stays = async (): Promise<boolean> => (await settled) === undefined; // KSIM-JOURNAL-1
    const finish = async (): Promise<void> => {
      await current.close();
      const size = await writeSnapshot(folder, { revision, firstLog: next.number, objects, stays }, files);
      if (size === undefined) throw new Error('changes that it would have kept were undone');
      this.#olderBytes -= bytes;
      this.#compactAtBytes = Math.max(this.#options.leastCompactionBytes, size);
      for (; this.#firstLog < next.number; this.#firstLog++) await files.remove(join(folder, logName(this.#firstLog))); // KSIM-JOURNAL-2
      log?.debug({ folder, revision, objects: objects.length, bytes: size }, 'a snapshot replaced the logs');
    };
    this.#compaction = finish()
      .catch((error: unknown) => this.#giveUp(error, bytes))
      .finally(() => (this.#compaction = undefined));
  }

  #giveUp(error: unknown, bytes: number): void {
    const { folder, log } = this.#options;
    this.#compactAtBytes = bytes * RETRY_GROWTH;
    log?.error({ err: error, folder }, 'no snapshot could be made: the logs stay and grow');
  }
}

function recordOf({ key, change: { type, revision, stored } }: Entry): string {
  const { namespace = '', name = '' } = stored.metadata;
  return type === 'DELETED' ? deleteRecord(key, revision, namespace, name) : putRecord(key, revision, stored.text);
}

/** The failure, its place, and the remedy. */
function explained(error: unknown, path: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
  const what = isFull ? `there is no space for '${path}'` : `'${path}' could not be written`;
  const remedy = isFull ? 'make room there' : 'check the disk';
  const why = `${what} (${message}): nothing of this was stored, and all that was stored before is safe`;
  return new Error(`${why}; ${remedy} and try again`, { cause: error });
}
