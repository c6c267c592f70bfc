// long
// Volumes of disks: what is formatted and what is not, once and not twice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Code, StatusError, UnknownEndError } from '../../../../adapters/csi-proxy/base/status.ts';
import type { NewDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { GIB, inWorld, listIn, type Raw, type World } from '../../../world/windows.ts';

const test = suite('windows volume');
const PAGE83 = 'naa.600a0b80001';

async function withDisk(world: World, given: Partial<NewDisk> = {}): Promise<number> {
  const { disks } = world.machine();
  const number = await disks.attachSeen(
    disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, state: 'offline', ...given }),
  );
  await world.create('windowsdisks/data', { spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true } });
  return number;
}

const volume = (spec: object) => ({ spec: { diskRef: 'data', ...spec } });
const formats = (world: World): number => world.machine().changes.filter((each) => each === 'formatVolume').length;

test('a volume of a disk that was seen raw is formatted once, flushed in the end, and kept', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    const { status, metadata } = await world.ready('windowsvolumes/data');
    assert.is(status?.['formattedBy'], metadata.uid);
    assert.is(status?.['format'], undefined);
    assert.ok(Number(status?.['capacityBytes']) > 0 && Number(status?.['usedBytes']) > 0);
    await world.settle();
    assert.is(formats(world), 1);
    await world.remove('windowsdisks/data');
    await world.says('windowsdisks/data', 'WaitingForUsers');
    await world.remove('windowsvolumes/data');
    await world.gone('windowsvolumes/data');
    await world.gone('windowsdisks/data');
    assert.is(world.machine().changes.at(-2), 'writeVolumeCache');
    assert.is(world.machine().disks.disk(number).partitions.at(-1)?.volume?.fileSystem, 'NTFS');
  }));

test('what the policy does not let be formatted is not (WIN-KINDS-WINDOWS-VOLUME-2)', () =>
  inWorld({}, async (world) => {
    await withDisk(world, { content: { style: 'GPT', fileSystem: 'foreign' } });
    await world.create('windowsvolumes/raw', volume({ formatPolicy: 'IfRaw' }));
    await world.create('windowsvolumes/never', volume({}));
    assert.match(await world.says('windowsvolumes/raw', 'NotFormatted'), /not seen raw/);
    assert.match(await world.says('windowsvolumes/never', 'NotFormatted'), /Never/);
    assert.is(formats(world), 0);
    await world.merge('windowsvolumes/raw', { spec: { formatPolicy: 'IfUnknown' } });
    await world.ready('windowsvolumes/raw');
    await world.ready('windowsvolumes/never');
    assert.is(formats(world), 1);
  }));

for (const at of ['initializeDisk', 'createBasicPartition'] as const) {
  test(`what somebody else partitions after it was seen raw, just before '${at}', is not formatted (WIN-KINDS-WINDOWS-VOLUME-2, WIN-KINDS-WINDOWS-DISK-2)`, () =>
    inWorld({}, async (world) => {
      const { before, disks } = world.machine();
      const host = disks.host();
      let isOthers = false;
      const number = 1;
      before.set(at, async () => {
        if (isOthers) return;
        isOthers = true;
        // With a table of his own.
        disks.disk(number).partitions.length = 0;
        disks.disk(number).style = 'RAW';
        await host.initializeDisk(number);
        await host.createBasicPartition(number);
        for (const { volume: of } of disks.disk(number).partitions) if (of !== undefined) of.fileSystem = 'foreign';
      });
      assert.is(await withDisk(world), number);
      await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
      assert.match(await world.says('windowsvolumes/data', 'NotFormatted'), /not seen raw/);
      const { status } = await world.ready('windowsdisks/data');
      assert.equal([status?.['seenRaw'], status?.['partitionTable']], [undefined, undefined]);
      assert.ok(isOthers);
      assert.is(formats(world), 0);
    }));
}

test('an actor that begins anew while it is formatted waits and looks, and formats nothing again (WIN-KINDS-WINDOWS-VOLUME-1, WIN-OPERATIONS-WINDOWS-VOLUME-2)', () =>
  inWorld({}, async (world) => {
    const held = Promise.withResolvers<void>();
    world.machine().before.set('formatVolume', () => held.promise);
    await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await world.until('windowsvolumes/data', 'on record', ({ status }) => status?.['format'] !== undefined);
    await world.restartActors();
    await world.says('windowsvolumes/data', 'Formatting');
    await world.settle();
    held.resolve();
    const { status, metadata } = await world.ready('windowsvolumes/data');
    assert.equal([formats(world), status?.['formattedBy']], [1, metadata.uid]);
  }));

