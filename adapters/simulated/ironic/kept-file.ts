// A simulated Ironic that is kept in a file, machines and all, and there again at the next start.
//
// Invariants:
//   ISIM-KEPT-FILE-1. `settled` resolves when all that there was at the call is in the file: no answer leaves before.
//   ISIM-KEPT-FILE-2. The file is replaced by a whole one, in one step: a process that is killed at any time leaves one that can be read.
//
// Changes are found by comparing texts, as they are made in many places. Callers that wait meanwhile share the
// next write.
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TerminalError, toErrorData } from '../../../bus/errors.ts';
import type { KeptIronic } from './ironic.ts';

const FORMAT = 1;

interface Content extends KeptIronic {
  readonly format: number;
  readonly port: number;
}

/** Content of the file from an earlier start; undefined: there is none. @throws {TerminalError} it is damaged, or of another format */
export async function readKept(path: string): Promise<Content | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  let content: Partial<Content> | null;
  try {
    content = JSON.parse(text) as Partial<Content> | null;
  } catch (error) {
    throw damaged(path, ` (${toErrorData(error).message})`);
  }
  if (content?.format !== FORMAT || typeof content.port !== 'number') throw damaged(path);
  if (!Array.isArray(content.machines) || !Array.isArray(content.records?.nodes)) throw damaged(path);
  return content as Content;
}

export interface KeptFileDeps {
  readonly path: string;
  readonly port: number;
  readonly kept: () => KeptIronic;
}

export class KeptFile {
  readonly #deps: KeptFileDeps;
  /** Content of the file. */
  #known = '';
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(deps: KeptFileDeps) {
    this.#deps = deps;
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

  async #write(): Promise<void> {
    const { path, port, kept } = this.#deps;
    const text = JSON.stringify({ format: FORMAT, port, ...kept() } satisfies Content);
    if (text === this.#known) return;
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path); // ISIM-KEPT-FILE-2
    const names = await open(dirname(path), 'r');
    await names.sync().finally(() => names.close());
    this.#known = text;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function damaged(path: string, why = ''): TerminalError {
  const remedy = 'put back a copy of it, or begin a new folder with --data';
  return new TerminalError(`'${path}' is nothing that a simulated Ironic has written${why}: ${remedy}`);
}
