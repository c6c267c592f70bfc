// Disks that Windows has attached read-only: what is said of them, by whom, and that nobody but a person says that they may be written.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GIB, inWorld, readyOf, type World } from '../../world/windows.ts';

const test = suite('disks that are read-only');
const PAGE83 = 'naa.600a0b80001';
const DISK = { spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true } };
const PATH = 'C:\\var\\lib\\kubelet\\data';
const TODO = /Set-Disk -IsReadOnly \$false/;

async function withDisk(world: World, fileSystem?: 'none' | 'NTFS'): Promise<number> {
  const { disks } = world.machine();
  const content = fileSystem === undefined ? {} : { content: { style: 'GPT', fileSystem } as const };
  return disks.attachSeen(
    disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, state: 'offline', isReadOnly: true, ...content }),
  );
}

/** As a person on the machine does. */
function allow(world: World, number: number): void {
  world.machine().disks.disk(number).isReadOnly = false;
}

test('33.D: one with a file system can be read, and its condition says that it cannot be written until it can', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world, 'NTFS');
    await world.create('windowsdisks/data', DISK);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfRaw' } });
    await world.create('windowsmounts/data', { spec: { path: PATH, source: { volumeRef: 'data' } } });
    await world.ready('windowsmounts/data');
    const ready = readyOf(await world.ready('windowsdisks/data'));
    assert.equal([ready['status'], ready['reason']], ['True', 'DiskReadOnly']);
    assert.match(String(ready['message']), TODO);
    allow(world, number);
    await world.until('windowsdisks/data', 'writable', (raw) => readyOf(raw)['reason'] === 'Success');
  }));

test('33.D: one that is raw waits for a person, and nothing is tried on it', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    world.machine().disks.disk(number).state = 'online';
    await world.create('windowsdisks/data', DISK);
    assert.match(await world.says('windowsdisks/data', 'DiskReadOnly', /cannot be partitioned/), TODO);
    await world.settle();
    assert.equal(world.machine().changes, []);
    allow(world, number);
    await world.ready('windowsdisks/data');
  }));

test('33.D: a format that fails on one says what to do', () =>
  inWorld({}, async (world) => {
    await withDisk(world, 'none');
    await world.create('windowsdisks/data', DISK);
    await world.ready('windowsdisks/data');
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfUnknown' } });
    assert.match(await world.says('windowsvolumes/data', 'TransientError', /write protected/), TODO);
  }));

test('33.D: so does one by way of csi-proxy, which does not tell that a disk is read-only', () =>
  inWorld({ isPiped: true, env: { WINDOWS_FORMAT_MS: '500' } }, async (world) => {
    await withDisk(world, 'none');
    await world.create('windowsdisks/data', DISK);
    assert.is(readyOf(await world.ready('windowsdisks/data'))['reason'], 'Success');
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfUnknown' } });
    assert.match(await world.says('windowsvolumes/data', 'FormatUncertain'), TODO);
  }));

test.run();