test('a format whose end nobody knows is not repeated, and said to be uncertain in time (WIN-KINDS-WINDOWS-VOLUME-1)', () =>
  inWorld({ env: { WINDOWS_FORMAT_MS: '500' } }, async (world) => {
    world.machine().before.set('formatVolume', () => new Promise(() => undefined));
    await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await world.until('windowsvolumes/data', 'on record', ({ status }) => status?.['format'] !== undefined);
    await world.stopNode('one');
    world.machine().before.clear();
    await world.startNode('one');
    assert.match(await world.says('windowsvolumes/data', 'FormatUncertain'), /by hand/);
    await world.settle();
    assert.is(formats(world), 0);
  }));

test('a format that nobody was there to begin is asked for again (WIN-KINDS-WINDOWS-VOLUME-1)', () =>
  inWorld({}, async (world) => {
    world.faults.holds = 1;
    await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await world.ready('windowsvolumes/data');
    assert.equal([formats(world), world.faults.holds], [1, -1]);
  }));

test('a format that is known to have failed is tried again', () =>
  inWorld({}, async (world) => {
    let fails = 1;
    world.machine().before.set('formatVolume', async () => {
      if (fails-- > 0) throw new StatusError(Code.Unknown, 'the disk is busy');
    });
    await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await world.ready('windowsvolumes/data');
    assert.is(formats(world), 1);
  }));

test('a format that nobody tells the end of is not known to have failed, and not asked for again (WIN-KINDS-WINDOWS-VOLUME-1, WIN-OPERATIONS-WINDOWS-VOLUME-3)', () =>
  inWorld({}, async (world) => {
    const lost = Promise.withResolvers<void>();
    world.machine().before.set('formatVolume', async () => {
      lost.resolve();
      throw new UnknownEndError(Code.Unknown, 'whether the work was done is not known');
    });
    await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await lost.promise;
    world.machine().before.clear();
    await world.says('windowsvolumes/data', 'Formatting', /not known/);
    await world.settle();
    assert.is(formats(world), 0);
    // Windows comes to the end of it all the same.
    const { volumeID } = (await world.read('windowsvolumes/data'))?.status ?? {};
    await world.machine().host.volume.formatVolume(String(volumeID));
    const { status, metadata } = await world.ready('windowsvolumes/data');
    assert.equal([formats(world), status?.['formattedBy']], [1, metadata.uid]);
  }));

test('a machine that fails before a format is begun is known to have begun none (WIN-OPERATIONS-WINDOWS-VOLUME-3)', () =>
  inWorld({}, async (world) => {
    const { host } = world.machine();
    const { isVolumeFormatted } = host.volume;
    let looks = 0;
    await withDisk(world);
    const { volumeIDs } = (await world.ready('windowsdisks/data')).status ?? {};
    assert.ok(Array.isArray(volumeIDs));
    // The look of the operation is the one that is made while the format is on record.
    host.volume.isVolumeFormatted = async (id) => {
      const { status } = (await world.read('windowsvolumes/data')) ?? {};
      if (status?.['format'] !== undefined && looks++ === 0) throw new StatusError(Code.Unknown, 'the disk is busy');
      return isVolumeFormatted(id);
    };
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await world.ready('windowsvolumes/data');
    assert.is(formats(world), 1);
    assert.ok(looks > 0);
  }));

test('a volume that lost its file system is not formatted a second time (WIN-KINDS-WINDOWS-VOLUME-3)', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    await world.ready('windowsvolumes/data');
    const made = world.machine().disks.disk(number).partitions.at(-1)?.volume;
    if (made !== undefined) made.fileSystem = 'foreign';
    assert.match(await world.says('windowsvolumes/data', 'NotFormatted'), /not formatted again/);
    await world.settle();
    assert.is(formats(world), 1);
  }));

test('a volume follows a disk that has grown, if it is to have all of it', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw', sizeBytes: 0 }));
    await world.ready('windowsvolumes/data');
    const { disks, host } = world.machine();
    disks.grow(number, 16n * GIB);
    await host.disk.rescan();
    await world.until(
      'windowsvolumes/data',
      'larger',
      ({ status }) => Number(status?.['capacityBytes']) > Number(15n * GIB),
    );
  }));

