// long
// Scripts of package.json: each one answers `--help` with its options, and a wrong option with one line.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('help of scripts');
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** Those that answer. */
const ANSWER = [
  'bench',
  'build:csi-proxy',
  'chaos',
  'check',
  'generate',
  'invariants',
  'mutate',
  'simulate',
  'test',
  'test:all',
  'test:long',
  'test:real',
  'test:scaffold',
];
/** Those of which that is not asked, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  prepare: 'npm runs it',
  prepack: 'npm runs it',
  'prebuild:csi-proxy': 'npm runs it',
  'generate:csi-proxy': 'held by test/adapters/csi-proxy/generator',
  sbom: "npm's own",
  troupe: 'held by test/actors/cli',
  demo: 'held by test/actors/cli',
  dev: 'held by test/actors/cli',
  start: 'held by test/actors/cli',
};

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function typed(...args: readonly string[]): Promise<Ended> {
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const [name = '', ...rest] = args;
  const [, ...command] = String(scripts[name]).split(' ');
  return run(process.execPath, [...command, ...rest], { cwd: ROOT }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

test('every script is listed', async () => {
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  assert.equal([...ANSWER, ...Object.keys(LEFT_OUT)].sort(), Object.keys(scripts).sort());
});

for (const name of ANSWER) {
  test(`npm run ${name} -- --help prints how to use it`, async () => {
    const { code, stdout, stderr } = await typed(name, '--help');
    assert.equal([code, stderr], [0, '']);
    assert.match(stdout, new RegExp(`^Usage: npm (run )?(${name}|${name.split(':')[0]})`));
    assert.match(stdout, '  --help ');
  });

  test(`npm run ${name} knows each option that its help lists`, async () => {
    const { stdout } = await typed(name, '--help');
    const listed = [...stdout.matchAll(/^ {2}(--[\w-]+)( [A-Z]+)?/gm)].map(([, option, value]) =>
      value === undefined ? String(option) : `${option}=1`,
    );
    const { stderr } = await typed(name, ...listed);
    assert.not.match(stderr, 'Unknown option');
  });

  test(`npm run ${name} says in one line that it does not know an option`, async () => {
    const { code, stdout, stderr } = await typed(name, '--no-such-option');
    assert.equal([code, stdout, stderr.trimEnd().split('\n').length], [2, '', 1], stderr);
    assert.match(stderr, "'--no-such-option'");
  });
}

test.run();
