// Networks with routers, interfaces, ports and security groups, end to end: they come up in order, hold each other, and go
// in reverse order, on any API server, bus and cloud.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import { type Check, CREDENTIALS, checkIn, condition, type Kind, said, type World } from '../world/world.ts';

const PREFIX = 'openstack.k-orc.cloud';
const COLLECTIONS = ['ports', 'routers', 'subnets', 'security-groups', 'networks', 'projects'] as const;

interface Made {
  readonly kind: Kind;
  readonly name: string;
  readonly manifest: JsonObject;
}

function interfaceManifest(world: World, name: string, spec: JsonObject): JsonObject {
  const { apiVersion = '' } = world.object('Router', name, {});
  return { apiVersion, kind: 'RouterInterface', metadata: { name }, spec: { type: 'Subnet', ...spec } };
}

/**
 * A project with a network of two subnets, a router with a gateway, and two ports in one group. The router is plugged into
 * the first subnet by an object of its own, into the second by the subnet. Dependents come first.
 */
function landscape(world: World): readonly Made[] {
  const name = (suffix: string): string => world.name(suffix);
  const made = (kind: Kind, suffix: string, resource: JsonObject): Made => ({
    kind,
    name: name(suffix),
    manifest: world.managed(kind, name(suffix), resource),
  });
  const projectRef = name('owner');
  const networkRef = name('net');
  const plug = interfaceManifest(world, name('plug'), { routerRef: name('router'), subnetRef: name('front') });
  const subnet = { networkRef, projectRef, ipVersion: 4 };
  const port = { networkRef, projectRef, securityGroupRefs: [name('web')] };
  return [
    { kind: 'RouterInterface', name: name('plug'), manifest: plug },
    made('Port', 'port-a', { ...port, addresses: [{ subnetRef: name('front') }] }),
    made('Port', 'port-b', { ...port, addresses: [{ subnetRef: name('back'), ip: '10.2.0.9' }] }),
    made('Subnet', 'front', { ...subnet, cidr: '10.1.0.0/24' }),
    made('Subnet', 'back', { ...subnet, cidr: '10.2.0.0/24', routerRef: name('router') }),
    made('Router', 'router', { projectRef, externalGateways: [{ networkRef: name('outside') }] }),
    made('Subnet', 'range', { networkRef: name('outside'), ipVersion: 4, cidr: '203.0.113.0/24' }),
    made('SecurityGroup', 'web', {
      projectRef,
      rules: [
        { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', portRange: { min: 443, max: 443 } },
        { direction: 'egress', ethertype: 'IPv4' },
      ],
    }),
    made('Network', 'outside', { external: true }),
    made('Network', 'net', { projectRef }),
    made('Project', 'owner', {}),
  ];
}

async function allAvailable(world: World, objects: readonly Made[]): Promise<void> {
  for (const { kind, name } of objects) await world.available(kind, name);
}

/** Nothing of this world is left in the cloud. */
async function isEmpty(world: World): Promise<void> {
  for (const collection of COLLECTIONS) assert.equal(await world.contents(collection), [], collection);
}

export function describeRouting(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);
  describeLandscape(check);
  describeOwnInterface(check);
  describeHolding(check);
}

