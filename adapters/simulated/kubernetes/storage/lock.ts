// One server a folder.
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TerminalError } from '../../../../bus/errors.ts';

/** SQLite's code for a file that another connection has locked. */
const SQLITE_BUSY = 5;

/**
 * Takes a folder. The lock is the operating system's, on an empty database in it: it ends with the process, in any case
 * of end, and a dead process's file need not be distinguished from a living one's.
 *
 * @returns gives it back
 * @throws {TerminalError} another server has it
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock');
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode !== SQLITE_BUSY) throw error;
    throw new TerminalError(
      `the folder '${folder}' is in use by another API server: end that one, or name another folder`,
      { cause: error },
    );
  }
  return () => database.close();
}
