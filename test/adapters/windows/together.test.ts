// What only comes out when several things happen together, as histories under simulated time have them (test/simulation).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryMachine } from '../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { storageNodeOperations } from '../../../adapters/windows/operations/storage-node.ts';
import { windowsDiskOperations } from '../../../adapters/windows/operations/windows-disk.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { Claimant } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';
import { GIB, inWorld, listIn, type World } from '../../world/windows.ts';

const test = suite('windows storage, together');
const PAGE83 = 'naa.600a0b80001';
const IDENTITY = `page83:${PAGE83}`;
const PATH = 'C:\\var\\lib\\kubelet\\data';
const PORTAL = { address: '10.0.0.1', port: 3260 };

const typed = (kind: string) => ({ apiVersion: 'windows.troupe.dev/v1alpha1', kind });

async function withDisk(world: World): Promise<number> {
  const { disks } = world.machine();
  const number = await disks.attachSeen(disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, state: 'offline' }));
  await world.create('windowsdisks/data', { spec: { nodeRef: 'one', selector: { page83: PAGE83 }, partition: true } });
  await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfRaw' } });
  return number;
}

async function withTargets(world: World, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { disks, iscsi } = world.machine();
    const disk = disks.make({ sizeBytes: GIB, page83: `naa.${name}`, state: 'offline' });
    iscsi.offer({ portal: PORTAL, iqn: `iqn.2030-01.test:${name}`, disks: [disk] });
    const spec = { nodeRef: 'one', portal: PORTAL, iqn: `iqn.2030-01.test:${name}` };
    await world.create(`iscsitargets/${name}`, { spec });
  }
}

test('a mount of which the disk is away goes when it is deleted', () =>
  inWorld({}, async (world) => {
    const number = await withDisk(world);
    await world.create('windowsmounts/data', { spec: { path: PATH, source: { volumeRef: 'data' } } });
    await world.ready('windowsmounts/data');
    await world.machine().disks.detach(number);
    await world.says('windowsdisks/data', 'DiskAbsent');
    await world.remove('windowsmounts/data');
    await world.gone('windowsmounts/data');
    assert.not.ok(await world.machine().host.filesystem.pathExists(PATH));
  }));

test('of two connections through one portal that end at once the last one takes the portal with it (I2)', () =>
  inWorld({}, async (world) => {
    await withTargets(world, 'a', 'b');
    for (const name of ['a', 'b']) await world.ready(`iscsitargets/${name}`);
    const held = Promise.withResolvers<void>();
    world.machine().before.set('disconnectTarget', () => held.promise);
    for (const name of ['a', 'b']) await world.remove(`iscsitargets/${name}`);
    await world.settle();
    held.resolve();
    for (const name of ['a', 'b']) await world.gone(`iscsitargets/${name}`);
    assert.equal(await world.machine().host.iscsi.listTargetPortals(), []);
  }));

test('a connection that was refused its service is made when the machine may start that', () =>
  inWorld({}, async (world) => {
    await world.merge('windowsstoragenodes/one', { spec: { services: [] } });
    await withTargets(world, 'a');
    await world.says('iscsitargets/a', 'InvalidConfiguration');
    await world.merge('windowsstoragenodes/one', { spec: { services: ['MSiSCSI'] } });
    await world.ready('iscsitargets/a');
  }));

test('an object that is made anew waits for its turn, though its node still tells of the one before (WIN-KINDS-WINDOWS-DISK-1)', () =>
  inWorld({}, async (world) => {
    const { disks, host } = world.machine();
    const number = await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: PAGE83, state: 'offline' }));
    const spec = { nodeRef: 'one', selector: { page83: PAGE83 } };
    await world.create('windowsdisks/data', { spec });
    await world.ready('windowsdisks/data');
    const held = Promise.withResolvers<string>();
    const { getBIOSSerialNumber } = host.system;
    Object.assign(host.system, { getBIOSSerialNumber: () => held.promise });
    await world.remove('windowsdisks/data');
    await world.gone('windowsdisks/data');
    await world.create('windowsdisks/data', { spec });
    await world.says('windowsdisks/data', 'WaitingForDependency');
    await world.settle();
    assert.is(disks.disk(number).state, 'offline');
    Object.assign(host.system, { getBIOSSerialNumber });
    held.resolve(await getBIOSSerialNumber());
    await world.ready('windowsdisks/data');
    assert.is(disks.disk(number).state, 'online');
  }));

