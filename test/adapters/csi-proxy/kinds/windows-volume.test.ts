// Volumes of disks: what is formatted and what is not, once and not twice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import { Code, StatusError, UnknownEndError } from '../../../../adapters/csi-proxy/status.ts';
import { GIB, inWorld, type World } from '../../../world/windows.ts';

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

test('what the policy does not let be formatted is not (F2)', () =>
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
  test(`what somebody else partitions after it was seen raw, just before '${at}', is not formatted (F2, K2)`, () =>
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

test('an actor that begins anew while it is formatted waits and looks, and formats nothing again (F1, V2)', () =>
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

test('a format whose end nobody knows is not repeated, and said to be uncertain in time (F1)', () =>
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

test('a format that nobody was there to begin is asked for again (F1)', () =>
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

test('a format that nobody tells the end of is not known to have failed, and not asked for again (F1, V3)', () =>
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

test('a machine that fails before a format is begun is known to have begun none (V3)', () =>
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

test('a volume that lost its file system is not formatted a second time (F3)', () =>
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

test('a disk that was swapped is not formatted for the volume of the other (V1)', () =>
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

test.run();
