// A copy of a tree, to be changed.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Copy {
  readonly root: string;
  remove(): void;
}

/**
 * A copy of these files and folders of `root` in a temporary folder. The packages are linked one by one, so that what is
 * written into `node_modules` itself (caches) stays in the copy.
 */
export function copied(root: string, paths: readonly string[]): Copy {
  const copy = mkdtempSync(join(tmpdir(), 'troupe-mutant-'));
  const remove = (): void => rmSync(copy, { recursive: true, maxRetries: 5 });
  try {
    for (const path of paths) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    mkdirSync(join(copy, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name === '.cache') continue;
      symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name), 'junction');
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { root: copy, remove };
}
