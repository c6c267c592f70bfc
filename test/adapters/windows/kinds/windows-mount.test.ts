// Paths at which volumes, other mounts and shares are used.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../bus/mod.ts';
import { GIB, inWorld, NODE_GONE, type World } from '../../../world/windows.ts';

const test = suite('windows mount');
const PAGE83 = 'naa.600a0b80001';
const ROOT = 'C:\\var\\lib\\kubelet';

async function withVolume(world: World): Promise<void> {
  const { disks } = world.machine();
  await disks.attachSeen(disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, state: 'offline' }));
  await world.create('windowsdisks/data', { spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true } });
  await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfRaw' } });
}

const mount = (name: string, source: JsonObject, more: JsonObject = {}) => ({
  spec: { path: `${ROOT}\\${name}`, source, ...more },
});
const at = async (world: World, name: string): Promise<string> =>
  (await world.machine().files.look(`${ROOT}\\${name}`)).kind;

test('a volume is mounted, a link leads to the mount; both go in their order, and what is on the volume stays', () =>
  inWorld({}, async (world) => {
    await withVolume(world);
    await world.create('windowsmounts/pub', mount('pub', { volumeRef: 'data' }));
    await world.create('windowsmounts/pod', mount('pods\\a', { mountRef: 'pub' }));
    const { status } = await world.ready('windowsmounts/pod');
    assert.is(status?.['mounted'], true);
    assert.is(status?.['volumeID'], (await world.ready('windowsmounts/pub')).status?.['volumeID']);
    assert.equal([await at(world, 'pub'), await at(world, 'pods\\a')], ['mount', 'link']);
    await world.machine().files.makeDirectory(`${ROOT}\\pods\\a\\kept`);
    for (const path of ['windowsvolumes/data', 'windowsmounts/pub']) await world.remove(path);
    await world.says('windowsmounts/pub', 'WaitingForUsers');
    assert.is(await at(world, 'pub'), 'mount');
    await world.remove('windowsmounts/pod');
    for (const path of ['windowsmounts/pod', 'windowsmounts/pub', 'windowsvolumes/data']) await world.gone(path);
    assert.equal([await at(world, 'pub'), await at(world, 'pods\\a')], ['absent', 'absent']);
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data' } });
    await world.create('windowsmounts/again', mount('again', { volumeRef: 'data' }));
    await world.ready('windowsmounts/again');
    assert.is((await world.machine().files.look(`${ROOT}\\again\\kept`)).kind, 'directory');
  }));

test('what was asked for before an object was deleted is not made when it is gone (WIN-WANTED-1)', () =>
  inWorld({}, async (world) => {
    const { filesystem } = world.machine().host;
    const { realPath } = filesystem;
    const late = Promise.withResolvers<void>();
    let calls = 0;
    filesystem.realPath = async (path, options) => {
      const { status } = (await world.read('windowsmounts/plain')) ?? {};
      if (status?.['path'] !== undefined && ++calls === 1) await late.promise;
      return realPath(path, options);
    };
    await world.create('windowsmounts/plain', mount('plain', { nodeRef: 'one' }));
    await world.happens('it is about to be made', () => calls === 1);
    await world.crashLeader('windowsmounts/plain');
    await world.remove('windowsmounts/plain');
    await world.gone('windowsmounts/plain');
    late.resolve();
    await world.settle();
    assert.is(await at(world, 'plain'), 'absent');
  }));

test('a mount that waits at rest for its last user goes once that has gone (OBJECT-MACHINES-5)', () =>
  inWorld({}, async (world) => {
    await withVolume(world);
    // Of what was made in the second in which the bus was, the claims count as not all known, and the API server is asked.
    for (let times = 0; times < 3; times++) await world.settle();
    await world.create('windowsmounts/pub', mount('pub', { volumeRef: 'data' }));
    await world.create('windowsmounts/pod', mount('pods\\a', { mountRef: 'pub' }));
    await world.ready('windowsmounts/pod');
    await world.remove('windowsmounts/pub');
    await world.says('windowsmounts/pub', 'WaitingForUsers');
    await world.settle();
    await world.remove('windowsmounts/pod');
    for (const path of ['windowsmounts/pod', 'windowsmounts/pub']) await world.gone(path);
    assert.is(await at(world, 'pub'), 'absent');
  }));

