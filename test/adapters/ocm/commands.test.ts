// long
// `troupe model check` and `fmt` as processes: what they print and where, how they end, and what they do with a change.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OWN } from './corpus.ts';

const test = suite('troupe model');

const CLI = fileURLToPath(new URL('../../../actors/cli.js', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const BOOK = 'library_mgmt/v1/book_type.model';

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** A process whose output is awaited. */
function start(args: readonly string[], cwd: string) {
  const child = spawn(process.execPath, [CLI, 'model', ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close');
  return {
    /** Waits until the output since the last call has a text in it. */
    async until(name: 'stdout' | 'stderr', text: string): Promise<void> {
      while (!output[name].includes(text)) await once(child[name], 'data');
      output.stdout = '';
      output.stderr = '';
    },
    stop: () => child.kill('SIGTERM'),
    ended: async (): Promise<Run> => {
      const [code] = (await ended) as [number | null];
      return { ...output, code };
    },
  };
}

const run = (args: readonly string[], cwd: string): Promise<Run> => start(args, cwd).ended();

async function withModels(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-model-'));
  try {
    await cp(OWN, join(folder, 'models'), { recursive: true });
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function edit(folder: string, from: string, to: string): Promise<void> {
  const file = join(folder, 'models', BOOK);
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
}

test('check shows the place, the line and a caret, and ends with 1', () =>
  withModels(async (folder) => {
    assert.equal(await run(['check', 'models'], folder), {
      stdout: '5 files of 2 versions: no errors, 0 warnings\n',
      stderr: '',
      code: 0,
    });
    await edit(folder, 'PageCount Integer', 'PageCount Integr');
    const { stdout, stderr, code } = await run(['check', 'models'], folder);
    const lines = [
      `models/${BOOK}:12:12: error: type 'LibraryMgmt.V1.Integr' is used but not defined; did you mean 'Integer'? [def.undefined-type]`,
      '\tPageCount Integr',
      '\t          ^^^^^^',
      '1 error, 0 warnings',
      '',
    ];
    assert.equal({ stdout, lines: stderr.split('\n'), code }, { stdout: '', lines, code: 1 });
  }));

test('a call that makes no sense ends with 2 and says why', () =>
  withModels(async (folder) => {
    for (const [args, reason] of [
      [[], "a command is missing; 'troupe model help' lists the commands"],
      [['chek'], "there is no command 'chek'; did you mean 'check'? 'troupe model help' lists the commands"],
      [['check'], 'a directory of a model is missing'],
      [['check', 'nowhere'], 'no such file or directory'],
      [['check', 'models/library_mgmt/v1'], 'no model in'],
      [['check', 'models', '--wach'], "'model check' has no option '--wach'; did you mean '--watch'?"],
      [['fmt', 'nowhere'], "there is no 'nowhere'"],
      [['fmt', '.', '--watch'], "'model fmt' has no option '--watch'"],
      [['lsp', '--port=1'], "'model lsp' has no option '--port'; --help lists them"],
    ] as const) {
      const { stdout, stderr, code } = await run(args, folder);
      assert.equal([stdout, code], ['', 2], args.join(' '));
      assert.ok(stderr.startsWith('troupe: ') && stderr.includes(reason), stderr);
    }
    const { stdout, code } = await run(['help'], folder);
    assert.is(code, 0);
    assert.match(stdout, 'troupe model check');
  }));

test('paths are taken from the folder that npm was called in', () =>
  withModels(async (folder) => {
    const args = ['--prefix', REPOSITORY, 'run', '--silent', 'troupe', '--', 'model', 'check', 'models'];
    const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal([code, stdout], [0, '5 files of 2 versions: no errors, 0 warnings\n']);
  }));

test('check --watch checks again after a change, a new file and a removed one', () =>
  withModels(async (folder) => {
    const watching = start(['check', 'models', '--watch'], folder);
    await watching.until('stdout', 'no errors');
    await edit(folder, 'PageCount Integer', 'PageCount Integr');
    await watching.until('stderr', '1 error');
    const integr = join(folder, 'models/library_mgmt/v1/integr.model');
    await writeFile(integr, 'struct Integr {\n}\n');
    await watching.until('stdout', '6 files');
    await rm(integr);
    await watching.until('stderr', '1 error');
    await edit(folder, 'Integr\n', 'Integer\n');
    await watching.until('stdout', '5 files');
    watching.stop();
    assert.is((await watching.ended()).code, 0);
  }));

test('fmt --check names the files that need it, fmt lays them out, and one with errors stays', () =>
  withModels(async (folder) => {
    const file = `models/${BOOK}`;
    assert.equal([(await run(['fmt', 'models', '--check'], folder)).code], [0]);
    const before = await readFile(join(folder, file), 'utf8');
    await edit(folder, '\tPageCount Integer', '    PageCount   Integer ');
    assert.equal(await run(['fmt', 'models', '--check'], folder), {
      stdout: `${file}\n`,
      stderr: '5 files: 1 needs another layout\n',
      code: 1,
    });
    assert.equal(await run(['fmt', file], folder), {
      stdout: `${file}\n`,
      stderr: '1 file: 1 got another layout\n',
      code: 0,
    });
    assert.is(await readFile(join(folder, file), 'utf8'), before);
    await edit(folder, '\tPageCount Integer', '    PageCount');
    const { stdout, stderr, code } = await run(['fmt', 'models'], folder);
    assert.equal([stdout, code], ['', 1]);
    assert.match(stderr, '5 files: 0 got another layout, 1 left unchanged because of errors');
  }));

test.run();
