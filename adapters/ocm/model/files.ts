// Model files on disk.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from './workspace.ts';

/** Called as files are read. */
export type OnRead = (done: number, of: number) => void;

export interface ReadModel {
  readonly files: number;
  readonly versions: number;
}

/**
 * Reads all files of the model roots into a workspace, which forgets what is no longer there.
 *
 * Everything is read at once: a thousand small files are read in a fraction of the time that as many promises take.
 *
 * @throws {Error} a root that cannot be read
 */
export function readModel(workspace: Workspace, roots: readonly string[], onRead?: OnRead): ReadModel {
  const versions = roots.flatMap(directoriesIn).flatMap(directoriesIn);
  const files = versions.flatMap((version) => modelFilesOf(version).map((file) => join(version, file)));
  workspace.retain(new Set(versions), new Set(files));
  for (const version of versions) workspace.addVersion(version);
  files.forEach((file, index) => {
    workspace.set(file, readFileSync(file, 'utf8'));
    onRead?.(index + 1, files.length);
  });
  return { files: files.length, versions: versions.length };
}

/** The roots, the services in them, and their versions. */
export function modelDirectories(roots: readonly string[]): string[] {
  const services = roots.flatMap(directoriesIn);
  return [...roots, ...services, ...services.flatMap(directoriesIn)];
}

/** What is hidden, such as `.git`, is no part of a model. */
function directoriesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(join(directory, entry.name))))
    .map(({ name }) => join(directory, name))
    .sort();
}

function modelFilesOf(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => name.endsWith('.model'))
    .filter((entry) => entry.isFile() || (entry.isSymbolicLink() && !isDirectory(join(directory, entry.name))))
    .map(({ name }) => name)
    .sort();
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
