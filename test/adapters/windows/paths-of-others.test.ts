// long
// What paths have to do with each other, on machines that are asked themselves.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GIB, inWorld } from '../../world/windows.ts';
import { describePathsOfOthers, kindAt, plain, ROOT } from './paths-of-others.suite.ts';

const test = suite('paths of others');

describePathsOfOthers((title, run) => void test(title, () => inWorld({}, run)));

test('33.A5a: a directory with a volume in it that nobody declared stays, and says so (WIN-OPERATIONS-WINDOWS-MOUNT-2)', () =>
  inWorld({}, async (world) => {
    const { host, disks } = world.machine();
    const content = { style: 'GPT', fileSystem: 'NTFS' } as const;
    const number = await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: 'naa.foreign', content }));
    const [volumeID = ''] = await host.volume.listVolumesOnDisk(number, 0);
    await world.create('windowsmounts/outer', plain('outer', { deletionPolicy: 'RemoveContents' }));
    await world.ready('windowsmounts/outer');
    const foreign = `${ROOT}\\outer\\deep\\foreign`;
    await host.filesystem.mkdir(foreign);
    await host.volume.mountVolume(volumeID, foreign);
    await world.remove('windowsmounts/outer');
    assert.match(await world.says('windowsmounts/outer', 'TransientError'), /a volume is mounted on .*foreign/);
    assert.is(await kindAt(world, 'outer\\deep\\foreign'), 'mount');
    await host.volume.unmountVolume(volumeID, foreign);
    await world.gone('windowsmounts/outer');
    assert.is(await kindAt(world, 'outer'), 'absent');
  }));

test.run();
