// long
// The runner of mutants on a small tree.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RUNNER_SOURCES } from '../runner/sources.ts';
import type { Change } from './change.ts';
import { inTree } from './tree.ts';

const test = suite('runner of mutants');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUNNER = fileURLToPath(new URL('main.ts', import.meta.url));

const SOURCE = `// mutant: adults-all >=.2 -> 0
// mutant: adults-later >= -> $1 > $2
// mutant: adults-gone || drop
// mutant: adults-broken >=.2 -> +
// mutant: adults-same =>.1 -> $
// mutant: adults-renamed >=.1 -> year
export const isAdult = (age: number): boolean => age >= 18;
`;
const TEST = `import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAdult } from '../ages.ts';
const test = suite('ages');
test('a child is no adult', () => assert.not(isAdult(10)));
test.run();
`;
const NOTICED: Change = { id: 'adults-all', breaks: 'everybody is an adult', tests: ['ages'] };
const SURVIVED: Change = { id: 'adults-later', breaks: 'who turns eighteen is a child', tests: ['ages'] };

interface Ran extends Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'> {
  readonly lastLine: string;
  /** Of the tree, when it was over. */
  readonly source: string;
  readonly left: readonly string[];
}

/** Runs the runner on a tree with one source, one test and these changes. */
function runOn(
  changes: readonly Change[],
  args: readonly string[] = [],
  { source = SOURCE, testText = TEST, others = {} }: { source?: string; testText?: string; others?: object } = {},
): Ran {
  const files = {
    'package.json': '{ "type": "module" }',
    'ages.ts': source,
    'test/ages.test.ts': testText,
    ...others,
    'test/mutation/list.ts': `export const CHANGES = ${JSON.stringify(changes)};\n`,
  };
  return inTree(files, (root, temporary) => {
    for (const name of RUNNER_SOURCES) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      cpSync(join(ROOT, name), join(root, name));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, '--root', root, ...args], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
    });
    return {
      status,
      stdout,
      stderr,
      lastLine: stdout.trimEnd().split('\n').at(-1) ?? '',
      source: readFileSync(join(root, 'ages.ts'), 'utf8'),
      left: readdirSync(temporary),
    };
  });
}

test('a mutant that a test notices is told with that test, and leaves the tree and the temporary folder as they were', () => {
  const { status, stdout, lastLine, source, left } = runOn([NOTICED]);
  assert.is(lastLine, '1 noticed, 0 survived, 0 out of date');
  assert.is(status, 0);
  assert.match(stdout, /noticed +\d+\.\d s +adults-all: everybody is an adult \(ages +"a child is no adult"\)/);
  assert.is(source, SOURCE);
  assert.equal(left, ['tree']);
});

test('a mutant that survives fails the run, and is shown; the next begins with the source as it was', () => {
  const { status, stdout, lastLine } = runOn([SURVIVED, NOTICED], ['--jobs', '1']);
  assert.is(lastLine, '1 noticed, 1 survived, 0 out of date');
  assert.is(status, 1);
  assert.match(
    stdout,
    /survived +\d+\.\d s +adults-later: who turns eighteen is a child\n {4}\| ages\.ts:2\n {4}\| test\/ages\.test\.ts\n/,
  );
});

test('a mutant without a mark, and one that changes nothing, is no program or has a name of old, are out of date', () => {
  const ids = ['adults-none', 'adults-gone', 'adults-broken', 'adults-same', 'adults-renamed'];
  const { status, stdout, lastLine } = runOn(ids.map((id) => ({ ...NOTICED, id })));
  assert.is(lastLine, '0 noticed, 0 survived, 5 out of date');
  assert.is(status, 1);
  assert.match(stdout, /no mark has the id adults-none/);
  assert.match(stdout, /ages\.ts:5: adults-same: changes nothing/);
});

test('only the tests that are to notice the mutants are run, however many run at a time', () => {
  const others = {
    'test/others.test.ts': TEST.replace('assert.not(', 'assert.ok(').replace("suite('ages')", "suite('others')"),
  };
  const { status, lastLine } = runOn([NOTICED, SURVIVED], ['--jobs', '2'], { others });
  assert.equal([status, lastLine], [1, '1 noticed, 1 survived, 0 out of date']);
});

test('a test that fails anyway notices nothing', () => {
  const { status, lastLine } = runOn([NOTICED], [], { testText: TEST.replace('assert.not(', 'assert.ok(') });
  assert.is(status, 1);
  assert.is(lastLine, 'fail without any mutant: test/ages.test.ts');
});

test('a mutant that makes its tests run for ever is noticed, and ended', () => {
  const source = `// mutant: adults-never => -> () => { for (;;); }\n${SOURCE.split('\n').at(-2)}\n`;
  const { status, stdout, lastLine, left } = runOn([{ ...NOTICED, id: 'adults-never' }], [], { source });
  assert.is(lastLine, '1 noticed, 0 survived, 0 out of date');
  assert.is(status, 0);
  assert.match(stdout, /noticed .+\(no end within 2\d s\)/);
  assert.equal(left, ['tree']);
});

test('a test that skips itself notices nothing', () => {
  const { status, lastLine } = runOn([NOTICED], [], { testText: "console.log('skipped: not here'); // suite('ages')" });
  assert.is(status, 1);
  assert.is(lastLine, '0 noticed, 1 survived, 0 out of date');
});

test('a sample is the same for the same seed, and parts of names choose', () => {
  const changes = Array.from({ length: 40 }, (_, index) => ({
    ...NOTICED,
    id: `none-${index}`,
    breaks: `rule ${index}.`,
  }));
  const taken = (...args: string[]): readonly string[] =>
    [...runOn(changes, args).stdout.matchAll(/none-\d+:/g)].map(([name]) => name).sort();
  const first = taken('--sample', '5');
  assert.is(first.length, 5);
  assert.equal(taken('--sample', '5', '--seed', '1'), first);
  assert.not.equal(taken('--sample', '5', '--seed', '2'), first);
  assert.equal(taken('none-37', 'rule 12.'), ['none-12:', 'none-37:']);
  const { status, stderr } = runOn(changes, ['none-40']);
  assert.is(status, 2);
  assert.is(stderr.trim(), "no mutant fits 'none-40'");
  assert.match(runOn([NOTICED, SURVIVED], ['ages.ts', '--sample', '1']).stdout, '1 of 2 mutants');
});

test.run();
