// Test files, run a few at a time: `npm test -- [options] [FILE or part of a path]...`.
//
// Files share processes, one for each processor, so that what they import is loaded once. uvu's totals decide, not exit
// codes: a hook that throws, a file without `.run()` and `.only` all end with code 0. A file that fails once has failed.
// A file without a suite that prints nothing but `skipped: <reason>` counts as one skipped.
// The last line is `N passed, N failed, N skipped`: tests, and a file without a sound verdict is one failed.
import { availableParallelism } from 'node:os';
import { systemClock } from '../actors/base/clock.ts';
import { refuse, scriptOptions, wholeNumber } from '../deploy/script-options.ts';
import { choose, Size, type TestFile } from './runner/files.ts';
import { Runner } from './runner/pool.ts';
import { line } from './runner/verdict.ts';

const USAGE = `Usage: npm test -- [options] [FILE or part of a path]...

Runs test files. Without names: all of test/ but test/real, test/bench and the files that say '// long' or '// needs:' in their
first lines.

  --long      the files that say '// long' instead: whole landscapes, processes and browsers
  --real      test/real and what says '// needs:' instead, one file after another: a suite skips itself where its
              counterpart is not named
  --jobs N    processes at a time; one a processor by default
  --help      this text
`;

const clock = systemClock();
const runners: Runner[] = [];

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
  const { values, positionals: names } = scriptOptions(USAGE, {
    options: {
      real: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      jobs: { type: 'string', default: `${availableParallelism()}` },
    },
    allowPositionals: true,
  });
  if (values.real && values.long) refuse('--real and --long are different files: give one of them');
  const jobs = wholeNumber('jobs', values.jobs);
  let files: readonly TestFile[];
  try {
    files = choose(names, values.real ? Size.Real : values.long ? Size.Long : undefined);
  } catch (error) {
    process.stdout.write('0 passed, 1 failed, 0 skipped\n');
    return refuse((error as Error).message);
  }
  // Suites on real counterparts share them.
  return runAll(files, files.some(({ size }) => size === Size.Real) ? 1 : jobs);
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