test('an actor that begins anew while something is made takes that for its own, and takes it away again (WIN-KINDS-WINDOWS-MOUNT-1)', () =>
  inWorld({}, async (world) => {
    await withVolume(world);
    await world.ready('windowsvolumes/data');
    const held = Promise.withResolvers<void>();
    world.machine().before.set('mountVolume', () => held.promise);
    await world.create('windowsmounts/pub', mount('pub', { volumeRef: 'data' }));
    await world.until('windowsmounts/pub', 'on record', (raw) => raw.status?.['path'] !== undefined);
    await world.happens('it is being made', async () => (await at(world, 'pub')) === 'directory');
    await world.restartActors();
    held.resolve();
    await world.ready('windowsmounts/pub');
    await world.remove('windowsmounts/pub');
    await world.gone('windowsmounts/pub');
    assert.is(await at(world, 'pub'), 'absent');
  }));

test('what is at a path already stays as it is, whatever becomes of the object (WIN-KINDS-WINDOWS-MOUNT-1)', () =>
  inWorld({}, async (world) => {
    await world.machine().host.filesystem.mkdir(`${ROOT}\\taken`);
    await world.create('windowsmounts/taken', mount('taken', { nodeRef: 'one' }, { deletionPolicy: 'RemoveContents' }));
    await world.says('windowsmounts/taken', 'PathTaken');
    await world.remove('windowsmounts/taken');
    await world.gone('windowsmounts/taken');
    assert.is(await at(world, 'taken'), 'directory');
  }));

test('a directory goes if it is empty, and with all in it only if the policy says so (WIN-OPERATIONS-WINDOWS-MOUNT-2)', () =>
  inWorld({}, async (world) => {
    const policies = { empty: 'Remove', full: 'Remove', all: 'RemoveContents', kept: 'Keep' };
    for (const [name, deletionPolicy] of Object.entries(policies)) {
      await world.create(`windowsmounts/${name}`, mount(name, { nodeRef: 'one' }, { deletionPolicy }));
      await world.ready(`windowsmounts/${name}`);
      if (name !== 'empty' && name !== 'kept') await world.machine().files.makeDirectory(`${ROOT}\\${name}\\within`);
      await world.remove(`windowsmounts/${name}`);
      await world.gone(`windowsmounts/${name}`);
    }
    const left = await Promise.all(Object.keys(policies).map((name) => at(world, name)));
    assert.equal(left, ['absent', 'directory', 'absent', 'directory']);
  }));

test('a mount that somebody takes away is made again, and nothing is mounted outside of what is allowed', () =>
  inWorld({}, async (world) => {
    await withVolume(world);
    await world.create('windowsmounts/pub', mount('pub', { volumeRef: 'data' }));
    const { status } = await world.ready('windowsmounts/pub');
    const { host } = world.machine();
    await host.volume.unmountVolume(String(status?.['volumeID']), `${ROOT}\\pub`);
    await world.happens('it is mounted again', async () => (await at(world, 'pub')) === 'mount');
    await world.create('windowsmounts/out', { spec: { path: 'C:\\Windows\\x', source: { nodeRef: 'one' } } });
    assert.match(await world.says('windowsmounts/out', 'InvalidConfiguration'), /not within the working directories/);
    await world.remove('windowsmounts/out');
    await world.gone('windowsmounts/out');
  }));

test('all that was on a node that is gone goes in its order, once that is said (WIN-WINDOWS-KIND-3)', () =>
  inWorld({}, async (world) => {
    await withVolume(world);
    await world.create('windowsmounts/pub', mount('pub', { volumeRef: 'data' }));
    await world.ready('windowsmounts/pub');
    await world.stopNode('one');
    const all = ['windowsmounts/pub', 'windowsvolumes/data', 'windowsdisks/data', 'windowsstoragenodes/one'];
    for (const path of all) await world.remove(path);
    await world.says('windowsmounts/pub', 'NodeUnreachable');
    await world.merge('windowsstoragenodes/one', { metadata: { annotations: { [NODE_GONE]: 'true' } } });
    for (const path of all) await world.gone(path);
    assert.is(await at(world, 'pub'), 'mount');
  }));

test.run();
