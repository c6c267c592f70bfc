// The runner itself: what must not count as a pass.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('test/run.ts');
const RUNNER = fileURLToPath(new URL('./run.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HEAD = `import { suite } from '${import.meta.resolve('uvu')}';\nconst test = suite('fixture');\n`;

type Outcome = Pick<SpawnSyncReturns<string>, 'status' | 'stdout'> & { lastLine: string };

/** Runs the runner on files of these contents, by name, in a folder of their own. */
function runOn(contents: Record<string, string>, args: readonly string[] = []): Outcome {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-run-'));
  try {
    const names = Object.keys(contents);
    for (const name of names) writeFileSync(join(folder, name), contents[name] ?? '');
    const { status, stdout } = spawnSync(process.execPath, [RUNNER, ...args, ...names], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, stdout, lastLine: stdout.trimEnd().split('\n').at(-1) ?? '' };
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

const SECOND_TIME = `import { existsSync, writeFileSync } from 'node:fs';
const isSecond = existsSync('seen');
writeFileSync('seen', '');`;

test('with --again a file that fails is run once more, and named when it passes then', () => {
  const flaky = `${SECOND_TIME}${HEAD}test('a', () => { if (!isSecond) throw new Error('the reason'); }); test.run();`;
  const once = runOn({ 'flaky.test.ts': flaky });
  assert.is(once.lastLine, '0 passed, 1 failed, 0 skipped');
  const { status, stdout, lastLine } = runOn({ 'flaky.test.ts': flaky }, ['--again']);
  assert.is(status, 0);
  assert.match(stdout, /^ {4}\| .*the reason/m);
  assert.match(stdout, /^flaky: flaky\.test\.ts$/m);
  assert.is(lastLine, '1 passed, 0 failed, 0 skipped');
});

test('with --again a file that fails twice has failed, once', () => {
  const { status, stdout, lastLine } = runOn(
    { 'bad.test.ts': `${HEAD}test('a', () => { throw new Error('the reason'); }); test.run();` },
    ['--again'],
  );
  assert.is(status, 1);
  assert.match(stdout, /^failed: bad\.test\.ts$/m);
  assert.not.match(stdout, /^flaky/m);
  assert.is(lastLine, '0 passed, 1 failed, 0 skipped');
});

test('files that wait run beside those that compute', () => {
  const rendezvous = (own: string, other: string): string => `import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('${own}', '');
${HEAD}test('a', async () => { while (!existsSync('${other}')) await new Promise((go) => setTimeout(go, 5)); }); test.run();`;
  const names = ['a', 'b', 'c', 'd'];
  const files = names.map((name, at) => [
    `${name}.test.ts`,
    `${at < 2 ? '// waits\n' : ''}${rendezvous(name, names[(at + 1) % 4] ?? '')}`,
  ]);
  assert.is(runOn(Object.fromEntries(files), ['--jobs', '2']).lastLine, '4 passed, 0 failed, 0 skipped');
});

/** A file that says that it has begun, then does this, and says that it is over. */
function begun(name: string, body: string): string {
  return `import { existsSync, writeFileSync } from 'node:fs';
const until = async (name) => { while (!existsSync(name)) await new Promise((go) => setTimeout(go, 5)); };
const after = (name) => { if (!existsSync(name)) throw new Error('both at a time'); };
writeFileSync('${name} has begun', '');
${HEAD}test('${name}', async () => { ${body} writeFileSync('${name} is over', ''); }); test.run();`;
}

test('files that bring what they need run beside those that share it, one after another', () => {
  const files = {
    'a.test.ts': begun('a', "await until('b is over'); await until('c is over');"),
    'b.test.ts': `// apart\n${begun('b', "await until('a has begun');")}`,
    'c.test.ts': `// apart\n${begun('c', "after('b is over');")}`,
  };
  assert.is(runOn(files, ['--jobs', '1']).lastLine, '3 passed, 0 failed, 0 skipped');
});

test('files that share a thing with each other alone run beside all others, one after another', () => {
  const files = {
    'a.test.ts': begun('a', "await until('b has begun'); await until('c has begun');"),
    'b.test.ts': `// apart\n${begun('b', "await until('a has begun'); await until('c has begun');")}`,
    'c.test.ts': `// apart: thing\n${begun('c', "await until('a has begun'); await until('b has begun');")}`,
    'd.test.ts': `// apart: thing\n${begun('d', "after('c is over');")}`,
  };
  assert.is(runOn(files, ['--jobs', '1']).lastLine, '4 passed, 0 failed, 0 skipped');
});

test('files that measure time run when all others have ended', () => {
  const { stdout } = runOn({
    'a.test.ts': `// alone\n${HEAD}test('a', () => {}); test.run();`,
    'b.test.ts': `${HEAD}test('b', () => new Promise((go) => setTimeout(go, 300))); test.run();`,
    'c.test.ts': `${HEAD}test('c', () => {}); test.run();`,
  });
  const order = [...stdout.matchAll(/^passed +(.)\.test/gm)].map(([, name]) => name).join('');
  assert.match(order, /^(bc|cb)a$/);
});

const LONE_FAILURES: Record<string, { content: string; says: RegExp; lastLine?: string }> = {
  'a file without .run()': { content: `${HEAD}test('a', () => {});`, says: /no totals/ },
  'a suite without a test': { content: `${HEAD}test.run();`, says: /no test in it/ },
  'a hook that throws before the tests': {
    content: `${HEAD}test.before(() => { throw new Error('no'); }); test('a', () => {}); test.run();`,
    says: /a hook threw/,
  },
  'a hook that throws after a test': {
    content: `${HEAD}test.after.each(() => { throw new Error('no'); }); test('a', () => {}); test.run();`,
    says: /a hook threw/,
  },
  'a test left out by .only': {
    content: `${HEAD}test.only('a', () => {}); test('b', () => {}); test.run();`,
    says: /1 skipped inside the file/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a test that never settles': {
    content: `${HEAD}test('a', () => new Promise(() => {})); test.run();`,
    says: /exit code 1/,
  },
  'an error after the last test': {
    content: `${HEAD}test('a', () => { setTimeout(() => { throw new Error('late'); }, 50); }); test.run();`,
    says: /all passed, yet exit code/,
    lastLine: '1 passed, 1 failed, 0 skipped',
  },
  'a file that does not load': { content: `import './nowhere.ts';`, says: /exit code 1/ },
  'a skip with other output': { content: `console.log('skipped: no'); console.log('more');`, says: /no totals/ },
};

for (const [title, { content, says, lastLine = '0 passed, 1 failed, 0 skipped' }] of Object.entries(LONE_FAILURES)) {
  test(`${title} is a failure`, () => {
    const outcome = runOn({ 'lone.test.ts': content });
    assert.is(outcome.status, 1, outcome.stdout);
    assert.match(outcome.stdout, says);
    assert.is(outcome.lastLine, lastLine);
  });
}

test('a file that hangs is killed at its limit, with what it started', () => {
  const { status, stdout, lastLine } = runOn({
    'hangs.test.ts': `// limit: 5 s\nimport { spawn } from 'node:child_process';
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      console.log('child', child.pid);`,
  });
  assert.is(status, 1);
  assert.match(stdout, /^FAILED {2}hangs\.test\.ts .*killed after 5 s$/m);
  assert.is(lastLine, '0 passed, 1 failed, 0 skipped');
  const pid = Number(/child (\d+)/.exec(stdout)?.[1]);
  assert.ok(pid > 0);
  assert.not.ok(isRunning(pid));
});

test('what a file leaves behind ends with it', () => {
  const { stdout, lastLine } = runOn({
    'leaves.test.ts': `${HEAD}import { spawn } from 'node:child_process';
      test('a', () => { spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).unref(); });
      test.run();`,
  });
  assert.is(lastLine, '1 passed, 0 failed, 0 skipped', stdout);
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
    for (const folder of ['test', 'actors']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    for (const name of ['test/run.ts', 'actors/clock.ts']) cpSync(join(ROOT, name), join(root, name));
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
      assert.is(status, names.length === 0 ? 1 : 0, args.join(' '));
      assert.is(stdout.includes('1 files that take long are left'), args.length === 0, args.join(' '));
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a name that fits no file is a failure', () => {
  const { status, stdout, lastLine } = runOn({}, ['no-such-file']);
  assert.is(status, 1);
  assert.match(stdout, /no test file fits 'no-such-file'/);
  assert.is(lastLine, '0 passed, 1 failed, 0 skipped');
});

/** A zombie has ended, though nobody has read how yet. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

test.run();
