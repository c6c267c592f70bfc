// A copy of the sources with one rule switched off.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutation } from './mutations.ts';

const COPIED = ['actors', 'adapters', 'bus', 'machines', 'test/simulation', 'package.json'];

/** The files that a mutation changes, as they are without the rule. @throws {Error} a text is not there exactly once */
export function sourcesWithout(root: string, { name, edits }: Mutation): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    const times = text.split(from).length - 1;
    if (times !== 1) throw new Error(`the text that keeps ${name} is ${times} times in ${file}, not once:\n${from}`);
    // A function, since the text may hold what a pattern would mean.
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
  return texts;
}

/** @throws as `sourcesWithout` */
export function mutated(root: string, mutation: Mutation): { readonly root: string; remove(): void } {
  const texts = sourcesWithout(root, mutation);
  const copy = mkdtempSync(join(tmpdir(), 'troupe-mutant-'));
  const remove = (): void => rmSync(copy, { recursive: true });
  try {
    for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  } catch (error) {
    remove();
    throw error;
  }
  return { root: copy, remove };
}
