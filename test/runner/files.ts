// Test files: which there are, and what their first lines say of them.
//
//   // long                  takes many seconds of a processor: whole landscapes, processes, browsers
//   // own process: <why>    cannot share a process with other test files
//   // needs: <counterparts>  a suite of `npm run test:all`, on these real counterparts
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEST = join(ROOT, 'test');
const REAL = join(TEST, 'real') + sep;
/** Benchmarks are no tests. */
const BENCH = join(TEST, 'bench') + sep;
/** Longest time of a file, in milliseconds: it ends a file that hangs, and says nothing of how long one should take. */
const LIMIT_MS = { unit: 300_000, long: 1_200_000, real: 3_600_000 } as const;
/** Marks are looked for in so many characters. */
const HEAD_LENGTH = 1_000;

export const Size = { Unit: 'unit', Long: 'long', Real: 'real' } as const;
export type Size = (typeof Size)[keyof typeof Size];

export interface TestFile {
  readonly path: string;
  /** From the working directory, for people. */
  readonly name: string;
  readonly size: Size;
  readonly limitMs: number;
  readonly ownProcess: boolean;
  readonly bytes: number;
}

function testFile(path: string): TestFile {
  const head = readFileSync(path, 'utf8').slice(0, HEAD_LENGTH);
  const isReal = path.startsWith(REAL) || /^\/\/ needs: /m.test(head);
  const size = isReal ? Size.Real : /^\/\/ long$/m.test(head) ? Size.Long : Size.Unit;
  return {
    path,
    name: relative(process.cwd(), path),
    size,
    limitMs: LIMIT_MS[size],
    ownProcess: size !== Size.Unit || /^\/\/ own process: \S/m.test(head),
    bytes: statSync(path).size,
  };
}

/**
 * The files that fit these paths and parts of paths, all of any size; without names: all of `size`.
 *
 * @throws {Error} a name that fits no file: a misspelt name must not look like a pass
 */
export function choose(names: readonly string[], size: Size | undefined): readonly TestFile[] {
  const all = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(TEST, path))
    .filter((path) => !path.startsWith(BENCH));
  const chosen = names.flatMap((name) => {
    if (existsSync(name) && name.endsWith('.ts')) return [resolve(name)];
    const fitting = all.filter((path) => relative(ROOT, path).includes(name.replace(/^\.\//, '')));
    if (fitting.length === 0) throw new Error(`no test file fits '${name}'`);
    return fitting;
  });
  const found = [...new Set(names.length === 0 ? all : chosen)].map(testFile);
  const wanted = size ?? (names.length === 0 ? Size.Unit : undefined);
  const files = found.filter((file) => wanted === undefined || file.size === wanted);
  if (files.length === 0) throw new Error(`no ${wanted} test file among those`);
  // Files in processes of their own first, then the largest, so that none of the longest starts last.
  return files.sort(
    (a, b) => Number(b.ownProcess) - Number(a.ownProcess) || b.bytes - a.bytes || a.name.localeCompare(b.name),
  );
}
