// A copy of a tree with texts of its sources replaced.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** One replacement. `from` must be in `file` exactly once, or whoever lists it is out of date. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The files that `edits` change, as they are after all of them. @throws {Error} a text is not there exactly once */
export function edited(root: string, edits: readonly Edit[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    const times = text.split(from).length - 1;
    if (times !== 1) throw new Error(`is ${times} times in ${file}, not once:\n${from}`);
    // A function, since the text may hold what a pattern would mean.
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
  return texts;
}

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
