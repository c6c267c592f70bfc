// The life of objects end to end, as ORC's users know it (openstack-common), on any API server, bus and cloud.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import type { ManagedFields, Raw } from '../world/watched-objects.ts';
import { type Check, CREDENTIALS, checkIn, condition, said, type World } from '../world/world.ts';

const PREFIX = 'openstack.k-orc.cloud';
const UP_TO_DATE = 'False Success: OpenStack resource is up to date';
const USABLE = 'True Success: OpenStack resource is available';
/** RFC 3339 in UTC, as the API server keeps it. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** As in ORC's examples, but for the names. */
function networkManifest(world: World): string {
  return `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata:
  name: ${world.name('net')}
spec:
  cloudCredentialsRef:
    cloudName: ${world.ground.cloudName}
    secretName: ${CREDENTIALS}
  managementPolicy: managed
  resource: {}
`;
}

function subnetManifest(world: World): string {
  return `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata:
  name: ${world.name('subnet')}
spec:
  cloudCredentialsRef:
    cloudName: ${world.ground.cloudName}
    secretName: ${CREDENTIALS}
  managementPolicy: managed
  resource:
    networkRef: ${world.name('net')}
    ipVersion: 4
    cidr: 192.168.155.0/24
`;
}

/** Network and subnet, both available. */
async function pair(world: World): Promise<{ net: string; subnet: string }> {
  await world.apply(networkManifest(world), subnetManifest(world));
  const [net, subnet] = [world.name('net'), world.name('subnet')];
  await world.available('Network', net);
  await world.available('Subnet', subnet);
  return { net, subnet };
}

export function describeLifecycle(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);
  describeCreation(check);
  describeImport(check);
  describeChange(check);
  describeDeletion(check);
}

function describeCreation(check: Check): void {
  check('a network, then its subnet, as in ORC’s manifests', async (world) => {
    await world.apply(networkManifest(world));
    await world.available('Network', world.name('net'));
    await world.apply(subnetManifest(world));
    await world.available('Subnet', world.name('subnet'));
    await areAsInTheContract(world);
  });

  check('a subnet, then its network: the subnet says what it waits for', async (world) => {
    await world.apply(subnetManifest(world));
    const missing = `Waiting for Network/${world.name('net')} to be created`;
    const waiting = await world.progressing('Subnet', world.name('subnet'), 'Progressing', missing);
    assert.equal(said(waiting), {
      Available: `False Progressing: ${missing}`,
      Progressing: `True Progressing: ${missing}`,
    });
    assert.is(waiting.status?.id, undefined);
    await world.apply(networkManifest(world));
    await world.available('Subnet', world.name('subnet'));
    await areAsInTheContract(world);
  });

  check(
    'everything waits for its credentials; each write of a status says something new (I8)',
    async (world) => {
      await world.apply(subnetManifest(world));
      // Nothing else is looked at, so nothing else is reported.
      const missing = `Waiting for Secret/${CREDENTIALS} to be created`;
      await world.progressing('Subnet', world.name('subnet'), 'Progressing', missing);
      await world.apply(networkManifest(world));
      await world.progressing('Network', world.name('net'), 'Progressing', missing);
      await world.secret(CREDENTIALS, world.ground.cloudsYaml);
      await world.available('Subnet', world.name('subnet'));
      await areAsInTheContract(world);
      eachWriteSaysSomethingNew(world.follower.history('Subnet', world.name('subnet')));
      eachWriteSaysSomethingNew(world.follower.history('Network', world.name('net')));
    },
    { credentials: 'absent' },
  );

  check('a tagged network with every plain field', async (world) => {
    const resource = { description: 'reported', adminStateUp: false, mtu: 1400, shared: false, tags: ['b', 'a'] };
    await world.apply(world.managed('Network', world.name('full'), { name: world.name('other'), ...resource }));
    const { status } = await world.available('Network', world.name('full'));
    const { description, adminStateUp, mtu, name, tags } = status?.resource ?? {};
    assert.equal([description, adminStateUp, mtu, name], ['reported', false, 1400, world.name('other')]);
    assert.equal([...(tags as string[])].sort(), ['a', 'b']);
    assert.is((await world.contents('networks')).length, 1);
  });

  check('what a create left behind whose id was never recorded is adopted (I4)', async (world) => {
    const id = await world.outside(world.name('net'));
    await world.apply(networkManifest(world));
    const { status } = await world.available('Network', world.name('net'));
    assert.is(status?.id, id);
    assert.is((await world.contents('networks')).length, 1);
  });

  check('two that could be adopted are one too many', async (world) => {
    await world.outside(world.name('net'));
    await world.outside(world.name('net'));
    await world.apply(networkManifest(world));
    const message = 'found more than one matching OpenStack resource during adoption';
    const failed = await world.progressing('Network', world.name('net'), 'InvalidConfiguration', message);
    assert.equal(said(failed), {
      Available: `False InvalidConfiguration: ${message}`,
      Progressing: `False InvalidConfiguration: ${message}`,
    });
    assert.is((await world.contents('networks')).length, 2);
  });

  check('a malformed resyncPeriod is refused on its object alone', async (world) => {
    await world.apply(
      world.managed('Network', world.name('odd'), {}, { resyncPeriod: 'soon' }),
      networkManifest(world),
    );
    const failed = await world.progressing('Network', world.name('odd'), 'InvalidConfiguration', /resyncPeriod 'soon'/);
    assert.is(condition(failed, 'Progressing').status, 'False');
    await world.available('Network', world.name('net'));
    await world.patch('Network', world.name('odd'), { spec: { resyncPeriod: '10m' } });
    await world.available('Network', world.name('odd'));
  });
}