test('what somebody has put on a disk that was raw once is not formatted for another object (WIN-KINDS-WINDOWS-VOLUME-2, WIN-KINDS-WINDOWS-DISK-2)', () =>
  inWorld({ env: { WINDOWS_LOOK_EVERY_MS: '60000' } }, async (world) => {
    // What is heard of at once is waited for, and no look.
    const number = await withDisk(world);
    await world.ready('windowsvolumes/data');
    await world.until('windowsdisks/data', 'with a file system', ({ status }) => status?.['seenRaw'] === undefined);
    await world.remove('windowsvolumes/data');
    await world.gone('windowsvolumes/data');
    const { disks, changes } = world.machine();
    for (const { volume } of disks.disk(number).partitions) if (volume !== undefined) volume.fileSystem = 'foreign';
    await world.create('windowsvolumes/data', { spec: { diskRef: 'data', formatPolicy: 'IfRaw' } });
    assert.match(await world.says('windowsvolumes/data', 'NotFormatted'), /has had a file system since/);
    assert.is(changes.filter((each) => each === 'formatVolume').length, 1);
  }));

/** What a node is told of the one disk that there is, which 'data' had before. @param claimants  of which it knows */
async function lookAt(claimants: readonly Claimant[], known: KubeObject | undefined): Promise<JsonObject> {
  const clock = simulatedClock();
  const { host, disks } = await memoryMachine({ clock });
  await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: PAGE83 }));
  const ports = { host, node: 'one', readObject: async () => known, listObjects: async () => [] };
  const held = { identity: IDENTITY, claimedBy: 'data', claimedByUID: 'uid-data' };
  const metadata = { name: 'one', namespace: 'storage', uid: 'uid-one', resourceVersion: '1' };
  const object = { ...typed('WindowsStorageNode'), metadata, spec: { nodeName: 'one' }, status: { disks: [held] } };
  const { look } = storageNodeOperations(ports as never);
  const request = { object, dependencies: {}, claimants, deadlineAt: clock.now() + 1_000, traceparent: '' };
  const seen = (await look?.(request as never)) as JsonObject;
  const disk = listIn(seen, 'disks').find((each) => (each as JsonObject)['identity'] === IDENTITY) as JsonObject;
  return { claimedBy: disk['claimedBy'] ?? null, isLeaving: seen['isLeaving'] ?? false };
}

test("a disk stays its object's though the claim on it is lost, until the object is gone (WIN-CLAIMS-1)", async () => {
  const another: Claimant = {
    realm: 'windows',
    plural: 'windowsdisks',
    namespace: 'storage',
    name: 'another',
    attributes: { identity: IDENTITY, uid: 'uid-another' },
  };
  const disk = (uid: string, more = {}): KubeObject => ({
    ...typed('WindowsDisk'),
    metadata: { name: 'data', namespace: 'storage', uid, resourceVersion: '1', ...more },
    status: { identity: IDENTITY },
  });
  assert.equal(await lookAt([another], disk('uid-data')), { claimedBy: 'data', isLeaving: false });
  assert.equal(await lookAt([], disk('uid-data')), { claimedBy: 'data', isLeaving: false });
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  assert.equal(await lookAt([another], disk('uid-data', { deletionTimestamp })), {
    claimedBy: 'data',
    isLeaving: true,
  });
  assert.equal(await lookAt([another], undefined), { claimedBy: 'another', isLeaving: false });
  assert.equal(await lookAt([another], disk('uid-later')), { claimedBy: 'another', isLeaving: false });
  assert.equal(await lookAt([], undefined), { claimedBy: null, isLeaving: false });
});