test('a disk that was swapped is not formatted for the volume of the other (WIN-OPERATIONS-WINDOWS-VOLUME-1)', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
    await world.ready('windowsvolumes/data');
    const { disks } = world.machine();
    await disks.detach(number);
    const content = { style: 'GPT', fileSystem: 'foreign' } as const;
    assert.is(await disks.attachSeen(disks.make({ sizeBytes: 8n * GIB, page83: 'naa.another', content })), number);
    await world.says('windowsdisks/data', 'DiskAbsent');
    await world.says('windowsvolumes/data', 'WaitingForDependency');
    await world.settle();
    assert.is(formats(world), 1);
  }));

/** What Windows says of all volumes of the disk from now on. */
function nowReports(world: World, number: number, fileSystem: 'foreign' | 'NTFS'): void {
  for (const { volume: of } of world.machine().disks.disk(number).partitions)
    if (of !== undefined) of.fileSystem = fileSystem;
}

const ADOPTED = { content: { style: 'GPT', fileSystem: 'NTFS' } } as const;
const MOUNT = { spec: { path: 'C:\\var\\lib\\kubelet\\data', source: { volumeRef: 'data' } } };

test('33.A4: an adopted volume that Windows does not know for a while is not formatted under IfUnknown (WIN-KINDS-WINDOWS-VOLUME-3)', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world, ADOPTED);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
    await world.create('windowsmounts/data', MOUNT);
    await world.ready('windowsmounts/data');
    nowReports(world, number, 'foreign');
    assert.match(await world.says('windowsvolumes/data', 'NotFormatted'), /discardFileSystemSeen/);
    await world.settle();
    assert.is(formats(world), 0);
    nowReports(world, number, 'NTFS');
    await world.ready('windowsmounts/data');
  }));

for (const made of [['windowsvolumes/data'], ['windowsvolumes/data', 'windowsdisks/data']]) {
  test(`33.A4: nor for objects that are made anew: ${made.join(' and ')} (WIN-KINDS-WINDOWS-VOLUME-3)`, () =>
    inWorld({}, async (world) => {
      const number = await withDisk(world, ADOPTED);
      await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
      await world.ready('windowsvolumes/data');
      for (const path of made) await world.remove(path);
      for (const path of made) await world.gone(path);
      nowReports(world, number, 'foreign');
      if (made.length > 1) {
        const spec = { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true };
        await world.create('windowsdisks/data', { spec });
      }
      await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
      await world.says('windowsvolumes/data', 'NotFormatted', /discardFileSystemSeen/);
      await world.settle();
      assert.is(formats(world), 0);
    }));
}

test('33.A4: nor on another machine, whatever the volume is called there (WIN-KINDS-WINDOWS-VOLUME-3)', () =>
  inWorld({ nodes: ['one', 'two'] }, async (world) => {
    const number = await withDisk(world, ADOPTED);
    await world.ready('windowsdisks/data');
    const moved = await world.machine().disks.detach(number);
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    for (const { volume: of } of moved.partitions)
      if (of !== undefined) Object.assign(of, { id: '\\\\?\\Volume{another}\\', fileSystem: 'foreign' });
    await world.machine('two').disks.attachSeen(moved);
    const spec = { nodeRef: 'two', selector: { page83: PAGE83 }, partition: true };
    await world.create('windowsdisks/data', { spec });
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
    await world.says('windowsvolumes/data', 'NotFormatted', /discardFileSystemSeen/);
    assert.not.ok(world.machine('two').changes.includes('formatVolume'));
  }));

test('33.A4: an order that names the time is for one format, also for objects that are made anew (WIN-KINDS-WINDOWS-VOLUME-3)', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world, ADOPTED);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
    const { status } = await world.ready('windowsvolumes/data');
    const { seenAt } = (status?.['fileSystem'] ?? {}) as { readonly seenAt?: string };
    assert.type(seenAt, 'string');
    nowReports(world, number, 'foreign');
    await world.merge('windowsvolumes/data', { spec: { discardFileSystemSeen: '2000-01-01T00:00:00Z' } });
    await world.says('windowsvolumes/data', 'NotFormatted', new RegExp(`${seenAt}`));
    await world.settle();
    assert.is(formats(world), 0);
    await world.merge('windowsvolumes/data', { spec: { discardFileSystemSeen: seenAt ?? '' } });
    await world.ready('windowsvolumes/data');
    assert.is(formats(world), 1);
    nowReports(world, number, 'foreign');
    await world.says('windowsvolumes/data', 'NotFormatted');
    await world.remove('windowsvolumes/data');
    await world.gone('windowsvolumes/data');
    await world.create(
      'windowsvolumes/data',
      volume({ formatPolicy: 'IfUnknown', discardFileSystemSeen: seenAt ?? '' }),
    );
    await world.says('windowsvolumes/data', 'NotFormatted');
    await world.settle();
    assert.is(formats(world), 1);
  }));

