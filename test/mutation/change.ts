// One change of a source that a test must notice, and what comes of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Edit, edited } from './edits.ts';

export interface Change extends Edit {
  /** The rule that no longer holds, in words. */
  readonly breaks: string;
  /** The test files that defend it. */
  readonly tests: readonly [string, ...string[]];
}

export type Verdict =
  /** By the first test that failed. */
  | { readonly outcome: 'noticed'; readonly by: string }
  | { readonly outcome: 'survived' }
  /** The text is not there exactly once, or what stands there instead is no program. */
  | { readonly outcome: 'out of date'; readonly reason: string };

export interface TestRun {
  readonly failed: boolean;
  readonly output: string;
}

/** The changed source. @throws {Error} the change is out of date */
export function changedText(root: string, change: Change): string {
  const text = edited(root, [change]).get(change.file) ?? '';
  if (change.to === change.from) throw new Error('changes nothing');
  stripTypeScriptTypes(text);
  return text;
}

/** Test files under way, each in a process; to be ended with this one. */
export const underWay = new Set<ChildProcess>();

/** Runs test files of the tree at `root`, one after another. Those that skip themselves fail nothing. */
export function runTests(root: string, tests: readonly string[], options: readonly string[] = []): Promise<TestRun> {
  const { promise, resolve, reject } = Promise.withResolvers<TestRun>();
  const args = [join(root, 'test/run.ts'), '--jobs', '1', ...options, ...tests];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  underWay.add(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.on('error', reject);
  child.on('close', (code) => {
    underWay.delete(child);
    const failed = /^\d+ passed, (\d+) failed, \d+ skipped$/m.exec(output.trimEnd().split('\n').at(-1) ?? '')?.[1];
    // Without totals the run itself has failed, which says nothing of the change.
    if (failed === undefined) reject(new Error(`no totals of ${tests.join(' ')}, exit code ${code}:\n${output}`));
    else resolve({ failed: failed !== '0', output });
  });
  return promise;
}

/** Applies `change` to the copy at `root`, asks its tests, and takes it back. */
export async function judge(root: string, change: Change): Promise<Verdict> {
  const path = join(root, change.file);
  let text: string;
  try {
    text = changedText(root, change);
  } catch (error) {
    return { outcome: 'out of date', reason: (error as Error).message };
  }
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  try {
    const { failed, output } = await runTests(root, change.tests);
    return failed ? { outcome: 'noticed', by: firstFailure(output) } : { outcome: 'survived' };
  } finally {
    writeFileSync(path, original);
  }
}

/** The title of the first test that failed, as uvu prints it; a file that never came so far, by what became of it. */
function firstFailure(output: string): string {
  const title = /^ {4}\| *FAIL +(.+)$/m.exec(output)?.[1];
  return title ?? /^FAILED +(.+)$/m.exec(output)?.[1] ?? '';
}
