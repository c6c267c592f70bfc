// The files that a generator wrote into a folder, so that it can remove those that it would not write any more.
//
// Invariants:
//   CLI-MANIFEST-1. No file is removed that the generator did not write, or that was edited since: each entry has the text's hash.
//   CLI-MANIFEST-2. Models that share an output folder have entries of their own, and take away their own only.
//   CLI-MANIFEST-3. A path out of the folder, be it written or linked, is none of ours.
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { TerminalError } from '../../../bus/errors.ts';

export interface ManifestEntry {
  /** Roots of the model it was made of, from the output folder on. */
  readonly model: string;
  readonly sha256: string;
}

/** Keyed by path below the output folder. */
export type Manifest = ReadonlyMap<string, ManifestEntry>;

/** Files that are not made any more, by what can be done about them. */
export interface Leftovers {
  readonly ours: readonly string[];
  /** Files that were edited. */
  readonly changed: readonly string[];
}

export function manifestName(command: string): string {
  return `.troupe-model-${command}.json`;
}

/** @throws {TerminalError} what is there is no manifest */
export function readManifest(output: string, command: string): Manifest {
  const path = join(output, manifestName(command));
  const text = textOf(path);
  if (text === undefined) return new Map();
  try {
    const { files } = JSON.parse(text) as { files: Record<string, ManifestEntry> };
    const entries = Object.entries(files);
    if (
      typeof files === 'object' &&
      entries.every(([, each]) => typeof each.model === 'string' && typeof each.sha256 === 'string')
    ) {
      return new Map(entries);
    }
  } catch (error) {
    throw new TerminalError(
      `'${path}' does not say what was written: ${error instanceof Error ? error.message : error}`,
    );
  }
  throw new TerminalError(`'${path}' does not say what was written`);
}

/** @returns the manifest after a run for some model, and its text */
export function nextManifest(old: Manifest, files: ReadonlyMap<string, string>, model: string): string {
  const kept = [...old].filter(([file, entry]) => entry.model !== model && !files.has(file));
  const made = [...files].map(([file, text]): [string, ManifestEntry] => [file, { model, sha256: hashOf(text) }]);
  const entries = [...kept, ...made].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ files: Object.fromEntries(entries) }, null, 2)}\n`;
}

/** Files that an earlier run for the model wrote, and that are still there, but are not made any more. */
export function leftoversOf(
  output: string,
  old: Manifest,
  files: ReadonlyMap<string, string>,
  model: string,
): Leftovers {
  const [ours, changed]: [string[], string[]] = [[], []];
  for (const [file, entry] of old) {
    if (entry.model !== model || files.has(file) || !isInside(output, file)) continue;
    const text = textOf(join(output, file));
    // mutant: manifest-takes-changed ?: -> $2
    if (text !== undefined) (hashOf(text) === entry.sha256 ? ours : changed).push(file);
  }
  return { ours, changed };
}

/** Removes files, and the folders that are empty then. */
export function removeLeftovers(output: string, files: readonly string[]): void {
  for (const file of files) {
    rmSync(join(output, file), { force: true });
    for (let folder = dirname(file); folder !== '.' && isRemoved(join(output, folder)); folder = dirname(folder));
  }
}

function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    // Something else is in it.
    if ((error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
    throw error;
  }
}

function isInside(output: string, file: string): boolean {
  const path = join(output, file);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return false;
  const below = relative(realpathSync(output), realpathSync(path));
  // mutant: manifest-outside return -> $2
  return !below.startsWith('..') && below.split(sep).join('/') === file;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** @returns undefined for what is not there */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
