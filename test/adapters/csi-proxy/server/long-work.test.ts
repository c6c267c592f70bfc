// Work that takes longer than somebody wants to wait: it is not stopped, not repeated, and nothing runs beside it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code } from '../../../../adapters/csi-proxy/base/status.ts';
import { KeyedMutex } from '../../../../adapters/csi-proxy/hosts/keyed-mutex.ts';
import { memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { callContext, formattedDisk, groupServers } from '../../../world/windows-groups.ts';
import { refused } from '../hosts/files.suite.ts';
import { quickClock } from '../quick-clock.ts';

const test = suite('long work');

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('in a lane one follows the other, and other lanes go on', async () => {
  const lanes = new KeyedMutex();
  const { signal } = new AbortController();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = lanes.run('a', signal, async () => {
    order.push('one');
    await first.promise;
    order.push('one ended');
  });
  const two = lanes.run('a', signal, async () => order.push('two'));
  await lanes.run('b', signal, async () => order.push('other'));
  first.resolve();
  await Promise.all([one, two]);
  assert.equal(order, ['one', 'other', 'one ended', 'two']);
});

test('a failure does not close a lane', async () => {
  const lanes = new KeyedMutex();
  const { signal } = new AbortController();
  const failing = lanes.run('a', signal, () => Promise.reject(new Error('broken')));
  const next = lanes.run('a', signal, async () => 'done');
  await failing.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'broken'),
  );
  assert.is(await next, 'done');
});

test('33.C7: whoever gives up before its turn leaves the line at once, and those behind it come no sooner', async () => {
  const lanes = new KeyedMutex();
  const { signal } = new AbortController();
  const stuck = Promise.withResolvers<void>();
  const first = lanes.run('a', signal, () => stuck.promise);
  const begun: string[] = [];
  const gone = new AbortController();
  const second = lanes.run('a', gone.signal, async () => begun.push('second'));
  const third = lanes.run('a', signal, async () => begun.push('third'));
  gone.abort();
  await refused(second, Code.Cancelled);
  await settled();
  assert.equal(begun, []);
  stuck.resolve();
  await Promise.all([first, third]);
  assert.equal(begun, ['third']);
});

test('work on a path runs beside that on others, and not beside that on one in which it lies, or its own in other letters', async () => {
  const lanes = new KeyedMutex();
  const { signal } = new AbortController();
  const held = Promise.withResolvers<void>();
  const first = lanes.runAt('C:\\var\\lib\\one', signal, () => held.promise);
  const begun: string[] = [];
  const ask = (path: string) => lanes.runAt(path, signal, async () => begun.push(path));
  const beside = ['C:\\var\\lib\\one-other', 'D:\\var\\lib\\one', 'C:\\var\\lib\\two'];
  const behind = [
    'c:\\VAR\\lib\\one\\',
    'C:/var/lib/./one',
    'C:\\var',
    'C:\\var\\lib\\one\\deep',
    '\\\\?\\C:\\var\\lib\\one',
  ];
  const all = [...beside, ...behind].map(ask);
  await settled();
  assert.equal(begun, beside);
  held.resolve();
  await Promise.all([first, ...all]);
  assert.equal(begun, [...beside, ...behind]);
});

/** Servers on a machine whose formats end when they are told to. */
async function slowFormats() {
  const clock = quickClock();
  const machine = await memoryMachine({ clock });
  const diskNumber = await formattedDisk(machine);
  const [volumeId = ''] = await machine.host.volume.listVolumesOnDisk(diskNumber, 0);
  const begun: PromiseWithResolvers<void>[] = [];
  const formatVolume = (): Promise<void> => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    return one.promise;
  };
  const host = { ...machine.host, volume: { ...machine.host.volume, formatVolume } };
  return { ...groupServers({ clock, host }), begun, volumeId, diskNumber };
}

