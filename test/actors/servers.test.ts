// long
// Servers and what they use, through the whole runtime, with everything in this process.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { checkIn, condition, said, type World } from '../world/world.ts';

const test = suite('servers in memory');
const check = checkIn(test, inMemory);

const IMAGE = '5f0e3b3a-0a53-4f0c-9a5e-2f3f4a1c7d10';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOWWhdL88Hh0UVSJ3iZVlK75nnTNLTXe6cOtqO09q7mS probe';

/** A volume that a server boots from, as somebody has made it. */
function bootable(world: World, name = 'boot', of = '7b0e3b3a-0a53-4f0c-9a5e-2f3f4a1c7d10'): JsonObject {
  const id = world.simulator.drift.add('volumes', {
    id: of,
    name,
    description: null,
    size: 1,
    status: 'available',
    availability_zone: 'nova',
    volume_type_id: '',
    metadata: {},
    image: { image_id: IMAGE, image_name: 'test' },
    host: null,
    user_id: '',
    tenant_id: world.simulator.projectId,
    created_at: '2026-01-01T00:00:00.000000',
    updated_at: null,
    attachments: [],
  });
  return world.unmanaged('Volume', world.name(name), { id });
}

/** A server and all that it is made of; dependents come first. */
function manifests(world: World): readonly JsonObject[] {
  const name = (suffix: string): string => world.name(suffix);
  const [a, b] = [name('a'), name('b')].map((port) =>
    world.managed('Port', port, { networkRef: name('net'), addresses: [{ subnetRef: name('subnet') }] }),
  );
  return [
    world.managed('Server', name('vm'), {
      bootVolume: { volumeRef: name('boot') },
      flavorRef: name('size'),
      keypairRef: name('key'),
      ports: [{ portRef: name('a') }],
      schedulerHints: { serverGroupRef: name('group') },
      userData: { secretRef: name('user-data') },
    }),
    a as JsonObject,
    b as JsonObject,
    world.managed('Subnet', name('subnet'), { networkRef: name('net'), ipVersion: 4, cidr: '192.0.2.0/24' }),
    world.managed('Network', name('net')),
    world.managed('Flavor', name('size'), { ram: 64, vcpus: 1, disk: 1 }),
    world.managed('KeyPair', name('key'), { publicKey: KEY }),
    world.managed('ServerGroup', name('group'), { policy: 'soft-affinity' }),
    world.managed('Volume', name('data'), { size: 1 }),
    bootable(world),
  ];
}

const secret = (world: World) => world.secret(world.name('user-data'), { value: '#cloud-config hunter-2' });

const resourceOf = ({ status }: { readonly status?: { readonly resource?: JsonObject } }): JsonObject =>
  status?.resource ?? {};

