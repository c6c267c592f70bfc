// Changes of model files on disk.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { Clock } from '../../../bus/time.ts';
import { bytesOf, modelDirectories, readModel } from './files.ts';
import type { Workspace } from './workspace.ts';

/** Editors write a file in several steps. */
const SETTLING_MS = 10;

export interface WatchDeps {
  readonly workspace: Workspace;
  readonly roots: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Brings the workspace up to date with the disk after each change, and says so, until the signal.
 *
 * @throws {Error} a root that cannot be watched
 */
export function watchModel({ workspace, roots, clock, signal }: WatchDeps): AsyncIterable<void> {
  const changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const watchers = new Map<string, FSWatcher>();
  const forget = (path: string): void => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };
  // Each directory separately: a recursive watcher of Linux misses a file that was replaced by a move.
  const follow = (): void => {
    for (const directory of modelDirectories(roots)) {
      if (watchers.has(directory)) continue;
      const watcher = watch(directory, (event, name) => {
        const path = join(directory, name ?? '.');
        // A directory renamed to this path is not the watched one, nor are its entries.
        if (event === 'rename') for (const each of [...watchers.keys()]) if (isWithin(each, path)) forget(each);
        changed.add(path);
        wake.resolve();
      });
      watcher.on('error', (error) => wake.reject(error));
      watchers.set(directory, watcher);
    }
  };
  const stop = (): void => {
    for (const directory of [...watchers.keys()]) forget(directory);
    wake.resolve();
  };
  follow();
  signal.addEventListener('abort', stop, { once: true });
  return changes();

  async function* changes(): AsyncGenerator<void, void> {
    try {
      for (;;) {
        await wake.promise;
        await clock.sleep(SETTLING_MS, signal);
        if (signal.aborted) return;
        wake = Promise.withResolvers();
        const paths = [...changed];
        changed.clear();
        if (areKnown(workspace, paths)) update(workspace, paths);
        else {
          follow();
          readModel(workspace, roots);
        }
        yield;
      }
    } finally {
      stop();
    }
  }
}

/** Files of known versions are read alone; after anything else, such as a new directory, all are. */
function areKnown(workspace: Workspace, paths: readonly string[]): boolean {
  return paths.every((path) => path.endsWith('.model') && workspace.hasVersion(dirname(path)));
}

function update(workspace: Workspace, paths: readonly string[]): void {
  for (const path of paths) {
    const bytes = isHidden(path) ? undefined : bytesOf(path);
    if (bytes === undefined) workspace.remove(path);
    else workspace.set(path, bytes);
  }
}

function isHidden(path: string): boolean {
  return basename(path).startsWith('.');
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}
