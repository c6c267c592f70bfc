// long
// Every command explains itself by the table that parses its options, and misspelt commands and options are met with the
// nearest.
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { USAGES as BUS } from '../../../actors/cli/bus/usage.ts';
import { type Option, parsed, type Usage } from '../../../actors/cli/command-line.ts';
import { main } from '../../../actors/cli/commands.ts';
import { USAGES as CSI_PROXY } from '../../../actors/cli/csi-proxy/usage.ts';
import { USAGES as MODEL } from '../../../actors/cli/model/usage.ts';
import { USAGES as TROUPE } from '../../../actors/cli/usage.ts';

const test = suite('help');

const ENTRY = fileURLToPath(new URL('../../../actors/troupe.cjs', import.meta.url));
const ALL: readonly Usage[] = [TROUPE, BUS, MODEL, CSI_PROXY].flatMap((usages): Usage[] => Object.values(usages));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], entry = ENTRY): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const { PATH = '', HOME = '' } = process.env;
  execFile(process.execPath, [entry, ...args], { env: { PATH, HOME } }, (error, out, err) =>
    resolve({ code: error === null ? 0 : Number(error.code), out, err }),
  );
  return promise;
}

/** In this process, since a hundred others would take as many starts. One at a time. */
async function called(args: readonly string[]): Promise<Ran> {
  const { stdout, stderr } = process;
  const [write, writeError] = [stdout.write, stderr.write];
  const { PATH, HOME } = process.env;
  let [out, err] = ['', ''];
  stdout.write = (text: string | Uint8Array) => {
    out += text;
    return true;
  };
  stderr.write = (text: string | Uint8Array) => {
    err += text;
    return true;
  };
  try {
    const code = await main(args, { PATH, HOME }, 'troupe');
    return { code, out, err };
  } finally {
    stdout.write = write;
    stderr.write = writeError;
  }
}

async function forAll(work: (usage: Usage) => Promise<void>): Promise<void> {
  process.stdout.setMaxListeners(0); // each call adds one
  for (const usage of ALL) await work(usage);
}

/** With two letters swapped that differ; of two letters the second once more. */
function misspelt(name: string): string {
  if (name.length < 3) return `${name}${name.at(-1)}`;
  const at = [...name].findIndex((letter, index) => index > 0 && name[index - 1] !== letter);
  return `${name.slice(0, at - 1)}${name[at]}${name[at - 1]}${name.slice(at + 1)}`;
}

const written = ({ short, value = '' }: Option, name: string): string =>
  `  ${short === undefined ? '' : `-${short}, `}--${name}${value === '' || value.startsWith('=') ? value : ' '}`;

test('every command tells its forms, all its options and how it is used', () =>
  forAll(async (usage) => {
    const { code, out, err } = await called([...usage.name.split(' '), '--help']);
    assert.equal([code, err], [0, ''], usage.name);
    for (const form of usage.forms ?? ['']) assert.ok(out.includes(`troupe ${usage.name} ${form}`.trimEnd()), form);
    for (const [name, option] of Object.entries(usage.options)) {
      assert.ok(out.includes(`\n${written(option, name)}`), `${usage.name}: ${name}\n${out}`);
      if (option.variable !== undefined) assert.match(out, option.variable);
    }
    assert.ok(usage.examples.length > 0, usage.name);
    for (const example of usage.examples) {
      assert.ok(out.includes(`\n  troupe ${example}\n`), example);
      assert.ok(example === usage.name || example.startsWith(`${usage.name} `), example);
      parsed(usage, example.replace(/ <.*/, '').split(' ').slice(usage.name.split(' ').length));
    }
    for (const line of out.split('\n')) assert.ok(line.length <= 122, line);
  }));

test('every command says what its exit status means', async () => {
  for (const { name } of Object.values(TROUPE))
    assert.match((await called([name, '--help'])).out.replaceAll(/\s+/g, ' '), 'exit status: 0', name);
});

