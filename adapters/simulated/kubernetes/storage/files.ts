// The few operations on files that the storage needs; tests let them fail.
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { lockFolder } from './lock.ts';

/** A file that is written from its end, and read from its beginning. */
export interface DataFile {
  /** @returns the bytes that were written, which may be fewer than given */
  write(bytes: Buffer, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Returns when what was written is on the disk. */
  sync(): Promise<void>;
  chunks(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface Files {
  /** Makes a folder, for its owner alone, unless it is there, and takes it. @returns gives it back */
  take(folder: string): Promise<() => void>;
  /** Opens a file for reading and writing; makes it, for its owner alone, when it is not there. */
  open(path: string): Promise<DataFile>;
  /** Returns when the names in a folder are on the disk. */
  syncFolder(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file if it is there. */
  remove(path: string): Promise<void>;
}

export const realFiles: Files = {
  async take(folder) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    return lockFolder(folder);
  },
  async open(path) {
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    return {
      write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
      truncate: (length) => handle.truncate(length),
      sync: () => handle.datasync(),
      chunks: () => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1024 * 1024 }),
      close: () => handle.close(),
    };
  },
  async syncFolder(path) {
    const handle = await open(path, 'r');
    await handle.sync().finally(() => handle.close());
  },
  list: (folder) => readdir(folder),
  rename,
  remove: (path) => rm(path, { force: true }),
};

/** Writes all bytes, and returns when they are on the disk. */
export async function append(file: DataFile, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count === 0) throw new Error('the file takes no more bytes');
    written += count;
  }
  await file.sync();
}

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Start, in bytes. */
  readonly offset: number;
  /** Without the line feed. */
  readonly bytes: Buffer;
  /** Whether a line feed ends it. */
  readonly isWhole: boolean;
}

export async function* linesOf(file: DataFile): AsyncGenerator<Line> {
  const LINE_FEED = 0x0a;
  let parts: Buffer[] = [];
  let number = 1;
  let offset = 0;
  const take = (isWhole: boolean): Line => {
    const bytes = Buffer.concat(parts);
    const line = { number, offset, bytes, isWhole };
    parts = [];
    number++;
    offset += bytes.length + 1;
    return line;
  };
  for await (const chunk of file.chunks()) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, at));
      yield take(true);
      from = at + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (parts.length > 0) yield take(false);
}
