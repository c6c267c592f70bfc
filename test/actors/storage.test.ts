// Volumes, their types and share networks end to end, with everything in this process.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sideBySide } from '../side-by-side.ts';
import { inMemory } from '../world/environments.ts';
import { condition, said } from '../world/watched-objects.ts';
import { checkIn } from '../world/world.ts';

const PREFIX = 'openstack.k-orc.cloud';
const USABLE = 'True Success: OpenStack resource is available';

const test = sideBySide(suite('storage in memory'), 2);
const check = checkIn(test, inMemory);

check('a volume waits for its type, says that it is built, and holds its type until it is gone (I2)', async (world) => {
  const [type, volume] = [world.name('type'), world.name('volume')];
  await world.apply(world.managed('Volume', volume, { size: 1, volumeTypeRef: type }));
  const missing = `Waiting for VolumeType/${type} to be created`;
  assert.equal(said(await world.progressing('Volume', volume, 'Progressing', missing)), {
    Available: `False Progressing: ${missing}`,
    Progressing: `True Progressing: ${missing}`,
  });
  await world.apply(world.managed('VolumeType', type, { isPublic: false }));
  const building = 'Waiting for OpenStack resource to be ready';
  const built = await world.progressing('Volume', volume, 'Progressing', building);
  assert.is(said(built).Available, `False Progressing: ${building}`);
  assert.is(built.status?.resource?.['status'], 'creating');
  const { status } = await world.available('Volume', volume);
  assert.equal([status?.resource?.['status'], status?.resource?.['volumeType']], ['available', type]);
  const { metadata } = await world.until(
    'VolumeType',
    type,
    'guarded',
    (object) => object.metadata.finalizers?.length === 2,
  );
  assert.equal([...(metadata.finalizers ?? [])].sort(), [`${PREFIX}/volume`, `${PREFIX}/volumetype`]);
  await world.delete('VolumeType', type);
  const held = `Waiting for finalizer ${PREFIX}/volume to be removed (held by Volume/${volume})`;
  await world.progressing('VolumeType', type, 'Progressing', held);
  await world.delete('Volume', volume);
  await world.progressing('Volume', volume, 'Progressing', 'Waiting for OpenStack resource to be deleted');
  await world.gone('Volume', volume);
  await world.gone('VolumeType', type);
  const left = [...world.simulator.resources('volumes'), ...world.simulator.resources('volume_types')];
  assert.equal(
    left.map(({ name }) => name),
    ['__DEFAULT__'],
  );
});

check('a volume whose state is error fails until its spec is changed', async (world) => {
  const volume = world.name('volume');
  await world.apply(world.managed('Volume', volume, { size: 1 }));
  const { status } = await world.available('Volume', volume);
  const describe = (description: string) => world.patch('Volume', volume, { spec: { resource: { description } } });
  world.simulator.drift.change('volumes', String(status?.id), { status: 'error' });
  await describe('one');
  const failed = await world.progressing('Volume', volume, 'UnrecoverableError', 'Volume is in error status');
  assert.equal(said(failed), {
    Available: 'False UnrecoverableError: Volume is in error status',
    Progressing: 'False UnrecoverableError: Volume is in error status',
  });
  world.simulator.drift.change('volumes', String(status?.id), { status: 'available' });
  await describe('two');
  await world.available('Volume', volume);
  assert.is(world.simulator.resources('volumes')[0]?.['description'], 'two');
});

check('a volume says which image it waits for, whoever makes images', async (world) => {
  const volume = world.name('volume');
  await world.apply(world.managed('Volume', volume, { size: 1, imageRef: world.name('image') }));
  const missing = `Waiting for Image/${world.name('image')} to be created`;
  await world.progressing('Volume', volume, 'Progressing', missing);
  assert.equal(world.simulator.resources('volumes'), []);
  await world.delete('Volume', volume);
  await world.gone('Volume', volume);
});

check('a share network is made on its network and subnet, and goes before they do (I1, I2)', async (world) => {
  const [net, subnet, share] = [world.name('net'), world.name('subnet'), world.name('share')];
  await world.apply(
    world.managed('ShareNetwork', share, { networkRef: net, subnetRef: subnet }),
    world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '192.0.2.0/24' }),
    world.managed('Network', net),
  );
  const { status } = await world.available('ShareNetwork', share);
  const made = [status?.resource?.['neutronNetID'], status?.resource?.['neutronSubnetID']];
  const ids = [await world.read('Network', net), await world.read('Subnet', subnet)].map((each) => each?.status?.id);
  assert.equal(made, ids);
  await world.patch('ShareNetwork', share, { spec: { resource: { description: 'reported' } } });
  const reported = await world.until(
    'ShareNetwork',
    share,
    'described',
    (object) => object.status?.resource?.['description'] === 'reported',
  );
  assert.is(condition(reported, 'Available').status, 'True');
  for (const [kind, name] of [
    ['Network', net],
    ['Subnet', subnet],
  ] as const) {
    await world.delete(kind, name);
  }
  const held = `Waiting for finalizer ${PREFIX}/sharenetwork to be removed (held by ShareNetwork/${share})`;
  await world.progressing('Subnet', subnet, 'Progressing', held);
  await world.delete('ShareNetwork', share);
  await world.gone('ShareNetwork', share);
  await world.gone('Subnet', subnet);
  await world.gone('Network', net);
  assert.equal([...world.simulator.resources('share_networks'), ...world.simulator.resources('networks')], []);
});

check('what is imported is never changed, nor removed', async (world) => {
  const volume = world.name('volume');
  const id = '7d0c1f6e-4a0b-4d27-9f5e-0a3a4c1f2b77';
  const tenant_id = world.simulator.projectId;
  const by = world.unmanaged('Volume', volume, { filter: { name: world.name('theirs'), size: 3 } });
  await world.apply(by);
  await world.progressing('Volume', volume, 'Progressing', 'Waiting for OpenStack resource to be created externally');
  world.simulator.drift.add('volumes', { id, name: world.name('theirs'), size: 3, status: 'in-use', tenant_id });
  world.clock.hurry(10_000);
  const { status } = await world.available('Volume', volume);
  assert.equal([status?.id, status?.resource?.['status'], status?.resource?.['size']], [id, 'in-use', 3]);
  await world.delete('Volume', volume);
  await world.gone('Volume', volume);
  assert.is(world.simulator.resources('volumes').length, 1);
});

check('what each of them says when all is well', async (world) => {
  const name = world.name('one');
  await world.apply(world.managed('VolumeType', name, { extraSpecs: [{ name: 'a', value: '1' }] }));
  const type = await world.available('VolumeType', name);
  assert.equal(said(type), { Available: USABLE, Progressing: 'False Success: OpenStack resource is up to date' });
  assert.equal(type.status?.resource, { name, isPublic: true, extraSpecs: [{ name: 'a', value: '1' }] });
  await world.patch('VolumeType', name, { spec: { resource: { extraSpecs: [{ name: 'a', value: '2' }] } } });
  await world.until('VolumeType', name, 'changed', ({ status }) =>
    JSON.stringify(status?.resource?.['extraSpecs']).includes('"2"'),
  );
});

test.run();
