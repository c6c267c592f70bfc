// long
// A machine that others reach by sockets: what it tells of itself, what becomes of calls, and what is lost when it goes down.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import { type StatusError, UnknownEndError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import { type EstateMachine, PORTAL, USERNAME } from './estate.ts';
import { distantHost } from './machine-line.ts';
import { type CallFault, type MachineEntry, ServedMachine, Trouble } from './served-machine.ts';

const test = suite('chaos: a machine that is reached by sockets');
const clock = systemClock();
/** Of calls that are answered, and of those that are not. */
const LIMIT_MS = 60_000;
const SHORT_MS = 200;
const ROOT = '\\\\srv\\share';
const IQN = 'iqn.2030-01.test:one';
const PASSWORD = 'only here';
const ESTATE: EstateMachine = {
  node: 'one',
  disks: [
    { page83: 'naa.raw', content: 'raw' },
    { page83: 'naa.full', content: 'ntfs' },
  ],
  targets: [{ iqn: IQN, secret: PASSWORD, disk: { page83: 'naa.distant', content: 'raw' } }],
  shares: [{ root: ROOT, password: PASSWORD }],
};

interface Scene {
  readonly machine: ServedMachine;
  readonly host: Host;
  readonly entries: readonly MachineEntry[];
  /** Longest that an answer is waited for. */
  readonly limit: { ms: number };
  /** Resolves when a call has come to a step. */
  comes(step: MachineEntry['step'], call: string): Promise<void>;
}

async function onMachine(run: (scene: Scene) => Promise<void>): Promise<void> {
  const entries: MachineEntry[] = [];
  const waiting: (() => void)[] = [];
  const machine = await ServedMachine.start({
    clock,
    estate: ESTATE,
    firstVolume: 0,
    onEntry(entry) {
      entries.push(entry);
      for (const look of waiting) look();
    },
  });
  const comes: Scene['comes'] = (step, call) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (entries.some((entry) => entry.call === call && entry.step === step)) resolve();
      };
      waiting.push(look);
      look();
    });
  const limit = { ms: LIMIT_MS };
  const host = distantHost({ clock, port: machine.port, limitMs: () => limit.ms });
  try {
    await run({ machine, host, entries, limit, comes });
  } finally {
    await host.close();
    machine.close();
  }
}

/** @returns the id of the volume of a disk that is online then */
async function volumeOf({ disk, volume }: Host, page83: string): Promise<string> {
  const number = await disk.getDiskNumberByName(page83);
  await disk.setDiskState(number, 'online');
  if (!(await disk.isDiskInitialized(number))) {
    await disk.initializeDisk(number);
    await disk.createBasicPartition(number);
  }
  return (await volume.listVolumesOnDisk(number, 0))[0] ?? '';
}

async function failure(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error as StatusError;
}

test('a format takes away what somebody has put on a volume, and is told with what was there', () =>
  onMachine(async ({ machine, host, entries, comes }) => {
    const id = await volumeOf(host, 'naa.full');
    assert.equal(await machine.lost(), []);
    const format = host.volume.formatVolume(id);
    await comes('begun', 'volume.formatVolume');
    assert.match((await failure(host.volume.resizeVolume(id, 0n))).message, 'in use');
    await format;
    const reported = entries.filter(({ call }) => call === 'volume.formatVolume');
    assert.equal(
      reported.map(({ step, was, identity }) => [step, was, identity]),
      ['begun', 'ended'].map((step) => [step, 'NTFS', 'page83:naa.full']),
    );
    // Somebody uses it again.
    assert.equal(await machine.lost(), []);
    await machine.memory.host.volume.formatVolume(id);
    assert.equal(await machine.lost(), [id]);
  }));

test('a machine that goes down loses sessions, services, mappings and a format under way, and keeps disks and mounts', () =>
  onMachine(async ({ machine, host, limit, comes }) => {
    const id = await volumeOf(host, 'naa.raw');
    const [full, path] = [await volumeOf(host, 'naa.full'), 'C:\\full'];
    await host.filesystem.mkdir(path);
    await host.volume.mountVolume(full, path);
    await host.smb.newSmbGlobalMapping({ root: ROOT, username: USERNAME, password: PASSWORD, encryption: 'required' });
    await host.system.startService('MSiSCSI');
    await host.iscsi.addTargetPortal(PORTAL);
    await host.iscsi.connectTarget(PORTAL, IQN, { authentication: 'ONEWAYCHAP', username: USERNAME, secret: PASSWORD });
    assert.equal((await machine.sight()).connected, [IQN]);
    const format = failure(host.volume.formatVolume(id));
    await comes('begun', 'volume.formatVolume');
    await machine.goDown('lost');
    assert.instance(await format, UnknownEndError);
    limit.ms = SHORT_MS;
    assert.instance(await failure(host.disk.rescan()), UnknownEndError);
    limit.ms = LIMIT_MS;
    machine.comeUp();
    await comes('ended', 'volume.formatVolume');
    const { mapped, connected, disks } = await machine.sight();
    assert.equal([mapped, connected, disks.length], [[], [], 2]);
    assert.is(await host.volume.isVolumeFormatted(id), false);
    assert.is(await host.volume.getVolumeIDFromTargetPath(path), full);
  }));

const FATES: Readonly<Record<Trouble, { readonly isDone: boolean; readonly isKnown: boolean }>> = {
  [Trouble.Unheard]: { isDone: false, isKnown: false },
  [Trouble.Silent]: { isDone: true, isKnown: false },
  [Trouble.Refused]: { isDone: false, isKnown: true },
  [Trouble.Lost]: { isDone: true, isKnown: true },
  [Trouble.Late]: { isDone: false, isKnown: false },
};
for (const [problem, { isDone, isKnown }] of Object.entries(FATES) as [Trouble, (typeof FATES)[Trouble]][]) {
  test(`a call that meets '${problem}' is ${isDone ? 'done' : 'not done'}, and the next one is as any`, () =>
    onMachine(async ({ machine, host, entries, limit, comes }) => {
      const delayMs = problem === Trouble.Late ? 2 * SHORT_MS : 0;
      const fault: CallFault = { problem, times: 1, of: 'changes', delayMs };
      machine.inject(fault);
      assert.ok(await host.disk.getDiskState(1));
      limit.ms = isKnown ? LIMIT_MS : SHORT_MS;
      const error = await failure(host.filesystem.mkdir('C:\\one'));
      assert.is(error instanceof UnknownEndError, !isKnown);
      limit.ms = LIMIT_MS;
      if (isDone) await comes('ended', 'filesystem.mkdir');
      else await clock.sleep(delayMs);
      assert.is(await host.filesystem.pathExists('C:\\one'), isDone);
      assert.is(entries.length, isDone ? 2 : 0);
      await host.filesystem.mkdir('C:\\two');
      assert.ok(await host.filesystem.pathExists('C:\\two'));
    }));
}

test.run();
