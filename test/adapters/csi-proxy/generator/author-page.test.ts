// long
// The page for authors of API groups, followed line by line in a copy of the project: files it shows are written, its
// commands are run and must say what it says, and what they make must be sound TypeScript. `troupe` is run without npm.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';

const test = suite("author's page");

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PAGE = join(ROOT, 'adapters', 'csi-proxy', 'api', 'README.md');
const COPIED = [
  'package.json',
  'tsconfig.json',
  'actors',
  'bus',
  'machines',
  'adapters/csi-proxy',
  'adapters/kubernetes',
  'adapters/text',
];
/** How long a server may take to start, in milliseconds. */
const SOCKET_DEADLINE_MS = 20_000;
const clock = systemClock();

interface Fence {
  readonly language: string;
  /** What stands behind the language: the path of a file, or what is special about a command. */
  readonly about: string;
  readonly body: string;
}

function fencesOf(page: string): readonly Fence[] {
  return [...page.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', about = '', body = '']) => ({
    language,
    about,
    body,
  }));
}

/** A clone of the project, as far as `troupe csi-proxy` needs it. */
function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'author-'));
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'pipes'));
  writeFileSync(join(folder, '.gitignore'), 'node_modules\npipes\n');
  const git = (...args: readonly string[]): void => {
    execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  };
  git('init', '-q');
  git('config', 'user.name', 'Author');
  git('config', 'user.email', 'author@example.com');
  git('add', '-A');
  git('commit', '-q', '-m', 'before');
  return folder;
}

const commandOf = (line: string): string => line.replace('npm run -s troupe --', `'${process.execPath}' actors/cli.js`);

/** What a command says; `…` on the page stands for anything. */
function says(output: string, expected: string): void {
  for (const line of expected.trim().split('\n')) {
    const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    assert.match(output, new RegExp(parts.join('.*')), `${line}\nis not in\n${output}`);
  }
}

/** Of the group alone: the rest of the project is none of this page's business. */
function checkTypes(folder: string): void {
  const include = ['api', 'server', 'client'].map((base) => `adapters/csi-proxy/${base}/greeting`);
  writeFileSync(join(folder, 'tsconfig.page.json'), JSON.stringify({ extends: './tsconfig.json', include }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.page.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.is(status, 0, stdout);
}

/** Starts what stays, and waits until it serves. */
async function start(line: string, folder: string): Promise<ChildProcess> {
  const [program, ...args] = commandOf(line).replaceAll("'", '').split(' ');
  const child = spawn(program ?? '', args, { cwd: folder, stdio: 'ignore' });
  const endAt = clock.now() + SOCKET_DEADLINE_MS;
  while (!existsSync(join(folder, 'pipes', 'csi-proxy-greeting-v1alpha1.sock'))) {
    if (child.exitCode !== null || clock.now() > endAt) throw new Error(`'${line}' does not serve`);
    await clock.sleep(20);
  }
  return child;
}

if (process.platform === 'win32') {
  console.log('skipped: the commands of the page are run in a POSIX shell');
} else {
  test('all that the page says is so', async () => {
    const folder = copyOfProject();
    let server: ChildProcess | undefined;
    try {
      let output = '';
      let commands = 0;
      let isTypeChecked = false;
      for (const { language, about, body } of fencesOf(readFileSync(PAGE, 'utf8'))) {
        if (language === 'text') {
          says(output, body);
        } else if (language === 'sh' && about === 'stays') {
          server = await start(body.trim(), folder);
        } else if (language === 'sh') {
          output = '';
          for (const line of body.trim().split('\n')) {
            const { status, stdout, stderr } = spawnSync('sh', ['-c', commandOf(line)], {
              cwd: folder,
              encoding: 'utf8',
            });
            output += stdout + stderr;
            assert.is(status === 0, about !== 'fails', `${line}\n${output}`);
            commands += 1;
            if (line.endsWith('gen --check')) {
              checkTypes(folder);
              isTypeChecked = true;
            }
          }
        } else if (about !== '') {
          mkdirSync(dirname(join(folder, about)), { recursive: true });
          writeFileSync(join(folder, about), body);
        }
      }
      assert.ok(commands > 10, 'the page has commands');
      assert.ok(isTypeChecked, 'the page has a check');
    } finally {
      server?.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  test.run();
}
