// Types a document's commands, in a copy of the tree.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { systemClock } from '../../actors/base/clock.ts';
import { type Block, commandsOf, ROOT, typedBlocks } from './blocks.ts';

/** One block may take so long. */
const LIMIT_MS = 240_000;
const clock = systemClock();

interface Running {
  readonly command: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  text(): string;
}

/** Whether all are on the PATH; else the first that is not. */
export function missingProgram(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.find((name) => !folders.some((folder) => isProgram(join(folder, name))));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there
  }
}

/** @throws {Error} a command does not do what its block says, with what it wrote */
export async function typeDocument(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-docs-'));
  const tree = join(folder, 'troupe');
  const staying: Running[] = [];
  try {
    await cp(ROOT, tree, {
      recursive: true,
      filter: (path) => !/^(node_modules|\.git|\.troupe)(\/|$)/.test(path.slice(ROOT.length)),
    });
    await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    await mkdir(join(folder, 'bin'));
    const troupe = `#!/bin/sh\nexec ${process.execPath} ${join(tree, 'actors/cli.js')} "$@"\n`;
    await writeFile(join(folder, 'bin', 'troupe'), troupe, { mode: 0o755 });
    await writeFile(join(folder, 'env'), '');
    for (const block of typedBlocks(file)) {
      if (block.marks.includes('stays')) {
        for (const command of commandsOf(block)) {
          const running = stay(command, folder);
          staying.push(running);
          if (/ dev\b| --keep\b/.test(command)) await says(running, /export KUBECONFIG=/);
        }
      } else await type(block, folder);
    }
    // What somebody is to watch shows something by now.
    for (const running of staying) await says(running, /\S/);
  } finally {
    for (const { child, ended } of staying.reverse()) {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Variables that a developer has set lead to servers that are none of ours. */
function environment(folder: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TROUPE_NATS_SERVER, XDG_CACHE_HOME } = process.env;
  return {
    PATH: [join(folder, 'bin'), PATH].join(delimiter),
    HOME,
    ...(TROUPE_NATS_SERVER !== undefined && { TROUPE_NATS_SERVER }),
    ...(XDG_CACHE_HOME !== undefined && { XDG_CACHE_HOME }),
  };
}

function begin(command: string, script: string, folder: string): Running {
  const child = spawn('bash', ['-c', script], {
    cwd: join(folder, 'troupe'),
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return { command, child, ended: new Promise((resolve) => child.once('close', resolve)), text: () => text };
}

/** Variables and functions live on from block to block, as in one terminal. */
const inTerminal = (folder: string, text: string): string =>
  `set -a; source ${folder}/env\n${text}\ncode=$?; export -p >${folder}/env; exit $code`;

async function type(block: Block, folder: string): Promise<void> {
  const fails = block.marks.includes('fails');
  const script = `${fails ? '' : `set -eE; trap 'echo "failed: $BASH_COMMAND" >&2' ERR\n`}${block.text}`;
  const running = begin(block.text, inTerminal(folder, script), folder);
  const limit = new AbortController();
  const code = await Promise.race([running.ended, clock.sleep(LIMIT_MS, limit.signal).then(() => 'late' as const)]);
  limit.abort();
  if (code === 'late' && running.child.pid !== undefined) process.kill(-running.child.pid, 'SIGKILL');
  if (code === 'late' || (code === 0) === fails) {
    throw new Error(`${block.file}:${block.line}: ended with ${code}\n${running.text().slice(-4_000)}`);
  }
}

function stay(command: string, folder: string): Running {
  return begin(command, `set -a; source ${folder}/env; set +a\nexec ${command}`, folder);
}

/** Waits until it has said so, and is still there. */
async function says(running: Running, what: RegExp): Promise<void> {
  const endsAt = clock.now() + LIMIT_MS;
  while (!what.test(running.text()) || running.child.exitCode !== null) {
    if (running.child.exitCode !== null || clock.now() > endsAt) {
      throw new Error(`'${running.command}' does not stay and say ${what}:\n${running.text()}`);
    }
    await clock.sleep(50);
  }
}
