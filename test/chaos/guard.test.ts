// What is left of a run that was killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/base/clock.ts';
import { settled } from '../world/speed.ts';
import { startGuard } from './guard.ts';

const test = suite('chaos: the guard of a run');
const LIMIT_MS = 20_000;

const isThere = (folder: string): Promise<boolean> =>
  access(folder).then(
    () => true,
    () => false,
  );

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a run that is killed leaves neither a frozen process nor its folder (TEST-GUARD-1)', async () => {
  const run = spawn(process.execPath, [fileURLToPath(new URL('./guarded.process.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: run.stdout }), 'line')) as [string];
  const { folder, pid } = JSON.parse(line) as { readonly folder: string; readonly pid: number };
  assert.ok(isRunning(pid));
  assert.ok(await isThere(folder));
  run.kill('SIGKILL');
  const left = await settled(systemClock(), LIMIT_MS, async () => [
    ...(isRunning(pid) ? [`process ${pid} is there`] : []),
    ...((await isThere(folder)) ? [`${folder} is there`] : []),
  ]);
  assert.equal(left, []);
});

test('each run has a folder of its own, which goes with it; a process that has ended is not killed (TEST-GUARD-2)', async () => {
  const [one, two] = [await startGuard(), await startGuard()];
  assert.is.not(one.folder, two.folder);
  const bystander = spawn('/bin/sh', ['-c', 'read -r line'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const exited = once(bystander, 'exit');
  await once(bystander, 'spawn');
  // As if its id had been that of a process which has ended.
  const ended = Promise.resolve();
  one.watch(bystander.pid ?? 0, ended);
  await ended;
  await one.end();
  assert.not(await isThere(one.folder));
  assert.ok(await isThere(two.folder));
  bystander.stdin.end('\n');
  assert.equal((await exited).slice(1), [null]);
  await two.end();
});

test.run();
