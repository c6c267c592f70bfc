// Suites that a change can affect: those of which a file, or anything that it imports, was changed.
import { execFileSync } from 'node:child_process';
import type { Imports } from '../imports.ts';
import { ROOT } from './counterparts.ts';
import type { Suite } from './list.ts';

/** Files that differ from a commit, those that are not committed included. @throws {Error} there is no such commit */
export function changedFiles(reference: string): readonly string[] {
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 })
      .split('\n')
      .filter(Boolean);
  const [base = reference] = git('merge-base', reference, 'HEAD');
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/** @param imports  of the whole tree */
export function affected(suites: readonly Suite[], changed: readonly string[], imports: Imports): readonly Suite[] {
  const touched = new Set(changed);
  return suites.filter(({ roots }) => {
    if (roots.includes('.')) return changed.length > 0;
    const isBelow = (path: string): boolean => roots.some((root) => path === root || path.startsWith(`${root}/`));
    if (changed.some(isBelow)) return true;
    const seen = new Set<string>();
    const open = [...imports.keys()].filter(isBelow);
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      if (touched.has(file)) return true;
      open.push(...(imports.get(file) ?? []).filter((target) => imports.has(target)));
    }
    return false;
  });
}
