// A store that survives: a folder with a snapshot and the logs of what came after it. records.ts tells their format.
//
// Invariants:
//   KSIM-FOLDER-1. At any instant the snapshot and the logs together hold every acknowledged change; a crash at any
//       point leaves a folder that opens with them.
//   KSIM-FOLDER-2. Only the end of the last log may be torn, which was not acknowledged. Any other damage is refused, not repaired.
//   KSIM-FOLDER-3. The revision never goes back.
import type { Clock } from '../../../../bus/time.ts';
import type { Files } from './files.ts';
import type { HistoryLimits } from './history.ts';
import { FileJournal, type StorageLog } from './journal.ts';
import { loadFolder } from './loading.ts';
import { memoryStore, type Store } from './store.ts';

/** Size of logs that are not worth a snapshot, in bytes. */
const LEAST_COMPACTION_BYTES = 32 * 1024 * 1024;

export interface FolderOptions {
  /** Made, for its owner alone, when it is not there. */
  readonly folder: string;
  readonly clock: Clock;
  /** Most that each collection remembers of its changes. */
  readonly remembered: HistoryLimits;
  /** First revision of a new folder. */
  readonly firstRevision: number;
  readonly log: StorageLog | undefined;
  readonly files: Files;
  /** Size of the logs, in bytes, below which no snapshot replaces them; 32 MiB unless told. */
  readonly leastCompactionBytes?: number;
}

export interface FolderStore {
  readonly store: Store;
  /** Waits until all is on the disk, and gives the folder back. */
  close(): Promise<void>;
}

/** @throws {TerminalError} the folder is in use by another server, or damaged */
export async function openFolder({
  folder,
  clock,
  remembered,
  firstRevision,
  log,
  files,
  leastCompactionBytes = LEAST_COMPACTION_BYTES,
}: FolderOptions): Promise<FolderStore> {
  const release = await files.take(folder);
  try {
    const journal = new FileJournal({ folder, files, clock, log, leastCompactionBytes });
    const store = memoryStore({ remembered, firstRevision, journal });
    journal.begin(store, await loadFolder(folder, files, store));
    return {
      store,
      async close() {
        await store.close();
        await journal.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
