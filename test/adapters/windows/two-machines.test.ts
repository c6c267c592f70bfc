// Machines that see one disk: at no time do two of them have it online for objects, whichever claim is stored first.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, inWorld, listIn, type World } from '../../world/windows.ts';

const test = suite('two machines with one disk');
const PAGE83 = 'naa.600a0b80001';
const ROOT = 'C:\\var\\lib\\kubelet';

/** Node 'one' is elder than 'two'. */
function inPair(run: (world: World) => Promise<void>): Promise<void> {
  return inWorld({}, async (world) => {
    await world.ready('windowsstoragenodes/one');
    await world.clock.sleep(1_100);
    await world.startNode('two');
    await world.create('windowsstoragenodes/two', { spec: { nodeName: 'two' } });
    await world.ready('windowsstoragenodes/two');
    await run(world);
  });
}

/** Shares a disk: each machine has a state of its own for it. @returns its number, by machine */
async function share(world: World): Promise<Readonly<Record<string, number>>> {
  const numbers: Record<string, number> = {};
  for (const node of ['one', 'two']) {
    const { disks } = world.machine(node);
    numbers[node] = await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: PAGE83, state: 'offline' }));
  }
  for (const [node, other] of [
    ['one', 'two'],
    ['two', 'one'],
  ] as const) {
    world.machine(node).after.set('setDiskState', async () => {
      const states = [node, other].map((each) => world.machine(each).disks.disk(numbers[each] ?? 0).state);
      if (states.every((state) => state === 'online')) isBoth.add(world);
    });
  }
  return numbers;
}

/** Worlds in which two machines had it online. */
const isBoth = new WeakSet<World>();

const disk = (nodeRef: string, more = {}) => ({ spec: { nodeRef, selector: { page83: PAGE83 }, ...more } });

/** Holds each read of a machine, whose process has read the API server, until it is released. */
function gated(world: World, node: string): { readonly waiting: (() => void)[]; open(): void } {
  const { system } = world.machine(node).host;
  const { getBIOSSerialNumber } = system;
  const waiting: (() => void)[] = [];
  Object.assign(system, {
    async getBIOSSerialNumber() {
      const released = Promise.withResolvers<void>();
      waiting.push(released.resolve);
      await released.promise;
      return getBIOSSerialNumber();
    },
  });
  return {
    waiting,
    open() {
      Object.assign(system, { getBIOSSerialNumber });
      for (const release of waiting.splice(0)) release();
    },
  };
}

/** The elder node 'one' stores a claim without having read that of 'two', which was stored before and acted on. */
async function late(world: World, declare: () => Promise<void>): Promise<void> {
  await declare();
  const { metadata } = await world.create('windowsdisks/elder', disk('one'));
  await world.says('windowsdisks/elder', 'DiskTaken', /WindowsStorageNode\/two/);
  const { status } = await world.ready('windowsstoragenodes/one');
  const disks = listIn(status, 'disks').map((each) => {
    const { claimedOn, ...seen } = each as JsonObject;
    return claimedOn === undefined ? seen : { ...seen, claimedBy: 'elder', claimedByUID: metadata.uid };
  });
  await world.record('windowsstoragenodes/one', { disks });
}

test('an elder claim that is stored later waits until the disk is offline on the other machine (WIN-CLAIMS-3, WIN-CLAIMS-4)', () =>
  inPair(async (world) => {
    const numbers = await share(world);
    await late(world, async () => {
      await world.create('windowsdisks/later', disk('two'));
      await world.ready('windowsdisks/later');
    });
    await world.says('windowsdisks/later', 'DiskTaken', /WindowsStorageNode\/one/);
    await world.ready('windowsdisks/elder');
    const states = ['one', 'two'].map((node) => world.machine(node).disks.disk(numbers[node] ?? 0).state);
    assert.equal([states, isBoth.has(world)], [['online', 'offline'], false]);
    assert.equal(world.machine('two').changes, ['setDiskState', 'setDiskState']);
    await world.remove('windowsdisks/elder');
    await world.gone('windowsdisks/elder');
    await world.ready('windowsdisks/later');
    assert.not.ok(isBoth.has(world));
  }));

test('a disk that is used on the machine of the later claim stays online there, and both objects say what they wait for (WIN-CLAIMS-4, WIN-OPERATIONS-WINDOWS-DISK-3)', () =>
  inPair(async (world) => {
    const numbers = await share(world);
    await late(world, async () => {
      await world.create('windowsdisks/later', disk('two', { partition: true }));
      await world.create('windowsvolumes/later', { spec: { diskRef: 'later', formatPolicy: 'IfRaw' } });
      const spec = { path: `${ROOT}\\later`, source: { volumeRef: 'later' } };
      await world.create('windowsmounts/later', { spec });
      await world.ready('windowsmounts/later');
    });
    await world.says('windowsdisks/later', 'DiskTaken', /still online here: WindowsMount '.*later' uses it/);
    await world.says('windowsdisks/elder', 'TransientError', /'.*two' has disk .* for another object, too/);
    await world.settle();
    assert.equal(world.machine('one').changes, []);
    await world.remove('windowsmounts/later');
    await world.gone('windowsmounts/later');
    await world.ready('windowsdisks/elder');
    const states = ['one', 'two'].map((node) => world.machine(node).disks.disk(numbers[node] ?? 0).state);
    assert.equal([states, isBoth.has(world)], [['online', 'offline'], false]);
  }));

test('of two objects that ask for it at once one has it (WIN-CLAIMS-2, WIN-CLAIMS-3)', () =>
  inPair(async (world) => {
    await share(world);
    const gates = ['one', 'two'].map((node) => gated(world, node));
    for (const { waiting } of gates) await world.happens('a read without claims is held', () => waiting.length > 0);
    await world.create('windowsdisks/elder', disk('one'));
    await world.create('windowsdisks/later', disk('two'));
    for (const { waiting } of gates) {
      waiting.shift()?.();
      await world.happens('a read with the claim is held', () => waiting.length > 0);
    }
    for (const { open } of gates) open();
    await world.ready('windowsdisks/elder');
    await world.says('windowsdisks/later', 'DiskTaken', /WindowsStorageNode\/one/);
    await world.settle();
    assert.equal([world.machine('one').changes, world.machine('two').changes], [['setDiskState'], []]);
  }));

test('a disk that is online on both machines is ready for one object only (WIN-CLAIMS-3)', () =>
  inPair(async (world) => {
    const numbers = await share(world);
    world.machine('one').disks.disk(numbers['one'] ?? 0).state = 'online';
    await late(world, async () => {
      await world.create('windowsdisks/later', disk('two'));
      await world.ready('windowsdisks/later');
    });
    await world.says('windowsdisks/elder', 'TransientError', /for another object, too/);
    assert.is(world.machine('two').disks.disk(numbers['two'] ?? 0).state, 'online');
    await world.ready('windowsdisks/elder');
    assert.is(world.machine('two').disks.disk(numbers['two'] ?? 0).state, 'offline');
  }));

test.run();
