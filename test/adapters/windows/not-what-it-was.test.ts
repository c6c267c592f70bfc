// long
// A machine that is not what it was, with objects of all kinds on it: each says so, and nothing is done that was not asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GIB, inWorld, listIn, NODE_GONE, readyOf, type World, type WorldOptions } from '../../world/windows.ts';
import { allReady, declare, furnish, leftOn, OBJECTS, PAGE83, ROOT, SHARE } from './landscape.ts';

const test = suite('a machine that is not what it was');
const NODE = 'windowsstoragenodes/one';

const furnished = (options: WorldOptions, run: (world: World) => Promise<void>): Promise<void> =>
  inWorld(options, async (world) => {
    await furnish(world.machine());
    await declare(world);
    await allReady(world);
    await run(world);
  });

/** A service is started before each look, which changes nothing of one that runs. */
const isChange = (change: string): boolean => change !== 'startService';

test('a node that is gone for good: nothing goes before somebody says so, then all that is deleted does', () =>
  furnished({}, async (world) => {
    const { changes } = world.machine();
    const left = await leftOn(world.machine());
    await world.stopNode('one');
    changes.length = 0;
    await world.says(NODE, 'NodeUnreachable', /no process has the role csi-proxy/);
    const [first, ...others] = OBJECTS;
    await world.remove(first);
    await world.says(first, 'NodeUnreachable', /windows\.troupe\.dev\/node-gone=true/);
    for (const path of others) await world.until(path, 'not ready', (object) => readyOf(object)['status'] === 'False');
    await world.merge(NODE, { metadata: { annotations: { [NODE_GONE]: 'true' } } });
    await world.gone(first);
    for (const path of [NODE, ...others]) await world.says(path, 'NodeGone');
    for (const path of [NODE, ...others]) await world.remove(path);
    for (const path of [...others, NODE]) await world.gone(path);
    assert.equal([changes, await leftOn(world.machine())], [[], left], 'nothing is asked of it');
  }));

test('a node that comes back after that was said, and was said to be wrong, is as it was', () =>
  furnished({}, async (world) => {
    const { changes } = world.machine();
    await world.stopNode('one');
    await world.merge(NODE, { metadata: { annotations: { [NODE_GONE]: 'true' } } });
    for (const path of OBJECTS) await world.says(path, 'NodeGone');
    changes.length = 0;
    await world.startNode('one');
    await world.merge(NODE, { metadata: { annotations: { [NODE_GONE]: null } } });
    await allReady(world);
    assert.equal(changes.filter(isChange), []);
  }));

test('a node that was renamed: with its new name all is as it was, and what was deleted meanwhile goes', () =>
  furnished({}, async (world) => {
    const { changes } = world.machine();
    await world.stopNode('one');
    await world.startNode('one', 'renamed');
    await world.says(NODE, 'NodeUnreachable');
    await world.remove('windowsmounts/pod');
    await world.says('windowsmounts/pod', 'NodeUnreachable', /set its new name in its WindowsStorageNode/);
    changes.length = 0;
    await world.merge(NODE, { spec: { nodeName: 'renamed' } });
    await world.gone('windowsmounts/pod');
    for (const path of OBJECTS.slice(1)) {
      const { status } = await world.until(path, 'there', (object) => object.status?.['nodeName'] === 'renamed');
      assert.is(status?.['machine'], 'serial-one', path);
      await world.ready(path);
    }
    await world.settle();
    // The link, and the directory that was made for it.
    assert.equal(changes.filter(isChange), ['rmdir', 'rmdir']);
  }));

test('another machine that has the name of the node: nothing is done on it, nor is what was deleted given up (WIN-SERVING-1)', () =>
  furnished({ nodes: ['one', 'two'] }, async (world) => {
    await world.remove('windowsstoragenodes/two');
    await world.gone('windowsstoragenodes/two');
    const { host, smb, files, changes } = world.machine('two');
    // Somebody else's, of the same names.
    smb.offer(SHARE, { username: 'other', password: 'of-the-other' });
    const mapping = { root: SHARE, username: 'other', password: 'of-the-other', encryption: 'required' } as const;
    await host.smb.newSmbGlobalMapping(mapping);
    await host.filesystem.mkdir(`${ROOT}\\plain\\kept`);
    await host.filesystem.createSymlink('C:\\', `${ROOT}\\shared`);
    for (const name of ['one', 'two']) await world.stopNode(name);
    changes.length = 0;
    await world.startNode('two', 'one');
    await world.says(NODE, 'DifferentMachine', /serial-two, and was .* serial-one/);
    for (const path of OBJECTS) await world.remove(path);
    for (const path of ['windowsmounts/pod', 'windowsmounts/shared', 'windowsmounts/plain', 'windowsdisks/remote']) {
      await world.says(path, 'DifferentMachine', /serial-two.*node-gone=true/s);
    }
    await world.settle();
    assert.equal([changes, await host.smb.isSmbMapped(SHARE)], [[], 'mapped']);
    assert.is((await files.look(`${ROOT}\\plain\\kept`)).kind, 'directory');
    await world.stopNode('two');
    await world.startNode('one');
    for (const path of OBJECTS) await world.gone(path);
    assert.equal(await leftOn(world.machine('one')), []);
  }));

