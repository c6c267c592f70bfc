// The log: every change is in it before any client learns of it.
//
// Invariants:
//   KSIM-LOG-1. What was written and not refused is whole and on the disk, and nothing is behind it but what was refused.
//   KSIM-LOG-2. What was refused is cut off before anything else is written.
//   KSIM-LOG-3. Logs are numbered without a gap. All but the last one are whole.
import { join } from 'node:path';
import { append, type DataFile, type Files } from './files.ts';
import { lineOf, logHead } from './records.ts';

export const logName = (number: number): string => `log-${String(number).padStart(6, '0')}`;

/** @returns the number of a log with this name, or undefined */
export function logNumber(name: string): number | undefined {
  const match = /^log-(\d{6,15})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** The log that is being written. */
export class Log {
  readonly path: string;
  readonly number: number;
  readonly #file: DataFile;
  #length: number;
  #hasTail = false;

  /** @param length  of what is whole, in bytes; what is behind it is cut off */
  constructor(folder: string, number: number, file: DataFile, length: number) {
    this.path = join(folder, logName(number));
    this.number = number;
    this.#file = file;
    this.#length = length;
  }

  /** Makes a log for changes after a revision, or begins one again that has none yet. */
  static async begin(folder: string, number: number, revision: number, files: Files): Promise<Log> {
    const file = await files.open(join(folder, logName(number)));
    try {
      const head = lineOf([logHead(revision)]);
      await file.truncate(0);
      await append(file, head, 0);
      await files.syncFolder(folder);
      return new Log(folder, number, file, head.length);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a line. @throws {Error} it is not there */
  async write(line: Buffer): Promise<void> {
    if (this.#hasTail) await this.cut(); // KSIM-LOG-2
    this.#hasTail = true;
    try {
      await append(this.#file, line, this.#length);
    } catch (error) {
      await Promise.allSettled([this.cut()]); // if it fails, the next write tries it again
      throw error;
    }
    this.#hasTail = false;
    this.#length += line.length;
  }

  /** Cuts off what is behind the whole lines. */
  async cut(): Promise<void> {
    await this.#file.truncate(this.#length);
    await this.#file.sync();
    this.#hasTail = false;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