test('33.A4: a disk does not go before its node has on record what was seen on it (WIN-KINDS-WINDOWS-DISK-3)', () =>
  inWorld({}, async (world) => {
    await withDisk(world);
    await world.ready('windowsdisks/data');
    const held = Promise.withResolvers<void>();
    world.machine().before.set('getBIOSSerialNumber', () => held.promise);
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfRaw' }));
    const { status } = await world.ready('windowsvolumes/data');
    for (const path of ['windowsvolumes/data', 'windowsdisks/data']) await world.remove(path);
    await world.gone('windowsvolumes/data');
    await world.says('windowsdisks/data', 'TransientError', /not recorded yet/);
    await world.settle();
    assert.ok(await world.read('windowsdisks/data'));
    held.resolve();
    await world.gone('windowsdisks/data');
    const [disk] = listIn((await world.read('windowsstoragenodes/one'))?.status, 'disks').slice(-1);
    assert.equal(disk && (disk as JsonObject)['fileSystems'], [status?.['fileSystem']]);
  }));

test('33.A4: a volume that never had a file system is formatted on a disk whose other volume has one', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world, ADOPTED);
    const { disks } = world.machine();
    await world.create('windowsvolumes/data', volume({ formatPolicy: 'IfUnknown' }));
    await world.ready('windowsvolumes/data');
    const [first] = disks.disk(number).partitions.filter(({ volume: of }) => of !== undefined);
    const other = disks.make({ sizeBytes: GIB, content: { style: 'GPT', fileSystem: 'none' } });
    const [second] = other.partitions.filter(({ volume: of }) => of !== undefined);
    assert.ok(first && second);
    const disk = await disks.detach(number);
    disk.partitions.push({ ...second, number: first.number + 1 });
    await disks.attachSeen(disk);
    await world.create(
      'windowsvolumes/second',
      volume({ formatPolicy: 'IfUnknown', partitionNumber: first.number + 1 }),
    );
    await world.ready('windowsvolumes/second');
    assert.is(formats(world), 1);
  }));

test('33.A4: a disk that was seen with a file system gets no partition table when Windows says that it is raw (WIN-KINDS-WINDOWS-DISK-3)', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world, ADOPTED);
    await world.until('windowsdisks/data', 'seen', ({ status }) => status?.['fileSystems'] !== undefined);
    await world.ready('windowsdisks/data');
    const disk = world.machine().disks.disk(number);
    const partitions = disk.partitions.splice(0);
    disk.style = 'RAW';
    const message = await world.says('windowsdisks/data', 'NotPartitioned', /discardFileSystemSeen/);
    await world.settle();
    assert.not.ok(world.machine().changes.includes('initializeDisk'));
    const [seenAt = ''] = /\d{4}-[^ ']+Z/.exec(message) ?? [];
    assert.is(partitions.length > 0, true);
    await world.merge('windowsdisks/data', { spec: { discardFileSystemSeen: seenAt } });
    await world.ready('windowsdisks/data');
    assert.ok(world.machine().changes.includes('initializeDisk'));
  }));

test('33.D: a disk that has grown is noticed, and a volume that is to have all of it grows once', () =>
  inWorld({}, async (world) => {
    const { disks, changes } = world.machine();
    const number = await disks.attachSeen(disks.make({ sizeBytes: 8n * GIB, page83: 'naa.growing', state: 'offline' }));
    const selector = { page83: 'naa.growing' };
    await world.create('windowsdisks/growing', { spec: { nodeRef: 'one', selector, partition: true } });
    await world.create('windowsvolumes/all', { spec: { diskRef: 'growing', formatPolicy: 'IfRaw', sizeBytes: 0 } });
    await world.ready('windowsvolumes/all');
    await world.settle();
    await world.settle();
    const calls = (): number => changes.filter((each) => each === 'resizeVolume').length;
    const before = calls();
    await world.settle();
    assert.is(calls(), before, 'nothing is asked for again at each look');
    disks.grow(number, 16n * GIB);
    const grown = ({ status }: Raw): boolean => Number(status?.['capacityBytes']) > Number(15n * GIB);
    await world.until('windowsvolumes/all', 'grown', grown);
    await world.until('windowsdisks/growing', 'grown', ({ status }) => status?.['sizeBytes'] === Number(16n * GIB));
  }));

test.run();
