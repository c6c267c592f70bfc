// Runs test files, each in a process of its own, and decides from uvu's totals: exit code 0 alone proves nothing (a hook
// that throws, a file without `.run()` and `.only` all end with it).
//
//   node test/run.ts [--long | --real] [--jobs N] [--again] [FILE or part of a path]...
//
// Without names: all of test/ but test/real, test/bench, test/chaos and the files that say `// long` in their first lines:
// whole landscapes, processes and browsers, whose tests take many seconds of a processor; with --long: those alone; with
// --real: test/real, one file after another, since its suites share their counterparts. A file has 120 s, in test/real 900 s, or what a comment in its first lines
// says: `// limit: 300 s`. A file that prints nothing but `skipped: <reason>` counts as one skipped. As many files run at
// a time as there are processors, and as many again of those that say `// waits`: their time is not the processor's.
// Those that say `// alone` measure time, and run one by one when all others have ended. Those of test/real that say
// `// apart` bring what they need, and run beside the others, one after another too; those that say `// apart: ironic` share
// what has that name with each other alone, and run beside all others, one after another.
// With --again a file that fails is run once more when all others have ended, by itself; if it passes then it counts as
// passed, and is named in a line `flaky: ...` before the last: on a machine that does other things too, a test of
// time may fail once.
// The last line is `N passed, N failed, N skipped`: tests, and a file without a sound verdict is one failed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { systemClock } from '../actors/clock.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEST = join(ROOT, 'test');
const NOT_BY_DEFAULT = ['real', 'bench', 'chaos'].map((folder) => join(TEST, folder) + sep);
const REAL = join(TEST, 'real') + sep;
const LIMIT_MS = 120_000;
const REAL_LIMIT_MS = 900_000;
/** Of the comment that raises a file's limit: it is looked for in so many characters. */
const HEAD_LENGTH = 1_000;
/** Kept of what a file prints, in characters: the end, where the totals are. */
const OUTPUT_LENGTH = 400_000;
/** How a file that is skipped says that no server of the bus can be had. */
const NO_NATS = 'no nats-server';
const TOTALS = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm;

interface TestFile {
  readonly path: string;
  readonly name: string;
  readonly limitMs: number;
  /** How it gets along with others: it computes, it waits more than it computes, it measures time, or it shares nothing. */
  readonly manner: 'computes' | 'waits' | 'alone' | 'apart';
  /** What those that are apart share; empty: nothing. */
  readonly shares: string;
  readonly isLong: boolean;
}

interface Ended {
  readonly stdout: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly killed: boolean;
}

interface Verdict {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why, when there is more to say than the totals do. */
  readonly reason?: string;
}

const clock = systemClock();
const running = new Map<TestFile, ChildProcess>();

function testFile(path: string): TestFile {
  const head = readFileSync(path, 'utf8').slice(0, HEAD_LENGTH);
  const declared = /^\/\/ limit: (\d+) s$/m.exec(head)?.[1];
  const limitMs = declared ? Number(declared) * 1_000 : path.startsWith(REAL) ? REAL_LIMIT_MS : LIMIT_MS;
  const [, manner = 'computes', shares = ''] = /^\/\/ (waits|alone|apart)(?:: (\w+))?$/m.exec(head) ?? [];
  const isLong = /^\/\/ long$/m.test(head);
  return { path, name: relative(process.cwd(), path), limitMs, manner: manner as TestFile['manner'], shares, isLong };
}

