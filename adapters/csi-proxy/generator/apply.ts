// Applies a plan to the files on disk, or reports what that would change.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bases } from './layout.ts';
import type { Plan } from './plan.ts';

/** Handling of hand-written files of removed versions. */
export const Orphans = { Fail: 'fail', Keep: 'keep', Delete: 'delete' } as const;
export type Orphans = (typeof Orphans)[keyof typeof Orphans];

export interface Changes {
  /** Generated files that are new or different. */
  readonly written: readonly string[];
  readonly scaffolded: readonly string[];
  readonly removed: readonly string[];
  /** Generated files that are as they should be. */
  readonly kept: readonly string[];
}

/** What `apply` would do. */
export function changesOf({ files, stale, orphans }: Plan, handling: Orphans): Changes {
  const scaffolds = files.filter(({ isScaffold }) => isScaffold);
  const generated = files.filter(({ isScaffold }) => !isScaffold);
  const isKept = ({ path, text }: { path: string; text: string }): boolean =>
    existsSync(path) && readFileSync(path, 'utf8') === text;
  const paths = (of: readonly { path: string }[]): readonly string[] => of.map(({ path }) => path).sort();
  return {
    written: paths(generated.filter((file) => !isKept(file))),
    scaffolded: paths(scaffolds),
    removed: [...stale, ...(handling === Orphans.Delete ? orphans : [])].sort(),
    kept: paths(generated.filter(isKept)),
  };
}

/**
 * Writes and removes. When that fails half-way, what was there before is there again.
 *
 * @param bases  folders that stay, even empty
 */
export function apply({ files }: Plan, { written, scaffolded, removed }: Changes, bases: Bases): void {
  const changed = new Set([...written, ...scaffolded]);
  const undo: (() => void)[] = [];
  try {
    for (const { path, text } of files) {
      if (!changed.has(path)) continue;
      const before = existsSync(path) ? readFileSync(path) : undefined;
      const made = mkdirSync(dirname(path), { recursive: true });
      if (made !== undefined) undo.push(() => removeEmpty(dirname(path), [dirname(made)]));
      undo.push(() => (before === undefined ? rmSync(path, { force: true }) : writeFileSync(path, before)));
      writeFileSync(path, text);
    }
    for (const path of removed) {
      const before = readFileSync(path);
      undo.push(() => writeFileSync(path, before));
      rmSync(path);
    }
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
  for (const path of removed) removeEmpty(dirname(path), Object.values(bases));
}

/** Removes a folder and those around it as long as they are empty. */
export function removeEmpty(folder: string, stop: readonly string[]): void {
  if (stop.includes(folder) || !existsSync(folder)) return;
  if (readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder), stop);
}