test('another machine that has the name of the node is not asked for anything before that is noticed (WIN-SERVING-1)', () =>
  inWorld({ nodes: ['one', 'two'], env: { WINDOWS_LOOK_EVERY_MS: '600000' } }, async (world) => {
    const path = `${ROOT}\\plain`;
    await world.create('windowsmounts/plain', { spec: { path, source: { nodeRef: 'one' } } });
    await world.ready('windowsmounts/plain');
    await world.machine('two').host.filesystem.mkdir(path);
    for (const name of ['one', 'two']) await world.stopNode(name);
    world.machine('two').changes.length = 0;
    await world.startNode('two', 'one');
    await world.remove('windowsmounts/plain');
    await world.says('windowsmounts/plain', 'DifferentMachine', /serial-two, and was .* serial-one/);
    assert.equal(world.machine('two').changes, []);
    assert.is((await world.ready(NODE)).status?.['machine'], 'serial-one', 'its node has not been looked at since');
  }));

test('a disk that moved to another node is not touched there for its old object, which goes with all that used it', () =>
  furnished({ nodes: ['one', 'two'] }, async (world) => {
    const [one, two] = [world.machine('one'), world.machine('two')];
    const formats = (): number => [...one.changes, ...two.changes].filter((change) => change === 'formatVolume').length;
    const { volumeID } = (await world.ready('windowsvolumes/data')).status ?? {};
    const moved = await one.disks.detach(Number((await world.ready('windowsdisks/data')).status?.['number']));
    await two.disks.attachSeen(moved);
    await world.says('windowsdisks/data', 'DiskMoved', /WindowsStorageNode\/two/);
    for (const path of ['windowsvolumes/data', 'windowsmounts/pub', 'windowsmounts/pod']) {
      await world.says(path, 'WaitingForDependency');
    }
    await world.create('windowsdisks/there', {
      spec: { nodeRef: 'two', selector: { page83: PAGE83 }, partition: true },
    });
    await world.create('windowsvolumes/there', { spec: { diskRef: 'there', formatPolicy: 'IfUnknown' } });
    const there = await world.ready('windowsvolumes/there');
    assert.equal([there.status?.['volumeID'], there.status?.['formattedBy']], [volumeID, undefined]);
    const used = OBJECTS.slice(0, 4);
    for (const path of used) await world.remove(path);
    for (const path of used) await world.gone(path);
    await world.settle();
    assert.equal([moved.state, moved.partitions.at(-1)?.volume?.fileSystem, formats()], ['online', 'NTFS', 1]);
    assert.not.ok((await leftOn(one)).includes('pub'), 'a mount of what is not there any more');
    await world.ready('windowsvolumes/there');
  }));

test('a disk of a node that is gone is had elsewhere once that is said, and is not said to be on the one that is gone', () =>
  furnished({ nodes: ['one', 'two'] }, async (world) => {
    const { disks } = world.machine('one');
    await world.stopNode('one');
    await world.says(NODE, 'NodeUnreachable');
    const moved = await disks.detach(1);
    const number = await world.machine('two').disks.attachSeen(moved);
    await world.create('windowsdisks/there', { spec: { nodeRef: 'two', selector: { page83: PAGE83 } } });
    await world.says('windowsdisks/there', 'DiskTaken', /WindowsStorageNode\/one/);
    await world.settle();
    assert.equal(world.machine('two').changes, [], 'who is not heard of may be at work on it');
    await world.merge(NODE, { metadata: { annotations: { [NODE_GONE]: 'true' } } });
    await world.ready('windowsdisks/there');
    await world.machine('two').disks.detach(number);
    await world.says('windowsdisks/there', 'DiskAbsent', /does not see disk/);
  }));

test('a disk that was swapped for one of the same number is not used for it; the disk itself is, once it is there', () =>
  furnished({}, async (world) => {
    const { disks, changes } = world.machine();
    const { status } = await world.ready('windowsdisks/data');
    const number = Number(status?.['number']);
    const own = await disks.detach(number);
    const content = { style: 'GPT', fileSystem: 'foreign' } as const;
    const other = disks.make({
      sizeBytes: 8n * GIB,
      page83: 'naa.another',
      serialNumber: 'S-1',
      state: 'offline',
      content,
    });
    assert.is(await disks.attachSeen(other), number);
    changes.length = 0;
    await world.says('windowsdisks/data', 'DiskAbsent', /does not see disk page83:naa\.600a0b80001 any more/);
    const used = ['windowsvolumes/data', 'windowsmounts/pub', 'windowsmounts/pod'];
    for (const path of used) await world.says(path, 'WaitingForDependency');
    const node = await world.until(NODE, 'reported', (raw) => JSON.stringify(raw.status).includes('naa.another'));
    const seen = listIn(node.status, 'disks').find((disk) => JSON.stringify(disk).includes('naa.another'));
    assert.is((seen as { readonly claimedBy?: string }).claimedBy, undefined);
    await world.settle();
    assert.equal(
      [changes.filter(isChange), other.state, other.partitions.at(-1)?.volume?.fileSystem],
      [[], 'offline', 'foreign'],
    );
    const again = await disks.attachSeen(own);
    assert.is.not(again, number);
    await world.until('windowsdisks/data', 'found again', (object) => object.status?.['number'] === again);
    for (const path of ['windowsdisks/data', ...used]) await world.ready(path);
    assert.equal([changes.filter(isChange), other.state], [[], 'offline']);
  }));

test.run();
