// Changes of the sources, one at a time, each of which a test must notice: `npm run mutate -- [options] [PART]...`.
//
//   --sample N   only N of them, taken at random
//   --seed N     which ones; 1 by default, so that they are the same for everybody
//   --jobs N     how many at a time; one a processor by default
//   --root DIR   another tree, whose list is its `test/mutation/list.ts`
//   PART         of the path of a source or a test, or of the rule: the changes that have one of these in them
//
// Each is made in a copy of the tree, in a temporary folder. First the tests are run on the sources as they are: a test that
// fails anyway notices nothing. A change that survives wants a test, or its line is not needed. The last line is
// `N noticed, N survived, N out of date`.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { mulberry32, systemClock } from '../../actors/clock.ts';
import { type Change, judge, runTests, underWay, type Verdict } from './change.ts';
import { type Copy, copied } from './edits.ts';

const NOT_COPIED = ['node_modules', '.git'];

const clock = systemClock();
const copies: Copy[] = [];
/** Somebody wants it to end: nothing more begins. */
let isStopping = false;

function whole(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) {
    throw new Error(`--${name} must be a whole number, at least 1; got '${value}'`);
  }
  return number;
}

/** @throws {Error} a part that fits no change: a misspelt one must not look like a pass */
function choose(changes: readonly Change[], parts: readonly string[]): readonly Change[] {
  const fits = ({ file, breaks, tests }: Change, part: string): boolean =>
    [file, breaks, ...tests].some((text) => text.includes(part));
  const missing = parts.find((part) => !changes.some((change) => fits(change, part)));
  if (missing !== undefined) throw new Error(`no change fits '${missing}'`);
  return parts.length === 0 ? changes : changes.filter((change) => parts.some((part) => fits(change, part)));
}

/** So many of them, in the order in which they stand. */
function sampled(changes: readonly Change[], count: number, seed: number): readonly Change[] {
  const random = mulberry32(seed);
  const left = [...changes];
  const taken = new Set<Change | undefined>();
  while (taken.size < count && left.length > 0) taken.add(left.splice(Math.floor(random() * left.length), 1)[0]);
  return changes.filter((change) => taken.has(change));
}

function copyOf(root: string): Copy {
  const copy = copied(
    root,
    readdirSync(root).filter((name) => !NOT_COPIED.includes(name)),
  );
  copies.push(copy);
  return copy;
}

const secondsSince = (at: number): string => `${((clock.now() - at) / 1_000).toFixed(1).padStart(6)} s`;

/** `work` on all items, by as many workers as there are copies. */
async function share<Item>(items: readonly Item[], work: (root: string, item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async ({ root }: Copy): Promise<void> => {
    for (let item = left.shift(); item !== undefined && !isStopping; item = left.shift()) await work(root, item);
  };
  await Promise.all(copies.map(worker));
}

/** The tests that fail on the sources as they are. */
async function failing(tests: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  await share(tests, async (root, test) => {
    const startedAt = clock.now();
    const run = await runTests(root, [test], ['--again']);
    if (!run.failed) return;
    failed.push(test);
    process.stdout.write(`fails as it is ${secondsSince(startedAt)}  ${test}\n${run.output}\n`);
  });
  return failed;
}

function line({ file, breaks, from, to, tests }: Change, verdict: Verdict): string {
  const about = `${file}: ${breaks}`;
  if (verdict.outcome === 'noticed') return `${about} (${verdict.by})`;
  const why = verdict.outcome === 'survived' ? `${tests.join(' ')}\n${from}\n->\n${to}` : verdict.reason;
  return `${about}\n${why.replace(/^/gm, '    | ')}`;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: `${availableParallelism()}` },
      root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    },
    allowPositionals: true,
  });
  const root = resolve(values.root);
  const list = (await import(pathToFileURL(join(root, 'test/mutation/list.ts')).href)) as {
    CHANGES: readonly Change[];
  };
  const fitting = choose(list.CHANGES, positionals);
  const seed = whole('seed', values.seed);
  const changes = values.sample === undefined ? fitting : sampled(fitting, whole('sample', values.sample), seed);
  const jobs = Math.min(whole('jobs', values.jobs), changes.length);
  while (copies.length < jobs) copyOf(root);

  const tests = [...new Set(changes.flatMap((change) => change.tests))];
  process.stdout.write(`${changes.length} of ${list.CHANGES.length} changes, noticed by ${tests.length} test files\n`);
  const startedAt = clock.now();
  const failed = await failing(tests);
  if (failed.length > 0) {
    process.stdout.write(`fail without any change: ${failed.sort().join(' ')}\n`);
    return 1;
  }
  process.stdout.write(`all pass as they are ${secondsSince(startedAt)}\n`);

  const counts = { noticed: 0, survived: 0, 'out of date': 0 };
  let done = 0;
  await share(changes, async (copy, change) => {
    const begunAt = clock.now();
    const verdict = await judge(copy, change);
    counts[verdict.outcome] += 1;
    done += 1;
    const place = `[${done}/${changes.length}]`.padStart(9);
    process.stdout.write(`${place} ${verdict.outcome.padEnd(11)} ${secondsSince(begunAt)}  ${line(change, verdict)}\n`);
  });
  process.stdout.write(`in ${secondsSince(startedAt).trim()}\n`);
  process.stdout.write(
    `${counts.noticed} noticed, ${counts.survived} survived, ${counts['out of date']} out of date\n`,
  );
  return counts.noticed === changes.length ? 0 : 1;
}

function removeCopies(): void {
  for (const copy of copies.splice(0)) copy.remove();
}

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.on(signal, () => {
    isStopping = true;
    // A run of tests ends what it started when it hears this.
    const left = [...underWay];
    const ended = left.map((child) => new Promise((end) => child.once('exit', end)));
    for (const child of left) child.kill('SIGTERM');
    void Promise.all(ended).finally(() => {
      removeCopies();
      process.exit(128 + number);
    });
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  removeCopies();
}