/** What a machine's object says of a disk that is known by its serial number alone, and which an object on the other one has. */
async function lookBeside(other: JsonObject): Promise<{ readonly seen: JsonObject; readonly serial: string }> {
  const clock = simulatedClock();
  const { host, disks } = await memoryMachine({ clock });
  const serial = await host.system.getBIOSSerialNumber();
  await disks.attachSeen(disks.make({ sizeBytes: GIB, page83: '', serialNumber: 'S-1' }));
  const identity = 'serial:S-1';
  const fileSystems = [{ volumeID: 'theirs', seenAt: '2030-01-01T00:00:00Z' }];
  const node = (name: string, status: JsonObject): KubeObject => ({
    ...typed('WindowsStorageNode'),
    metadata: { name, namespace: name, uid: `uid-${name}`, resourceVersion: '1' },
    spec: { nodeName: name },
    status,
  });
  const theirs = { number: 1, identity, claimedBy: 'data', claimedByUID: 'uid-data', fileSystems };
  const nodes = [node('one', {}), node('two', { machine: serial, nodeName: 'two', disks: [theirs], ...other })];
  const claimant = { realm: 'windows', plural: 'windowsdisks', namespace: 'one', name: 'mine' };
  const ports = { host, node: 'one', readObject: async () => undefined, listObjects: async () => nodes };
  const request = {
    object: nodes[0],
    dependencies: {},
    deadlineAt: clock.now() + 1_000,
    traceparent: '',
    claimants: [{ ...claimant, attributes: { identity, uid: 'uid-mine' } }],
  };
  const look = (await storageNodeOperations(ports as never).look?.(request as never)) as JsonObject;
  const seen = listIn(look, 'disks').find((each) => (each as JsonObject)['identity'] === identity) as JsonObject;
  return { seen, serial };
}

test('33.C3: a disk of a machine that goes by two names is had once, by whatever it is known (WIN-CLAIMS-2)', async () => {
  const { seen } = await lookBeside({});
  assert.equal([seen['claimedBy'], seen['claimedOn']], [undefined, 'two']);
  assert.is(
    listIn(seen, 'fileSystems').length,
    1,
    'what was seen on it there is not forgotten here (WIN-FILE-SYSTEMS-1)',
  );
});

test('33.C3: disks of two machines with one serial number are two disks (WIN-CLAIMS-2)', async () => {
  const { seen } = await lookBeside({ machine: 'another' });
  assert.equal([seen['claimedBy'], seen['claimedOn'], seen['fileSystems']], ['mine', undefined, undefined]);
});

test('33.C3: a disk that is known by its serial number is not said to have moved to another machine', async () => {
  const clock = simulatedClock();
  const { host } = await memoryMachine({ clock });
  const two = {
    ...typed('WindowsStorageNode'),
    metadata: { name: 'two', namespace: 'storage', uid: 'two', resourceVersion: '1' },
    spec: { nodeName: 'two' },
    status: {
      disks: [
        { number: 1, identity: 'serial:S-1' },
        { number: 2, identity: IDENTITY },
      ],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
  const ports = { host, node: 'one', machine: async () => '', listObjects: async () => [two] };
  const { look } = windowsDiskOperations(ports as never);
  const metadata = { name: 'data', namespace: 'storage', uid: 'data', resourceVersion: '1' };
  const dependencies = { 'WindowsStorageNode/one': { id: '', ready: true, attributes: { nodeName: 'one' } } };
  const request = { object: { ...typed('WindowsDisk'), metadata, spec: {} }, dependencies, claimants: [] };
  assert.equal(await look?.({ ...request, identity: 'serial:S-1' } as never), {});
  assert.equal(await look?.({ ...request, identity: IDENTITY } as never), { elsewhere: 'two' });
});

test.run();