function describeImport(check: Check): void {
  check('a network is imported by id, never changed, and left alone in the end', async (world) => {
    const id = await world.outside(world.name('theirs'), { description: 'theirs' });
    const name = world.name('imported');
    await world.apply(world.unmanaged('Network', name, { id }));
    const { status, metadata } = await world.available('Network', name);
    assert.is(status?.id, id);
    assert.is(status?.resource?.['name'], world.name('theirs'));
    assert.equal(metadata.finalizers, [`${PREFIX}/network`]);
    await world.delete('Network', name);
    await world.gone('Network', name);
    assert.is((await world.contents('networks'))[0]?.['description'], 'theirs');
    await noClaimsLeft(world);
  });

  check('an import by an id that is not there cannot be helped', async (world) => {
    const name = world.name('imported');
    await world.apply(world.unmanaged('Network', name, { id: 'b1d1e0a5-7c5c-4a5b-9d3e-000000000000' }));
    const message = 'referenced resource does not exist in OpenStack';
    const failed = await world.progressing('Network', name, 'UnrecoverableError', message);
    assert.is(said(failed).Available, `False UnrecoverableError: ${message}`);
    await world.delete('Network', name);
    await world.gone('Network', name);
  });

  check('an import by filter waits until there is a match, and two are one too many', async (world) => {
    const name = world.name('imported');
    const filter = { name: world.name('theirs') };
    await world.apply(world.unmanaged('Network', name, { filter }));
    const awaited = 'Waiting for OpenStack resource to be created externally';
    const waiting = await world.progressing('Network', name, 'Progressing', awaited);
    assert.is(said(waiting).Available, `False Progressing: ${awaited}`);
    const id = await world.outside(world.name('theirs'));
    await world.outside(`${world.name('theirs')}-not`);
    world.clock.hurry(15_000);
    assert.is((await world.available('Network', name)).status?.id, id);

    await world.outside(world.name('theirs'));
    await world.apply(world.unmanaged('Network', world.name('second'), { filter }));
    const message = 'found more than one matching OpenStack resource during import';
    await world.progressing('Network', world.name('second'), 'InvalidConfiguration', message);
  });

  check('a subnet is built on an imported network', async (world) => {
    const id = await world.outside(world.name('theirs'));
    await world.apply(
      subnetManifest(world),
      world.unmanaged('Network', world.name('net'), { filter: { name: world.name('theirs') } }),
    );
    const { status } = await world.available('Subnet', world.name('subnet'));
    assert.is(status?.resource?.['networkID'], id);
  });

  check('an imported network that vanishes cannot be helped', async (world) => {
    const id = await world.outside(world.name('theirs'));
    const name = world.name('imported');
    await world.apply(world.unmanaged('Network', name, { id }, { resyncPeriod: '1s' }));
    await world.available('Network', name);
    await world.cloud('DELETE', `/networks/${id}`);
    const failed = await world.progressing(
      'Network',
      name,
      'UnrecoverableError',
      'resource has been deleted from OpenStack',
    );
    assert.is(condition(failed, 'Available').status, 'False');
    assert.is((await world.contents('networks')).length, 0);
    await world.delete('Network', name);
    await world.gone('Network', name);
  });
}

