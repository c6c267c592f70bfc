// Machines and their disks: apply, assert, delete, assert.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../../bus/mod.ts';
import { GIB, inWorld, listIn, type World } from '../../../world/windows.ts';

const test = suite('windows disk');
const PAGE83 = 'naa.600a0b80001';

async function withDisk(world: World, given = {}): Promise<number> {
  const { disks } = world.machine();
  const made = disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, serialNumber: 'S-1', state: 'offline', ...given });
  return disks.attachSeen(made);
}

const isElsewhere = (seen: Json): boolean => {
  const { identity, number } = seen as JsonObject;
  return identity !== `page83:${PAGE83}` || number === undefined;
};

const disk = (spec: object) => ({ spec: { nodeRef: 'one', selector: { page83: PAGE83 }, ...spec } });

test('a machine says which disks it has; they tell who has them', () =>
  inWorld({}, async (world) => {
    await withDisk(world);
    const node = await world.ready('windowsstoragenodes/one');
    assert.is(node.status?.['machine'], 'serial-one');
    const { metadata } = await world.create('windowsdisks/data', disk({}));
    const seen = await world.until('windowsstoragenodes/one', 'claimed', ({ status }) =>
      listIn(status, 'disks').some((each) => (each as JsonObject)['claimedBy'] === 'data'),
    );
    const [, second] = listIn(seen.status, 'disks');
    assert.equal(second, {
      number: 1,
      identity: `page83:${PAGE83}`,
      page83: PAGE83,
      serialNumber: 'S-1',
      sizeBytes: Number(8n * GIB),
      claimedBy: 'data',
      claimedByUID: metadata.uid,
    });
  }));

test('a disk is set online and partitioned, and offline again when its object is deleted; it is not wiped', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsdisks/data', disk({ partition: true }));
    const { status } = await world.ready('windowsdisks/data');
    assert.is(status?.['state'], 'Online');
    assert.is(listIn(status, 'volumeIDs').length, 1);
    assert.type(status?.['seenRaw'], 'string');
    assert.equal(world.machine().changes, ['setDiskState', 'initializeDisk', 'createBasicPartition']);
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    const left = world.machine().disks.disk(number);
    assert.equal([left.state, left.style, left.partitions.length], ['offline', 'GPT', 2]);
    await world.remove('windowsstoragenodes/one');
    await world.gone('windowsstoragenodes/one');
  }));

test('a disk that was partitioned before was never seen raw (WIN-KINDS-WINDOWS-DISK-2)', () =>
  inWorld({}, async (world) => {
    await withDisk(world, { content: { style: 'GPT', fileSystem: 'foreign' } });
    await world.create('windowsdisks/data', disk({ partition: true }));
    const { status } = await world.ready('windowsdisks/data');
    assert.is(status?.['seenRaw'], undefined);
    assert.equal(world.machine().changes, ['setDiskState']);
  }));

test('a node waits for its disks before it goes', () =>
  inWorld({}, async (world) => {
    await withDisk(world);
    await world.create('windowsdisks/data', disk({}));
    await world.ready('windowsdisks/data');
    await world.remove('windowsstoragenodes/one');
    assert.match(await world.says('windowsstoragenodes/one', 'WaitingForUsers'), /windowsdisk/);
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    await world.gone('windowsstoragenodes/one');
    assert.is(world.machine().disks.disk(1).state, 'offline');
  }));

test('a disk that stays online does not go while something is made on it', () =>
  inWorld({}, async (world) => {
    await withDisk(world);
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.machine().before.set('createBasicPartition', () => {
      begun.resolve();
      return held.promise;
    });
    await world.create('windowsdisks/data', disk({ partition: true, offlineOnDelete: false }));
    await begun.promise;
    await world.says('windowsdisks/data', 'TransientError', /in time/);
    await world.remove('windowsdisks/data');
    await world.settle();
    assert.ok(await world.read('windowsdisks/data'));
    held.resolve();
    await world.gone('windowsdisks/data');
    assert.equal(world.machine().changes, ['setDiskState', 'initializeDisk', 'createBasicPartition']);
  }));

test('of two disks with one identity neither is touched (WIN-DISKS-1)', () =>
  inWorld({}, async (world) => {
    await withDisk(world);
    await withDisk(world, { serialNumber: 'S-2' });
    await world.create('windowsdisks/data', disk({ partition: true }));
    await world.create('windowsdisks/other', disk({ selector: { serialNumber: 'S-2' }, partition: true }));
    assert.match(await world.says('windowsdisks/data', 'AmbiguousDisk'), /1 and 2/);
    assert.match(await world.says('windowsdisks/other', 'AmbiguousDisk'), /1 and 2/);
    await world.settle();
    assert.equal(world.machine().changes, []);
  }));

