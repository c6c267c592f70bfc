// A store of a simulated cloud that is kept in a file, and there again at the next start.
//
// Invariants:
//   OSIM-KEPT-STORE-1. `settled` resolves when all that the store had at the call is in the file: no answer leaves before.
//   OSIM-KEPT-STORE-2. A process that is killed at any time leaves a file that can be read: what one write adds is one line, and a last line
//       that is not whole was never answered for.
//   OSIM-KEPT-STORE-3. The file is replaced by a whole one, in one step.
//
// All that changed since is found by comparing texts, as items are changed in many places: a millisecond for a thousand items.
// Callers that wait meanwhile share the next write.
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TerminalError, toErrorData } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import type { Clock } from '../../../bus/time.ts';
import { Store, type StoredRecord } from './store.ts';

const FORMAT = 1;
/** The file is written again when it has this size and is this many times as large as it need be. */
const LEAST_REWRITE_BYTES = 1_048_576;
const REWRITE_FACTOR = 4;

interface Head extends JsonObject {
  readonly format: number;
  readonly port: number;
}

/** A change; without a value: it is deleted. */
type Change = readonly [key: string, value?: JsonObject];

export class KeptStore {
  readonly store: Store;
  /** Address at which the cloud was served; undefined: it is a new one. */
  readonly port: number | undefined;
  readonly #path: string;
  /** Content of the file. */
  #known = new Map<string, string>();
  #head: Head = { format: FORMAT, port: 0 };
  #file: FileHandle | undefined;
  /** Length of the part that is whole, in bytes. */
  #length = 0;
  #rewriteAtBytes = 0;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, store: Store, port: number | undefined) {
    this.#path = path;
    this.store = store;
    this.port = port;
  }

  /** Reads the file, if there is one. Nothing is written. @throws {TerminalError} it is damaged, or of another format */
  static async open(path: string, clock: Clock): Promise<KeptStore> {
    const store = new Store(clock);
    const lines = (await textOf(path)).split('\n');
    // mutant: cloud-reads-half-line drop
    lines.pop(); // what no line end follows is not whole (OSIM-KEPT-STORE-2)
    const [first, ...changes] = lines;
    if (first === undefined) return new KeptStore(path, store, undefined);
    const head = parsed(path, 1, first) as Partial<Head> | null;
    if (head?.format !== FORMAT || typeof head.port !== 'number') throw damaged(path, 1);
    for (const [index, line] of changes.entries()) {
      const several = parsed(path, index + 2, line);
      if (!Array.isArray(several)) throw damaged(path, index + 2);
      for (const [key, value] of several as readonly Change[]) store.restore(key, value);
    }
    return new KeptStore(path, store, head.port);
  }

  /** From now on changes are kept, and the port is what it is. */
  async begin(port: number): Promise<void> {
    this.#head = { format: FORMAT, port };
    await this.#rewrite();
  }

  /** @throws {Error} nothing could be written; it is tried again with the next change */
  settled(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => undefined) // reported to the callers that waited for it
      .then(() => {
        this.#next = undefined;
        this.#running = this.#write();
        return this.#running;
      });
    return this.#next;
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#file?.close();
    this.#file = undefined;
  }

  async #write(): Promise<void> {
    const file = this.#file;
    if (file === undefined) throw new Error(`'${this.#path}' is not open`);
    const now = textsOf(this.store.records());
    const changes = changesBetween(this.#known, now);
    if (changes.length === 0) return;
    const line = Buffer.from(`[${changes.join()}]\n`);
    // The rest of a write that failed is overwritten, or cut off.
    await file.truncate(this.#length);
    for (let done = 0; done < line.length; ) {
      done += (await file.write(line, done, line.length - done, this.#length + done)).bytesWritten;
    }
    await file.datasync();
    this.#length += line.length;
    this.#known = now;
    if (this.#length > this.#rewriteAtBytes) await this.#rewrite();
  }

  async #rewrite(): Promise<void> {
    const now = textsOf(this.store.records());
    const content = Buffer.from(`${JSON.stringify(this.#head)}\n[${changesBetween(new Map(), now).join()}]\n`);
    const file = await open(`${this.#path}.new`, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
      await rename(`${this.#path}.new`, this.#path); // OSIM-KEPT-STORE-3
    } catch (error) {
      await file.close();
      throw error;
    }
    const names = await open(dirname(this.#path), 'r');
    await names.sync().finally(() => names.close());
    await this.#file?.close();
    this.#file = file;
    this.#length = content.length;
    this.#rewriteAtBytes = Math.max(LEAST_REWRITE_BYTES, content.length * REWRITE_FACTOR);
    this.#known = now;
  }
}

/** As JSON. */
function changesBetween(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const changes: string[] = [];
  for (const [key, text] of now) if (before.get(key) !== text) changes.push(`[${JSON.stringify(key)},${text}]`);
  for (const key of before.keys()) if (!now.has(key)) changes.push(`[${JSON.stringify(key)}]`);
  return changes;
}

function textsOf(records: Iterable<StoredRecord>): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, value] of records) texts.set(key, JSON.stringify(value));
  return texts;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function parsed(path: string, number: number, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw damaged(path, number, error);
  }
}

function damaged(path: string, line: number, cause?: unknown): TerminalError {
  const why = cause === undefined ? '' : ` (${toErrorData(cause).message})`;
  const remedy = 'put back a copy of it, or begin a new folder with --data';
  return new TerminalError(`line ${line} of '${path}' is nothing that a simulated cloud has written${why}: ${remedy}`);
}
