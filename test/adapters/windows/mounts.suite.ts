// WindowsMount: of each source made, changed and changed back, disturbed from outside, deleted.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import type { World } from '../../world/windows.ts';
import { type Check, failsOnce, isRefused, withDisk } from './checks.ts';

const ROOT = 'C:\\var\\lib\\kubelet';
const SHARE = '\\\\files\\data';

const mount = (name: string, source: JsonObject, more: JsonObject = {}) => ({
  spec: { path: `${ROOT}\\${name}`, source, ...more },
});
const at = async (world: World, name: string): Promise<string> =>
  (await world.machine().files.look(`${ROOT}\\${name}`)).kind;

export function describeMounts(check: Check): void {
  check('WindowsMount: a directory, made again when it is removed; its deletionPolicy may change', async (world) => {
    await world.create('windowsmounts/plain', mount('plain', { nodeRef: 'late' }));
    await world.says('windowsmounts/plain', 'WaitingForDependency', /WindowsStorageNode\/late/);
    await world.remove('windowsstoragenodes/one');
    await world.gone('windowsstoragenodes/one');
    failsOnce(world, 'mkdir');
    await world.create('windowsstoragenodes/late', { spec: { nodeName: 'one' } });
    const { status } = await world.ready('windowsmounts/plain');
    assert.equal([status?.['mounted'], status?.['path']], [true, `${ROOT}\\plain`]);
    const { filesystem } = world.machine().host;
    await filesystem.rmdir(`${ROOT}\\plain`, { contents: 'refused' });
    await world.happens('it is made again', async () => (await at(world, 'plain')) === 'directory');
    await filesystem.mkdir(`${ROOT}\\plain\\within`);
    for (const deletionPolicy of ['RemoveContents', 'Keep']) {
      await world.merge('windowsmounts/plain', { spec: { deletionPolicy } });
      await world.ready('windowsmounts/plain');
    }
    await isRefused(world.merge('windowsmounts/plain', { spec: { path: `${ROOT}\\else` } }), /immutable|changed/i);
    await world.remove('windowsmounts/plain');
    await world.gone('windowsmounts/plain');
    assert.is(await at(world, 'plain\\within'), 'directory');
    await world.create('windowsmounts/out', { spec: { path: 'C:\\Windows\\x', source: { nodeRef: 'late' } } });
    await world.says('windowsmounts/out', 'InvalidConfiguration', /not within the working directories/);
    await world.remove('windowsmounts/out');
    await world.gone('windowsmounts/out');
  });

  check('WindowsMount: of a volume, and a link to it, each made again when somebody takes it away', async (world) => {
    await world.create('windowsmounts/pod', mount('pods\\a', { mountRef: 'pub' }));
    await world.create('windowsmounts/pub', mount('pub', { volumeRef: 'data' }));
    await world.says('windowsmounts/pub', 'WaitingForDependency', /WindowsVolume\/data to be created/);
    await withDisk(world);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: world.formatPolicy } });
    failsOnce(world, 'mountVolume');
    await world.create('windowsdisks/data', {
      spec: { nodeRef: 'one', selector: { serialNumber: 'S-1' }, partition: true },
    });
    const { status } = await world.ready('windowsmounts/pod');
    assert.equal([await at(world, 'pub'), await at(world, 'pods\\a')], ['mount', 'link']);
    const { host } = world.machine();
    await host.filesystem.rmdir(`${ROOT}\\pods\\a`, { contents: 'refused' });
    await host.volume.unmountVolume(String(status?.['volumeID']), `${ROOT}\\pub`);
    await world.happens('it is mounted again', async () => (await at(world, 'pub')) === 'mount');
    await world.happens('it is linked again', async () => (await at(world, 'pods\\a')) === 'link');
    for (const path of ['windowsdisks/data', 'windowsvolumes/data', 'windowsmounts/pub']) {
      await world.remove(path);
      await world.says(path, 'WaitingForUsers');
    }
    await world.remove('windowsmounts/pod');
    for (const path of ['windowsmounts/pod', 'windowsmounts/pub', 'windowsvolumes/data', 'windowsdisks/data']) {
      await world.gone(path);
    }
    assert.equal([await at(world, 'pub'), await at(world, 'pods\\a')], ['absent', 'absent']);
  });

  check('WindowsMount: of a directory of a share, which stays as it is', async (world) => {
    const { smb, host } = world.machine();
    smb.offer(SHARE, { username: '', password: '' });
    await world.create('windowsmounts/shared', mount('shared', { smbMappingRef: 'share', subPath: 'a/b' }));
    await world.says('windowsmounts/shared', 'WaitingForDependency', /SmbMapping\/share to be created/);
    await world.create('smbmappings/share', { spec: { nodeRef: 'one', remotePath: SHARE } });
    await world.ready('smbmappings/share');
    await host.filesystem.mkdir(`${SHARE}\\a\\b\\kept`);
    await world.ready('windowsmounts/shared');
    assert.is(await at(world, 'shared\\kept'), 'directory');
    await world.until('smbmappings/share', 'used', (raw) => raw.status?.['users'] === 1);
    await isRefused(world.create('windowsmounts/odd', mount('odd', { nodeRef: 'one', subPath: 'x' })), /subPath/);
    await isRefused(
      world.create('windowsmounts/odd', mount('odd', { nodeRef: 'one', volumeRef: 'x' })),
      /source is one/,
    );
    await world.remove('windowsmounts/shared');
    await world.gone('windowsmounts/shared');
    assert.equal(
      [await at(world, 'shared'), await host.filesystem.pathExists(`${SHARE}\\a\\b\\kept`)],
      ['absent', true],
    );
    await world.until('smbmappings/share', 'unused', (raw) => raw.status?.['users'] === 0);
  });
}
