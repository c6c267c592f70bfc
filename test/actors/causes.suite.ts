// The true root cause of failures that are staged for real, as both name it who are asked: `troupe why` and the page.
import pino from 'pino';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { registryOf } from '../../actors/effects/operations-service.ts';
import { source } from '../../actors/visualizer/source.ts';
import type { FeedListener, Inspected, Problems, Source, Verdict } from '../../actors/visualizer/wire.ts';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { openstackWith } from '../../adapters/openstack/mod.ts';
import { addressKey, type Bus, type JsonObject, SHARDS, shardOf } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import {
  CREDENTIALS,
  condition,
  inWorld,
  type Kind,
  resourceOf,
  type World,
  type WorldOptions,
} from '../world/world.ts';
import { ask, holdLeaderLease, releaseLeaderLease } from './cli/why/why.suite.ts';
import { TROUBLES } from './failures.suite.ts';

/** What people ask about, and what the first cause has to name: summary and advice. */
export interface Staged {
  readonly kind: Kind;
  readonly name: string;
  readonly summary: readonly string[];
  readonly advice: readonly string[];
  /** Labels down to the cause, where it lies further down. */
  readonly chain?: readonly string[];
  /** A world in which something is wrong with Troupe itself logs an error. */
  readonly errors?: readonly string[];
}

export interface Case {
  readonly stage: (world: World) => Promise<Staged>;
  /** Follows the advice, and returns the expected result: the object becomes available, or is deleted. */
  readonly follow: (world: World, staged: Staged) => Promise<'available' | 'gone'>;
  readonly options?: WorldOptions;
  /** Of the runtime, and of those who are asked. */
  readonly adapters?: readonly ConfiguredAdapter[];
}

const CIDR = '192.0.2.0/24';

function addressOf(world: World, { kind, name }: Pick<Staged, 'kind' | 'name'>) {
  const { realm, plural } = resourceOf(kind);
  return { realm, plural, namespace: world.namespace, name };
}

/** A network, and a subnet on it that people ask about. */
async function pair(world: World, network: JsonObject = {}, more: JsonObject = {}) {
  const [net, subnet] = [world.name('net'), world.name('subnet')];
  await world.apply(
    world.managed('Network', net, network, more),
    world.managed('Subnet', subnet, { networkRef: net, ipVersion: 4, cidr: CIDR }),
  );
  return { net, subnet, chain: [`Subnet/${subnet}`, `Network/${net}`] };
}

/** The same with a Secret of its own for the network. */
async function pairWith(world: World, content: string | Readonly<Record<string, string>>) {
  const secretName = world.name('clouds');
  await world.secret(secretName, content);
  const ref = { cloudCredentialsRef: { secretName, cloudName: world.ground.cloudName } };
  return { ...(await pair(world, {}, ref)), secretName };
}