function describeLandscape(check: Check): void {
  check(
    'applied backwards it comes up in order, and goes with its namespace in reverse order (I1, I2)',
    async (world) => {
      const objects = landscape(world);
      await world.apply(...objects.map(({ manifest }) => manifest));
      await allAvailable(world, objects);
      const [router, front, back] = await Promise.all([
        world.available('Router', world.name('router')),
        world.available('Subnet', world.name('front')),
        world.available('Subnet', world.name('back')),
      ]);
      const own = await world.available('RouterInterface', world.name('back-subnet'));
      const plugs = await world.plugs(router.status?.id);
      assert.equal(
        plugs.flatMap(({ fixed_ips: ips }) => (ips as JsonObject[]).map(({ subnet_id: id }) => id)).sort(),
        [front.status?.id, back.status?.id].sort(),
      );
      assert.ok(plugs.some(({ id }) => id === own.status?.id));
      const finalizersOf = async (kind: Kind, suffix: string): Promise<readonly string[]> =>
        [...((await world.read(kind, world.name(suffix)))?.metadata.finalizers ?? [])]
          .map((finalizer) => finalizer.replace(`${PREFIX}/`, ''))
          .sort();
      assert.equal(await finalizersOf('Network', 'net'), ['network', 'port', 'subnet']);
      assert.equal(await finalizersOf('Network', 'outside'), ['network', 'router', 'subnet']);
      assert.equal(await finalizersOf('Subnet', 'front'), ['port', 'routerinterface', 'subnet']);
      assert.equal(await finalizersOf('Router', 'router'), ['router', 'routerinterface', 'subnet']);
      assert.equal(await finalizersOf('SecurityGroup', 'web'), ['port', 'securitygroup']);
      assert.equal(await finalizersOf('Project', 'owner'), [
        'network',
        'port',
        'project',
        'router',
        'securitygroup',
        'subnet',
      ]);

      world.events.length = 0;
      await world.deleteNamespace();
      await world.namespaceGone();
      await isEmpty(world);
      const removals = world.events
        .filter(({ type, data }) => type === 'call' && isRemoval(data))
        .map(({ actor }) => actor);
      const at = (plural: string, suffix: string): number =>
        removals.findIndex((actor) => actor.plural === plural && actor.name === world.name(suffix));
      for (const [first, second] of [
        [at('ports', 'port-a'), at('subnets', 'front')],
        [at('ports', 'port-b'), at('subnets', 'back')],
        [at('ports', 'port-a'), at('securitygroups', 'web')],
        [at('routerinterfaces', 'plug'), at('subnets', 'front')],
        [at('routerinterfaces', 'back-subnet'), at('subnets', 'back')],
        [at('routerinterfaces', 'back-subnet'), at('routers', 'router')],
        [at('routers', 'router'), at('networks', 'outside')],
        [at('subnets', 'back'), at('networks', 'net')],
        [at('networks', 'net'), at('projects', 'owner')],
        [at('securitygroups', 'web'), at('projects', 'owner')],
        [at('routers', 'router'), at('projects', 'owner')],
      ] as const) {
        assert.ok(first >= 0 && first < second, removals.map(({ plural, name }) => `${plural}/${name}`).join());
      }
    },
  );

  check('a runtime that stops and starts in every phase ends in the same state (I4, I9)', async (world) => {
    const objects = landscape(world);
    const restart = async (): Promise<void> => {
      await world.stop();
      await world.start();
    };
    for (const { manifest } of objects) {
      await world.apply(manifest);
      await restart();
    }
    await allAvailable(world, objects);
    const router = await world.available('Router', world.name('router'));
    assert.is((await world.plugs(router.status?.id)).length, 2);
    assert.is((await world.contents('ports')).length, 2);
    assert.is((await world.contents('routers')).length, 1);
    assert.is((await world.contents('security-groups')).length, 1);
    for (const { kind, name } of objects) {
      await world.delete(kind, name);
      await restart();
    }
    for (const { kind, name } of objects) await world.gone(kind, name);
    await isEmpty(world);
  });
}

function isRemoval({ method, path }: JsonObject): boolean {
  return method === 'DELETE' || String(path).endsWith('/remove_router_interface');
}

/** A network and a router, both available. */
async function routed(world: World): Promise<{ readonly net: string; readonly router: string }> {
  const [net, router] = [world.name('net'), world.name('router')];
  await world.apply(world.managed('Network', net), world.managed('Router', router));
  await world.available('Network', net);
  await world.available('Router', router);
  return { net, router };
}