check('a server and all that it is made of, applied at once, dependents first, and deleted at once', async (world) => {
  const name = (suffix: string): string => world.name(suffix);
  const all = manifests(world);
  await world.apply(...all);
  const missing = `Waiting for Secret/${name('user-data')} to be created`;
  await world.until('Server', name('vm'), 'told of its user data', (object) =>
    condition(object, 'Progressing').message.includes(missing),
  );
  await secret(world);
  const vm = await world.available('Server', name('vm'));
  assert.is(resourceOf(vm)['status'], 'ACTIVE');
  const id = String(vm.status?.id);
  // The server says when it is another: its ports and volumes look at themselves then.
  const port = await world.until(
    'Port',
    name('a'),
    'plugged in',
    (object) => resourceOf(object)['status'] === 'ACTIVE',
  );
  assert.equal([resourceOf(port)['deviceID'], resourceOf(port)['deviceOwner']], [id, 'compute:nova']);
  const volume = await world.until(
    'Volume',
    name('boot'),
    'in use',
    (object) => resourceOf(object)['status'] === 'in-use',
  );
  assert.is((resourceOf(volume)['attachments'] as readonly JsonObject[])[0]?.['serverID'], id);
  assert.is(world.simulator.calls()['compute GET /servers'], undefined, 'nobody lists servers of one');
  assert.not.match(JSON.stringify([await world.mail(), world.logs, world.events, vm]), 'hunter-2');
  for (const guarded of ['Port a', 'Volume boot']) {
    const [kind, suffix = ''] = guarded.split(' ');
    const { metadata } = (await world.read(kind as 'Port', name(suffix))) as Raw;
    assert.ok(metadata.finalizers?.includes('openstack.k-orc.cloud/server'), guarded);
  }
  const { metadata } = (await world.read('Flavor', name('size'))) as Raw;
  assert.not.ok(metadata.finalizers?.includes('openstack.k-orc.cloud/server'), 'a flavor is not held');
  const objects = all as unknown as readonly {
    readonly kind: 'Server';
    readonly metadata: { readonly name: string };
  }[];
  for (const { kind, metadata: of } of objects.toReversed()) await world.delete(kind, of.name);
  for (const { kind, metadata: of } of objects) await world.gone(kind, of.name);
  for (const collection of ['servers', 'server_groups', 'keypairs', 'flavors', 'ports'] as const)
    assert.equal(world.simulator.resources(collection), [], collection);
});

check('what is attached to a server follows its spec; a port that was made anew is attached again', async (world) => {
  const name = (suffix: string): string => world.name(suffix);
  await secret(world);
  await world.apply(...manifests(world));
  const vm = await world.available('Server', name('vm'));
  const id = vm.status?.id;
  const interfaces = async (what: string, ...ports: readonly string[]): Promise<void> => {
    const ids = await Promise.all(ports.map(async (port) => (await world.available('Port', name(port))).status?.id));
    await hurried(world, () =>
      world.until('Server', name('vm'), what, (object) => {
        const listed = (resourceOf(object)['interfaces'] ?? []) as readonly JsonObject[];
        return JSON.stringify(listed.map(({ portID }) => portID).sort()) === JSON.stringify([...ids].sort());
      }),
    );
  };
  await interfaces('plugged into a', 'a');
  const ports = [{ portRef: name('a') }, { portRef: name('b') }];
  await world.patch('Server', name('vm'), { spec: { resource: { ports, volumes: [{ volumeRef: name('data') }] } } });
  await interfaces('plugged into both', 'a', 'b');
  await hurried(world, () =>
    world.until('Volume', name('data'), 'in use', (object) => resourceOf(object)['status'] === 'in-use'),
  );
  await world.until('Port', name('b'), 'plugged in', (object) => resourceOf(object)['deviceID'] === id);
  await world.patch('Server', name('vm'), { spec: { resource: { ports: [{ portRef: name('b') }], volumes: [] } } });
  await interfaces('plugged into b', 'b');
  // 33.D1b: who was used sees that it is not any more, though nothing else is edited.
  await world.until('Port', name('a'), 'free', (object) => resourceOf(object)['deviceID'] === undefined);
  await world.until('Volume', name('data'), 'free', (object) => {
    const { attachments, status } = resourceOf(object);
    return attachments === undefined && status === 'available';
  });
  await world.eventually('nothing else is attached', () => {
    const { simulator } = world;
    const volumes = simulator
      .resources('volumes')
      .filter(({ status, name: of }) => status === 'in-use' && of !== 'boot');
    const ports = simulator.resources('ports').filter(({ device_id: of }) => of === id);
    return volumes.length === 0 && ports.length === 1 ? undefined : JSON.stringify([volumes, ports]);
  });
  const before = (await world.read('Port', name('b')))?.status?.id;
  world.simulator.drift.remove('ports', String(before));
  await world.patch('Port', name('b'), { spec: { resource: { description: 'looked at' } } });
  await world.until('Port', name('b'), 'made anew', ({ status }) => status?.id !== undefined && status.id !== before);
  await interfaces('plugged into what was made anew', 'b');
  await world.until('Port', name('b'), 'plugged in again', (object) => resourceOf(object)['deviceID'] === id);
  await hurried(world, () => world.available('Server', name('vm')));
});