function describeChange(check: Check): void {
  check('fields, tags and the name follow the spec, and its removal', async (world) => {
    const { net } = await pair(world);
    const { status: before } = await world.available('Network', net);
    for (const [resource, expected] of [
      [
        { description: 'one', tags: ['x', 'y'] },
        { description: 'one', tags: ['x', 'y'], name: net },
      ],
      [
        { name: world.name('new'), adminStateUp: false, tags: ['z'] },
        { name: world.name('new'), adminStateUp: false, tags: ['z'] },
      ],
      [
        { description: null, tags: null, name: null, adminStateUp: null },
        { name: net, adminStateUp: true, tags: undefined },
      ],
    ] as const) {
      await world.patch('Network', net, { spec: { resource: resource as JsonObject } });
      const { status } = await world.until('Network', net, 'as specified', (object) => {
        const seen = object.status?.resource ?? {};
        const values = Object.fromEntries(Object.keys(expected).map((key) => [key, sorted(seen[key])]));
        return (
          condition(object, 'Progressing').observedGeneration === object.metadata.generation && isSame(values, expected)
        );
      });
      assert.is(status?.id, before?.id);
    }
    const { description } = (await world.available('Network', net)).status?.resource ?? {};
    assert.is(description, undefined);
  });

  check('an immutable field is refused', async (world) => {
    const { subnet } = await pair(world);
    try {
      await world.patch('Subnet', subnet, { spec: { resource: { cidr: '192.168.156.0/24' } } });
      assert.unreachable('the API server took it');
    } catch (error) {
      assert.match((error as Error).message, /spec\.resource\.cidr.*cidr is immutable/);
    }
  });

  check('what somebody else changed is changed back, with a resyncPeriod', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name, { description: 'ours', tags: ['ours'] }, { resyncPeriod: '1s' }));
    const { status } = await world.available('Network', name);
    await world.cloud('PUT', `/networks/${status?.id}`, { network: { description: 'theirs' } });
    await world.cloud('PUT', `/networks/${status?.id}/tags`, { tags: ['theirs'] });
    await world.eventually('the network is as specified', async () => {
      const { network } = (await world.cloud('GET', `/networks/${status?.id}`)) as { network: JsonObject };
      const { description, tags } = network;
      return isSame({ description, tags }, { description: 'ours', tags: ['ours'] })
        ? undefined
        : JSON.stringify(network);
    });
    const synced = await world.available('Network', name);
    assert.ok(String(synced.status?.lastSyncTime) >= String(status?.lastSyncTime));
  });

  check('a managed network that vanishes is made anew, with another id', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name, {}, { resyncPeriod: '1s' }));
    const { status } = await world.available('Network', name);
    await world.cloud('DELETE', `/networks/${status?.id}`);
    await world.until(
      'Network',
      name,
      'another one',
      (object) => object.status?.id !== undefined && object.status.id !== status?.id,
    );
    await world.available('Network', name);
    assert.is((await world.contents('networks')).length, 1);
  });

  check('without a resyncPeriod a vanished network is made anew when its spec changes', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    const { status } = await world.available('Network', name);
    await world.cloud('DELETE', `/networks/${status?.id}`);
    await world.patch('Network', name, { spec: { resource: { description: 'changed' } } });
    await world.until(
      'Network',
      name,
      'another one',
      (object) => object.status?.id !== undefined && object.status.id !== status?.id,
    );
    const anew = await world.available('Network', name);
    assert.is(anew.status?.resource?.['description'], 'changed');
  });

  check('a restart neither calls the cloud nor writes for what is settled (I8, I9)', async (world) => {
    const { net, subnet } = await pair(world);
    const reported = await answers(world, net);
    await world.stop();
    const before = [await world.read('Network', net), await world.read('Subnet', subnet)];
    world.events.length = 0;
    await world.start();
    await world.eventually('both live again', () => {
      const countByState = world.runtime?.countByState().get('idle.available') ?? 0;
      return countByState >= 2 ? undefined : `${countByState} available`;
    });
    await world.patch('Subnet', subnet, { spec: { resource: { description: 'changed' } } });
    await world.until('Subnet', subnet, 'changed', (object) => object.status?.resource?.['description'] === 'changed');
    assert.equal(world.eventsOf('Network', net, 'call'), []);
    assert.equal(await world.read('Network', net), before[0]);
    assert.is((await world.read('Subnet', subnet))?.status?.id, before[1]?.status?.id);
    // Not even that its secret is there: ten thousand would hear it.
    assert.equal(await answers(world, net), reported);
  });
}

