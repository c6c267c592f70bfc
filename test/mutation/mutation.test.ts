// The list itself, and the runner on a small tree.
// limit: 180 s
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, changedText } from './change.ts';
import { CHANGES } from './list.ts';

const test = suite('mutation');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUNNER = fileURLToPath(new URL('main.ts', import.meta.url));

const SOURCE = 'export const isAdult = (age: number): boolean => age >= 18;\n';
const TEST = `import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAdult } from '../ages.ts';
const test = suite('ages');
test('a child is no adult', () => assert.not(isAdult(10)));
test.run();
`;
const NOTICED: Change = {
  file: 'ages.ts',
  breaks: 'everybody is an adult',
  from: 'age >= 18',
  to: 'age >= 0',
  tests: ['test/ages.test.ts'],
};
const SURVIVED: Change = { ...NOTICED, breaks: 'who turns eighteen is a child', to: 'age > 18' };

interface Ran extends Pick<SpawnSyncReturns<string>, 'status' | 'stdout'> {
  readonly lastLine: string;
  /** Of the tree, when it was over. */
  readonly source: string;
  readonly left: readonly string[];
}

/** Runs the runner on a tree with one source, one test and these changes. */
function runOn(changes: readonly Change[], args: readonly string[] = [], { testText = TEST } = {}): Ran {
  const temporary = mkdtempSync(join(tmpdir(), 'troupe-mutation-'));
  const root = join(temporary, 'tree');
  const files: Record<string, string> = {
    'package.json': '{ "type": "module" }',
    'ages.ts': SOURCE,
    'test/ages.test.ts': testText,
    'test/mutation/list.ts': `export const CHANGES = ${JSON.stringify(changes)};\n`,
  };
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    for (const name of ['test/run.ts', 'actors/clock.ts']) cpSync(join(ROOT, name), join(root, name));
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
    const { status, stdout } = spawnSync(process.execPath, [RUNNER, '--root', root, ...args], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
    });
    return {
      status,
      stdout,
      lastLine: stdout.trimEnd().split('\n').at(-1) ?? '',
      source: readFileSync(join(root, 'ages.ts'), 'utf8'),
      left: readdirSync(temporary),
    };
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

test('every change of the list can be made, and has tests', () => {
  for (const change of CHANGES) {
    assert.not.throws(() => changedText(ROOT, change), change.breaks);
    for (const name of change.tests) assert.ok(existsSync(join(ROOT, name)), `${change.breaks}: ${name}`);
  }
});

test('a change that a test notices is told with that test, and leaves the tree and the temporary folder as they were', () => {
  const { status, stdout, lastLine, source, left } = runOn([NOTICED]);
  assert.is(lastLine, '1 noticed, 0 survived, 0 out of date');
  assert.is(status, 0);
  assert.match(stdout, /noticed +\d+\.\d s +ages\.ts: everybody is an adult \(ages +"a child is no adult"\)/);
  assert.is(source, SOURCE);
  assert.equal(left, ['tree']);
});

test('a change that survives fails the run, and is shown; the next begins with the source as it was', () => {
  const { status, stdout, lastLine } = runOn([SURVIVED, NOTICED], ['--jobs', '1']);
  assert.is(lastLine, '1 noticed, 1 survived, 0 out of date');
  assert.is(status, 1);
  assert.match(stdout, /survived +\d+\.\d s +ages\.ts: who turns eighteen is a child\n {4}\| test\/ages\.test\.ts\n/);
});

test('a text that is missing or there twice, and a change that is no program, are out of date', () => {
  const { status, stdout, lastLine } = runOn([
    { ...NOTICED, from: 'age > 21' },
    { ...NOTICED, from: 'age' },
    { ...NOTICED, to: 'age >=' },
    { ...NOTICED, to: NOTICED.from },
  ]);
  assert.is(lastLine, '0 noticed, 0 survived, 4 out of date');
  assert.is(status, 1);
  assert.match(stdout, /is 0 times in ages\.ts/);
  assert.match(stdout, /changes nothing/);
});

test('a test that fails anyway notices nothing', () => {
  const { status, lastLine } = runOn([NOTICED], [], { testText: TEST.replace('assert.not(', 'assert.ok(') });
  assert.is(status, 1);
  assert.is(lastLine, 'fail without any change: test/ages.test.ts');
});

test('a test that skips itself notices nothing', () => {
  const { status, lastLine } = runOn([NOTICED], [], { testText: "console.log('skipped: not here');" });
  assert.is(status, 1);
  assert.is(lastLine, '0 noticed, 1 survived, 0 out of date');
});

test('a sample is the same for the same seed, and parts of names choose', () => {
  const changes = Array.from({ length: 40 }, (_, index) => ({
    ...NOTICED,
    file: `none-${index}.ts`,
    breaks: `rule ${index}`,
    tests: ['test/ages.test.ts'] as const,
  }));
  const taken = (...args: string[]): readonly string[] =>
    [...runOn(changes, args).stdout.matchAll(/none-\d+\.ts:/g)].map(([name]) => name).sort();
  const first = taken('--sample', '5');
  assert.is(first.length, 5);
  assert.equal(taken('--sample', '5', '--seed', '1'), first);
  assert.not.equal(taken('--sample', '5', '--seed', '2'), first);
  assert.equal(taken('none-3.ts', 'rule 12'), ['none-12.ts:', 'none-3.ts:']);
  const { status, lastLine } = runOn(changes, ['none-3.js']);
  assert.is(status, 1);
  assert.is(lastLine, "no change fits 'none-3.js'");
});

test.run();
