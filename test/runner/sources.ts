// Files that the runner is made of, for tests that run it on a tree of their own.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A relative import that is left when the types are stripped, in sources as the formatter lays them out. */
const IMPORT = /^(?:import|export) (?!type )(?:[^;]*? from )?'(\.[^']+)';$/gm;

/** The modules of the runner and all that they import, as paths from the root. */
export const RUNNER_SOURCES: readonly string[] = [
  ...withImports(['test/run.ts', ...readdirSync(join(ROOT, 'test/runner')).map((name) => `test/runner/${name}`)]),
];

function withImports(modules: readonly string[]): ReadonlySet<string> {
  const found = new Set(modules);
  for (const module of found) {
    const text = readFileSync(join(ROOT, module), 'utf8');
    for (const [, path = ''] of text.matchAll(IMPORT)) found.add(posix.join(dirname(module), path));
  }
  return found;
}
