// `troupe model` as a process, in a folder with models of our own.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OWN } from './corpus.ts';

const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));
/** One of the files of `withModels`. */
export const BOOK = 'models/library_mgmt/v1/book_type.model';
/** What takes longer hangs. */
const PATIENCE_MS = 60_000;

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** A scratch folder with two services below `models`. */
export function withModels(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-models-'));
  try {
    cpSync(OWN, join(folder, 'models'), { recursive: true });
    work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function run(cwd: string, args: readonly string[], input: string | Uint8Array = ''): Ran {
  const options = { cwd, input, timeout: PATIENCE_MS, maxBuffer: 2 ** 27 } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, 'model', ...args], options);
  return { stdout: stdout.toString(), stderr: stderr.toString(), status };
}
