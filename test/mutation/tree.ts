// Trees of a few files, for tests of mutants.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Runs `work` on the tree of these files, in a temporary folder. */
export function inTree<T>(files: Readonly<Record<string, string>>, work: (root: string, temporary: string) => T): T {
  const temporary = mkdtempSync(join(tmpdir(), 'troupe-mutation-'));
  const root = join(temporary, 'tree');
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return work(root, temporary);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