function describeOwnInterface(check: Check): void {
  check('a subnet makes its own interface once, and takes it off before it goes', async (world) => {
    const { net, router } = await routed(world);
    const name = world.name('sub');
    const own = `${name}-subnet`;
    const resource = { networkRef: net, ipVersion: 4, cidr: '10.1.0.0/24', routerRef: router };
    // What is over soon is not told.
    world.ground.simulator?.setLatency(250);
    await world.apply(world.managed('Subnet', name, resource));
    const subnet = await world.available('Subnet', name);
    const made = await world.available('RouterInterface', own);
    assert.equal(made.spec, { type: 'Subnet', routerRef: router, subnetRef: name });
    const [owner] = (made.metadata as unknown as { ownerReferences: JsonObject[] }).ownerReferences;
    assert.equal([owner?.['kind'], owner?.['name'], owner?.['uid']], ['Subnet', name, subnet.metadata.uid]);
    // A real cloud may be done with it before there is anything to tell.
    if (world.ground.simulator !== undefined)
      assert.ok(messagesOf(world, 'Subnet', name).includes(`Waiting for routerinterface/${own} to be ready`));
    const { status } = await world.available('Router', router);
    assert.is((await world.plugs(status?.id)).length, 1);

    await world.patch('Subnet', name, { spec: { resource: { description: 'changed' } } });
    await world.until('Subnet', name, 'changed', (object) => object.status?.resource?.['description'] === 'changed');
    assert.is((await world.available('RouterInterface', own)).metadata.uid, made.metadata.uid);

    const deletedAt = world.clock.now();
    await world.delete('Subnet', name);
    await world.gone('Subnet', name);
    const isSoonOver = world.ground.simulator === undefined && world.clock.now() - deletedAt < 2_000;
    world.ground.simulator?.setLatency(0);
    assert.is(await world.read('RouterInterface', own), undefined);
    const isTold = messagesOf(world, 'Subnet', name).includes(`Waiting for RouterInterface/${own} to be deleted`);
    assert.ok(isTold || isSoonOver);
    assert.equal(await world.plugs(status?.id), []);
    assert.equal(await world.contents('subnets'), []);
  });

  check('an interface is removed when its subnet no longer names the router, and the subnet stays', async (world) => {
    const { net, router } = await routed(world);
    const name = world.name('sub');
    const own = `${name}-subnet`;
    const resource = { networkRef: net, ipVersion: 4, cidr: '10.1.0.0/24' };
    await world.apply(world.managed('Subnet', name, { ...resource, routerRef: router }));
    await world.available('Subnet', name);
    await world.available('RouterInterface', own);
    const { status } = await world.available('Router', router);
    await world.patch('Subnet', name, { spec: { resource: { routerRef: null } } });
    await world.gone('RouterInterface', own);
    assert.equal(await world.plugs(status?.id), []);
    await world.until('Subnet', name, 'up to date', (object) => condition(object, 'Progressing').reason === 'Success');
    await world.delete('Subnet', name);
    await world.gone('Subnet', name);
    assert.equal(await world.contents('subnets'), []);
  });

  check('two IPv6 subnets of one network have one port of the router, and each its interface (I4)', async (world) => {
    const { net, router } = await routed(world);
    const [first, second] = [world.name('one'), world.name('two')];
    const subnet = (name: string, cidr: string) =>
      world.managed('Subnet', name, { networkRef: net, ipVersion: 6, cidr, routerRef: router });
    await world.apply(subnet(first, 'fd00:a::/64'), subnet(second, 'fd00:b::/64'));
    const made = await world.available('Subnet', first);
    await world.available('Subnet', second);
    const [one, two] = await Promise.all(
      [first, second].map((name) => world.available('RouterInterface', `${name}-subnet`)),
    );
    assert.is(one?.status?.id, two?.status?.id);
    const { status } = await world.available('Router', router);
    await world.delete('Subnet', first);
    await world.gone('Subnet', first);
    const left = await world.plugs(status?.id);
    assert.is(left.length, 1);
    assert.not.ok(JSON.stringify(left).includes(String(made.status?.id)));
    await world.available('RouterInterface', `${second}-subnet`);
    await world.delete('Subnet', second);
    await world.gone('Subnet', second);
    assert.equal(await world.plugs(status?.id), []);
  });

  check('a detached subnet leaves its interface in the router, and needs no cloud for that', async (world) => {
    const { net, router } = await routed(world);
    const name = world.name('sub');
    const own = `${name}-subnet`;
    const resource = { networkRef: net, ipVersion: 4, cidr: '10.1.0.0/24', routerRef: router };
    await world.apply(world.managed('Subnet', name, resource, { managedOptions: { onDelete: 'detach' } }));
    const subnet = await world.available('Subnet', name);
    await world.available('RouterInterface', own);
    const { status } = await world.available('Router', router);
    const { cloudsYaml } = world.ground;
    await world.secret(CREDENTIALS, cloudsYaml.replace(/password: .*/, 'password: wrong'));
    await world.delete('Subnet', name);
    await world.gone('Subnet', name);
    await world.gone('RouterInterface', own);
    await world.secret(CREDENTIALS, cloudsYaml);
    assert.is((await world.plugs(status?.id)).length, 1);
    await world.cloud('PUT', `/routers/${status?.id}/remove_router_interface`, {
      subnet_id: String(subnet.status?.id),
    });
    await world.cloud('DELETE', `/subnets/${subnet.status?.id}`);
  });

  check('an interface that is not as the subnet says is replaced', async (world) => {
    const { net, router } = await routed(world);
    const name = world.name('sub');
    const own = `${name}-subnet`;
    const other = world.name('other');
    await world.apply(
      world.managed('Router', other),
      interfaceManifest(world, own, { routerRef: other, subnetRef: name }),
      world.managed('Subnet', name, { networkRef: net, ipVersion: 4, cidr: '10.1.0.0/24', routerRef: router }),
    );
    await world.available('Subnet', name);
    const made = await world.available('RouterInterface', own);
    assert.is(made.spec?.['routerRef'], router);
    const [right, wrong] = [await world.available('Router', router), await world.available('Router', other)];
    assert.equal([(await world.plugs(right.status?.id)).length, (await world.plugs(wrong.status?.id)).length], [1, 0]);
  });

  check('an interface says what it waits for', async (world) => {
    const [name, router, subnet] = [world.name('plug'), world.name('router'), world.name('sub')];
    await world.apply(interfaceManifest(world, name, { routerRef: router, subnetRef: subnet }));
    await world.progressing('RouterInterface', name, 'Progressing', `Waiting for Router/${router} to be created`);
    await world.apply(world.managed('Router', router));
    await world.progressing('RouterInterface', name, 'Progressing', `Waiting for Subnet/${subnet} to be created`);
    const net = world.name('net');
    await world.apply(world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: '10.1.0.0/24' }));
    await world.progressing('RouterInterface', name, 'Progressing', `Waiting for Subnet/${subnet} to be ready`);
    await world.apply(world.managed('Network', net));
    const plugged = await world.available('RouterInterface', name);
    assert.equal(said(plugged), {
      Available: 'True Success: OpenStack resource is available',
      Progressing: 'False Success: OpenStack resource is up to date',
    });
    assert.equal(Object.keys(plugged.status ?? {}).sort(), ['conditions', 'id', 'lastSyncTime']);
  });
}

