// limit: 300 s
// What only comes out when several things happen together, as histories under simulated time have them (test/simulation).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { GIB, openWorld, type World } from './world.ts';

const test = suite('windows storage, together');
const PAGE83 = 'naa.600a0b80001';
const PATH = 'C:\\var\\lib\\kubelet\\data';
const PORTAL = { address: '10.0.0.1', port: 3260 };

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

test('a mount of which the disk is away goes when it is deleted', async () => {
  const world = await openWorld();
  const number = await withDisk(world);
  await world.create('windowsmounts/data', { spec: { path: PATH, source: { volumeRef: 'data' } } });
  await world.ready('windowsmounts/data');
  await world.machine().disks.detach(number);
  await world.says('windowsdisks/data', 'DiskAbsent');
  await world.remove('windowsmounts/data');
  await world.gone('windowsmounts/data');
  assert.not.ok(await world.machine().host.filesystem.pathExists(PATH));
  await world.close();
});

test('of two connections through one portal that end at once the last one takes the portal with it (I2)', async () => {
  const world = await openWorld();
  await withTargets(world, 'a', 'b');
  for (const name of ['a', 'b']) await world.ready(`iscsitargets/${name}`);
  const held = Promise.withResolvers<void>();
  world.machine().before.set('disconnectTarget', () => held.promise);
  for (const name of ['a', 'b']) await world.remove(`iscsitargets/${name}`);
  await world.settle();
  held.resolve();
  for (const name of ['a', 'b']) await world.gone(`iscsitargets/${name}`);
  assert.equal(await world.machine().host.iscsi.listTargetPortals(), []);
  await world.close();
});

test('a connection that was refused its service is made when the machine may start that', async () => {
  const world = await openWorld();
  await world.merge('windowsstoragenodes/one', { spec: { services: [] } });
  await withTargets(world, 'a');
  await world.says('iscsitargets/a', 'InvalidConfiguration');
  await world.merge('windowsstoragenodes/one', { spec: { services: ['MSiSCSI'] } });
  await world.ready('iscsitargets/a');
  await world.close();
});

test.run();
