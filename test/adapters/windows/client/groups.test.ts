// Which versions of csi-proxy are used, what is said where none may be, and how many calls are made at a time and for how long.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import { DISK } from '../../../../adapters/windows/client/disks.ts';
import { SMB } from '../../../../adapters/windows/client/files.ts';
import { pipeSettings } from '../../../../adapters/windows/client/settings.ts';
import { USABLE } from '../../../../adapters/windows/client/storage.ts';
import { TerminalError } from '../../../../bus/mod.ts';
import { failureOf, onPipedMachine, withDisk } from '../../../world/windows-pipe-storage.ts';

const test = suite('versions of csi-proxy, and its limits');

const ROOT = 'C:\\var\\lib\\kubelet';
const preferring = (versions: readonly string[]) => ({ apiVersions: [{ group: 'disk', versions: [...versions] }] });

test('the newest version that is served is used, unless others are preferred (WIN-GROUPS-1)', async () => {
  await onPipedMachine({}, async ({ groups }) => assert.is((await groups.open(DISK)).version, 'v1'));
  await onPipedMachine({ only: { disk: ['v1beta3', 'v1beta2'] } }, async ({ groups }) =>
    assert.is((await groups.open(DISK)).version, 'v1beta3'),
  );
  await onPipedMachine({ spec: preferring(['v9', 'v1beta2', 'v1']) }, async ({ groups }) =>
    assert.is((await groups.open(DISK)).version, 'v1beta2'),
  );
});

test('of each group it is told what is served and what is used', () =>
  onPipedMachine({ only: { smb: [], disk: ['v1alpha1'], volume: ['v1beta3', 'v1'] } }, async ({ groups }) => {
    const reported = await groups.served(USABLE);
    assert.equal(
      reported.filter(({ group }) => ['smb', 'disk', 'volume', 'system'].includes(group)),
      [
        { group: 'disk', served: ['v1alpha1'] },
        { group: 'volume', served: ['v1', 'v1beta3'], used: 'v1' },
        { group: 'smb' },
        { group: 'system', served: ['v1alpha1'], used: 'v1alpha1' },
      ],
    );
  }));

test('a group of which none may be used says what is served and what may be', () =>
  onPipedMachine({ only: { smb: [] }, spec: preferring(['v1alpha1']) }, async ({ groups }) => {
    const disk = await failureOf(groups.open(DISK));
    assert.equal([disk.code, disk.reason], ['transient', 'ApiNotServed']);
    assert.match(
      disk.message,
      /group disk: v1, v1beta3, .* is served, and v1alpha1 of v1, v1beta3, v1beta2 may be used$/,
    );
    assert.match((await failureOf(groups.open(SMB))).message, /group smb: no version of it is served, and v1, v1beta2/);
  }));

test('where nobody serves at all it is said that csi-proxy does not run there', () =>
  onPipedMachine({}, async ({ groups, end }) => {
    await end();
    const failure = await failureOf(groups.open(DISK));
    assert.equal([failure.code, failure.reason], ['transient', 'CsiProxyUnreachable']);
    assert.match(failure.message, /^no server answers at '\/.*': csi-proxy does not run there$/);
  }));

test('what comes back after it was lost is asked for its versions, and used by them (WIN-GROUPS-2)', () =>
  onPipedMachine({}, async ({ groups, storage, machine, again, end }) => {
    const number = await withDisk(machine);
    assert.is(await storage.disk.getDiskState(number), 'offline');
    await again({});
    assert.is(await storage.disk.getDiskState(number), 'offline', 'the same client connects again');
    await end();
    assert.is((await failureOf(storage.disk.getDiskState(number))).code, Code.Unavailable);
    await again({ disk: ['v1beta2'] });
    assert.is(await storage.disk.getDiskState(number), 'offline');
    assert.is((await groups.open(DISK)).version, 'v1beta2');
  }));

test('a newer version that came unheard of is used once what is served is asked for anew (WIN-GROUPS-2)', () =>
  onPipedMachine({ only: { disk: ['v1beta2'] } }, async ({ clock, groups, again }) => {
    const used = async () => {
      await groups.served(USABLE);
      return (await groups.open(DISK)).version;
    };
    assert.is(await used(), 'v1beta2');
    await again({});
    assert.is(await used(), 'v1beta2');
    await clock.sleep(600_000);
    assert.is(await used(), 'v1');
  }));

test('no more calls are made at a time than the limit says; a format is none of them', () =>
  onPipedMachine(
    { spec: { limits: { callsInFlight: 1 } } },
    async ({ clock, machine, storage: { disk, volume, filesystem } }) => {
      const number = await withDisk(machine, { state: 'online' });
      await disk.createBasicPartition(number);
      const [id = ''] = await volume.listVolumesOnDisk(number, 0);
      const [other = ''] = await volume.listVolumesOnDisk(0, 0);
      const [held, formatting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const begun: string[] = [];
      const hold = (call: string, until: Promise<void>): void =>
        void machine.before.set(call, async () => {
          begun.push(call);
          await until;
        });
      hold('formatVolume', formatting.promise);
      hold('mkdir', held.promise);
      const format = volume.formatVolume(id);
      const first = filesystem.mkdir(`${ROOT}\\one`);
      const second = filesystem.mkdir(`${ROOT}\\two`);
      await clock.settle();
      assert.is(begun.length, 2);
      machine.before.set('mkdir', async () => void begun.push('second'));
      // Goes there and back, as the second would.
      await volume.resizeVolume(other, 1n);
      assert.equal([...begun].sort(), ['formatVolume', 'mkdir']);
      held.resolve();
      await Promise.all([first, second]);
      assert.equal([...begun].sort(), ['formatVolume', 'mkdir', 'second']);
      formatting.resolve();
      await format;
    },
  ));

test('a call ends after the time that the limit says, and a format does not', () =>
  onPipedMachine(
    { spec: { limits: { callSeconds: 1 } } },
    async ({ machine, storage: { disk, volume, filesystem } }) => {
      const number = await withDisk(machine, { state: 'online' });
      await disk.createBasicPartition(number);
      const [id = ''] = await volume.listVolumesOnDisk(number, 0);
      const [never, formatting] = [new Promise<void>(() => undefined), Promise.withResolvers<void>()];
      machine.before.set('mkdir', () => never);
      machine.before.set('formatVolume', () => formatting.promise);
      const format = volume.formatVolume(id);
      assert.is((await failureOf(filesystem.mkdir(`${ROOT}\\one`))).code, Code.DeadlineExceeded);
      formatting.resolve();
      await format;
    },
  ));

test('an endpoint is a folder of pipes, what their names begin with, or a directory', () => {
  const prefixOf = (endpoint: string, platform: NodeJS.Platform) => pipeSettings({ endpoint }, platform).prefix;
  assert.is(prefixOf('\\\\.\\pipe', 'win32'), '\\\\.\\pipe\\');
  assert.is(prefixOf('\\\\.\\pipe\\', 'win32'), '\\\\.\\pipe\\');
  assert.is(prefixOf('\\\\.\\pipe\\old-', 'win32'), '\\\\.\\pipe\\old-');
  for (const directory of ['/run/csi-proxy', '/run/csi-proxy/'])
    assert.is(prefixOf(directory, 'linux'), '/run/csi-proxy/');
  for (const endpoint of ['\\\\.\\pipe\\', 'run/csi-proxy', './run']) {
    assert.throws(
      () => prefixOf(endpoint, 'linux'),
      (error: unknown) => error instanceof TerminalError && /is no directory/.test(error.message),
    );
  }
});

test.run();
