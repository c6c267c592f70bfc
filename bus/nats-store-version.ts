// Version of the nats-server that wrote a directory. An older server cannot open the store of a newer one: it starts,
// never becomes ready, and reports nothing.
import { execFile } from 'node:child_process';
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** `2.12.3`. */
export type NatsVersion = string;

/** Timeout for a program to print its version, in milliseconds. */
const ANSWER_MS = 5_000;

/** Undefined: it does not say. */
export async function natsVersion(program: string): Promise<NatsVersion | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: ANSWER_MS });
    return /\bv(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  } catch {
    return undefined; // its start reports the reason
  }
}

/** Whether a store of the second may be opened by the first: patches do not change what is written. */
export function reads(reader: NatsVersion, writer: NatsVersion): boolean {
  return compare(minor(reader), minor(writer)) >= 0;
}

/** Negative if the first is older. An unknown version is older than all. */
export function compareNats(one: NatsVersion | undefined, other: NatsVersion | undefined): number {
  return compare(numbers(one ?? '0'), numbers(other ?? '0'));
}

/** Newest server that has opened the store of this directory; undefined without a store, or if unknown. */
export async function writtenBy(folder: string): Promise<NatsVersion | undefined> {
  try {
    await access(join(folder, 'data'));
  } catch {
    return undefined; // nothing is stored
  }
  const recorded = /^\d+\.\d+\.\d+$/.exec((await textOf(join(folder, RECORD))).trim())?.[0];
  // Before there was such a record the log said it at each start.
  return recorded ?? [...(await textOf(join(folder, 'nats.log'))).matchAll(/Version: +(\d+\.\d+\.\d+)/g)].at(-1)?.[1];
}

/** Says by whom the store is written from now on. Before that one begins, as it may be killed at any time. */
export async function recordWriter(folder: string, version: NatsVersion): Promise<void> {
  const file = join(folder, RECORD);
  await writeFile(`${file}.new`, `${version}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

const RECORD = 'written-by';

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function numbers(version: NatsVersion): readonly number[] {
  return version.split('.').map(Number);
}

function minor(version: NatsVersion): readonly number[] {
  return numbers(version).slice(0, 2);
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, part] of one.entries()) {
    const difference = part - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
