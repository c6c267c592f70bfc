// Mutants of the sources, one at a time, each of which a test must notice: `npm run mutate -- [options] [PART]...`.
//
// `marks.ts` says how they are marked in the sources. Each is made in a copy of the tree, in a temporary folder. First the tests
// are run on the sources as they are: a test that fails anyway notices nothing. A mutant that survives wants a test, or its code
// is not needed. The last line is `N noticed, N survived, N out of date`.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { mulberry32, systemClock } from '../../actors/base/clock.ts';
import { scriptOptions, wholeNumber } from '../../deploy/script-options.ts';
import { type Change, judge, runTests, suiteFiles, underWay, type Verdict } from './change.ts';
import { type Copy, copied } from './copy.ts';
import { type Mark, marksIn } from './marks.ts';

const USAGE = `Usage: npm run mutate -- [options] [PART]...

Breaks the sources, one mutant at a time, and runs the tests that must notice.

  --sample N   only N of them, taken at random
  --seed N     which ones; 1 by default, so that they are the same for everybody
  --jobs N     how many at a time; one a processor by default
  --root DIR   another tree, whose list is its test/mutation/list.ts
  --help       this text
  PART         of an id, of the path of a source or a test, or of the rule: the mutants that have one of these in them
`;
const NOT_COPIED = ['node_modules', '.git'];

interface Mutant extends Change {
  readonly marks: readonly Mark[];
  /** Paths. */
  readonly testFiles: Change['tests'];
}

const clock = systemClock();
const copies: Copy[] = [];
/** Somebody wants it to end: nothing more begins. */
let isStopping = false;

/** @throws {Error} a suite of the list is not there */
async function mutantsOf(
  root: string,
): Promise<{ readonly mutants: readonly Mutant[]; readonly marks: readonly Mark[] }> {
  const { CHANGES } = (await import(pathToFileURL(join(root, 'test/mutation/list.ts')).href)) as {
    CHANGES: readonly Change[];
  };
  const marks = marksIn(root);
  const byId = Map.groupBy(marks, ({ id }) => id);
  const files = suiteFiles(
    root,
    CHANGES.flatMap(({ tests }) => tests),
  );
  const fileOf = (test: string): string => files.get(test) ?? '';
  const mutants = CHANGES.map(({ tests: [first, ...others], ...change }) => ({
    ...change,
    tests: [first, ...others] as const,
    marks: byId.get(change.id) ?? [],
    testFiles: [fileOf(first), ...others.map(fileOf)] as const,
  }));
  return { mutants, marks };
}

/** @throws {Error} a part that fits no mutant: a misspelt one must not look like a pass */
function choose(mutants: readonly Mutant[], parts: readonly string[]): readonly Mutant[] {
  const fits = ({ id, breaks, marks, testFiles }: Mutant, part: string): boolean =>
    [id, breaks, ...marks.map(({ file }) => file), ...testFiles].some((text) => text.includes(part));
  const missing = parts.find((part) => !mutants.some((mutant) => fits(mutant, part)));
  if (missing !== undefined) throw new Error(`no mutant fits '${missing}'`);
  return parts.length === 0 ? mutants : mutants.filter((mutant) => parts.some((part) => fits(mutant, part)));
}

/** So many of them, in the order in which they stand. */
function sampled(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  const random = mulberry32(seed);
  const left = [...mutants];
  const taken = new Set<Mutant | undefined>();
  while (taken.size < count && left.length > 0) taken.add(left.splice(Math.floor(random() * left.length), 1)[0]);
  return mutants.filter((mutant) => taken.has(mutant));
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

/** A mutant's tests may take so many times as long as without it, and so long beside, in milliseconds. */
const LONGER = 10;
const LONGER_BY_MS = 20_000;

/** The tests that fail on the sources as they are, and how long the others take, in milliseconds. */
async function asTheyAre(
  tests: readonly string[],
): Promise<{ readonly failed: string[]; readonly tookMs: ReadonlyMap<string, number> }> {
  const failed: string[] = [];
  const tookMs = new Map<string, number>();
  const shares = copies.flatMap((_, at) => {
    const [first, ...others] = tests.filter((_test, index) => index % copies.length === at);
    return first === undefined ? [] : [[first, ...others] as const];
  });
  await share(shares, async (root, some) => {
    const run = await runTests(root, some);
    for (const [, file = '', seconds] of run.output.matchAll(/^passed +(\S+) +([\d.]+) s /gm))
      tookMs.set(file, Number(seconds) * 1_000);
    if (!run.failed) return;
    process.stdout.write(`${run.output}\n`);
    const names = /^failed: (.+)$/m.exec(run.output)?.[1]?.split(' ') ?? some;
    failed.push(...names);
  });
  return { failed, tookMs };
}

function line({ id, breaks, marks, testFiles }: Mutant, verdict: Verdict): string {
  const about = `${id}: ${breaks}`;
  if (verdict.outcome === 'noticed') return `${about} (${verdict.by})`;
  const places = marks.map((mark) => `${mark.file}:${mark.line}`);
  const why = verdict.outcome === 'survived' ? [...places, ...testFiles].join('\n') : verdict.reason;
  return `${about}\n${why.replace(/^/gm, '    | ')}`;
}

async function main(): Promise<number> {
  const { values, positionals } = scriptOptions(USAGE, {
    options: {
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: `${availableParallelism()}` },
      root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
    },
    allowPositionals: true,
  });
  const root = resolve(values.root);
  const { mutants: all, marks } = await mutantsOf(root);
  const fitting = choose(all, positionals);
  const seed = wholeNumber('seed', values.seed);
  const mutants = values.sample === undefined ? fitting : sampled(fitting, wholeNumber('sample', values.sample), seed);
  const jobs = Math.min(wholeNumber('jobs', values.jobs), mutants.length);
  while (copies.length < jobs) copyOf(root);

  const tests = [...new Set(mutants.flatMap(({ testFiles }) => testFiles))];
  process.stdout.write(`${mutants.length} of ${all.length} mutants, noticed by ${tests.length} test files\n`);
  const startedAt = clock.now();
  const { failed, tookMs } = await asTheyAre(tests);
  if (failed.length > 0) {
    process.stdout.write(`fail without any mutant: ${failed.sort().join(' ')}\n`);
    return 1;
  }
  process.stdout.write(`all pass as they are ${secondsSince(startedAt)}\n`);

  const counts = { noticed: 0, survived: 0, 'out of date': 0 };
  let done = 0;
  await share(mutants, async (copy, mutant) => {
    const begunAt = clock.now();
    const usualMs = mutant.testFiles.reduce((sum, file) => sum + (tookMs.get(file) ?? 0), 0);
    const limitMs = LONGER_BY_MS + LONGER * usualMs;
    const verdict = await judge(copy, mutant.id, { marks, tests: mutant.testFiles, limitMs });
    counts[verdict.outcome] += 1;
    done += 1;
    const place = `[${done}/${mutants.length}]`.padStart(9);
    process.stdout.write(`${place} ${verdict.outcome.padEnd(11)} ${secondsSince(begunAt)}  ${line(mutant, verdict)}\n`);
  });
  process.stdout.write(`in ${secondsSince(startedAt).trim()}\n`);
  process.stdout.write(
    `${counts.noticed} noticed, ${counts.survived} survived, ${counts['out of date']} out of date\n`,
  );
  return counts.noticed === mutants.length ? 0 : 1;
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
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
} finally {
  removeCopies();
}
