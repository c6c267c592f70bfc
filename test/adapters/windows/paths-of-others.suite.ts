// Mounts whose paths are one, or lie in each other: what one object has made is neither used nor taken away by another one, in
// whatever order they come and go, and however their paths are spelled.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, type Raw, readyOf, type World } from '../../world/windows.ts';
import type { Check } from './checks.ts';

export const ROOT = 'C:\\var\\lib\\kubelet';

const mount = (path: string, source: JsonObject, more: JsonObject = {}) => ({
  spec: { path: `${ROOT}\\${path}`, source, ...more },
});
export const plain = (path: string, more: JsonObject = {}) => mount(path, { nodeRef: 'one' }, more);
export const kindAt = async (world: World, name: string): Promise<string> =>
  (await world.machine().files.look(`${ROOT}\\${name}`)).kind;
const reasonOf = (raw: Raw | undefined): unknown => raw && readyOf(raw)['reason'];

/** A volume that can be mounted, of each of these names. */
async function withVolumes(world: World, ...names: readonly string[]): Promise<void> {
  const { disks } = world.machine();
  for (const name of names) {
    const content = { style: 'GPT', fileSystem: 'NTFS' } as const;
    await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: `naa.${name}`, content }));
    await world.create(`windowsdisks/${name}`, { spec: { nodeRef: 'one', selector: { page83: `naa.${name}` } } });
    await world.create(`windowsvolumes/${name}`, { spec: { diskRef: name } });
  }
}