/** Two networks of one name in the cloud: the second one waits, and is told what to do. */
async function rivals(world: World): Promise<Staged> {
  const [one, other, name] = [world.name('one'), world.name('other'), world.name('shared')];
  await world.apply(world.managed('Network', one, { name }));
  await world.available('Network', one);
  await world.apply(world.managed('Network', other, { name }));
  await world.progressing('Network', other, 'Progressing', /one resource is one object's/);
  const advice = ['give this one another spec.resource.name', 'managementPolicy unmanaged', 'delete the other'];
  return { kind: 'Network', name: other, summary: [`Network/${other}`, `${world.namespace}/${one}`], advice };
}

const BUG = 'a bug in the code of networks';

/** The code of networks throws where it is asked to whom they refer, or what they say. */
function defectiveNetworks(where: 'references' | 'status'): ConfiguredAdapter {
  const fail = (): never => {
    throw new TypeError(BUG);
  };
  const adapter = openstackWith({});
  const kinds = adapter.kinds.map((kind) => {
    if (kind.kind !== 'Network') return kind;
    if (where === 'references') return { ...kind, references: fail };
    return { ...kind, life: { ...kind.life, statusKey: fail, status: fail, failureStatus: fail } };
  });
  return { ...adapter, kinds };
}

/** Corrects the code that the log of troupe names, and restarts troupe. */
async function repairCode(world: World): Promise<'available'> {
  await world.stop();
  await world.start({ adapters: [openstackWith({})] });
  return 'available';
}

export const CASES: Readonly<Record<string, Case>> = {
  'a missing Secret': {
    options: { credentials: 'absent' },
    async stage(world) {
      const { subnet } = await pair(world);
      await world.progressing('Subnet', subnet, 'Progressing', /Secret/);
      const summary = [`Secret/${CREDENTIALS} does not exist`];
      return { kind: 'Subnet', name: subnet, summary, advice: ['create it'] };
    },
    async follow(world) {
      await world.secret(CREDENTIALS, world.ground.cloudsYaml);
      return 'available';
    },
  },
  '33.F2: what carries the finalizer and no id, and is deleted with credentials that lead nowhere': {
    async stage(world) {
      await world.stop();
      const name = world.name('taken');
      const cloudCredentialsRef = { secretName: CREDENTIALS, cloudName: 'nowhere' };
      const manifest = world.managed('Network', name, {}, { cloudCredentialsRef });
      await world.apply(manifest);
      await world.patch('Network', name, { metadata: { finalizers: ['openstack.k-orc.cloud/network'] } });
      await world.delete('Network', name);
      await world.start();
      await world.progressing('Network', name, 'TransientError', /no cloud named/);
      const advice = ["add cloud 'nowhere'", `set spec.managedOptions.onDelete of Network/${name} to detach`];
      return { kind: 'Network', name, summary: [`Secret/${CREDENTIALS}`, 'no cloud named'], advice };
    },
    async follow(world, { name }) {
      await world.patch('Network', name, { spec: { managedOptions: { onDelete: 'detach' } } });
      return 'gone';
    },
  },
  'a wrong password': {
    async stage(world) {
      const { net, subnet, secretName, chain } = await pairWith(world, TROUBLES['a wrong password'].content(world));
      await world.progressing('Network', net, 'TransientError', /401/);
      const advice = ["cloud 'openstack'", `the key 'clouds.yaml' of Secret/${secretName}`, 'password'];
      return { kind: 'Subnet', name: subnet, summary: [`Secret/${secretName}: `, '401'], advice, chain };
    },
    async follow(world, { summary: [secret = ''] }) {
      await world.secret(secret.slice('Secret/'.length, -2), world.ground.cloudsYaml);
      return 'available';
    },
  },
  'a quota that is used up': {
    async stage(world) {
      const projectRef = world.name('owner');
      await world.apply(world.managed('Project', projectRef));
      const { status } = await world.available('Project', projectRef);
      await world.cloud('PUT', `/quotas/${status?.id}`, { quota: { network: 0 } });
      const { net, subnet, chain } = await pair(world, { projectRef });
      await world.progressing('Network', net, 'TransientError', /is used up/);
      const summary = [`quota 'network' of the project of cloud 'openstack' of Secret/${CREDENTIALS}`];
      return { kind: 'Subnet', name: subnet, summary, advice: ["raise quota 'network'"], chain };
    },
    async follow(world) {
      const project = await world.read('Project', world.name('owner'));
      await world.cloud('PUT', `/quotas/${project?.status?.id}`, { quota: { network: 10 } });
      return 'available';
    },
  },
  'a missing domain three hops away': {
    async stage(world) {
      const [port, net, project, lost] = ['port', 'net', 'project', 'lost'].map((each) => world.name(each));
      await world.apply(
        world.managed('Port', port as string, { networkRef: net as string }),
        world.managed('Network', net as string, { projectRef: project as string }),
        world.managed('Project', project as string, { domainRef: lost as string }),
      );
      for (const [kind, name, wait] of [
        ['Project', project, `Domain/${lost} to be created`],
        ['Network', net, `Project/${project} to be ready`],
        ['Port', port, `Network/${net} to be ready`],
      ] as const)
        await world.progressing(kind, name as string, 'Progressing', `Waiting for ${wait}`);
      return {
        kind: 'Port',
        name: port as string,
        summary: [`Domain/${lost} does not exist`],
        advice: ['create it', `Project/${project}`],
        chain: [`Port/${port}`, `Network/${net}`, `Project/${project}`, `Domain/${lost}`],
      };
    },
    async follow(world) {
      await world.apply(world.managed('Domain', world.name('lost')));
      return 'available';
    },
  },
  'a guard that holds a deletion': {
    async stage(world) {
      const { net, subnet } = await pair(world);
      await world.available('Subnet', subnet);
      await world.delete('Network', net);
      await world.progressing('Network', net, 'Progressing', /held by/);
      const summary = [`Subnet/${subnet} still refers to Network/${net}`];
      const chain = [`Network/${net}`, `Subnet/${subnet}`];
      return { kind: 'Network', name: net, summary, advice: [`delete Subnet/${subnet}`], chain };
    },
    async follow(world, { chain: [, holder = ''] = [] }) {
      await world.delete('Subnet', holder.slice('Subnet/'.length));
      return 'gone';
    },
  },
  'a spec that the cloud refuses': {
    async stage(world) {
      const [net, subnet, port] = [world.name('net'), world.name('subnet'), world.name('port')];
      await world.apply(
        world.managed('Network', net),
        world.managed('Subnet', subnet, {
          networkRef: net,
          ipVersion: 4,
          cidr: CIDR,
          allocationPools: [{ start: '192.0.2.10', end: '192.0.2.20' }],
          gateway: { type: 'IP', ip: '192.0.2.15' },
        }),
        world.managed('Port', port, { networkRef: net, addresses: [{ subnetRef: subnet }] }),
      );
      await world.progressing('Subnet', subnet, 'InvalidConfiguration', /gateway/i);
      const summary = [`Subnet/${subnet}: InvalidConfiguration`, '192.0.2.15'];
      const chain = [`Port/${port}`, `Subnet/${subnet}`];
      return { kind: 'Port', name: port, summary, advice: ['spec.resource.gateway'], chain };
    },
    async follow(world, { chain }) {
      const subnet = chain?.at(-1)?.slice('Subnet/'.length) ?? '';
      await world.patch('Subnet', subnet, { spec: { resource: { gateway: { type: 'IP', ip: '192.0.2.1' } } } });
      return 'available';
    },
  },
  'a cloud that refuses connections': {
    async stage(world) {
      const content = TROUBLES['a cloud that cannot be reached'].content(world);
      const { net, subnet, secretName, chain } = await pairWith(world, content);
      await world.progressing('Network', net, 'TransientError', /ECONNREFUSED/);
      const summary = [`cloud 'openstack' of Secret/${secretName}`, 'ECONNREFUSED', '127.0.0.1:1'];
      return { kind: 'Subnet', name: subnet, summary, advice: ['auth.auth_url', `Secret/${secretName}`], chain };
    },
    async follow(world) {
      await world.secret(world.name('clouds'), world.ground.cloudsYaml);
      return 'available';
    },
  },
  'a cloud that is silent': {
    async stage(world) {
      world.simulator.faults.inject({ times: Number.POSITIVE_INFINITY, delayMs: 60_000 });
      const { net, subnet, chain } = await pair(world);
      await world.progressing('Network', net, 'TransientError', /./);
      const { host } = new URL(/auth_url: *(\S+)/.exec(world.ground.cloudsYaml)?.[1] ?? '');
      const summary = [`cloud 'openstack' of Secret/${CREDENTIALS}`, host];
      return { kind: 'Subnet', name: subnet, summary, advice: ['see that the cloud answers there'], chain };
    },
    async follow(world) {
      world.simulator.faults.clear();
      return 'available';
    },
  },
  'drift that is only reported': {
    async stage(world) {
      const name = world.name('net');
      const manifest = world.managed('Network', name, { description: 'mine' }, { resyncPeriod: '1s' });
      const annotations = { 'troupe/drift': 'report' };
      await world.apply({ ...manifest, metadata: { ...(manifest['metadata'] as JsonObject), annotations } });
      const { status } = await world.available('Network', name);
      world.simulator.drift.change('networks', String(status?.id), { description: 'theirs' });
      await world.until('Network', name, 'drifted', (object) => condition(object, 'Drifted').status === 'True');
      const advice = [`the spec of Network/${name}`, 'troupe/drift: repair'];
      return { kind: 'Network', name, summary: [`Network/${name}`, 'is not corrected: description'], advice };
    },
    async follow(world, { name }) {
      await world.patch('Network', name, { metadata: { annotations: { 'troupe/drift': 'repair' } } });
      return 'available';
    },
  },
  'an import that matches nothing yet': {
    async stage(world) {
      const name = world.name('net');
      await world.apply({
        ...world.managed('Network', name),
        spec: {
          cloudCredentialsRef: { secretName: CREDENTIALS, cloudName: world.ground.cloudName },
          managementPolicy: 'unmanaged',
          import: { filter: { name } },
        },
      });
      await world.progressing('Network', name, 'Progressing', /created externally/);
      const advice = ['create it there', 'spec.import'];
      return { kind: 'Network', name, summary: [`Network/${name}`, 'to be created externally'], advice };
    },
    async follow(world, { name }) {
      await world.outside(name);
      return 'available';
    },
  },
  "a resource that is another object's, which is given another name": {
    stage: rivals,
    async follow(world, { name }) {
      await world.patch('Network', name, { spec: { resource: { name: `${name}-of-its-own` } } });
      return 'available';
    },
  },
  "a resource that is another object's, when the other is deleted": {
    stage: rivals,
    async follow(world, { summary: [, conflictingOwner = ''] }) {
      await world.delete('Network', conflictingOwner.slice(conflictingOwner.indexOf('/') + 1));
      return 'available';
    },
  },
  "a resource that is another object's, made anew as an import": {
    stage: rivals,
    async follow(world, { name, summary: [, conflictingOwner = ''] }) {
      const manifest = world.managed('Network', name);
      await world.delete('Network', name);
      await world.gone('Network', name);
      const of = await world.available('Network', conflictingOwner.slice(conflictingOwner.indexOf('/') + 1));
      const { resource: _, ...spec } = manifest['spec'] as JsonObject;
      const id = String(of.status?.id);
      await world.apply({ ...manifest, spec: { ...spec, managementPolicy: 'unmanaged', import: { id } } });
      return 'available';
    },
  },
  'ORC that leads still': {
    options: { runtime: 'stopped' },
    async stage(world) {
      const lease = await holdLeaderLease(world, 'orc-manager');
      await world.start();
      const { subnet } = await pair(world);
      const summary = ['ORC leads', 'orc-manager', lease];
      return { kind: 'Subnet', name: subnet, summary, advice: ['scale its Deployment to zero'] };
    },
    async follow(world, { summary: [, , lease = ''] }) {
      await releaseLeaderLease(world, lease);
      return 'available';
    },
  },
};

/** Ends the staged condition of a world, where the names of objects are not enough. */
const PUT_RIGHT = new WeakMap<World, () => Promise<void>>();

/** What is told of who hosts the objects, and how their code fares there. */
export const HOSTING_CASES: Readonly<Record<string, Case>> = {
  'a quarantined object': {
    options: { runtime: 'stopped' },
    adapters: [defectiveNetworks('references')],
    async stage(world) {
      await world.start({ adapters: [defectiveNetworks('references')] });
      const { net, subnet, chain } = await pair(world);
      await world.progressing('Network', net, 'TransientError', new RegExp(BUG));
      const summary = [`Network/${net}`, 'the code that serves it fails', BUG];
      const advice = ['the log of troupe', `edit Network/${net}`];
      return { kind: 'Subnet', name: subnet, summary, advice, chain, errors: [net] };
    },
    follow: repairCode,
  },
  'a quarantined object that cannot say so': {
    options: { runtime: 'stopped' },
    adapters: [defectiveNetworks('status')],
    async stage(world) {
      await world.start({ adapters: [defectiveNetworks('status')] });
      const { net, subnet, chain } = await pair(world);
      await world.eventually('the network is quarantined', () =>
        world.eventsOf('Network', net, 'quarantined').length > 0 ? undefined : JSON.stringify(world.events),
      );
      const summary = [`Network/${net}`, 'the code that serves it fails', BUG];
      return { kind: 'Subnet', name: subnet, summary, advice: ['the log of troupe'], chain, errors: [net] };
    },
    follow: repairCode,
  },
  'no process that hosts anything': {
    async stage(world) {
      await world.stop();
      const { net, subnet, chain } = await pair(world);
      const lease = `shard.${shardOf(addressOf(world, { kind: 'Network', name: net }))}`;
      const summary = [`Network/${net}`, `no process holds the lease ${lease}`, 'nor any other'];
      return {
        kind: 'Subnet',
        name: subnet,
        summary,
        advice: ["begin a process of troupe with the role 'actors'"],
        chain,
      };
    },
    async follow(world) {
      await world.start();
      return 'available';
    },
  },
  'a lost lease, while another process holds the others': {
    async stage(world) {
      await world.stop();
      const name = world.name('net');
      const lost = shardOf(addressOf(world, { kind: 'Network', name }));
      const { leases } = await world.observe();
      const held = [await leases.acquire('pod.other', 'other')];
      for (let shard = 0; shard < SHARDS; shard++)
        if (shard !== lost) held.push(await leases.acquire(`shard.${shard}`, 'other'));
      PUT_RIGHT.set(world, async () => {
        for (const lease of held) await lease?.release();
      });
      await world.apply(world.managed('Network', name));
      const summary = [`Network/${name}`, `no process holds the lease shard.${lost}`, 'others are held by other'];
      return { kind: 'Network', name, summary, advice: ['the log of other'] };
    },
    async follow(world) {
      await PUT_RIGHT.get(world)?.();
      await world.start();
      return 'available';
    },
  },
};

/** The one that takes a server of its own: a bus in memory cannot be away for one and there for another. */
export const BUS_CASES: Readonly<Record<string, Case>> = {
  'NATS that is down': {
    async stage(world) {
      const { ground } = world;
      assert.ok(ground.interruptBus !== undefined && ground.nats !== undefined, 'this bus can be killed');
      PUT_RIGHT.set(world, await ground.interruptBus());
      const { subnet } = await pair(world);
      const summary = ['the bus is away', new URL(ground.nats.url).host];
      return { kind: 'Subnet', name: subnet, summary, advice: ['nats-server'] };
    },
    async follow(world) {
      await PUT_RIGHT.get(world)?.();
      return 'available';
    },
  },
};

/** The page's source, on a connection of its own. */
export async function withSource(
  world: World,
  adapters: readonly ConfiguredAdapter[],
  run: (asked: Source) => Promise<void>,
): Promise<void> {
  const bus: Bus = await world.ground.connect('page');
  const asked = source({
    bus,
    client: world.client,
    registry: registryOf(adapters),
    adapters,
    namespaces: undefined,
    clock: world.clock,
    log: pino({ level: 'silent' }),
  });
  try {
    await run(asked);
  } finally {
    await asked.close();
    await bus.close();
  }
}

export function keyOf(world: World, staged: Pick<Staged, 'kind' | 'name'>): string {
  return addressKey(addressOf(world, staged));
}

const unheard = (): undefined => undefined;
/** Who follows, and needs to hear nothing. */
const UNHEARD: FeedListener = { onSnapshot: unheard, onChanges: unheard, onTrouble: unheard };

/** Both name the same cause first. */
export function describeCauses(test: Test, openGround: OpenGround, cases: Readonly<Record<string, Case>>): void {
  for (const [title, { stage, follow, options = {}, adapters = [openstackWith({})] }] of Object.entries(cases)) {
    test(`${title} is what is named first, whoever is asked`, () =>
      inWorld(openGround, options, async (world) => {
        // Who looks has looked before it happens.
        await withSource(world, adapters, async (asked) => {
          const following = await asked.follow(UNHEARD);
          const staged = await stage(world);
          await namedByWhy(world, staged, adapters);
          await namedByPage(world, staged, asked);
          await recovers(world, staged, await follow(world, staged));
          await following.close();
          const errors = new Set(world.lines('error').map(({ name }) => name));
          assert.equal([...errors], staged.errors ?? []);
        });
      }));
  }
}

/** What was advised has helped, and nothing is told of the object any more. */
async function recovers(world: World, { kind, name }: Staged, end: 'available' | 'gone'): Promise<void> {
  if (end === 'gone') return world.gone(kind, name);
  await world.available(kind, name);
  await world.eventually('nothing is told of it', async () => {
    const { code, out } = await ask(world, [`${kind}/${name}`], { adapters: [openstackWith({})] });
    return code === 0 ? undefined : out;
  });
}

async function namedByWhy(world: World, staged: Staged, adapters: readonly ConfiguredAdapter[]): Promise<void> {
  const { kind, name, chain = [] } = staged;
  const asking = { adapters, openBus: () => world.ground.connect('why') };
  const one = await ask(world, [`${kind}/${name}`], { ...asking, output: 'json' });
  const { rootCause, causes } = JSON.parse(one.out) as {
    readonly rootCause?: Verdict;
    readonly causes: readonly Verdict[];
  };
  assert.equal([misnamed(rootCause, staged), one.code], [undefined, 1], JSON.stringify(causes));
  const { out, last } = await ask(world, [`${kind}/${name}`], asking);
  // Durations move on.
  assert.is(misnamed({ summary: last, advice: last }, staged), undefined, out);
  assert.match(last, /^root cause: /);
  for (const label of chain) assert.match(out, label);
  const all = await ask(world, [], { ...asking, output: 'json' });
  const overview = JSON.parse(all.out) as { readonly causes: readonly Verdict[] };
  assert.is(misnamed(overview.causes[0], staged), undefined, JSON.stringify(overview.causes));
}

async function namedByPage(world: World, staged: Staged, asked: Source): Promise<void> {
  const { chain = [] } = staged;
  let inspected: Inspected | undefined;
  await world.eventually('the page names the cause of the object', async () => {
    inspected = await asked.inspect(keyOf(world, staged));
    return misnamed(inspected?.causes[0], staged) && JSON.stringify(inspected?.causes);
  });
  const labels = inspected?.chain.map(({ label }) => label) ?? [];
  for (const label of chain) assert.ok(labels.includes(label), `${label} in ${labels}`);
  let found: Problems | undefined;
  await world.eventually('the page names the cause among all problems', async () => {
    found = await asked.problems();
    const { notes, problems } = found;
    return misnamed([...notes, ...problems][0], staged) && JSON.stringify([notes, problems]);
  });
}

/** What is not named; undefined: all is. */
function misnamed(cause: Verdict | undefined, { summary, advice }: Staged): string | undefined {
  if (cause === undefined) return 'there is no cause';
  return [
    ...summary.filter((part) => !cause.summary.includes(part)),
    ...advice.filter((part) => !cause.advice.includes(part)),
  ][0];
}
