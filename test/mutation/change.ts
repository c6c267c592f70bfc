// Mutants that tests must notice: what each breaks, which tests defend that, and what comes of one.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../actors/base/clock.ts';
import { type Mark, mutated } from './marks.ts';

export interface Change {
  /** Of its marks in the sources: `marks.ts`. */
  readonly id: string;
  /** The rule that no longer holds, in words. */
  readonly breaks: string;
  /** The suites that defend it, by name. */
  readonly tests: readonly [string, ...string[]];
}

/** @param breaks  by id */
export function noticedBy(tests: Change['tests'], breaks: Readonly<Record<string, string>>): readonly Change[] {
  return Object.entries(breaks).map(([id, rule]) => ({ id, breaks: rule, tests }));
}

export type Verdict =
  /** By the first test that failed. */
  | { readonly outcome: 'noticed'; readonly by: string }
  | { readonly outcome: 'survived' }
  /** It has no marks, or one that cannot be applied. */
  | { readonly outcome: 'out of date'; readonly reason: string };

export interface TestRun {
  readonly failed: boolean;
  readonly output: string;
}

/** The test file of each suite, by the suite's name. @throws {Error} two of `names` are one, or one is none */
export function suiteFiles(root: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));
  const all = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bsuite\((['"`])(.+?)\1\)/g)].map(([, , name]) => ({
      name,
      file,
    })),
  );
  const found = Map.groupBy(all, ({ name }) => name);
  return new Map(
    [...new Set(names)].map((name) => {
      const [one, other] = found.get(name) ?? [];
      if (one === undefined) throw new Error(`no test file has the suite '${name}'`);
      if (other !== undefined) throw new Error(`${one.file} and ${other.file} both have the suite '${name}'`);
      return [name, one.file];
    }),
  );
}

const clock = systemClock();

/** Test files under way, each in a process; to be ended with this one. */
export const underWay = new Set<ChildProcess>();

/**
 * Runs test files of the tree at `root`, one after another. Those that skip themselves fail nothing.
 *
 * @param limitMs  what takes longer has failed
 */
export function runTests(
  root: string,
  tests: Change['tests'],
  limitMs: number = Number.POSITIVE_INFINITY,
): Promise<TestRun> {
  const { promise, resolve, reject } = Promise.withResolvers<TestRun>();
  const args = [join(root, 'test/run.ts'), '--jobs', '1', ...tests];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  underWay.add(child);
  let output = '';
  let isLate = false;
  const timer = clock.setTimeout(() => {
    isLate = true;
    child.kill('SIGTERM');
  }, limitMs);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.on('error', reject);
  child.on('close', (code) => {
    underWay.delete(child);
    clock.clearTimeout(timer);
    if (isLate) return resolve({ failed: true, output: `FAILED  no end within ${Math.round(limitMs / 1_000)} s` });
    const failed = /^\d+ passed, (\d+) failed, \d+ skipped$/m.exec(output.trimEnd().split('\n').at(-1) ?? '')?.[1];
    // Without totals the run itself has failed, which says nothing of the change.
    if (failed === undefined) reject(new Error(`no totals of ${tests.join(' ')}, exit code ${code}:\n${output}`));
    else resolve({ failed: failed !== '0', output });
  });
  return promise;
}

/**
 * Applies a mutant to the copy at `root`, runs the test files that must notice it, and takes it back.
 *
 * @param marks  all marks of the copy
 * @param limitMs  a mutant whose tests do not end within it is noticed
 */
export async function judge(
  root: string,
  id: string,
  {
    marks,
    tests,
    limitMs,
  }: { readonly marks: readonly Mark[]; readonly tests: Change['tests']; readonly limitMs: number },
): Promise<Verdict> {
  let texts: ReadonlyMap<string, string>;
  try {
    texts = mutated(root, marks, [id]);
  } catch (error) {
    return { outcome: 'out of date', reason: (error as Error).message };
  }
  const originals = [...texts.keys()].map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);
  for (const [file, text] of texts) writeFileSync(join(root, file), text);
  try {
    const { failed, output } = await runTests(root, tests, limitMs);
    return failed ? { outcome: 'noticed', by: firstFailure(output) } : { outcome: 'survived' };
  } finally {
    for (const [file, text] of originals) writeFileSync(join(root, file), text);
  }
}

/** The title of the first test that failed, as uvu prints it; a file that never came so far, by what became of it. */
function firstFailure(output: string): string {
  const title = /^ {4}\| *FAIL +(.+)$/m.exec(output)?.[1];
  return title ?? /^FAILED +(.+)$/m.exec(output)?.[1] ?? '';
}