/** @throws {Error} a name that fits no file: a misspelt name must not look like a pass */
function choose(names: readonly string[], { real, long }: { real: boolean; long: boolean }): TestFile[] {
  const all = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(TEST, path))
    .filter((path) => (real ? path.startsWith(REAL) : !NOT_BY_DEFAULT.some((folder) => path.startsWith(folder))));
  if (names.length === 0 && all.length === 0) throw new Error('no test file');
  const chosen = names.flatMap((name) => {
    if (existsSync(name) && name.endsWith('.ts')) return [resolve(name)];
    const fitting = all.filter((path) => relative(ROOT, path).includes(name.replace(/^\.\//, '')));
    if (fitting.length === 0) throw new Error(`no test file fits '${name}'`);
    return fitting;
  });
  const found = [...new Set(names.length === 0 ? all : chosen)].map(testFile);
  const files = found.filter(({ isLong }) => (long ? isLong : names.length > 0 || real || !isLong));
  if (files.length === 0) throw new Error('no test file that says `// long` among those');
  if (!long && files.length < found.length) {
    process.stdout.write(`${found.length - files.length} files that take long are left to npm run test:long\n`);
  }
  // The longest first, so that none of them starts last.
  return files.sort((a, b) => b.limitMs - a.limitMs || a.name.localeCompare(b.name));
}

/** Ends a file and whatever it started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/T', '/F', '/PID', String(child.pid)]);
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: nobody is left in the group, which is how it should be. EPERM: only zombies are (macOS).
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function run(file: TestFile): Promise<Ended & { readonly output: string }> {
  const { promise, resolve: end } = Promise.withResolvers<Ended & { readonly output: string }>();
  const child = spawn(process.execPath, ['--conditions=development', '--conditions=@troupe/source', file.path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32', // a process group of its own
    env: { ...process.env, FORCE_COLOR: '0', NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile') },
  });
  running.set(file, child);
  let stdout = '';
  let output = '';
  let killed = false;
  const keep = (kept: string, chunk: string): string => (kept + chunk).slice(-OUTPUT_LENGTH);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout = keep(stdout, chunk);
    output = keep(output, chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output = keep(output, chunk);
  });
  const limit = clock.setTimeout(() => {
    killed = true;
    killGroup(child);
  }, file.limitMs);
  child.on('error', (error) => {
    output = keep(output, `${error.message}\n`);
  });
  // What it left running would hold the pipes open, and outlive this run.
  child.on('exit', () => killGroup(child));
  child.on('close', (code, signal) => {
    clock.clearTimeout(limit);
    running.delete(file);
    end({ stdout: stripVTControlCharacters(stdout), output, code, signal, killed });
  });
  return promise;
}

function judge({ limitMs }: TestFile, { stdout, code, signal, killed }: Ended): Verdict {
  if (killed) return { passed: 0, failed: 1, skipped: 0, reason: `killed after ${limitMs / 1_000} s` };
  const skip = /^skipped: (.+)$/.exec(stdout.trim());
  if (skip && code === 0) return { passed: 0, failed: 0, skipped: 1, reason: skip[1] ?? '' };
  let total = 0;
  let passed = 0;
  let skipped = 0;
  let found = false;
  for (const [, ...counts] of stdout.matchAll(TOTALS)) {
    const [ofTotal = 0, ofPassed = 0, ofSkipped = 0] = counts.map(Number);
    found = true;
    total += ofTotal;
    passed += ofPassed;
    skipped += ofSkipped;
  }
  const ending = signal ? `ended by ${signal}` : `exit code ${code}`;
  if (!found) return { passed: 0, failed: 1, skipped: 0, reason: `no totals (is .run() missing?), ${ending}` };
  if (total === 0) return { passed: 0, failed: 1, skipped: 0, reason: 'no test in it' };
  // Whatever a file skips or leaves out by `.only` counts as failed: nobody would miss it otherwise.
  const failed = total - passed + skipped;
  if (skipped > 0) return { passed, failed, skipped: 0, reason: `${skipped} skipped inside the file` };
  if (failed > 0) return code === 0 ? { passed, failed, skipped, reason: 'a hook threw' } : { passed, failed, skipped };
  if (code !== 0) return { passed, failed: 1, skipped, reason: `all passed, yet ${ending}` };
  return { passed, failed, skipped };
}

function line(file: TestFile, verdict: Verdict, seconds: string, width: number): string {
  const { passed, failed, skipped, reason } = verdict;
  const word = failed > 0 ? 'FAILED' : skipped > 0 ? 'skipped' : 'passed';
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : skipped > 0 ? '' : `${passed} passed`;
  const said = [counts, reason].filter(Boolean).join('; ');
  return `${word.padEnd(7)} ${file.name.padEnd(width)} ${seconds.padStart(6)} s  ${said}`;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      real: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      jobs: { type: 'string' },
      again: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const jobsAsked = Number(values.jobs ?? availableParallelism());
  if (!Number.isInteger(jobsAsked) || jobsAsked < 1) {
    throw new Error(`--jobs must be a whole number, at least 1; got '${values.jobs}'`);
  }
  const files = choose(positionals, values);
  const jobs = files.some(({ path }) => path.startsWith(REAL)) ? 1 : jobsAsked;
  const width = Math.max(...files.map(({ name }) => name.length));
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const failedFiles: TestFile[] = [];
  const flaky: string[] = [];
  const [busy, idle, lone, apart] = (['computes', 'waits', 'alone', 'apart'] as const).map((manner) =>
    files.filter((file) => file.manner === manner),
  ) as [TestFile[], TestFile[], TestFile[], TestFile[]];
  const lanes = Map.groupBy(apart, ({ shares }) => shares);
  let done = 0;

  const progress = (): void => {
    if (!process.stdout.isTTY) return;
    const names = [...running.keys()].map(({ name }) => name).join(', ');
    const text = `[${done}/${files.length}] ${names}`.slice(0, process.stdout.columns - 1);
    process.stdout.write(done < files.length ? `\r\x1b[K${text}` : '\r\x1b[K');
  };
  const runOne = async (file: TestFile): Promise<Verdict> => {
    const startedAt = clock.now();
    const ending = run(file);
    progress();
    const ended = await ending;
    const verdict = judge(file, ended);
    // Whoever comes next need not find out the same (test/actors/grounds.ts).
    if (verdict.reason?.startsWith(NO_NATS)) process.env['TEST_NATS_REFUSAL'] ??= verdict.reason;
    const seconds = ((clock.now() - startedAt) / 1_000).toFixed(1);
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
    process.stdout.write(`${line(file, verdict, seconds, width)}\n`);
    if (verdict.failed > 0) process.stdout.write(`${ended.output.trimEnd().replace(/^/gm, '    | ')}\n`);
    return verdict;
  };
  const count = ({ passed, failed, skipped }: Verdict): void => {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  };
  const work = async (next: () => TestFile | undefined): Promise<void> => {
    for (let file = next(); file; file = next()) {
      const verdict = await runOne(file);
      done += 1;
      if (verdict.failed > 0) failedFiles.push(file);
      if (verdict.failed === 0 || !values.again) count(verdict);
      progress();
    }
  };
  const workers = (number: number, next: () => TestFile | undefined): Promise<void>[] =>
    Array.from({ length: number }, () => work(next));
  await Promise.all([
    ...workers(jobs, () => busy.shift() ?? idle.shift()),
    ...(jobs > 1 ? workers(jobs, () => idle.shift()) : []),
    ...[...lanes.values()].flatMap((lane) => workers(1, () => lane.shift())),
  ]);
  await work(() => lone.shift());
  if (values.again && failedFiles.length > 0) {
    process.stdout.write('\nonce more, one by one:\n');
    for (const file of failedFiles.splice(0)) {
      const verdict = await runOne(file);
      count(verdict);
      if (verdict.failed > 0) failedFiles.push(file);
      else flaky.push(file.name);
    }
  }

  const names = failedFiles.map(({ name }) => name);
  if (names.length > 0) process.stdout.write(`\nfailed: ${names.sort().join(' ')}\n`);
  if (flaky.length > 0) process.stdout.write(`\nflaky: ${flaky.sort().join(' ')}\n`);
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
  return sum.failed > 0 ? 1 : 0;
}

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.on(signal, () => {
    for (const child of running.values()) killGroup(child);
    process.exit(128 + number);
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n0 passed, 1 failed, 0 skipped\n`);
  process.exitCode = 1;
}