/** What a network has been answered, each with its place in the stream: what is said again has another. */
async function answers(world: World, name: string): Promise<readonly unknown[]> {
  const mail = (await world.mail()).filter(({ subject }) => subject.topic === 'ready' && subject.to.name === name);
  assert.ok(mail.length > 0);
  return mail.map(({ subject, sequence, payload }) => [subject, sequence, payload]);
}

function describeDeletion(check: Check): void {
  check('deleted together, the subnet goes first (I2)', async (world) => {
    const { net, subnet } = await pair(world);
    await world.delete('Network', net);
    await world.delete('Subnet', subnet);
    await world.gone('Network', net);
    await world.gone('Subnet', subnet);
    assert.equal([...(await world.contents('networks')), ...(await world.contents('subnets'))], []);
    await noClaimsLeft(world);
  });

  check('a network in use stays, says why, and goes with its last user (I2, I3)', async (world) => {
    const { net, subnet } = await pair(world);
    await world.delete('Network', net);
    const held = `Waiting for finalizer ${PREFIX}/subnet to be removed (held by Subnet/${subnet})`;
    const waiting = await world.progressing('Network', net, 'Progressing', held);
    assert.is(said(waiting).Available, USABLE);
    assert.equal([...(waiting.metadata.finalizers ?? [])].sort(), [`${PREFIX}/network`, `${PREFIX}/subnet`]);
    assert.is((await world.contents('networks')).length, 1);
    await world.delete('Subnet', subnet);
    await world.gone('Subnet', subnet);
    await world.gone('Network', net);
    assert.is((await world.contents('networks')).length, 0);
  });

  check('a deleted network names those that hold it: three, and how many more', async (world) => {
    const net = world.name('net');
    const names = Array.from({ length: 5 }, (_, index) => world.name(`subnet${index}`));
    await world.apply(world.managed('Network', net));
    for (const [index, name] of names.entries()) {
      const resource = { networkRef: net, ipVersion: 4, cidr: `192.0.${index}.0/24` };
      await world.apply(world.managed('Subnet', name, resource));
      await world.available('Subnet', name);
    }
    await world.delete('Network', net);
    const held = `Waiting for finalizer ${PREFIX}/subnet to be removed`;
    const [first, second, third, ...others] = names;
    const [before, after] = [
      `Subnet/${first}, Subnet/${second}, Subnet/${third} and 2 more`,
      `Subnet/${others.at(-1)}`,
    ];
    await world.progressing('Network', net, 'Progressing', `${held} (held by ${before})`);
    for (const name of names.slice(0, -1)) await world.delete('Subnet', name);
    await world.progressing('Network', net, 'Progressing', `${held} (held by ${after})`);
    await world.delete('Subnet', String(others.at(-1)));
    await world.gone('Network', net);
  });

  check('a secret in use stays until its last user is gone (I3)', async (world) => {
    const { net, subnet } = await pair(world);
    await world.delete('Secret', CREDENTIALS);
    const held = await world.until(
      'Secret',
      CREDENTIALS,
      'deleted',
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    assert.equal([...(held.metadata.finalizers ?? [])].sort(), [`${PREFIX}/network`, `${PREFIX}/subnet`]);
    await world.delete('Subnet', subnet);
    await world.gone('Subnet', subnet);
    await world.until('Secret', CREDENTIALS, 'held by networks only', ({ metadata }) =>
      isSame(metadata.finalizers, [`${PREFIX}/network`]),
    );
    await world.delete('Network', net);
    await world.gone('Network', net);
    await world.gone('Secret', CREDENTIALS);
    assert.is((await world.contents('networks')).length, 0);
  });

  check('onDelete: detach leaves the network where it is', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name, {}, { managedOptions: { onDelete: 'detach' } }));
    const { status } = await world.available('Network', name);
    await world.delete('Network', name);
    await world.gone('Network', name);
    assert.equal(
      (await world.contents('networks')).map(({ id }) => id),
      [status?.id],
    );
  });

  check('a network that somebody else removed goes without complaint', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    const { status } = await world.available('Network', name);
    await world.cloud('DELETE', `/networks/${status?.id}`);
    await world.delete('Network', name);
    await world.gone('Network', name);
  });

  check('a network that is in use outside goes when that ends', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    const { status } = await world.available('Network', name);
    const { port } = await world.cloud('POST', '/ports', { port: { network_id: String(status?.id) } });
    await world.delete('Network', name);
    await world.progressing('Network', name, 'TransientError', /./);
    await world.cloud('DELETE', `/ports/${(port as { id: string }).id}`);
    await world.gone('Network', name);
  });

  check('a dependent that waits lets a deleted dependency go, and gets its successor (P1)', async (world) => {
    const net = world.name('net');
    // A filter that matches nothing keeps the network from being ready, so nothing is built on it.
    await world.apply(
      world.unmanaged('Network', net, { filter: { name: world.name('nothing') } }),
      subnetManifest(world),
    );
    await world.progressing('Subnet', world.name('subnet'), 'Progressing', `Waiting for Network/${net} to be ready`);
    await world.until(
      'Network',
      net,
      'guarded',
      ({ metadata }) => metadata.finalizers?.includes(`${PREFIX}/subnet`) ?? false,
    );
    const { metadata } = (await world.read('Network', net)) as Raw;
    await world.delete('Network', net);
    await world.gone('Network', net);
    await world.progressing('Subnet', world.name('subnet'), 'Progressing', `Waiting for Network/${net} to be created`);
    await world.apply(networkManifest(world));
    const successor = await world.available('Network', net);
    assert.is.not(successor.metadata.uid, metadata.uid);
    const { status } = await world.available('Subnet', world.name('subnet'));
    assert.is(status?.resource?.['networkID'], successor.status?.id);
  });

  check('a dependent deleted while it waits goes at once, and leaves nothing (I3)', async (world) => {
    await world.apply(subnetManifest(world));
    await world.progressing('Subnet', world.name('subnet'), 'Progressing', /Network/);
    await world.delete('Subnet', world.name('subnet'));
    await world.gone('Subnet', world.name('subnet'));
    await noClaimsLeft(world);
  });

  check(
    'deleted at any moment while they are being made, networks leave nothing (I4, EXTERNAL-RESOURCE-3)',
    async (world) => {
      const names = Array.from({ length: 12 }, (_, index) => world.name(`net${index}`));
      await Promise.all(
        names.map(async (name, index) => {
          await world.apply(world.managed('Network', name, { tags: ['a'] }));
          await world.clock.sleep(index * 10);
          await world.delete('Network', name);
        }),
      );
      for (const name of names) await world.gone('Network', name);
      assert.equal(await world.contents('networks'), []);
      await noClaimsLeft(world);
    },
  );

  check('deleted and applied again under the same name, it is another one', async (world) => {
    const { net, subnet } = await pair(world);
    const [before, subnetBefore] = [await world.read('Network', net), await world.read('Subnet', subnet)];
    await world.delete('Subnet', subnet);
    await world.delete('Network', net);
    await world.gone('Subnet', subnet);
    await world.apply(subnetManifest(world));
    await world.gone('Network', net);
    await world.apply(networkManifest(world));
    await world.available('Subnet', subnet);
    assert.is.not((await world.read('Network', net))?.status?.id, before?.status?.id);
    assert.is.not((await world.read('Subnet', subnet))?.status?.id, subnetBefore?.status?.id);
    assert.is((await world.contents('networks')).length, 1);
    assert.is((await world.contents('subnets')).length, 1);
  });

  check('a namespace goes by itself, credentials and all, and leaves the cloud empty', async (world) => {
    const projects = world.name('owner');
    await world.apply(world.managed('Project', projects));
    for (const index of [1, 2, 3]) {
      const net = world.name(`net${index}`);
      await world.apply(world.managed('Network', net, { projectRef: projects, tags: ['a'] }));
      for (const ipVersion of [4, 6]) {
        const cidr = ipVersion === 4 ? `10.1.${index}.0/24` : `fd00:${index}::/64`;
        await world.apply(
          world.managed('Subnet', `${net}-${ipVersion}`, { networkRef: net, projectRef: projects, ipVersion, cidr }),
        );
      }
    }
    for (const index of [1, 2, 3])
      for (const version of [4, 6]) await world.available('Subnet', world.name(`net${index}-${version}`));
    await world.deleteNamespace();
    await world.namespaceGone();
    for (const collection of ['subnets', 'networks', 'projects'] as const)
      assert.equal(await world.contents(collection), []);
    const removals = world.events.filter(({ type, data }) => type === 'call' && data['method'] === 'DELETE');
    const order = removals.map(({ actor: { plural } }) => plural);
    assert.ok(order.indexOf('projects') > order.lastIndexOf('networks'), order.join());
    for (const index of [1, 2, 3]) {
      const at = (plural: string, name: string): number =>
        removals.findIndex(({ actor }) => actor.plural === plural && actor.name.startsWith(name));
      assert.ok(at('networks', world.name(`net${index}`)) > at('subnets', world.name(`net${index}-6`)), order.join());
    }
    await noClaimsLeft(world);
  });
}