function describeHolding(check: Check): void {
  check(
    'a port holds its network, subnet and group; an interface its router; a router its outside (I2, I3)',
    async (world) => {
      const objects = landscape(world);
      await world.apply(...objects.map(({ manifest }) => manifest));
      await allAvailable(world, objects);
      const held: readonly (readonly [Kind, string, RegExp])[] = [
        ['SecurityGroup', 'web', /Waiting for finalizer \S+\/port to be removed/],
        ['Network', 'net', /Waiting for finalizer \S+\/(port|subnet) to be removed/],
        ['Router', 'router', /Waiting for finalizer \S+\/(routerinterface|subnet) to be removed/],
        ['Network', 'outside', /Waiting for finalizer \S+\/(router|subnet) to be removed/],
        ['Subnet', 'front', /Waiting for finalizer \S+\/(routerinterface|port) to be removed/],
      ];
      for (const [kind, suffix, message] of held) {
        await world.delete(kind, world.name(suffix));
        await world.progressing(kind, world.name(suffix), 'Progressing', message);
      }
      for (const collection of COLLECTIONS) assert.ok((await world.contents(collection)).length > 0, collection);
      for (const port of ['port-a', 'port-b']) await world.delete('Port', world.name(port));
      await world.gone('SecurityGroup', world.name('web'));
      assert.is((await world.read('Router', world.name('router')))?.metadata.deletionTimestamp === undefined, false);
      await world.delete('RouterInterface', world.name('plug'));
      await world.gone('Subnet', world.name('front'));
      await world.delete('Subnet', world.name('back'));
      await world.gone('Router', world.name('router'));
      await world.delete('Subnet', world.name('range'));
      await world.gone('Network', world.name('net'));
      await world.gone('Network', world.name('outside'));
      await world.delete('Project', world.name('owner'));
      await world.gone('Project', world.name('owner'));
      await isEmpty(world);
    },
  );

  check('a port whose new group is not there waits without a timer, and goes on at once (I6, I7)', async (world) => {
    const [net, port, group] = [world.name('net'), world.name('port'), world.name('late')];
    await world.apply(world.managed('Network', net), world.managed('Port', port, { networkRef: net }));
    await world.available('Port', port);
    await world.patch('Port', port, { spec: { resource: { securityGroupRefs: [group], description: 'changed' } } });
    const waiting = await world.progressing(
      'Port',
      port,
      'Progressing',
      `Waiting for SecurityGroup/${group} to be ready`,
    );
    assert.is(condition(waiting, 'Available').status, 'True');
    await world.apply(world.managed('SecurityGroup', group));
    const { status } = await world.available('SecurityGroup', group);
    const changed = await world.until('Port', port, 'in its group', (object) => {
      const groups = object.status?.resource?.['securityGroups'] as readonly unknown[] | undefined;
      return groups?.includes(status?.id) === true;
    });
    assert.is(changed.status?.resource?.['description'], 'changed');
    await world.available('Port', port);
    assert.equal(world.lines('warn'), []);
  });
}

/** All that Progressing of an object has said. */
function messagesOf(world: World, kind: Kind, name: string): readonly string[] {
  return world.follower.history(kind, name).map((object) => condition(object, 'Progressing').message);
}
