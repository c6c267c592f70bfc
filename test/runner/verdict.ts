// Verdict on a test file, from what it counted and how it ended.
import type { TestFile } from './files.ts';
import type { Counts } from './worker.ts';

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why, when there is more to say than the totals do. */
  readonly reason?: string;
}

/** How a file that is skipped says so, and nothing else. */
const SKIP = /^skipped: (.+)$/;

/** @param output  all that the file printed */
export function judge(counts: Counts, output: string): Verdict {
  const { total, passed, skipped, suites, reason } = counts;
  if (reason !== undefined) return { passed, failed: Math.max(1, total - passed), skipped: 0, reason };
  const skip = SKIP.exec(output.trim());
  if (suites === 0 && skip) return { passed: 0, failed: 0, skipped: 1, reason: skip[1] ?? '' };
  if (suites === 0) return { passed: 0, failed: 1, skipped: 0, reason: 'no suite was run (is .run() missing?)' };
  if (total === 0) return { passed: 0, failed: 1, skipped: 0, reason: 'no test in it' };
  // Whatever a file leaves out by `.skip` or `.only` counts as failed: nobody would miss it otherwise.
  const failed = total - passed + skipped;
  if (skipped > 0) return { passed, failed, skipped: 0, reason: `${skipped} skipped inside the file` };
  return { passed, failed, skipped: 0 };
}

/** Of a file whose process ended under it. */
export function ended(why: string): Verdict {
  return { passed: 0, failed: 1, skipped: 0, reason: why };
}

export function line(file: TestFile, verdict: Verdict, durationMs: number, width: number): string {
  const { passed, failed, skipped, reason } = verdict;
  const word = failed > 0 ? 'FAILED' : skipped > 0 ? 'skipped' : 'passed';
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : skipped > 0 ? '' : `${passed} passed`;
  const seconds = (durationMs / 1_000).toFixed(1).padStart(6);
  return `${word.padEnd(7)} ${file.name.padEnd(width)} ${seconds} s  ${[counts, reason].filter(Boolean).join('; ')}`;
}