/** Network `net` and subnet `subnet`, as the contract describes what clients see of them. */
async function areAsInTheContract(world: World): Promise<void> {
  const network = (await world.read('Network', world.name('net'))) as Raw;
  const subnet = (await world.read('Subnet', world.name('subnet'))) as Raw;
  const secret = (await world.read('Secret', CREDENTIALS)) as Raw;
  for (const object of [network, subnet]) {
    assert.equal(said(object), { Available: USABLE, Progressing: UP_TO_DATE });
    assert.equal(object.status?.conditions?.map(({ type }) => type).sort(), ['Available', 'Progressing']);
    for (const { observedGeneration, lastTransitionTime } of object.status?.conditions ?? []) {
      assert.is(observedGeneration, object.metadata.generation);
      assert.match(lastTransitionTime, TIME);
    }
    assert.match(String(object.status?.lastSyncTime), TIME);
  }
  assert.is(subnet.status?.resource?.['networkID'], network.status?.id);
  assert.is(subnet.status?.resource?.['cidr'], '192.168.155.0/24');
  assert.is(network.status?.resource?.['name'], world.name('net'));
  assert.is(network.status?.resource?.['status'], 'ACTIVE');

  assert.equal([...(network.metadata.finalizers ?? [])].sort(), [`${PREFIX}/network`, `${PREFIX}/subnet`]);
  assert.equal(subnet.metadata.finalizers, [`${PREFIX}/subnet`]);
  assert.equal([...(secret.metadata.finalizers ?? [])].sort(), [`${PREFIX}/network`, `${PREFIX}/subnet`]);

  const finalizer = (name: string): JsonObject => ({
    'f:metadata': { 'f:finalizers': { [`v:"${PREFIX}/${name}"`]: {} } },
  });
  const owned = managers(network);
  assert.equal(owned[`${PREFIX}/networkcontroller/finalizer`], ['Apply', '', finalizer('network')]);
  assert.equal(owned[`${PREFIX}/subnetcontroller`], ['Apply', '', finalizer('subnet')]);
  assert.equal(owned[`${PREFIX}/networkcontroller/status`]?.slice(0, 2), ['Apply', 'status']);
  const [, , fields] = owned[`${PREFIX}/networkcontroller/status`] ?? [];
  const status = (fields as { 'f:status': JsonObject })['f:status'];
  assert.equal(Object.keys(status).sort(), ['f:conditions', 'f:lastSyncTime', 'f:resource']);
  const recorder = (network.metadata.managedFields ?? []).find(
    ({ fieldsV1, subresource }) => subresource === 'status' && 'f:id' in ((fieldsV1['f:status'] ?? {}) as JsonObject),
  );
  assert.is(recorder?.operation, 'Update');
  assert.equal(
    Object.keys(managers(subnet))
      .filter((name) => name.startsWith(PREFIX))
      .sort(),
    [`${PREFIX}/subnetcontroller/finalizer`, `${PREFIX}/subnetcontroller/status`],
  );
  assert.equal(
    Object.keys(managers(secret))
      .filter((name) => name.startsWith(PREFIX))
      .sort(),
    [`${PREFIX}/networkcontroller`, `${PREFIX}/subnetcontroller`],
  );
}

