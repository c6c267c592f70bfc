// Creates that conflict with what another object left in the cloud, for the suite of causes: the ways of each advice, followed.
import type { World } from '../world/world.ts';
import type { Case, Staged } from './causes.suite.ts';

const OUTSIDE = '198.51.100.0/24';

/** A floating IP whose object is deleted and detaches it, and the same object again. */
async function detached(world: World): Promise<Staged> {
  const [out, pool, router, net, subnet, port, name] = [
    'out',
    'pool',
    'router',
    'net',
    'subnet',
    'port',
    'address',
  ].map((each) => world.name(each)) as [string, string, string, string, string, string, string];
  const manifest = world.managed(
    'FloatingIP',
    name,
    { floatingNetworkRef: out, portRef: port },
    { managedOptions: { onDelete: 'detach' } },
  );
  await world.apply(
    world.managed('Network', out, { external: true }),
    world.managed('Subnet', pool, { networkRef: out, ipVersion: 4, cidr: OUTSIDE }),
    world.managed('Router', router, { externalGateways: [{ networkRef: out }] }),
    world.managed('Network', net),
    world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '10.0.0.0/24', routerRef: router }),
    world.managed('Port', port, { networkRef: net, addresses: [{ subnetRef: subnet }] }),
    manifest,
  );
  await world.available('FloatingIP', name);
  await world.delete('FloatingIP', name);
  await world.gone('FloatingIP', name);
  await world.apply(manifest);
  await world.progressing('FloatingIP', name, 'InvalidConfiguration', /already has a floating IP/);
  const summary = [`FloatingIP/${name}: InvalidConfiguration`, 'already has a floating IP'];
  const advice = [`Port/${port} has a floating IP already`, 'set spec.resource.floatingIP', 'remove it from the port'];
  return { kind: 'FloatingIP', name, summary, advice };
}

/** The floating IP at the port. */
async function leftOne(world: World): Promise<{ readonly id: string; readonly address: string }> {
  const { floatingips } = await world.cloud('GET', '/floatingips');
  const [left] = floatingips as readonly { readonly id: string; readonly floating_ip_address: string }[];
  if (left === undefined) throw new Error('no floating IP is left');
  return { id: left.id, address: left.floating_ip_address };
}

export const CONFLICT_CASES: Readonly<Record<string, Case>> = {
  '33.B8: a port that kept its floating IP, which is taken over': {
    stage: detached,
    async follow(world, { name }) {
      const { id, address } = await leftOne(world);
      await world.patch('FloatingIP', name, { spec: { resource: { floatingIP: address } } });
      await world.until('FloatingIP', name, `the object of ${id}`, ({ status }) => status?.id === id);
      return 'available';
    },
  },
  '33.B8: a port that kept its floating IP, which is removed from it': {
    stage: detached,
    async follow(world, { name }) {
      const { id } = await leftOne(world);
      await world.cloud('PUT', `/floatingips/${id}`, { floatingip: { port_id: null } });
      await world.patch('FloatingIP', name, { spec: { resource: { description: 'again' } } });
      return 'available';
    },
  },
};
