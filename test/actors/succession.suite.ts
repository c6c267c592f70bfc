// Taking over from ORC: what it left settled is left alone, and nothing is
// touched while it leads.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import { type Check, CREDENTIALS, checkIn, type Kind, type World } from '../world/world.ts';
import { guardAsOrc, type Settled, settleAsOrc } from './orc.ts';

const GROUP = 'openstack.k-orc.cloud';
const APPLY = 'application/apply-patch+yaml';
const LEASE = 'f35396c5.k-orc.cloud';
/** Networks, each with a subnet on it. */
const PAIRS = 100;

export function describeSuccession(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);
  describeSettled(check);
  describeLease(check);
  describeKinds(check);
  describeNamespaces(check);
}

function describeSettled(check: Check): void {
  check(
    `what ORC left settled costs no call and no write, and a later change works at once (${2 * PAIRS} objects)`,
    async (world) => {
      const names = Array.from({ length: PAIRS }, (_, index) => world.name(String(index).padStart(3, '0')));
      await guardAsOrc(world, 'Secret', CREDENTIALS, 'network', 'subnet');
      for (const [index, name] of names.entries()) {
        const network = await world.cloud('POST', '/networks', { network: { name } });
        const networkId = String((network['network'] as JsonObject)['id']);
        const cidr = `10.${index}.0.0/24`;
        const subnet = await world.cloud('POST', '/subnets', {
          subnet: { name, network_id: networkId, ip_version: 4, cidr },
        });
        const subnetId = String((subnet['subnet'] as JsonObject)['id']);
        await leave(world, 'Network', name, { spec: {}, id: networkId, resource: { name, status: 'ACTIVE' } });
        const spec = { networkRef: name, ipVersion: 4, cidr };
        await leave(world, 'Subnet', name, { spec, id: subnetId, resource: { name, cidr } });
        await guardAsOrc(world, 'Network', name, 'subnet');
      }
      const kinds = ['Network', 'Subnet'] as const;
      const before = await Promise.all(kinds.flatMap((kind) => names.map((name) => world.read(kind, name))));
      const secret = await world.read('Secret', CREDENTIALS);
      const asked = { ...world.ground.simulator?.calls() };

      await world.start();
      await world.eventually('all live, and are at rest', () => {
        const atRest = world.runtime?.countByState().get('idle.available') ?? 0;
        return atRest >= 2 * PAIRS ? undefined : `${atRest} are`;
      });
      // Whatever would be written, or asked of the cloud, would be by now.
      await world.clock.sleep(1_000);
      const after = await Promise.all(kinds.flatMap((kind) => names.map((name) => world.read(kind, name))));
      assert.equal(after, before);
      assert.equal(await world.read('Secret', CREDENTIALS), secret);
      assert.equal({ ...world.ground.simulator?.calls() }, asked);

      const [first = ''] = names;
      await world.patch('Network', first, { spec: { resource: { description: 'new' } } });
      await world.until('Network', first, 'changed', ({ status }) => status?.resource?.['description'] === 'new');
      const [changed] = (await world.contents('networks')).filter(({ name }) => name === first);
      assert.is(changed?.['description'], 'new');
      const { managedFields = [] } = (await world.available('Network', first)).metadata;
      const managers = managedFields.filter(({ manager }) => manager.startsWith(GROUP)).map(({ manager }) => manager);
      assert.equal([...new Set(managers)].sort(), [
        `${GROUP}/networkcontroller/finalizer`,
        `${GROUP}/networkcontroller/status`,
        `${GROUP}/subnetcontroller`,
      ]);
    },
    { runtime: 'stopped' },
  );
}