test('a cluster or a bus that does not answer is an error of the connection, which exits with 2', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-away-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const context = { clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }], users: [] };
  const contexts = [{ name: 'x', context: { cluster: 'c' } }];
  await writeFile(kubeconfig, JSON.stringify({ ...context, contexts, 'current-context': 'x' }));
  try {
    const cluster = ['--kubeconfig', kubeconfig];
    for (const args of [
      ...[['retry', 'network/a'], ['pause', 'bmh/a'], ['crds', '--apply'], ['get'], ['graph']].map((each) => [
        ...each,
        ...cluster,
      ]),
      ['events', '--nats-url', 'nats://127.0.0.1:1'],
    ]) {
      const { code, err } = await run(args);
      assert.equal([code, err.trimEnd().split('\n').length], [2, 1], `${args.join(' ')}: ${err}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a misspelt option is met with the nearest, and ends with 2', () =>
  forAll(async (usage) => {
    const [name] = Object.keys(usage.options).filter((option) => option.length > 3);
    if (name === undefined) throw new Error(`${usage.name} has no option`);
    const { code, out, err } = await called([...usage.name.split(' '), `--${misspelt(name)}`]);
    assert.equal([code, out], [2, ''], usage.name);
    assert.match(err, `did you mean '--${name}'?\n`);
    assert.is(err.split('\n').length, 2);
  }));

test('a misspelt command is met with the nearest, and ends with 2', () =>
  forAll(async ({ name }) => {
    const words = name.split(' ');
    const last = words.pop() ?? '';
    const { code, out, err } = await called([...words, misspelt(last)]);
    assert.equal([code, out], [2, ''], name);
    const of = ['troupe', ...words].join(' ');
    assert.is(
      err,
      `troupe: there is no command '${misspelt(last)}'; did you mean '${last}'? '${of} help' lists the commands\n`,
    );
  }));

test('35.B: demo --help says first what the demo is about, and what it shares with run below its own options', async () => {
  const { out } = await called(['demo', '--help']);
  const [about = '', ...options] = out.split('\nOptions:\n');
  assert.match(about, /135 objects of 36 kinds/);
  const [own = '', others = ''] = options.join('').split("\nMore options, as 'run' has them:\n");
  assert.ok(own.split('\n').length < 15, own);
  assert.match(own, '--keep');
  assert.match(others, '--lease-ms');
});

test('35.5: commands that only read list none of the options of adapters, and say where they are listed', async () => {
  for (const name of ['get', 'why', 'tree', 'graph', 'trace', 'events', 'retry', 'pause', 'resume', 'ui', 'machines']) {
    const { out } = await called([name, '--help']);
    assert.not.match(out, '--ironic-');
    assert.match(out, "'troupe run --help' lists");
    assert.ok(out.split('\n').length <= 50, `${name}: ${out.split('\n').length} lines`);
  }
  for (const name of ['run', 'dev', 'demo', 'doctor']) assert.match((await called([name, '--help'])).out, '--ironic-');
});

test('35.5: --help may be misspelt too, and a missing kubeconfig says what to do', async () => {
  assert.match((await called(['why', '--hlep'])).err, "did you mean '--help'?");
  const HOME = '/nonexistent';
  const { PATH } = process.env;
  // The text names the kubeconfig of 'troupe dev' where the working directory has one.
  const [before, empty] = [process.cwd(), await mkdtemp(join(tmpdir(), 'troupe-help-'))];
  process.chdir(empty);
  let err = '';
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => {
    err += text;
    return true;
  };
  try {
    assert.is(await main(['get'], { PATH, HOME }, 'troupe'), 2);
  } finally {
    process.stderr.write = write;
    process.chdir(before);
    await rm(empty, { recursive: true });
  }
  assert.is(
    err,
    "troupe: there is no kubeconfig: '/nonexistent/.kube/config' does not exist; name one with --kubeconfig or KUBECONFIG, as 'troupe dev' prints it\n",
  );
});

test('35.5: each form of scaffold says what it writes', async () => {
  const { out } = await called(['help']);
  const flat = out.replaceAll(/\n {36}/g, ' ');
  assert.match(flat, /troupe scaffold adapter <name> <Kind> +write a package with an adapter that runs/);
  assert.match(flat, /troupe scaffold openstack <Kind> +write a new kind of an adapter that comes with Troupe/);
});

test('35.B: the version is told by a command, too', async () => {
  const [command, option] = [await called(['version']), await called(['--version'])];
  assert.match(command.out, /^\d+\.\d+\.\d+\n$/);
  assert.equal(command, option);
  assert.match((await called(['wy'])).err, "there is no command 'wy'; did you mean 'why'?");
});

test('what is like nothing there is is not guessed at', async () => {
  const unknown = await run(['conjure']);
  assert.equal(
    [unknown.code, unknown.err],
    [2, "troupe: there is no command 'conjure'; 'troupe help' lists the commands\n"],
  );
  const option = await run(['crds', '--pineapple']);
  assert.equal([option.code, option.err], [2, "troupe: 'crds' has no option '--pineapple'; --help lists them\n"]);
  const misplaced = await run(['--kubeconfg', 'x']);
  assert.match(misplaced.err, "did you mean '--kubeconfig'?");
});

test('help is asked for in any of the usual ways, and an option may stand before its command', async () => {
  const [text, ...same] = await Promise.all([['help'], ['--help'], ['-h']].map(async (args) => (await run(args)).out));
  assert.match(text ?? '', /^troupe \d+\.\d+\.\d+: Kubernetes objects as actors\n\n {2}troupe run /);
  for (const { name } of Object.values(TROUPE)) assert.match(text ?? '', `\n  troupe ${name} `);
  assert.equal(same, [text, text]);
  const { out } = await run(['model', 'check', '--help']);
  assert.is((await run(['help', 'model', 'check'])).out, out);
  assert.is((await run(['--log-level', 'warn', 'crds', '-h'])).out, (await run(['help', 'crds'])).out);
  assert.match((await run(['--log-level', 'warn', 'crds', 'Network'])).out, 'name: networks.openstack.k-orc.cloud');
});

const onFullDisk = existsSync('/dev/full') ? test : test.skip;

onFullDisk('output to a full disk is one line, and exits with 2', () => {
  const full = openSync('/dev/full', 'w');
  try {
    for (const args of [['help'], ['crds', 'Network'], ['bus', 'help'], ['why', '--help']]) {
      const options = { stdio: ['ignore', full, 'pipe'] as (number | 'ignore' | 'pipe')[], encoding: 'utf8' as const };
      const { status, stderr } = spawnSync(process.execPath, [ENTRY, ...args], options);
      const lines = stderr.trimEnd().split('\n');
      assert.equal([status, lines.length], [2, 1], `${args.join(' ')}: ${stderr}`);
      assert.match(lines[0] ?? '', /^troupe: the output cannot be written: ENOSPC/);
    }
  } finally {
    closeSync(full);
  }
});

test('as kubectl-troupe it is a command of kubectl, and says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-kubectl-'));
  try {
    const plugin = join(folder, 'kubectl-troupe');
    await symlink(ENTRY, plugin);
    const { out } = await run(['why', '--help'], plugin);
    assert.match(out, /^kubectl troupe why <kind>\/<name>/);
    assert.match(out, '\n  kubectl troupe why network/app\n');
    for (const option of ['-n, --namespace', '--context', '--kubeconfig', '-o, --output']) assert.match(out, option);
    assert.match((await run(['help'], plugin)).out, '\n  kubectl troupe model <command>');
    const { code, err } = await run(['model', 'conjure'], plugin);
    assert.equal(
      [code, err],
      [2, "troupe: there is no command 'conjure'; 'kubectl troupe model help' lists the commands\n"],
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
