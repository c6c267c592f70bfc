// long
// The runner itself: what must not count as a pass.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RUNNER_SOURCES } from './runner/sources.ts';

const test = suite('test/run.ts');
const RUNNER = fileURLToPath(new URL('./run.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HEAD = `import { suite } from '${import.meta.resolve('uvu')}';\nconst test = suite('fixture');\n`;

type Outcome = Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'> & { lastLine: string };

/** Runs the runner on files of these contents, by name, in a folder of their own. */
function runOn(contents: Record<string, string>, args: readonly string[] = [], named = Object.keys(contents)): Outcome {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-run-'));
  try {
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
    const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...args, ...named], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, stdout, stderr, lastLine: stdout.trimEnd().split('\n').at(-1) ?? '' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('files that pass are counted by their tests, and only named', () => {
  const { status, stdout, lastLine } = runOn({
    'one.test.ts': `${HEAD}test('a', () => {}); console.log('chatter'); test.run();`,
    'two.test.ts': `${HEAD}test('a', () => {}); test('b', async () => {}); test.run();`,
  });
  assert.is(status, 0);
  assert.match(stdout, /^passed {2}two\.test\.ts +\d+\.\d s {2}2 passed$/m);
  assert.not.match(stdout, /chatter/);
  assert.is(lastLine, '3 passed, 0 failed, 0 skipped');
});

test('a failing test fails the run, and the output of its file is shown', () => {
  const { status, stdout, lastLine } = runOn({
    'bad.test.ts': `${HEAD}test('a', () => {}); test('b', () => { throw new Error('the reason'); }); test.run();`,
    'good.test.ts': `${HEAD}test('a', () => {}); test.run();`,
  });
  assert.is(status, 1);
  assert.match(stdout, /^ {4}\| .*the reason/m);
  assert.match(stdout, /^failed: bad\.test\.ts$/m);
  assert.is(lastLine, '2 passed, 1 failed, 0 skipped');
});

test('files share a process, and what they import', () => {
  const counting = (expected: number): string => `import { count } from './shared.ts';
    ${HEAD}test('a', () => { if (count() !== ${expected}) throw new Error('not shared'); }); test.run();`;
  const { stdout, lastLine } = runOn(
    {
      'shared.ts': 'let counted = 0;\nexport const count = (): number => ++counted;\n',
      'a.test.ts': counting(1),
      'b.test.ts': counting(2),
    },
    ['--jobs', '1'],
    ['a.test.ts', 'b.test.ts'],
  );
  assert.is(lastLine, '2 passed, 0 failed, 0 skipped', stdout);
});

test('a file that must be alone shares its process with none', () => {
  const alone = "if (globalThis.seen) throw new Error('not alone'); globalThis.seen = 1;";
  const file = (mark: string): string => `${mark}${HEAD}test('a', () => { ${alone} }); test.run();`;
  const { stdout, lastLine } = runOn(
    {
      'a.test.ts': file('// own process: it counts\n'),
      'b.test.ts': file('// own process: it counts\n'),
      'c.test.ts': file(''),
      'd.test.ts': file(''),
    },
    ['--jobs', '1'],
  );
  assert.is(lastLine, '3 passed, 1 failed, 0 skipped', stdout);
  assert.match(stdout, /^failed: [cd]\.test\.ts$/m);
});

test('each file has the environment and the folder that the run began with', () => {
  const { stdout, lastLine } = runOn(
    {
      'a.test.ts': `${HEAD}test('a', () => { process.env.LEFT = 'x'; delete process.env.PATH; process.chdir('/'); }); test.run();`,
      'b.test.ts': `${HEAD}test('b', () => { if (process.env.LEFT || !process.env.PATH || process.cwd() === '/') throw new Error('left'); }); test.run();`,
    },
    ['--jobs', '1'],
  );
  assert.is(lastLine, '2 passed, 0 failed, 0 skipped', stdout);
});

const LONE_FAILURES: Record<string, { content: string; says: RegExp; lastLine?: string }> = {
  'a file without .run()': { content: `${HEAD}test('a', () => {});`, says: /no suite was run/ },
  'a suite without a test': { content: `${HEAD}test.run();`, says: /no test in it/ },
  'a hook that throws before the tests': {
    content: `${HEAD}test.before(() => { throw new Error('no'); }); test('a', () => {}); test.run();`,
    says: /FAILED/,
  },
  'a hook that throws after a test': {
    content: `${HEAD}test.after.each(() => { throw new Error('no'); }); test('a', () => {}); test.run();`,
    says: /FAILED/,
  },
  'a test left out by .only': {
    content: `${HEAD}test.only('a', () => {}); test('b', () => {}); test.run();`,
    says: /1 skipped inside the file/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a test that never settles': {
    content: `${HEAD}test('a', () => new Promise(() => {})); test.run();`,
    says: /waits for what never happens/,
  },
  'an error after the last test': {
    content: `${HEAD}test('a', () => { setTimeout(() => { throw new Error('late'); }, 50); }); test.run();`,
    says: /an error that nobody caught: late/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a rejection that nobody handles': {
    content: `${HEAD}test('a', () => void Promise.reject(new Error('lost'))); test.run();`,
    says: /an error that nobody caught: lost/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a timer that is left behind': {
    content: `${HEAD}test('a', () => void setInterval(() => {}, 1_000)); test.run();`,
    says: /leaves behind 1 x Timeout/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a server that is left behind': {
    content: `import { createServer } from 'node:net';\n${HEAD}test('a', () => void createServer().listen(0, '127.0.0.1')); test.run();`,
    says: /leaves behind 1 x TCPServerWrap/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a file that ends the process': {
    content: `${HEAD}test('a', () => process.exit(0)); test.run();`,
    says: /the process ended by exit code 0/,
  },
  'a file that does not load': { content: `import './nowhere.ts';`, says: /it does not load/ },
  'a skip with other output': { content: `console.log('skipped: no'); console.log('more');`, says: /no suite was run/ },
};

for (const [title, { content, says, lastLine = '0 passed, 1 failed, 0 skipped' }] of Object.entries(LONE_FAILURES)) {
  test(`${title} is a failure`, () => {
    const outcome = runOn({ 'lone.test.ts': content });
    assert.is(outcome.status, 1, outcome.stdout);
    assert.match(outcome.stdout, says);
    assert.is(outcome.lastLine, lastLine);
  });
}

test('what a file started ends with its process', () => {
  const { stdout, lastLine } = runOn({
    'leaves.test.ts': `${HEAD}import { spawn } from 'node:child_process';
      test('a', () => {
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
        console.log('child', child.pid);
        throw new Error('so that its output is shown');
      });
      test.run();`,
  });
  assert.is(lastLine, '0 passed, 1 failed, 0 skipped', stdout);
  const pid = Number(/child (\d+)/.exec(stdout)?.[1]);
  assert.ok(pid > 0);
  assert.not.ok(isRunning(pid));
});

test('a file after one that failed runs in another process', () => {
  const { stdout, lastLine } = runOn(
    {
      'a.test.ts': `${HEAD}test('a', () => { globalThis.seen = 1; throw new Error('no'); }); test.run();`,
      'b.test.ts': `${HEAD}test('b', () => { if (globalThis.seen) throw new Error('the same'); }); test.run();`,
    },
    ['--jobs', '1'],
    ['a.test.ts', 'b.test.ts'],
  );
  assert.is(lastLine, '1 passed, 1 failed, 0 skipped', stdout);
});

test('the end of a process that comes late says nothing of the next file (TEST-POOL-3)', () => {
  const holding = `// own process: it leaves somebody with its output\n${HEAD}import { spawn } from 'node:child_process';
    test('a', () => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1500)'], { stdio: 'inherit', detached: true }).unref());
    test.run();`;
  const { stdout, lastLine } = runOn(
    {
      'a.test.ts': holding,
      'b.test.ts': `${HEAD}test('b', () => new Promise((resolve) => setTimeout(resolve, 3_000))); test.run();`,
    },
    ['--jobs', '1'],
    ['a.test.ts', 'b.test.ts'],
  );
  assert.is(lastLine, '2 passed, 0 failed, 0 skipped', stdout);
});

test('a file whose counterpart is absent counts as one skipped', () => {
  const { status, stdout, lastLine } = runOn({ 'absent.test.ts': `console.log('skipped: no server here');` });
  assert.is(status, 0);
  assert.match(stdout, /^skipped absent\.test\.ts .*no server here$/m);
  assert.is(lastLine, '0 passed, 0 failed, 1 skipped');
});

test('files that take long are left to --long, unless they are named', () => {
  const root = mkdtempSync(join(tmpdir(), 'troupe-run-'));
  try {
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    for (const name of RUNNER_SOURCES) cpSync(join(ROOT, name), join(root, name));
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
    writeFileSync(join(root, 'test', 'a.test.ts'), `${HEAD}test('a', () => {}); test.run();`);
    writeFileSync(join(root, 'test', 'b.test.ts'), `// long\n${HEAD}test('b', () => {}); test.run();`);
    for (const [args, names] of [
      [[], ['a']],
      [['--long'], ['b']],
      [
        ['b.test', 'a.test'],
        ['a', 'b'],
      ],
      [['--long', 'b.test', 'a.test'], ['b']],
      [['--long', 'a.test'], []],
    ] as const) {
      const { stdout, status } = spawnSync(process.execPath, ['test/run.ts', ...args], { cwd: root, encoding: 'utf8' });
      const ran = [...stdout.matchAll(/^passed +test\/(.)\.test/gm)].map(([, name]) => name).sort();
      assert.equal(ran, [...names], args.join(' '));
      assert.is(status, names.length === 0 ? 2 : 0, args.join(' '));
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a name that fits no file is a failure', () => {
  const { status, stderr, lastLine } = runOn({}, ['no-such-file']);
  assert.is(status, 2);
  assert.match(stderr, /no test file fits 'no-such-file'/);
  assert.is(lastLine, '0 passed, 1 failed, 0 skipped');
});

test('--help says what there is, and what is unknown is told', () => {
  const help = runOn({}, ['--help']);
  assert.is(help.status, 0);
  assert.match(help.stdout, /--long .*\n.*--real/s);
  const unknown = runOn({}, ['--again']);
  assert.is(unknown.status, 2);
  assert.match(unknown.stderr, /Unknown option '--again'/);
});

/** A zombie has ended, though nobody has read how yet. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

test.run();
