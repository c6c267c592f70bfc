// A copy of the sources with one rule switched off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Copy, copied, edited } from '../mutation/edits.ts';
import type { Mutation } from './mutations.ts';

const COPIED = [
  'actors',
  'adapters',
  'bus',
  'machines',
  'test/simulation',
  'test/example-adapter',
  'test/adapters/ironic/host-rest.ts',
  'package.json',
];

/** The files that a mutation changes, as they are without the rule. @throws {Error} a text is not there exactly once */
export function sourcesWithout(root: string, { name, edits }: Mutation): ReadonlyMap<string, string> {
  try {
    return edited(root, edits);
  } catch (error) {
    throw new Error(`the text that keeps ${name} ${(error as Error).message}`, { cause: error });
  }
}

/** @throws as `sourcesWithout` */
export function mutated(root: string, mutation: Mutation): Copy {
  const texts = sourcesWithout(root, mutation);
  const copy = copied(root, COPIED);
  for (const [file, text] of texts) writeFileSync(join(copy.root, file), text);
  return copy;
}
