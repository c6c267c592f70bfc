// Test files, run a few at a time: `npm test -- [options] [FILE or part of a path]...`.
//
// Files share processes, one for each processor, so that what they import is loaded once. uvu's totals decide, not exit
// codes: a hook that throws, a file without `.run()` and `.only` all end with code 0. A file that fails once has failed.
// A file without a suite that prints nothing but `skipped: <reason>` counts as one skipped.
// The last line is `N passed, N failed, N skipped`: tests, and a file without a sound verdict is one failed.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '../actors/clock.ts';
import { choose, Size, type TestFile } from './runner/files.ts';
import { Runner } from './runner/pool.ts';
import { line } from './runner/verdict.ts';

const HELP = `Runs test files. Usage: npm test -- [options] [FILE or part of a path]...

Without names: all of test/ but test/real, test/bench, test/chaos and the files that say '// long' in their first lines.

  --long      the files that say '// long' instead: whole landscapes, processes and browsers
  --real      test/real instead, one file after another: a suite skips itself where its counterpart is not named
  --jobs N    processes at a time; one a processor by default
  --help      this text
`;

const clock = systemClock();
const runners: Runner[] = [];

interface Options {
  readonly size: Size | undefined;
  readonly jobs: number | undefined;
  readonly names: readonly string[];
}

/** @throws {Error} what is wrong with the arguments */
function read(): Options | 'help' {
  const { values, positionals: names } = parseArgs({
    options: {
      real: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      jobs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  const jobs = values.jobs === undefined ? undefined : Number(values.jobs);
  if (jobs !== undefined && (!Number.isInteger(jobs) || jobs < 1)) {
    throw new Error(`--jobs must be a whole number, at least 1; got '${values.jobs}'`);
  }
  if (values.real && values.long) throw new Error('--real and --long are different files: give one of them');
  return { size: values.real ? Size.Real : values.long ? Size.Long : undefined, jobs, names };
}

async function runAll(files: readonly TestFile[], jobs: number): Promise<number> {
  const width = Math.max(...files.map(({ name }) => name.length));
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const failed: string[] = [];
  const left = [...files];
  const underWay = new Set<string>();
  const progress = (): void => {
    if (!process.stdout.isTTY) return;
    const done = files.length - left.length - underWay.size;
    const text = `[${done}/${files.length}] ${[...underWay].join(', ')}`.slice(0, process.stdout.columns - 1);
    process.stdout.write(done < files.length ? `\r\x1b[K${text}` : '\r\x1b[K');
  };
  const work = async (): Promise<void> => {
    const runner = new Runner(clock);
    runners.push(runner);
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const startedAt = clock.now();
      underWay.add(file.name);
      progress();
      const { verdict, output } = await runner.run(file);
      underWay.delete(file.name);
      sum.passed += verdict.passed;
      sum.failed += verdict.failed;
      sum.skipped += verdict.skipped;
      if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
      process.stdout.write(`${line(file, verdict, clock.now() - startedAt, width)}\n`);
      if (verdict.failed > 0) {
        failed.push(file.name);
        process.stdout.write(`${output.trim().replace(/^/gm, '    | ')}\n`);
      }
    }
    await runner.end();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, work));
  if (failed.length > 0) process.stdout.write(`\nfailed: ${failed.sort().join(' ')}\n`);
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
  return sum.failed > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  let files: readonly TestFile[];
  let jobs: number | undefined;
  try {
    const options = read();
    if (options === 'help') {
      process.stdout.write(HELP);
      return 0;
    }
    files = choose(options.names, options.size);
    jobs = options.jobs;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}; --help says more\n`);
    process.stdout.write('0 passed, 1 failed, 0 skipped\n');
    return 2;
  }
  // Suites on real counterparts share them.
  return runAll(files, files.some(({ size }) => size === Size.Real) ? 1 : (jobs ?? availableParallelism()));
}

for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.on(signal, () => {
    for (const runner of runners) runner.kill();
    process.exit(128 + number);
  });
}

process.exitCode = await main();
