// Model files on disk.
//
// Invariants:
//   OCM-FILES-1. A link is followed where it leads to something of the kind that is looked for; one that leads nowhere, or back to
//       a directory that it is in, is left out, and said.
//   OCM-FILES-2. What is hidden, such as `.git`, is no part of a model.
import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Workspace } from './workspace.ts';

/** Called as files are read. */
export type OnRead = (done: number, of: number) => void;

/** A link that was left out. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface ReadModel {
  readonly files: number;
  readonly versions: number;
  readonly skipped: readonly Skipped[];
}

/** Error codes of a dangling link. */
const NOWHERE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ELOOP', 'ENOTDIR']);

/**
 * Reads all files of the model roots into a workspace, which forgets what is no longer there.
 *
 * Everything is read at once: a thousand small files are read in a fraction of the time that as many promises take.
 *
 * @throws {Error} a root that cannot be read
 */
export function readModel(workspace: Workspace, roots: readonly string[], onRead?: OnRead): ReadModel {
  const skipped: Skipped[] = [];
  const below = (directory: string): string[] => directoriesIn(directory, skipped);
  const versions = roots.flatMap(below).flatMap(below);
  const files = versions.flatMap((version) => entriesOf(version, skipped).files);
  workspace.retain(new Set(versions), new Set(files));
  for (const version of versions) workspace.addVersion(version);
  files.forEach((file, index) => {
    workspace.set(file, readFileSync(file));
    onRead?.(index + 1, files.length);
  });
  return { files: files.length, versions: versions.length, skipped };
}

/** The roots, the services in them, and their versions. */
export function modelDirectories(roots: readonly string[]): string[] {
  const services = roots.flatMap((root) => directoriesIn(root, []));
  return [...roots, ...services, ...services.flatMap((service) => directoriesIn(service, []))];
}

/**
 * All model files below a directory, each once, whatever it is below.
 *
 * @throws {Error} a directory that cannot be read
 */
export function modelFilesBelow(directory: string): { files: string[]; skipped: Skipped[] } {
  const skipped: Skipped[] = [];
  const files: string[] = [];
  const seen = new Set([realpathSync(directory)]);
  const links: string[] = [];
  const walk = (at: string): void => {
    const entries = entriesOf(at, skipped);
    files.push(...entries.files);
    links.push(...entries.links);
    for (const each of entries.directories) {
      seen.add(realpathSync(each));
      walk(each);
    }
  };
  walk(directory);
  // A file found directly is read under its own path, rather than through a link.
  for (const link of links) {
    const real = realpathSync(link);
    if (seen.has(real)) {
      skipped.push({ path: link, reason: 'it is a link to a directory that is read anyway' });
      continue;
    }
    seen.add(real);
    walk(link);
  }
  return { files: files.sort(), skipped };
}

/** @returns undefined for what is not there, or is no file */
export function bytesOf(path: string): Uint8Array | undefined {
  return statOf(path)?.isFile() === true ? readFileSync(path) : undefined;
}

interface Entries {
  readonly files: string[];
  readonly directories: string[];
  /** To directories. */
  readonly links: string[];
}

function directoriesIn(directory: string, skipped: Skipped[]): string[] {
  const { directories, links } = entriesOf(directory, skipped);
  const real = links.length === 0 ? '' : realpathSync(directory);
  const outside = links.filter((link) => {
    const target = realpathSync(link);
    if (real !== target && !real.startsWith(target + sep)) return true;
    skipped.push({ path: link, reason: 'it is a link to a directory that it is in' });
    return false;
  });
  return [...directories, ...outside].sort();
}

/** Entries of a directory, each kind in byte order of the names. */
function entriesOf(directory: string, skipped: Skipped[]): Entries {
  const found: Entries = { files: [], directories: [], links: [] };
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const isModel = entry.name.endsWith('.model');
    const isHidden = entry.name.startsWith('.');
    const kind = kindOf(entry, path);
    if (kind === 'nowhere') {
      // Editors lock a file with such a link, with a hidden name; other files than models do not matter.
      if (isModel || !isHidden) skipped.push({ path, reason: 'it is a link that leads nowhere' });
    } else if (isHidden) continue;
    else if (kind === 'file' && isModel) found.files.push(path);
    else if (kind === 'directory') (entry.isSymbolicLink() ? found.links : found.directories).push(path);
  }
  return found;
}

function kindOf(entry: Dirent, path: string): 'file' | 'directory' | 'nowhere' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (!entry.isSymbolicLink()) return 'other';
  const stat = statOf(path);
  if (stat === undefined) return 'nowhere';
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (NOWHERE.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}