export function describePathsOfOthers(check: Check): void {
  check(
    '33.A5a: a directory goes with all in it only when no other object has anything in it (WIN-NEIGHBORS-2)',
    async (world) => {
      await withVolumes(world, 'data');
      await world.create('windowsmounts/outer', plain('outer', { deletionPolicy: 'RemoveContents' }));
      await world.ready('windowsmounts/outer');
      await world.create('windowsmounts/inner', mount('outer\\a\\inner', { volumeRef: 'data' }));
      await world.ready('windowsmounts/inner');
      await world.machine().host.filesystem.mkdir(`${ROOT}\\outer\\a\\inner\\kept`);
      await world.remove('windowsmounts/outer');
      assert.match(await world.says('windowsmounts/outer', 'WaitingForUsers'), /WindowsMount '.*\/inner'/);
      await world.settle();
      assert.equal(
        [await kindAt(world, 'outer\\a\\inner'), await kindAt(world, 'outer\\a\\inner\\kept')],
        ['mount', 'directory'],
      );
      await world.remove('windowsmounts/inner');
      for (const name of ['inner', 'outer']) await world.gone(`windowsmounts/${name}`);
      assert.is(await kindAt(world, 'outer'), 'absent');
    },
  );

  for (const other of ['x\\', 'X', 'x\\\\']) {
    check(
      `33.A5b: of 'x' and '${other}' applied together one is made, and is that object's alone (WIN-NEIGHBORS-1)`,
      async (world) => {
        const names = ['first', 'second'];
        const policy = { deletionPolicy: 'RemoveContents' };
        await Promise.all([
          world.create('windowsmounts/first', plain('x', policy)),
          world.create('windowsmounts/second', plain(other, policy)),
        ]);
        const read = () => Promise.all(names.map((name) => world.read(`windowsmounts/${name}`)));
        await world.happens('each says how it stands', async () =>
          (await read()).every((raw) => reasonOf(raw) !== undefined),
        );
        await world.settle();
        const reasons = (await read()).map(reasonOf);
        const ready = names.filter((_, index) => reasons[index] === 'Success');
        assert.equal([ready.length, reasons.filter((reason) => reason === 'PathTaken').length], [1, 1]);
        const [mine = ''] = ready;
        const [theirs = ''] = names.filter((name) => name !== mine);
        await world.machine().host.filesystem.mkdir(`${ROOT}\\x\\kept`);
        await world.remove(`windowsmounts/${theirs}`);
        await world.gone(`windowsmounts/${theirs}`);
        assert.is(await kindAt(world, 'x\\kept'), 'directory');
      },
    );
  }

  check(
    '33.A5b: of two that have recorded one place, one gives it up, and takes nothing with it (WIN-NEIGHBORS-1)',
    async (world) => {
      await world.create('windowsmounts/first', plain('x', { deletionPolicy: 'RemoveContents' }));
      await world.ready('windowsmounts/first');
      await world.stopNode('one');
      await world.create('windowsmounts/second', plain('X\\', { deletionPolicy: 'RemoveContents' }));
      await world.record('windowsmounts/second', { path: `${ROOT}\\X\\`, mounted: true });
      await world.machine().host.filesystem.mkdir(`${ROOT}\\x\\kept`);
      await world.remove('windowsmounts/second');
      await world.startNode('one');
      await world.gone('windowsmounts/second');
      assert.is(await kindAt(world, 'x\\kept'), 'directory');
      await world.ready('windowsmounts/first');
    },
  );

  check(
    '33.A5c: of an outer and an inner path the outer one is made first, in whatever order they come (WIN-NEIGHBORS-3)',
    async (world) => {
      await world.create('windowsmounts/outer', mount('outer', { volumeRef: 'one' }));
      await world.create('windowsmounts/inner', mount('outer\\deep\\inner', { volumeRef: 'two' }));
      await world.create('windowsmounts/plain', plain('outer\\plain'));
      for (const name of ['inner', 'plain']) await world.says(`windowsmounts/${name}`, 'WaitingForDependency');
      await withVolumes(world, 'one', 'two');
      for (const name of ['outer', 'inner', 'plain']) await world.ready(`windowsmounts/${name}`);
      assert.equal([await kindAt(world, 'outer'), await kindAt(world, 'outer\\deep\\inner')], ['mount', 'mount']);
      for (const name of ['outer', 'inner', 'plain']) await world.remove(`windowsmounts/${name}`);
      for (const name of ['outer', 'inner', 'plain']) await world.gone(`windowsmounts/${name}`);
      assert.is(await kindAt(world, 'outer'), 'absent');
    },
  );

  check(
    '33.A5c: an outer path that is deleted first waits, and nothing is left behind (WIN-NEIGHBORS-2)',
    async (world) => {
      await withVolumes(world, 'one', 'two');
      await world.create('windowsmounts/outer', mount('outer', { volumeRef: 'one' }));
      await world.ready('windowsmounts/outer');
      await world.create('windowsmounts/inner', mount('outer\\inner', { volumeRef: 'two' }));
      await world.ready('windowsmounts/inner');
      await world.remove('windowsmounts/outer');
      await world.says('windowsmounts/outer', 'WaitingForUsers');
      await world.create('windowsmounts/late', plain('outer\\late'));
      await world.says('windowsmounts/late', 'WaitingForDependency', /outer/);
      assert.is(await kindAt(world, 'outer\\inner'), 'mount');
      await world.remove('windowsmounts/inner');
      for (const name of ['inner', 'outer']) await world.gone(`windowsmounts/${name}`);
      await world.remove('windowsmounts/late');
      await world.gone('windowsmounts/late');
      assert.is(await kindAt(world, 'outer'), 'absent');
      await world.create('windowsmounts/outer', mount('outer', { volumeRef: 'one' }));
      await world.ready('windowsmounts/outer');
      assert.is(await kindAt(world, 'outer\\inner'), 'absent');
    },
  );

  check('33.A5c: directories that were made for a path go with it, and those of others stay', async (world) => {
    const { filesystem } = world.machine().host;
    await filesystem.mkdir(`${ROOT}\\theirs`);
    await world.create('windowsmounts/a', plain('theirs\\own\\deep\\a'));
    await world.ready('windowsmounts/a');
    await world.create('windowsmounts/b', plain('theirs\\own\\b'));
    await world.ready('windowsmounts/b');
    // What was made on the way to a path may be a path of its own from then on.
    await world.create('windowsmounts/between', plain('theirs\\own\\deep'));
    await world.ready('windowsmounts/between');
    await world.remove('windowsmounts/a');
    await world.gone('windowsmounts/a');
    assert.is(await kindAt(world, 'theirs\\own\\deep'), 'directory');
    await world.remove('windowsmounts/between');
    await world.gone('windowsmounts/between');
    assert.equal(
      [await kindAt(world, 'theirs\\own\\deep'), await kindAt(world, 'theirs\\own\\b')],
      ['absent', 'directory'],
    );
    await world.remove('windowsmounts/b');
    await world.gone('windowsmounts/b');
    assert.equal([await kindAt(world, 'theirs\\own'), await kindAt(world, 'theirs')], ['absent', 'directory']);
    await filesystem.mkdir(`${ROOT}\\taken`);
    await world.create('windowsmounts/inner', plain('taken\\made\\inner'));
    await world.ready('windowsmounts/inner');
    await world.create('windowsmounts/taken', plain('taken'));
    await world.says('windowsmounts/taken', 'PathTaken');
  });
}
