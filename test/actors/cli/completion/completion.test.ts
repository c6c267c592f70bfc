// long
// Completion as shells ask for it: the answers, and the scripts in the shells that are here.
import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { completionScript } from '../../../../actors/cli/completion/completion.ts';
import { USAGES } from '../../../../actors/cli/usage.ts';

const test = suite('completion');

const ENTRY = fileURLToPath(new URL('../../../../actors/troupe.cjs', import.meta.url));

function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { env: { PATH, HOME, ...env } }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(`${error.message}\n${out}${err}`)),
    );
  });
}

/** What may stand in place of the last word, and the directive. */
async function answers(...words: readonly string[]): Promise<{ candidates: readonly string[]; directive: string }> {
  const lines = (await run(process.execPath, [ENTRY, '__complete', ...words])).trimEnd().split('\n');
  const directive = lines.pop() ?? '';
  return { candidates: lines.map((line) => line.split('\t')[0] ?? ''), directive };
}

/** A folder with `troupe`, as an installation has it. */
async function withTroupe(body: (folder: string, PATH: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-completion-'));
  try {
    await writeFile(join(folder, 'troupe'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`);
    await chmod(join(folder, 'troupe'), 0o755);
    await body(folder, `${folder}${delimiter}${process.env['PATH']}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('commands, those of tools, options, their values and kinds', async () => {
  const commands = await answers('');
  for (const name of [...Object.keys(USAGES), 'model', 'help']) assert.ok(commands.candidates.includes(name), name);
  assert.equal(await answers('tre'), { candidates: ['tree'], directive: ':4' });
  assert.equal((await answers('model', 'ch')).candidates, ['check']);
  assert.equal((await answers('help', 'comp')).candidates, ['completion']);
  assert.equal((await answers('get', '--a')).candidates, ['--all-namespaces', '--adapters']);
  assert.equal((await answers('get', '-o', '')).candidates, ['text', 'wide', 'json', 'yaml', 'name']);
  assert.equal((await answers('graph', '--output=m')).candidates, ['--output=mermaid']);
  assert.equal((await answers('completion', '')).candidates, ['bash', 'zsh', 'fish']);
  assert.equal(await answers('get', 'subn'), { candidates: ['subnet'], directive: ':4' });
  assert.equal(await answers('tree', '-n', 'shop', 'netw'), { candidates: ['network/'], directive: ':6' });
  assert.equal((await answers('crds', 'Netw')).candidates, ['Network']);
  assert.equal(await answers('get', '--kubeconfig', ''), { candidates: [], directive: ':0' });
  assert.equal(await answers('get', '-n', ''), { candidates: [], directive: ':4' });
  assert.equal(await answers('nonsense', ''), { candidates: [], directive: ':4' });
});

test('kinds have their short names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-lamps-'));
  try {
    const adapter = join(folder, 'lamps.mjs');
    const contract =
      "{ group: 'lamps.example.org', version: 'v1', kind: 'Lamp', plural: 'lamps', shortNames: ['lp'], definition: () => ({}) }";
    const text = `export const adapter = { realm: 'lamps', role: 'lamps', contracts: [${contract}], configure() {} };\n`;
    await writeFile(adapter, text);
    const ask = (...words: readonly string[]): Promise<string> =>
      run(process.execPath, [ENTRY, '__complete', ...words], { TROUPE_ADAPTERS: adapter });
    assert.is(await ask('get', 'l'), 'lamp\tlamps.example.org\nlp\tLamp\n:4\n');
    assert.is(await ask('tree', 'lp'), 'lp/\tLamp\n:6\n');
    assert.is(await ask('crds', 'L'), 'Lamp\tlamps.example.org\n:4\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('kubectl is answered in its own words, under the name by which it asks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-kubectl-'));
  try {
    const plugin = join(folder, 'kubectl_complete-troupe');
    await symlink(ENTRY, plugin);
    assert.match(await run(process.execPath, [plugin, 'tre']), /^tree\t.+\n:4\n$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** What is typed when the key is pressed, and what stands there then. */
const BASH = `
source <(troupe completion bash)
ask() {
  COMP_LINE=$1 COMP_POINT=\${#1}
  COMPREPLY=()
  _troupe
  echo "$1: \${COMPREPLY[*]}"
}
ask 'troupe tre'
ask 'troupe get --all'
ask 'troupe get -o '
ask 'troupe graph --output=mer'
ask 'troupe get subn'
`;
const ANSWERED = `troupe tre: tree
troupe get --all: --all-namespaces
troupe get -o : text wide json yaml name
troupe graph --output=mer: mermaid
troupe get subn: subnet
`;

function has(shell: string): boolean {
  const found = spawnSync(shell, ['--version']).status === 0;
  if (!found) console.log(`not tried: ${shell} is not installed`);
  return found;
}

if (has('bash')) {
  test('in bash', () =>
    withTroupe(async (_, PATH) => {
      assert.is(await run('bash', ['--norc', '-c', BASH], { PATH }), ANSWERED);
    }));
}

if (has('zsh')) {
  test('in zsh', () =>
    withTroupe(async (folder, PATH) => {
      // The completion system wants a terminal: what is described to it is looked at instead.
      const script = `
compdef() { }
_describe() { print -r -- "\${(@P)2}" }
_files() { }
eval "$(troupe completion zsh)"
ask() { words=("$@"); CURRENT=$#; _troupe }
ask troupe tre
ask troupe get -o j
`;
      assert.is(
        await run('zsh', ['-f', '-c', script], { PATH, ZDOTDIR: folder }),
        'tree:the objects of a namespace as a forest\njson:json\n',
      );
    }));
}

if (has('fish')) {
  test('in fish', () =>
    withTroupe(async (folder, PATH) => {
      const script = `troupe completion fish | source; complete -C 'troupe tre'; complete -C 'troupe get -o j'`;
      const out = await run('fish', ['--no-config', '-c', script], { PATH, HOME: folder });
      assert.equal(
        out.split('\n').map((line) => line.split('\t')[0]),
        ['tree', 'json', ''],
      );
    }));
}

test('every script names the program, and one for another shell is refused', () => {
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(completionScript([shell]), '__complete');
  assert.throws(() => completionScript(['bassh']), /takes bash or zsh or fish; got 'bassh'; did you mean 'bash'\?/);
  assert.throws(() => completionScript([]), /got nothing/);
});

test.run();