check(
  'a server lets go of a volume and a port that go before it got them, and gets their successors (P1)',
  async (world) => {
    const name = (suffix: string): string => world.name(suffix);
    const inUse = (what: string): Promise<unknown> =>
      world.until('Volume', name('data'), what, (object) => resourceOf(object)['status'] === 'in-use');
    await secret(world);
    await world.apply(...manifests(world));
    const resource = { ports: [{ portRef: name('b') }], volumes: [{ volumeRef: name('data') }] };
    await world.apply(
      bootable(world, 'other-boot', '8c1f4c4b-1b64-4a1d-8b6f-3a4a5b2d8e21'),
      world.managed('Server', name('other'), {
        ...resource,
        bootVolume: { volumeRef: name('other-boot') },
        flavorRef: name('size'),
      }),
    );
    await inUse('in use by the other server');
    await world.available('Server', name('vm'));
    await world.delete('Volume', name('data'));
    await world.delete('Port', name('b'));
    await world.patch('Server', name('vm'), { spec: { resource } });
    await world.until('Server', name('vm'), 'waiting', (object) => {
      const { message } = condition(object, 'Progressing');
      return (
        message.includes(`Volume/${name('data')} to be ready`) && message.includes(`Port/${name('b')} to be ready`)
      );
    });
    await world.delete('Server', name('other'));
    await hurried(world, () => world.gone('Volume', name('data')));
    await world.gone('Port', name('b'));
    const successors = manifests(world).filter(({ metadata }) =>
      [name('data'), name('b')].includes(String((metadata as JsonObject)['name'])),
    );
    await world.apply(...successors);
    await world.available('Volume', name('data'));
    await world.available('Port', name('b'));
    await hurried(world, () => inUse('in use'));
    await world.until('Port', name('b'), 'plugged in', (object) => typeof resourceOf(object)['deviceID'] === 'string');
    await hurried(world, () => world.available('Server', name('vm')));
  },
);

check('a server that cannot be built is told, and one that somebody stopped is waited for', async (world) => {
  const name = (suffix: string): string => world.name(suffix);
  await secret(world);
  await world.apply(...manifests(world));
  const { status } = await world.available('Server', name('vm'));
  world.simulator.drift.change('servers', String(status?.id), { status: 'SHUTOFF' });
  await world.patch('Server', name('vm'), { spec: { resource: { tags: ['looked-at'] } } });
  const waiting = 'Waiting for OpenStack resource to be ready';
  const stopped = await world.progressing('Server', name('vm'), 'Progressing', waiting);
  assert.equal(said(stopped), {
    Available: `False Progressing: ${waiting}`,
    Progressing: `True Progressing: ${waiting}`,
  });
  world.simulator.drift.change('servers', String(status?.id), { status: 'ACTIVE' });
  await hurried(world, () => world.available('Server', name('vm')));
  world.simulator.drift.change('servers', String(status?.id), { status: 'ERROR' });
  await world.patch('Server', name('vm'), { spec: { resource: { tags: ['looked-at-again'] } } });
  const failed = await world.progressing('Server', name('vm'), 'UnrecoverableError', 'Server is in ERROR state');
  assert.equal(said(failed).Available, 'False UnrecoverableError: Server is in ERROR state');
  assert.is(resourceOf(failed)['status'], 'ERROR');
});

/** Long timers fire at once until it is so. */
async function hurried<T>(world: World, until: () => Promise<T>): Promise<T> {
  let isDone = false;
  const hurry = async (): Promise<void> => {
    while (!isDone) {
      world.clock.hurry(2_000);
      await world.clock.sleep(100);
    }
  };
  const hurrying = hurry();
  try {
    return await until();
  } finally {
    isDone = true;
    await hurrying;
  }
}

test.run();