test('who asks again for a format that is under way waits for that one', async () => {
  const { volume, begun, volumeId } = await slowFormats();
  const impatient = new AbortController();
  const formats = [impatient.signal, new AbortController().signal].map((signal) =>
    volume.formatVolume(callContext(signal), { volumeId }, 'v1'),
  );
  await settled();
  impatient.abort();
  const third = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  assert.is(begun.length, 1);
  begun[0]?.resolve();
  await Promise.all([...formats, third]);
  assert.is(begun.length, 1);
});

test('a failure is told to all who waited, and the next format is another', async () => {
  const { volume, begun, volumeId } = await slowFormats();
  const formats = [1, 2].map(() => volume.formatVolume(callContext(), { volumeId }, 'v1'));
  await settled();
  begun[0]?.reject(new Error('broken'));
  for (const { status } of await Promise.allSettled(formats)) assert.is(status, 'rejected');
  const next = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  assert.is(begun.length, 2);
  begun[1]?.resolve();
  await next;
});

test('a disk is changed by one call at a time, of whatever group; looking at it goes on', async () => {
  const { volume, disk, begun, volumeId, diskNumber } = await slowFormats();
  const format = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  let isOffline = false;
  const offline = disk.setDiskState(callContext(), { diskNumber, isOnline: false }, 'v1').then(() => {
    isOffline = true;
  });
  const resize = volume.resizeVolume(callContext(), { volumeId, sizeBytes: 0n }, 'v1');
  await settled();
  assert.not.ok(isOffline);
  assert.ok((await disk.getDiskState(callContext(), { diskNumber }, 'v1')).isOnline);
  begun[0]?.resolve();
  await Promise.allSettled([format, offline, resize]);
  assert.ok(isOffline);
});

test('what waited for its turn until its caller had gone is not begun', async () => {
  const { volume, disk, begun, volumeId, diskNumber } = await slowFormats();
  const format = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  const gone = new AbortController();
  const offline = disk.setDiskState(callContext(gone.signal), { diskNumber, isOnline: false }, 'v1');
  gone.abort();
  begun[0]?.resolve();
  await format;
  await refused(offline, Code.Cancelled);
  assert.ok((await disk.getDiskState(callContext(), { diskNumber }, 'v1')).isOnline);
});

test('a format that waits is begun as long as one of those who asked waits', async () => {
  const { volume, disk, begun, volumeId, diskNumber } = await slowFormats();
  const blocking = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  const other = disk.setDiskState(callContext(), { diskNumber, isOnline: true }, 'v1');
  begun[0]?.resolve();
  await Promise.all([blocking, other]);
  const gone = new AbortController();
  gone.abort();
  const first = volume.formatVolume(callContext(gone.signal), { volumeId }, 'v1');
  const second = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  assert.is(begun.length, 2);
  begun[1]?.resolve();
  await Promise.all([first, second]);
  await refused(volume.formatVolume(callContext(gone.signal), { volumeId }, 'v1'), Code.Cancelled);
  assert.is(begun.length, 2);
});

test('33.C7: calls that wait for a format which does not end leave it when nobody waits for them', async () => {
  const { volume, disk, begun, volumeId, diskNumber } = await slowFormats();
  const format = volume.formatVolume(callContext(), { volumeId }, 'v1');
  await settled();
  const gone = new AbortController();
  const { signal } = gone;
  const waiting = [
    volume.formatVolume(callContext(signal), { volumeId }, 'v1'),
    volume.resizeVolume(callContext(signal), { volumeId, sizeBytes: 0n }, 'v1'),
    disk.setDiskState(callContext(signal), { diskNumber, isOnline: false }, 'v1'),
  ];
  await settled();
  gone.abort();
  for (const each of waiting) await refused(each, Code.Cancelled);
  begun[0]?.resolve();
  await format;
  assert.ok((await disk.getDiskState(callContext(), { diskNumber }, 'v1')).isOnline);
});

test.run();
