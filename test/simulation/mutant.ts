// A copy of the sources with one rule switched off.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutation } from './mutations.ts';

const COPIED = ['actors', 'adapters', 'bus', 'machines', 'test/simulation', 'package.json'];

/** @throws {Error} a text that is to be replaced is not there exactly once */
export function mutated(root: string, { name, edits }: Mutation): { readonly root: string; remove(): void } {
  const copy = mkdtempSync(join(tmpdir(), 'troupe-mutant-'));
  const remove = (): void => rmSync(copy, { recursive: true });
  try {
    for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    for (const { file, from, to } of edits) {
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      const times = text.split(from).length - 1;
      if (times !== 1) throw new Error(`the text that keeps ${name} is ${times} times in ${file}, not once:\n${from}`);
      // A function, since the text may hold what a pattern would mean.
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { root: copy, remove };
}
