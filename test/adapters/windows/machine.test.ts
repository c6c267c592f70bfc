// The machine of a process that plays the role: the real one, one in memory, or that of development.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { settingsFor } from '../../../actors/process/adapters.ts';
import { windows } from '../../../adapters/windows/adapter.ts';
import { DEVELOPMENT_MACHINE, devBackend } from '../../../adapters/windows/development.ts';
import { openMachine } from '../../../adapters/windows/machine.ts';
import { windowsOptions } from '../../../adapters/windows/options.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('machines of Windows storage');

type Texts = Readonly<Record<string, string>>;

/** Serial numbers of the disks of the machine that such a process opens. */
async function disksOf(options: Texts, purpose?: 'development'): Promise<readonly string[]> {
  const settings = settingsFor(windows, {}, options, purpose);
  const log = openLog({ level: 'silent', readable: false });
  const ports = { clock: simulatedClock(), log, node: 'one' };
  const host = await openMachine(windowsOptions(settings), settings.variable, ports);
  const { disks } = await host.disk.listDiskIDs();
  await host.close();
  return [...disks.values()].map(({ serialNumber }) => serialNumber).sort();
}

async function described(options: Texts): Promise<string> {
  const settings = settingsFor(windows, {}, options, 'development');
  const { description } = await devBackend({ ...settings, clock: simulatedClock(), folder: '', cluster: 'started' });
  return description;
}

test('in development the machine is in memory, with storage to try the kinds with, and says so', async () => {
  const made = DEVELOPMENT_MACHINE.disks.map(({ serialNumber }) => serialNumber);
  assert.equal(await disksOf({}, 'development'), [...made, 'SYSTEM-0']);
  assert.is(await described({}), 'Windows machine: in memory, with 2 disks, 1 share and 1 iSCSI target');
});

test('one that is asked for begins with its drive C alone, or as its file says', async () => {
  assert.equal(await disksOf({ 'windows-machine': 'memory' }), ['SYSTEM-0']);
  const folder = await mkdtemp(join(tmpdir(), 'troupe-machine-'));
  const file = join(folder, 'machine.yaml');
  await writeFile(file, 'disks: [{ serialNumber: FILE-1 }]\n');
  const options = { 'windows-machine': 'memory', 'windows-machine-file': file };
  assert.equal(await disksOf(options), ['FILE-1', 'SYSTEM-0']);
  assert.equal(await disksOf({ 'windows-machine-file': file }, 'development'), ['FILE-1', 'SYSTEM-0']);
  assert.is(await described(options), `Windows machine: in memory, as ${file} says`);
  await writeFile(file, 'disks: 1\n');
  await refused(options, 'disks');
  await rm(folder, { recursive: true });
  await refused(options, '--windows-machine-file');
});

test('without Windows there is no other one', async () => {
  if (process.platform !== 'win32') await refused({}, '--windows-machine windows needs Windows');
  assert.is(await described({ 'windows-machine': 'windows' }), 'Windows machine: this one');
});

async function refused(options: Texts, why: string): Promise<void> {
  try {
    await disksOf(options);
  } catch (error) {
    assert.instance(error, TerminalError);
    assert.ok((error as Error).message.includes(why), String(error));
    return;
  }
  throw new Error('it was opened');
}

test.run();
