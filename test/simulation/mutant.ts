// A copy of the sources with one rule switched off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Copy, copied } from '../mutation/copy.ts';
import { marksIn, mutated as mutatedTexts } from '../mutation/marks.ts';
import type { Mutation } from './mutations.ts';

const COPIED = ['actors', 'adapters', 'bus', 'machines', 'test', 'package.json'];

/**
 * The files that a mutation changes, as they are without the rule.
 *
 * @throws {Error} a mark of the rule is missing, or cannot be applied
 */
export function sourcesWithout(
  root: string,
  { mutants }: Mutation,
  marks = marksIn(root),
): ReadonlyMap<string, string> {
  return mutatedTexts(root, marks, mutants);
}

/** @throws as `sourcesWithout` */
export function mutated(root: string, mutation: Mutation): Copy {
  const texts = sourcesWithout(root, mutation);
  const copy = copied(root, COPIED);
  for (const [file, text] of texts) writeFileSync(join(copy.root, file), text);
  return copy;
}
