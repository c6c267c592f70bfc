// The list of suites, and what a change is held against.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { affected } from './changed.ts';
import { asTotals } from './command.ts';
import { bareEnv, COUNTERPARTS, ROOT } from './counterparts.ts';
import { allSuites, fileSuites, gateSuites, JUDGED_BY } from './list.ts';

const test = suite('list of suites');

test('names are unique, and every need is a counterpart', () => {
  const suites = allSuites();
  const known = new Set(COUNTERPARTS.map(({ name }) => name));
  assert.is(new Set([...known, ...suites.map(({ name }) => name)]).size, known.size + suites.length);
  for (const { name, needs } of [...suites, ...COUNTERPARTS, ...gateSuites()])
    for (const need of needs) assert.ok(known.has(need), `${name} needs ${need}`);
});

test('every file of test/real is a suite of its own', () => {
  const real = readdirSync(join(ROOT, 'test/real'), { recursive: true, encoding: 'utf8' });
  const missing = real
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => !/^\/\/ needs: /.test(readFileSync(join(ROOT, 'test/real', path), 'utf8')));
  assert.equal(missing, []);
});

test('what each change is judged by beside npm test is a long test', () => {
  for (const path of JUDGED_BY) assert.match(readFileSync(join(ROOT, path), 'utf8'), /^\/\/ long\n/, path);
});

test('the gate is a part of everything, but for how much of it', () => {
  const files = new Set(fileSuites().map(({ name }) => name));
  const all = new Set(allSuites().map(({ command: [first, , script] }) => `${first} ${script}`));
  for (const { name, command } of gateSuites())
    assert.ok(files.has(name) || all.has(`${command[0]} ${command[2]}`), name);
});

test('a change affects the suites that import what was changed, or are told to look there', () => {
  const imports = new Map([
    ['test/real/bus/nats-bus.test.ts', ['test/bus/bus.suite.ts', 'uvu']],
    ['test/bus/bus.suite.ts', ['bus/nats-bus.ts']],
    ['bus/nats-bus.ts', []],
    ['test/real/smoke/pipe.test.ts', ['test/real/csi-proxy/wine-suite.ts']],
    ['test/real/csi-proxy/wine-suite.ts', []],
  ]);
  const names = (...changed: readonly string[]): ReadonlySet<string> =>
    new Set(affected(allSuites(), changed, imports).map(({ name }) => name));
  assert.is(names().size, 0);
  const bus = names('bus/nats-bus.ts');
  for (const name of ['check', 'unit', 'bus/nats-bus']) assert.ok(bus.has(name), name);
  assert.not(bus.has('smoke/pipe'));
  assert.ok(names('deploy/chart/values.yaml').has('deploy'));
  assert.not(names('README.md').has('smoke/landscape'));
});

test('totals of a command are its last line; without them, or with a bad end, it has failed', () => {
  const ended = (output: string, how = '') => ({ ok: how === '', output, how });
  const counts = (output: string, how?: string): string => {
    const { passed, failed, skipped } = asTotals(ended(output, how));
    return `${passed} ${failed} ${skipped}`;
  };
  assert.is(counts('a\n3 passed, 0 failed, 1 skipped\n'), '3 0 1');
  assert.is(counts('3 passed, 2 failed, 1 skipped\n', 'exit code 1'), '3 2 1');
  assert.is(counts('3 passed, 0 failed, 0 skipped\n', 'exit code 1'), '3 1 0');
  assert.is(counts('3 passed, 0 failed, 0 skipped\nmore\n'), '0 1 0');
});

test('no counterpart of somebody else is used (TEST-COUNTERPARTS-1)', () => {
  const env = bareEnv({ KUBECONFIG: '/mine', NATS_URL: 'nats://mine', OS_CLOUD: 'mine', HOME: '/home' });
  assert.equal(
    [env['KUBECONFIG'], env['NATS_URL'], env['OS_CLOUD'], env['HOME']],
    [undefined, undefined, undefined, '/home'],
  );
});

test.run();
