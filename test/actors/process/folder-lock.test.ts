// One process a folder.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lockFolder } from '../../../actors/process/folder-lock.ts';
import { TerminalError } from '../../../bus/mod.ts';

const test = suite('folder lock');
const LOCK = fileURLToPath(new URL('../../../actors/process/folder-lock.ts', import.meta.url));

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-lock-'));
  await run(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

/** Another process that asks for the folder, and stays if it gets it. */
function other(folder: string): { readonly said: Promise<string>; kill(): Promise<void> } {
  const script = `const { lockFolder } = await import(${JSON.stringify(LOCK)});
    try { await lockFolder(${JSON.stringify(folder)}); console.log('mine'); setInterval(() => {}, 1e6); }
    catch (error) { console.log(error.message); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const said = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  return {
    said,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function refusal(folder: string): Promise<string> {
  try {
    await (await lockFolder(folder))();
    return 'taken';
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as Error).message;
  }
}

test('of several who ask at once one gets it, and the others hear who (FOLDER-LOCK-1)', () =>
  inFolder(async (folder) => {
    const others = Array.from({ length: 4 }, () => other(folder));
    try {
      const said = await Promise.all(others.map((each) => each.said));
      assert.is(said.filter((text) => text === 'mine').length, 1, said.join('\n'));
      for (const text of said.filter((each) => each !== 'mine')) {
        assert.match(text, /^the folder '.*' is in use by process \d+: name another one with --data$/);
      }
    } finally {
      for (const each of others) await each.kill();
    }
  }));

test('it ends with its process, however that ends (FOLDER-LOCK-2)', () =>
  inFolder(async (folder) => {
    const holder = other(folder);
    assert.is(await holder.said, 'mine');
    assert.match(await refusal(folder), /in use by process/);
    await holder.kill();
    assert.is(await refusal(folder), 'taken');
    assert.is(await refusal(folder), 'taken', 'given back');
  }));

test('a folder is the same by every path', () =>
  inFolder(async (folder) => {
    const release = await lockFolder(folder);
    const link = `${folder}-link`;
    await symlink(folder, link);
    try {
      assert.match(await refusal(link), /in use/);
      assert.is(await inOther(), 'taken');
    } finally {
      await release();
      await rm(link);
    }
  }));

async function inOther(): Promise<string> {
  let said = '';
  await inFolder(async (folder) => {
    said = await refusal(folder);
  });
  return said;
}

test.run();
