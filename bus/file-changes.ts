// Files that others replace, such as certificates in a mounted Secret: when they are to be read again.
//
// A mounted Secret is replaced as a whole: another folder gets its name `..data`, through which all files lead, and no file
// changes. So their folders are watched, and the files are not.
//
// Invariants:
//   BUS-FILE-CHANGES-1. A change after the construction ends a wait: the next one, if none is under way.
//   BUS-FILE-CHANGES-2. Where a folder is not watched, is replaced, or reports no change, a wait ends after LOOK_MS.
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from './time.ts';

/** Longest wait: network file systems do not report the changes of other machines. */
export const LOOK_MS = 60_000;
/** Time that a writer of several files has for the others, in milliseconds. */
export const SETTLING_MS = 500;

export interface FileChangesDeps {
  readonly files: readonly string[];
  readonly clock: Clock;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  readonly watch?: typeof watchFolder;
}

export class FileChanges {
  readonly #deps: FileChangesDeps;
  readonly #folders: ReadonlySet<string>;
  #watchers: readonly FSWatcher[] = [];
  #change = Promise.withResolvers<void>();

  constructor(deps: FileChangesDeps) {
    this.#deps = deps;
    this.#folders = new Set(deps.files.map((file) => dirname(file)));
    if (deps.signal.aborted) return;
    this.#watch();
    deps.signal.addEventListener('abort', () => this.#unwatch(), { once: true });
  }

  /** Resolves when the files may have other contents than before, and when the signal is aborted. */
  async next(): Promise<void> {
    const { clock, signal } = this.#deps;
    const changed = new AbortController();
    const ended = AbortSignal.any([signal, changed.signal]);
    const isChanged = await Promise.race([
      this.#change.promise.then(() => true),
      clock.sleep(LOOK_MS, ended).then(() => false),
    ]);
    changed.abort();
    if (isChanged) await clock.sleep(SETTLING_MS, signal);
    if (signal.aborted) return;
    // A change from now on may come while the caller reads.
    this.#change = Promise.withResolvers();
    this.#watch();
  }

  /** Watches the folders that have these names now. */
  #watch(): void {
    const { watch = watchFolder } = this.#deps;
    const before = this.#watchers;
    const change = this.#change;
    this.#watchers = [...this.#folders].flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, () => change.resolve());
        watcher.on('error', () => watcher.close());
        return watcher;
      } catch {
        return []; // BUS-FILE-CHANGES-2
      }
    });
    for (const watcher of before) watcher.close();
  }

  #unwatch(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
  }
}
