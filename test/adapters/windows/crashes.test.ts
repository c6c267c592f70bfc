// long
// Who leads an object, or plays the role on its node, is gone in the middle of everything that changes a machine, once for each
// call, before it is done or before anybody hears of it: nothing is formatted twice, nothing stays mapped, no data is lost.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inWorld, type World } from '../../world/windows.ts';
import { allReady, declare, furnish, leftOn, OBJECTS, ROOT } from './landscape.ts';

const test = suite('crashes');
const NODE = 'windowsstoragenodes/one';

/** Calls that make what the objects stand for, and whose each is. */
const MAKING = {
  setDiskState: 'windowsdisks/data',
  initializeDisk: 'windowsdisks/data',
  createBasicPartition: 'windowsdisks/data',
  formatVolume: 'windowsvolumes/data',
  mountVolume: 'windowsmounts/pub',
  createSymlink: 'windowsmounts/pod',
  newSmbGlobalMapping: 'smbmappings/share',
  newSmbLink: 'windowsmounts/shared',
  addTargetPortal: 'iscsitargets/target',
  connectTarget: 'iscsitargets/target',
} as const;

const TAKING_DOWN = {
  rmdir: 'windowsmounts/pod',
  unmountVolume: 'windowsmounts/pub',
  writeVolumeCache: 'windowsvolumes/data',
  setDiskState: 'windowsdisks/data',
  removeSmbGlobalMapping: 'smbmappings/share',
  disconnectTarget: 'iscsitargets/target',
  removeTargetPortal: 'iscsitargets/target',
} as const;

interface Crash {
  readonly who: 'pod' | 'node';
  readonly when: 'before' | 'after';
}

/** @returns the calls in which there was a crash, as far as there was */
function interrupt(world: World, { who, when }: Crash, calls: Readonly<Record<string, string>>): Set<string> {
  const met = new Set<string>();
  const machine = world.machine();
  let crashing = Promise.resolve();
  for (const [call, path] of Object.entries(calls)) {
    machine[when].set(call, async () => {
      if (met.has(call)) return;
      met.add(call);
      crashing = crashing.then(() => (who === 'pod' ? world.crashLeader(path) : world.crashNode('one')));
      await crashing;
      // Whoever was about to make the call is no more.
      if (who === 'node' && when === 'before') await new Promise(() => undefined);
    });
  }
  return met;
}

const formats = (world: World): number => world.machine().changes.filter((each) => each === 'formatVolume').length;

for (const { who, when } of [
  { who: 'pod', when: 'before' },
  { who: 'pod', when: 'after' },
  { who: 'node', when: 'before' },
  { who: 'node', when: 'after' },
] as const) {
  const whose = who === 'pod' ? 'the pod that leads the object' : 'the process of the node';
  const moment = when === 'before' ? 'before each call is done' : 'when it is done and nobody has heard of it';
  test(`${whose} is gone ${moment}: all is made, and taken down, once`, () =>
    inWorld({ pods: 2 }, async (world) => {
      const machine = world.machine();
      const number = await furnish(machine);
      // A format that was never begun is a test of its own.
      const { formatVolume, ...others } = MAKING;
      const making = who === 'node' && when === 'before' ? others : { ...others, formatVolume };
      const met = interrupt(world, { who, when }, making);
      await declare(world);
      await allReady(world);
      assert.equal([...met].sort(), Object.keys(making).sort());
      assert.is(formats(world), 1);
      const initialized = machine.changes.filter((each) => each === 'initializeDisk');
      assert.equal([initialized.length, machine.disks.disk(number).partitions.length], [1, 2]);
      await machine.files.makeDirectory(`${ROOT}\\pub\\kept`);
      for (const call of Object.keys(making)) machine[when].delete(call);
      const metDown = interrupt(world, { who, when }, TAKING_DOWN);
      for (const path of [...OBJECTS, NODE]) await world.remove(path);
      for (const path of [...OBJECTS, NODE]) await world.gone(path);
      assert.equal([...metDown].sort(), Object.keys(TAKING_DOWN).sort());
      assert.equal([await leftOn(machine), machine.disks.disk(number).state, formats(world)], [[], 'offline', 1]);
      await world.create(NODE, { spec: { nodeName: 'one' } });
      await world.create('windowsdisks/again', { spec: { nodeRef: 'one', selector: { serialNumber: 'S-1' } } });
      await world.create('windowsvolumes/again', { spec: { diskRef: 'again', formatPolicy: 'IfUnknown' } });
      await world.create('windowsmounts/again', {
        spec: { path: `${ROOT}\\again`, source: { volumeRef: 'again' } },
      });
      await world.ready('windowsmounts/again');
      assert.is((await machine.files.look(`${ROOT}\\again\\kept`)).kind, 'directory');
      assert.is(formats(world), 1);
    }));
}

test('the process of the node is gone before a format is begun: nobody begins it again, and a person is asked to look', () =>
  inWorld({ pods: 2, env: { WINDOWS_FORMAT_MS: '1000' } }, async (world) => {
    await furnish(world.machine());
    const met = interrupt(world, { who: 'node', when: 'before' }, { formatVolume: MAKING.formatVolume });
    await declare(world);
    await world.says('windowsvolumes/data', 'FormatUncertain', /by hand/);
    await world.settle();
    assert.equal([met.size, formats(world)], [1, 0]);
    const { volumeID } = (await world.read('windowsvolumes/data'))?.status ?? {};
    await world.machine().host.volume.formatVolume(String(volumeID));
    await world.ready('windowsvolumes/data');
    await world.ready('windowsmounts/pod');
  }));

test.run();