test('of two objects that mean one disk the one that had it has it (WIN-KINDS-WINDOWS-DISK-1)', () =>
  inWorld({}, async (world) => {
    await withDisk(world);
    await world.create('windowsdisks/zeta', disk({}));
    await world.ready('windowsdisks/zeta');
    await world.create('windowsdisks/alpha', disk({ selector: { serialNumber: 'S-1' } }));
    assert.match(await world.says('windowsdisks/alpha', 'DiskTaken'), /WindowsDisk\/zeta/);
    const { disks } = world.machine();
    const away = await disks.detach(1);
    await world.says('windowsdisks/zeta', 'DiskAbsent');
    await world.until('windowsstoragenodes/one', 'without it', ({ status }) =>
      listIn(status, 'disks').every(isElsewhere),
    );
    await disks.attachSeen(away);
    await world.ready('windowsdisks/zeta');
    assert.match(await world.says('windowsdisks/alpha', 'DiskTaken'), /WindowsDisk\/zeta/);
    await world.remove('windowsdisks/alpha');
    await world.gone('windowsdisks/alpha');
    assert.is(world.machine().disks.disk(1).state, 'online', 'who does not have a disk does not set it offline');
    await world.ready('windowsdisks/zeta');
  }));

test('an object says nothing of what is on a disk that another one has (WIN-KINDS-WINDOWS-DISK-4)', () =>
  inWorld({}, async (world) => {
    await withDisk(world, { content: { style: 'GPT', fileSystem: 'NTFS' } });
    await world.create('windowsdisks/zeta', disk({}));
    const { status } = await world.ready('windowsdisks/zeta');
    assert.is(listIn(status, 'volumeIDs').length, 1);
    await world.create('windowsdisks/alpha', disk({}));
    await world.says('windowsdisks/alpha', 'DiskTaken');
    const {
      conditions: _,
      nodeName: __,
      machine: ___,
      ...reported
    } = (await world.read('windowsdisks/alpha'))?.status ?? {};
    assert.equal(reported, { identity: status?.['identity'] });
  }));

test('a disk whose number changes stays the disk', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsdisks/data', disk({}));
    await world.ready('windowsdisks/data');
    const { disks } = world.machine();
    const same = await disks.detach(number);
    await withDisk(world, { page83: 'naa.another' });
    await disks.attachSeen(same);
    await world.until('windowsdisks/data', 'number 2', ({ status }) => status?.['number'] === 2);
    await world.ready('windowsdisks/data');
  }));

test('a disk that somebody sets offline by hand is set online again', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsdisks/data', disk({}));
    await world.ready('windowsdisks/data');
    await world.machine().disks.host().setDiskState(number, 'offline');
    await world.happens('it is online again', () => world.machine().disks.disk(number).state === 'online');
  }));

test('of two machines that see one disk, one has it; the other gets it when that one has let go of it (WIN-CLAIMS-2)', () =>
  inWorld({ nodes: ['one', 'two'] }, async (world) => {
    const number = await withDisk(world);
    const { disks } = world.machine('one');
    await world.machine('two').disks.attachSeen(disks.disk(number));
    await world.create('windowsdisks/data', disk({}));
    await world.ready('windowsdisks/data');
    await world.create('windowsdisks/there', disk({ nodeRef: 'two', online: false, partition: true }));
    assert.match(await world.says('windowsdisks/there', 'DiskTaken', /sees, too/), /WindowsStorageNode\/one/);
    await world.settle();
    await world.ready('windowsdisks/data');
    assert.equal([disks.disk(number).state, world.machine('two').changes], ['online', []]);
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    assert.is(disks.disk(number).state, 'offline');
    await world.merge('windowsdisks/there', { spec: { online: true } });
    await world.ready('windowsdisks/there');
    assert.is(disks.disk(number).state, 'online');
  }));

test('two objects of one node: the second is refused', () =>
  inWorld({}, async (world) => {
    await world.ready('windowsstoragenodes/one');
    // Who came first is told by the second.
    await world.clock.sleep(1_100);
    await world.create('windowsstoragenodes/again', { spec: { nodeName: 'one' } });
    assert.match(await world.says('windowsstoragenodes/again', 'NodeTaken'), /storage-\w+\/one/);
  }));

test.run();