function describeLease(check: Check): void {
  check(
    'nothing is touched while ORC leads, and everything once it does not; it may come back (LEGACY-CONTROLLER-1, LEGACY-CONTROLLER-2)',
    async (world) => {
      await lease(world, 'orc-1');
      await world.apply(world.managed('Network', world.name('net')));
      await world.start();
      await world.eventually('the reason is told', () =>
        world.logs.some(({ msg }) => String(msg).startsWith('ORC holds its leader lease')) ? undefined : 'silence',
      );
      await world.clock.sleep(300);
      assert.is((await world.read('Network', world.name('net')))?.metadata.finalizers, undefined);
      await lease(world, '');
      await world.available('Network', world.name('net'));

      await lease(world, 'orc-2');
      await world.eventually('nothing lives here', () => {
        const living = [...(world.runtime?.countByState().values() ?? [])].reduce((sum, count) => sum + count, 0);
        return living === 0 ? undefined : `${living} do`;
      });
      await world.apply(world.managed('Network', world.name('late')));
      await world.clock.sleep(300);
      assert.is((await world.read('Network', world.name('late')))?.metadata.finalizers, undefined);
      // A manager that was killed says nothing: its lease ends by itself.
      await lease(world, 'orc-2', 1);
      await world.available('Network', world.name('late'));
    },
    { runtime: 'stopped' },
  );
}

function describeKinds(check: Check): void {
  check(
    '33.F3: kinds that are named wait for ORC like all others, and are all that is touched then (LEGACY-CONTROLLER-1)',
    async (world) => {
      await lease(world, 'orc-1');
      await world.apply(
        world.managed('Subnet', world.name('sub'), {
          networkRef: world.name('net'),
          ipVersion: 4,
          cidr: '10.0.0.0/24',
        }),
        world.managed('Network', world.name('net')),
      );
      await world.start({ kinds: ['subnets'] });
      // ORC makes the network, and would make the subnet next.
      const network = await world.cloud('POST', '/networks', { network: { name: world.name('net') } });
      const id = String((network['network'] as JsonObject)['id']);
      await leave(world, 'Network', world.name('net'), { spec: {}, id, resource: { status: 'ACTIVE' } });
      await world.eventually('the reason is told', () =>
        world.logs.some(({ msg }) => String(msg).startsWith('ORC holds its leader lease')) ? undefined : 'silence',
      );
      await world.clock.sleep(60_000);
      const { metadata: subnet, status } = (await world.read('Subnet', world.name('sub'))) ?? {};
      assert.equal([subnet?.finalizers, status, await world.contents('subnets')], [undefined, undefined, []]);
      await lease(world, '');
      await world.available('Subnet', world.name('sub'));
      const metadata = (await world.read('Network', world.name('net')))?.metadata;
      assert.equal([...(metadata?.finalizers ?? [])].sort(), [`${GROUP}/network`, `${GROUP}/subnet`]);
      await world.delete('Subnet', world.name('sub'));
      await world.gone('Subnet', world.name('sub'));
    },
    { runtime: 'stopped' },
  );
}

function describeNamespaces(check: Check): void {
  check(
    'only objects of the namespaces that are named are cared for',
    async (world) => {
      const other = `${world.namespace}-other`;
      await world.createNamespace(other);
      await world.apply(world.managed('Network', world.name('net')));
      const elsewhere = { ...world.managed('Network', world.name('net')), metadata: { name: 'net', namespace: other } };
      const path = world.path('Network', 'net').replace(`/${world.namespace}/`, `/${other}/`);
      await world.client.call({ method: 'POST', path: path.replace(/\/net$/, ''), body: elsewhere });
      await world.start({ namespaces: [world.namespace] });
      await world.available('Network', world.name('net'));
      await world.clock.sleep(300);
      const { body } = await world.client.call({ method: 'GET', path });
      assert.is((body['metadata'] as JsonObject)['finalizers'], undefined);
      assert.is(body['status'], undefined);
    },
    { runtime: 'stopped' },
  );
}

/** An object as ORC leaves it once it is up to date. */
async function leave(
  world: World,
  kind: Kind,
  name: string,
  { spec, ...settled }: Settled & { readonly spec: JsonObject },
): Promise<void> {
  await world.apply(world.managed(kind, name, spec));
  await settleAsOrc(world, kind, name, settled);
}

/** ORC's leader lease in this world's namespace; without a holder it is released. */
async function lease(world: World, holderIdentity: string, leaseDurationSeconds = 3_600): Promise<void> {
  const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
  const path = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/${LEASE}`;
  await world.client.call({
    method: 'PATCH',
    path: `${path}?fieldManager=orc&force=true`,
    contentType: APPLY,
    body: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: LEASE, namespace: world.namespace },
      spec: { holderIdentity, leaseDurationSeconds, renewTime },
    },
  });
}
