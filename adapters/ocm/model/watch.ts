// Changes of model files on disk.
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../bus/time.ts';
import { readModel } from './files.ts';
import type { Workspace } from './workspace.ts';

/** Editors write a file in several steps. */
const SETTLING_MS = 10;

export interface WatchDeps {
  readonly workspace: Workspace;
  readonly roots: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Brings the workspace up to date with the disk after each change, and says so, until the signal. */
export async function* watchModel({ workspace, roots, clock, signal }: WatchDeps): AsyncGenerator<void, void> {
  const changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const note = (path: string): void => {
    changed.add(path);
    wake.resolve();
  };
  const watchers = roots.map((root) => {
    const watcher: FSWatcher = watch(root, { recursive: true, signal }, (_, path) => note(join(root, path ?? '.')));
    watcher.on('error', (error) => wake.reject(error));
    return watcher;
  });
  const stop = (): void => wake.resolve();
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers();
      await clock.sleep(SETTLING_MS, signal);
      const paths = [...changed];
      changed.clear();
      if (signal.aborted || paths.length === 0) continue;
      update(workspace, roots, paths);
      yield;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    for (const watcher of watchers) watcher.close();
  }
}

/** Files of known versions are read alone; after anything else, such as a new directory, all are. */
function update(workspace: Workspace, roots: readonly string[], paths: readonly string[]): void {
  if (!paths.every((path) => path.endsWith('.model') && workspace.hasVersion(dirname(path)))) {
    readModel(workspace, roots);
    return;
  }
  for (const path of paths) {
    const text = textOf(path);
    if (text === undefined) workspace.remove(path);
    else workspace.set(path, text);
  }
}

/** @returns undefined if the file is gone */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