function managers({ metadata }: Raw): Record<string, readonly [string, string, JsonObject]> {
  const entries = (metadata.managedFields ?? []).map(
    ({ manager, operation, subresource = '', fieldsV1 }: ManagedFields) =>
      [manager, [operation, subresource, fieldsV1]] as const,
  );
  return Object.fromEntries(entries);
}

/** Status is written only when it changes, and `lastTransitionTime` moves with what it dates (I8). */
function eachWriteSaysSomethingNew(history: readonly Raw[]): void {
  for (const [index, object] of history.entries()) {
    const before = history[index - 1];
    if (before === undefined) continue;
    const text = ({ metadata: { finalizers, generation, deletionTimestamp }, status }: Raw): string =>
      JSON.stringify([finalizers, generation, deletionTimestamp, status]);
    assert.is.not(text(object), text(before));
    for (const type of ['Available', 'Progressing']) {
      const [now, then] = [condition(object, type), condition(before, type)];
      const same = now.status === then.status && now.reason === then.reason && now.message === then.message;
      if (same) assert.is(now.lastTransitionTime, then.lastTransitionTime);
    }
  }
}

/** Whoever is gone has left no mail: no value of its own mailbox, and no claim in another's. */
async function noClaimsLeft(world: World): Promise<void> {
  await world.eventually('no mail about those who are gone', async () => {
    const left = (await world.mail()).filter(({ subject }) => {
      const { to } = subject;
      const there = [to, ...('from' in subject ? [subject.from] : [])].filter(({ plural }) => plural !== 'secrets');
      return there.some(({ plural, name }) => !world.follower.all().some((object) => isAt(object, plural, name)));
    });
    return left.length === 0 ? undefined : JSON.stringify(left.map(({ subject }) => subject));
  });
}

function isAt({ kind, metadata }: Raw, plural: string, name: string): boolean {
  return `${kind.toLowerCase()}s` === plural && metadata.name === name;
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...value].sort() : value;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
