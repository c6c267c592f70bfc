// Changes of model files on disk.
import { readFileSync, watch } from 'node:fs';
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

/**
 * Brings the workspace up to date with the disk after each change, and says so, until the signal.
 *
 * @throws {Error} a root that cannot be watched
 */
export function watchModel({ workspace, roots, clock, signal }: WatchDeps): AsyncIterable<void> {
  const changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const watchers = roots.map((root) =>
    watch(root, { recursive: true, signal }, (_, path) => {
      changed.add(join(root, path ?? '.'));
      wake.resolve();
    }),
  );
  for (const watcher of watchers) watcher.on('error', (error) => wake.reject(error));
  signal.addEventListener('abort', () => wake.resolve(), { once: true });
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
        update(workspace, roots, paths);
        yield;
      }
    } finally {
      for (const watcher of watchers) watcher.close();
    }
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
