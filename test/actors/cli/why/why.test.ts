// `troupe why` over objects as the API server has them, by the references of the kinds: what it finds and how it says so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Ink } from '../../../../actors/cli/colors.ts';
import { clusterOverviewText, overviewText, whyText } from '../../../../actors/cli/why/text.ts';
import { ClusterReader } from '../../../../actors/diagnosis/cluster-reader.ts';
import { Diagnosis } from '../../../../actors/diagnosis/diagnosis.ts';
import { causesOf, duration, type Finding, Weight } from '../../../../actors/diagnosis/findings.ts';
import { causesIn, type InfrastructureState } from '../../../../actors/diagnosis/infrastructure-causes.ts';
import { clusterOverviewOf, overviewOf } from '../../../../actors/diagnosis/overview.ts';
import { withoutOperations } from '../../../../actors/effects/operations-service.ts';
import { type Registry, registry } from '../../../../actors/object/registry.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { metal3 } from '../../../../adapters/ironic/mod.ts';
import { ForbiddenError, type Resource } from '../../../../adapters/kubernetes/mod.ts';
import { conditions } from '../../../../machines/bare-metal-host/conditions.ts';
import type { Json, JsonObject, KubeObject } from '../../../../machines/object.ts';
import { ago, known, NOW, object, readingOf, type Saying } from '../objects.ts';

const test = suite('troupe why');

async function ask(kind: string, name: string, ...cluster: readonly KubeObject[]): Promise<Finding> {
  return explain(readingOf(cluster), kind, name);
}

function explain(reading: ClusterReader, kind: string, name: string): Promise<Finding> {
  const plural = `${kind.toLowerCase()}s`;
  const realm = kind === 'Secret' ? 'core' : 'openstack';
  return new Diagnosis({ reading, registry: known, now: NOW }).explain({
    realm,
    plural,
    namespace: 'ns',
    name,
  });
}

async function says(expected: string, kind: string, name: string, ...cluster: readonly KubeObject[]): Promise<void> {
  assert.is(whyText(await ask(kind, name, ...cluster), Ink.Plain), `${expected}\n`);
}

const clouds = object('Secret', 'clouds');
const EMPTY = { items: [], resourceVersion: '1', serverTime: NOW };
const waiting = (what: string): Saying => ({ id: '', says: ['Progressing', `Waiting for ${what}`] });
const app = (saying: Saying): KubeObject =>
  object('Subnet', 'app', { resource: { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24' }, ...saying });

test('what is available waits for nothing', async () => {
  await says(
    `Network/net  available

Network/net waits for nothing`,
    'Network',
    'net',
    object('Network', 'net'),
  );
});

test('what was never there', async () => {
  await says(
    `Network/net  absent

root cause: Network/net does not exist in namespace 'ns'; look for it in another namespace, which -n names`,
    'Network',
    'net',
  );
});

test('a chain ends at the secret that is missing, which is named once (DIAGNOSIS-1, DIAGNOSIS-2)', async () => {
  await says(
    `Subnet/app  waiting for 40 s: Waiting for Secret/clouds to be created
├─ Secret/clouds  absent
└─ Network/net  waiting for 40 s: Waiting for Secret/clouds to be created
   └─ Secret/clouds  absent

root cause: Secret/clouds does not exist; create it, or correct the reference in Subnet/app`,
    'Subnet',
    'app',
    app(waiting('Secret/clouds to be created')),
    object('Network', 'net', waiting('Secret/clouds to be created')),
  );
});

test('a dependency that was refused', async () => {
  await says(
    `Subnet/app  waiting for 40 s: Waiting for Network/net to be ready
└─ Network/net  failed for 40 s: InvalidConfiguration: found two (Available False)

root cause: Network/net: InvalidConfiguration: found two; correct its spec, or what it represents`,
    'Subnet',
    'app',
    clouds,
    app(waiting('Network/net to be ready')),
    object('Network', 'net', { id: '', says: ['InvalidConfiguration', 'found two'] }),
  );
});

/** The root cause alone. */
async function rootOf(kind: string, name: string, ...cluster: readonly KubeObject[]): Promise<string> {
  const [root] = causesOf(await ask(kind, name, ...cluster));
  return root === undefined ? 'none' : `${root.summary}; ${root.advice}`;
}

const network = (saying: Saying): Promise<string> => rootOf('Network', 'net', clouds, object('Network', 'net', saying));
const BY_ITSELF = 'it continues automatically; if not, see that troupe runs and manages this kind and namespace';

test('what cannot be helped by a change, what passes, and what OpenStack is at work on', async () => {
  assert.is(
    await network({ says: ['UnrecoverableError', 'it is gone'] }),
    'Network/net: UnrecoverableError: it is gone; no change of its spec can help: look at it where it lives; it is read ' +
      'again with exponential backoff, and continues automatically once that is repaired',
  );
  assert.is(
    await network({ says: ['TransientError', 'quota exceeded\nand more'] }),
    'Network/net: quota exceeded; and more; it is tried again automatically, with exponential backoff',
  );
  assert.is(
    await network({
      says: ['Progressing', 'Waiting for OpenStack resource to be ready'],
      status: { resource: { status: 'BUILD' } },
    }),
    `Network/net: Waiting for OpenStack resource to be ready, status BUILD, for 40 s; ${BY_ITSELF}`,
  );
  assert.is(
    await network({ available: 'False', status: { resource: { status: 'ERROR' } } }),
    'Network/net is as specified, and cannot be used: id-net has status ERROR; look at id-net where it lives',
  );
});

test('an import that matches nothing', async () => {
  assert.is(
    await network({
      ...waiting('OpenStack resource to be created externally'),
      spec: { managementPolicy: 'unmanaged' },
    }),
    'Network/net: Waiting for OpenStack resource to be created externally, for 40 s; nothing matches its import yet: ' +
      'create it there, or correct spec.import',
  );
});

test('33.B8: what cannot go on by itself is not said to, and no import is corrected where there is none', async () => {
  const conflictingOwner =
    "Waiting for Network other/net to be deleted, which has id-1: one resource is one object's; give this one another spec.resource.name, or delete the other";
  assert.is(
    await network({ id: '', says: ['Progressing', conflictingOwner] }),
    `Network/net: ${conflictingOwner}, for 40 s; give this one another spec.resource.name, or delete the other`,
  );
  const [cause] = causesOf(
    await ask('Network', 'net', clouds, object('Network', 'net', { id: '', says: ['Progressing', conflictingOwner] })),
  );
  assert.is(cause?.weight, Weight.Refused, 'it is listed among what a person has to see to');
  const unmanaged = { managementPolicy: 'unmanaged' };
  assert.is(
    await network({ id: '', says: ['Progressing', 'Waiting for OpenStack resource to be ready'], spec: unmanaged }),
    `Network/net: Waiting for OpenStack resource to be ready, for 40 s; ${BY_ITSELF}`,
  );
  const refused: Saying = { deleted: true, finalizers: ['network'], says: ['InvalidConfiguration', 'it is in use'] };
  assert.match(await network(refused), /^Network\/net: InvalidConfiguration: it is in use; correct its spec/);
  assert.is(
    await network({ ...refused, generation: 2 }),
    `Network/net waits until id-net is deleted, for 90 s; ${BY_ITSELF}`,
    'what was said before the deletion',
  );
});

test('33.B8: a cause around objects is waited for by those whose causes it is behind, and by nobody else', async () => {
  const cluster = [
    clouds,
    ...['a', 'b', 'c'].map((name) => object('Network', name, waiting('Project/lost to be created'))),
    ...['a', 'b', 'c'].map((name) => object('Router', name, { id: '', says: ['InvalidConfiguration', 'no'] })),
    object('SecurityGroup', 'new', { id: '', status: { conditions: [] } }),
  ];
  const deps = { registry: known, now: NOW, reading: readingOf(cluster) };
  const hosting = { kind: 'reported', bus: 'a bus', shards: 8, leases: [], defects: new Map() } as const;
  const reported = async (around: InfrastructureState): Promise<readonly string[]> => {
    const { causes } = await overviewOf(deps, 'ns', async (each) => causesIn(around, each, known));
    return causes.find(({ weight }) => weight === Weight.Stalled || weight === Weight.Led)?.waiting ?? [];
  };
  const passing = ['Network/a', 'Network/b', 'Network/c', 'SecurityGroup/new'];
  assert.equal([...(await reported({ leader: undefined, hosting }))].sort(), passing);
  assert.equal([...(await reported({ leader: undefined, hosting: { kind: 'away', message: 'x' } }))].sort(), passing);
  const all = Array.from({ length: 8 }, (_, shard) => ({ name: `shard.${shard}`, holder: 'p' }));
  assert.equal(await reported({ leader: undefined, hosting: { ...hosting, leases: all } }), []);
  const untold: InfrastructureState = { leader: undefined, hosting: { kind: 'untold', message: 'x' } };
  const { causes } = await overviewOf(deps, 'ns', async (each) => causesIn(untold, each, known));
  assert.equal(causes.find(({ summary }) => summary.startsWith('whether a process'))?.waiting, []);
});

test('33.C5: what a cloud says, and what things are called, moves no cursor', async () => {
  const hostile = '\u001b[2J\u009b31m\u202e';
  const cluster = [
    clouds,
    app({ ...waiting(`Network/net${hostile} to be ready`), resource: { networkRef: `net${hostile}` } }),
    object('Network', `net${hostile}`, { id: '', says: ['TransientError', `quota ${hostile}\nmore`] }),
    object('Network', 'going', { deleted: true, finalizers: [`strange/${hostile}`] }),
  ];
  const overview = await overviewOf({ registry: known, now: NOW, reading: readingOf(cluster) }, 'ns');
  for (const text of [
    whyText(await ask('Subnet', 'app', ...cluster), Ink.Plain),
    whyText(await ask('Network', 'going', ...cluster), Ink.Plain),
    overviewText(overview),
  ]) {
    assert.match(text, '\\u{1b}[2J');
    assert.not.match(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
  }
});

test('what nobody has looked at, new or edited', async () => {
  const running = 'see that troupe runs and manages this kind and namespace';
  const isNew = await network({ id: '', status: { conditions: [] } });
  assert.is(isNew, `no process has looked at Network/net since it was applied, for 5 min; ${running}`);
  const isEdited = await network({ generation: 2 });
  assert.is(isEdited, `no process has looked at Network/net since its spec was changed; ${running}`);
});

test('a step that waits is followed though its object was made long ago', async () => {
  await says(
    `Subnet/app  waiting for 40 s: Waiting for routerinterface/app-subnet to be ready
└─ RouterInterface/app-subnet  waiting for 40 s: Waiting for Router/out to be created
   └─ Router/out  absent

root cause: Router/out does not exist; create it, or correct the reference in RouterInterface/app-subnet`,
    'Subnet',
    'app',
    clouds,
    object('Network', 'net'),
    app({
      resource: { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24', routerRef: 'out' },
      says: ['Progressing', 'Waiting for routerinterface/app-subnet to be ready'],
      available: 'True',
    }),
    object('RouterInterface', 'app-subnet', {
      ...waiting('Router/out to be created'),
      spec: { type: 'Subnet', routerRef: 'out', subnetRef: 'app' },
    }),
  );
});

test('a followed kind is somebody else’s', async () => {
  const port = object('Port', 'p', {
    ...waiting('Server/s to be ready'),
    resource: { networkRef: 'net', hostID: { serverRef: 's' } },
  });
  const server = object('Server', 's', waiting('Volume/v to be ready'));
  assert.is(
    await rootOf('Port', 'p', clouds, object('Network', 'net'), port, server),
    'Server/s is not available: Waiting for Volume/v to be ready; look at the controller of servers',
  );
});

test('a namespace of many that are being deleted reads the references of each a few times, and lets others work', async () => {
  const count = 150;
  let reads = 0;
  const counting = registry(
    known.kinds.map((kind) => ({
      ...kind,
      references(of) {
        reads += 1;
        return kind.references(of);
      },
    })),
    [],
  );
  const objects = Array.from({ length: count }, (_, index) => [
    object('Network', `net${index}`, { deleted: true, finalizers: ['subnet'] }),
    object('Subnet', `sub${index}`, { deleted: true, resource: { networkRef: `net${index}` } }),
  ]).flat();
  let turns = 0;
  setImmediate(() => (turns += 1));
  const deps = { reading: readingOf([clouds, ...objects]), registry: counting, now: NOW };
  const { waiting } = await overviewOf(deps, 'ns');
  assert.is(waiting, 2 * count);
  assert.ok(reads < 10 * count, `${reads} reads`);
  assert.is(turns, 1);
});

test('what may not be read of a Secret counts as existing, and of a kind with a lifecycle it is an error', async () => {
  const cluster = [app({ ...waiting('Network/net to be ready') }), object('Network', 'net')];
  const forbidding = (kind: string): ClusterReader => {
    const reading = readingOf(cluster);
    const get = async (resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined> => {
      if (resource.kind !== kind) return reading.get(resource, { namespace, name });
      throw new ForbiddenError(`${resource.plural} is forbidden`, { isTerminating: false });
    };
    return new ClusterReader({ registry: known, objects: { get, list: async () => EMPTY } });
  };
  const { needs } = await explain(forbidding('Secret'), 'Subnet', 'app');
  assert.equal(needs, []);
  try {
    await explain(forbidding('Network'), 'Subnet', 'app');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ForbiddenError);
  }
});

test('a deleted object is held by those who refer to it, deleted or not (DIAGNOSIS-1)', async () => {
  const finalizers = ['network', 'subnet'];
  const net = object('Network', 'net', { deleted: true, finalizers });
  await says(
    `Network/net  deleting for 90 s
├─ finalizer openstack.k-orc.cloud/network, its own
└─ finalizer openstack.k-orc.cloud/subnet
   ├─ Subnet/app  available
   └─ Subnet/old  deleting for 90 s
      └─ finalizer openstack.k-orc.cloud/subnet, its own

also: Subnet/old waits until id-old is deleted, for 90 s; ${BY_ITSELF}
root cause: Subnet/app still refers to Network/net, and is not deleted; delete Subnet/app, or wait until it is`,
    'Network',
    'net',
    clouds,
    net,
    object('Subnet', 'old', { resource: { networkRef: 'net' }, deleted: true, finalizers: ['subnet'] }),
    app({}),
    object('Subnet', 'other', { resource: { networkRef: 'another' } }),
  );
});

test('an assignment of a role is known by the ids of what it is made of: it has no status.id', async () => {
  const references = { roleRef: 'reader', userRef: 'ada', projectRef: 'shop' };
  const resource = { roleID: 'id-reader', userID: 'id-ada', projectID: 'id-shop' };
  const ids = { id: '', resource: references, status: { resource } };
  const built = object('RoleAssignment', 'grant', ids);
  const others = [object('User', 'ada'), object('Project', 'shop')];
  await says(
    `Role/reader  deleting for 90 s
├─ finalizer openstack.k-orc.cloud/role, its own
└─ finalizer openstack.k-orc.cloud/roleassignment
   └─ RoleAssignment/grant  available

root cause: RoleAssignment/grant still refers to Role/reader, and is not deleted; delete RoleAssignment/grant, or wait until it is`,
    'Role',
    'reader',
    ...[clouds, built, ...others],
    object('Role', 'reader', { deleted: true, finalizers: ['role', 'roleassignment'] }),
  );
  // What it was made of is not needed once it is made.
  const { status: _, ...made } = ids;
  const message = "GET /role_assignments of service 'identity' answered 500: no";
  const failing = object('RoleAssignment', 'grant', { ...made, says: ['TransientError', message] });
  const stored = { ...failing, status: { ...failing.status, resource } };
  const unready = object('Role', 'reader', { says: ['Progressing', 'Waiting for OpenStack resource to be ready'] });
  const { cause, needs } = await ask('RoleAssignment', 'grant', clouds, stored, unready, ...others);
  assert.is(cause?.summary, `RoleAssignment/grant: ${message}`);
  assert.equal(needs, []);
  assert.equal(
    (await ask('RoleAssignment', 'grant', clouds, built, unready, ...others)).id,
    'role.id:id-reader:user.id:id-ada:scope.project.id:id-shop',
  );
});

test('what drifted and is only told of, and what was made of another one', async () => {
  const drifted = object('Network', 'net');
  const condition = {
    type: 'Drifted',
    status: 'True',
    reason: 'Drifted',
    message: 'differs from the spec, and is not corrected: description',
    lastTransitionTime: ago(40),
    observedGeneration: 1,
  };
  const conditions = [...((drifted.status?.['conditions'] ?? []) as readonly JsonObject[]), condition];
  const found = await ask('Network', 'net', clouds, { ...drifted, status: { ...drifted.status, conditions } });
  assert.equal(
    [found.standing, found.cause?.summary, found.cause?.advice],
    [
      'available',
      'Network/net: differs from the spec, and is not corrected: description',
      'bring the spec of Network/net to what is there, or have it brought back with the annotation troupe/drift: repair',
    ],
  );
  const said =
    'OpenStack resource is up to date; it was made of a, Project/shop is b by now: to follow spec.resource.projectRef, delete Network/net and create it again';
  const outdated = await ask(
    'Network',
    'net',
    clouds,
    object('Network', 'net', { says: ['Success', said], available: 'True' }),
  );
  assert.equal(
    [outdated.cause?.summary, outdated.cause?.advice],
    [`Network/net: ${said}`, 'to follow spec.resource.projectRef, delete Network/net and create it again'],
  );
});

test('a download that was given up says why, and what to do', async () => {
  const [summary, advice] = [
    "Image/os: InvalidConfiguration: the download from 'files.example' was answered 404: Unable to download content after 5 attempts",
    "see that 'files.example' has the file, and delete Image/os, which deletes id-os with all that it holds, and create it again then",
  ];
  const given = object('Image', 'os', {
    says: ['InvalidConfiguration', 'Unable to download content after 5 attempts'],
  });
  const downloading = {
    type: 'Downloading',
    status: 'False',
    reason: 'TransientError',
    message: "the download from 'files.example' was answered 404",
    lastTransitionTime: ago(40),
    observedGeneration: 1,
  };
  const conditions = [...((given.status?.['conditions'] ?? []) as readonly JsonObject[]), downloading];
  const { cause } = await ask('Image', 'os', clouds, { ...given, status: { ...given.status, conditions } });
  assert.is(cause?.summary, summary);
  assert.is(cause?.advice, advice);
});

test('of many holders ten are shown', async () => {
  const many = Array.from({ length: 25 }, (_, index) =>
    object('Subnet', `s${index}`, { resource: { networkRef: 'net' } }),
  );
  const finding = await ask(
    'Network',
    'net',
    object('Network', 'net', { deleted: true, finalizers: ['subnet'] }),
    ...many,
  );
  const lines = whyText(finding, Ink.Plain).split('\n');
  assert.is(lines.filter((line) => line.includes('  available')).length, 10);
  assert.ok(lines.includes('   └─ 15 more'), lines.join('\n'));
  assert.ok(lines.includes('also: 5 more'), lines.join('\n'));
});

test('finalizers that no object stands behind: a stranger’s, and one that is about to go', async () => {
  assert.is(
    await network({ deleted: true, finalizers: ['network', 'subnet', 'example.org/backup'] }),
    "Network/net carries the finalizer example.org/backup, which is none of troupe's; the client that put it there has to remove it",
  );
  assert.is(
    await network({ deleted: true, finalizers: ['network', 'subnet'] }),
    `Network/net carries the finalizer openstack.k-orc.cloud/subnet, and no object refers to it any more; ${BY_ITSELF}`,
  );
  assert.is(await network({ deleted: true }), `Network/net is about to be removed; ${BY_ITSELF}`);
});

test('a cleanup that fails, that lacks its credentials, that takes time', async () => {
  const deleted = { deleted: true, finalizers: ['network'] } as const;
  assert.is(
    await network({ ...deleted, says: ['TransientError', 'still in use'] }),
    'Network/net cannot be cleaned up: still in use; it is tried again automatically, with exponential backoff',
  );
  assert.is(
    await rootOf('Network', 'net', object('Network', 'net', deleted)),
    'Secret/clouds does not exist; create it, or correct the reference in Network/net',
  );
  assert.is(await network(deleted), `Network/net waits until id-net is deleted, for 90 s; ${BY_ITSELF}`);
});

test('a secret is held by those who use it; being deleted it serves them and nobody else', async () => {
  const secret = object('Secret', 'clouds', { deleted: true, finalizers: ['network'] });
  const held = object('Network', 'net', { deleted: true, finalizers: ['network'] });
  await says(
    `Secret/clouds  deleting for 90 s
└─ finalizer openstack.k-orc.cloud/network
   └─ Network/net  deleting for 90 s
      └─ finalizer openstack.k-orc.cloud/network, its own

root cause: Network/net waits until id-net is deleted, for 90 s; ${BY_ITSELF}`,
    'Secret',
    'clouds',
    secret,
    held,
  );
  const late = object('Subnet', 'app', { ...waiting('Secret/clouds to be ready'), resource: { networkRef: 'net' } });
  const finding = await ask('Subnet', 'app', secret, object('Network', 'net'), late);
  assert.equal(
    finding.needs.map(({ name, standing }) => [name, standing]),
    [['clouds', 'deleting']],
  );
});

test('a dependent that waits for the successor of what it holds itself lets it go (DIAGNOSIS-1)', async () => {
  const net = object('Network', 'net', { id: '', deleted: true, finalizers: ['subnet'] });
  assert.is(
    await rootOf('Subnet', 'app', clouds, net, app(waiting('Network/net to be ready'))),
    `Subnet/app still refers to Network/net; nothing is built on it, so ${BY_ITSELF}`,
  );
});

test('what comes up again is explained once (DIAGNOSIS-1)', async () => {
  const resource = { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24', routerRef: 'out' };
  const subnet = app({ ...waiting('Router/out to be ready'), resource });
  const router = object('Router', 'out', {
    ...waiting('Network/net to be ready'),
    resource: { externalGateways: [{ networkRef: 'net' }] },
  });
  const net = object('Network', 'net', { ...waiting('Project/p to be created'), resource: { projectRef: 'p' } });
  await says(
    `Subnet/app  waiting for 40 s: Waiting for Router/out to be ready
├─ Network/net  waiting for 40 s: Waiting for Project/p to be created
│  └─ Project/p  absent
└─ Router/out  waiting for 40 s: Waiting for Network/net to be ready
   └─ Network/net  waiting: see above

root cause: Project/p does not exist; create it, or correct the reference in Network/net`,
    'Subnet',
    'app',
    clouds,
    subnet,
    router,
    net,
  );
});

test('objects that wait for each other are a circle (DIAGNOSIS-1)', async () => {
  const link = (name: string, next: string): KubeObject =>
    object('Ring', name, { ...waiting(`Ring/${next} to be ready`), resource: { next } });
  await says(
    `Ring/a  waiting for 40 s: Waiting for Ring/b to be ready
└─ Ring/b  waiting for 40 s: Waiting for Ring/c to be ready
   └─ Ring/c  waiting for 40 s: Waiting for Ring/b to be ready
      └─ Ring/b  waiting: see above

root cause: Ring/b -> Ring/c -> Ring/b wait for each other; take one of the references out`,
    'Ring',
    'a',
    link('a', 'b'),
    link('b', 'c'),
    link('c', 'b'),
  );
  assert.is(await rootOf('Ring', 'a', link('a', 'a')), 'Ring/a waits for itself; take one of the references out');
});

test('a kind that the cluster does not have is said to be missing, with those that it has', async () => {
  const served = ['Network', 'Subnet', 'Service'];
  const crd = (kind: string): string =>
    `the cluster has no kind ${kind}: there is no CustomResourceDefinition ${kind.toLowerCase()}s.openstack.k-orc.cloud`;
  const has = 'of openstack.k-orc.cloud it has Network, Service, Subnet';
  const reported = async (kind: string, name: string, ...cluster: readonly KubeObject[]): Promise<string> => {
    const [root] = causesOf(await explain(readingOf(cluster, served), kind, name));
    return `${root?.summary}; ${root?.advice}`;
  };
  const stranger = 'install it with the software that manages it';
  assert.is(await reported('Server', 'foo'), `${crd('Server')}; ${stranger}; ${has}`);
  assert.is(await reported('Router', 'r'), `${crd('Router')}; install it with 'troupe crds --apply'; ${has}`);
  const port = object('Port', 'p', { ...waiting('Server/s to be created'), resource: { hostID: { serverRef: 's' } } });
  assert.is(
    await reported('Port', 'p', clouds, port),
    `${crd('Server')}; ${stranger}, or take the reference out of Port/p; ${has}`,
  );
  const bare = await explain(readingOf([], []), 'Network', 'net');
  assert.ok(bare.cause?.advice.endsWith('; it has none of openstack.k-orc.cloud'), bare.cause?.advice);
  // It is there, and the object is not.
  assert.is(
    (await explain(readingOf([], served), 'Network', 'net')).cause?.summary,
    "Network/net does not exist in namespace 'ns'",
  );
});

test('who asks why a secret goes is not among those that hold it', async () => {
  const secret = object('Secret', 'clouds', { deleted: true, finalizers: ['network', 'subnet'] });
  const late = object('Network', 'late', waiting('Secret/clouds to be ready'));
  const finding = await ask('Network', 'late', secret, late, object('Network', 'net'));
  const [held] = finding.needs;
  assert.equal(
    held?.heldBy?.map(({ holders }) => holders.map(({ name }) => name)),
    [['net'], []],
  );
  assert.equal(
    causesOf(finding).map(({ summary }) => summary),
    ['Network/net still refers to Secret/clouds, and is not deleted'],
  );
});

test('what the cloud refuses, and where the credentials are wrong', async () => {
  const message = "POST /networks of service 'network' answered 400: Invalid input for dns_domain.";
  assert.is(
    await network({ id: '', says: ['TransientError', message], resource: { dnsDomain: 'x', description: 'd' } }),
    `Network/net: the cloud refuses this spec: ${message}; spec.resource.dnsDomain cannot be changed: delete Network/net and create it again`,
  );
  const denied = 'authentication answered 401: the identity service refuses the credentials';
  assert.is(
    await network({ says: ['TransientError', denied] }),
    `Secret/clouds: ${denied}; correct 'auth' of cloud 'openstack' in the key 'clouds.yaml' of Secret/clouds: user, password or secret, project, domains`,
  );
});

test('a subnet on a network that vanished says which', async () => {
  const message = "POST /subnets of service 'network' answered 404: Network id-net could not be found.";
  const failing = app({ id: '', says: ['TransientError', message] });
  assert.is(
    await rootOf('Subnet', 'app', clouds, object('Network', 'net'), failing),
    `Network/net: its resource is not in the cloud any more: ${message}; edit Network/net, or give it a spec.resyncPeriod: the next read finds it deleted, and re-creates it`,
  );
});

test('an immutable field that was added later has no effect, and is said to have none', async () => {
  const edited: Saying = {
    generation: 2,
    resource: { dnsDomain: 'example.org.', projectRef: 'p' },
    status: {
      resource: { projectID: 'another' },
      conditions: ['Available', 'Progressing'].map((type) => ({
        type,
        status: type === 'Available' ? 'True' : 'False',
        observedGeneration: 2,
        reason: 'Success',
        message: '',
      })),
    },
  };
  const finding = await ask('Network', 'net', object('Network', 'net', edited), object('Project', 'p'));
  assert.is(finding.standing, 'available');
  assert.equal(
    causesOf(finding).map(({ summary, advice }) => `${summary}; ${advice}`),
    [
      'Network/net is not as its spec says: spec.resource.dnsDomain, spec.resource.projectRef cannot be set once the resource is made; take it out of the spec; or delete Network/net, which deletes id-net with all that it holds, and create it again',
    ],
  );
});

test('a whole namespace: the root causes, each with how many wait for it', async () => {
  const denied = 'authentication answered 401: the identity service refuses the credentials';
  const other = { cloudCredentialsRef: { secretName: 'wrong', cloudName: 'openstack' } };
  const link = (name: string, saying: Saying): KubeObject =>
    object('Subnet', name, { ...saying, resource: { networkRef: 'net', ipVersion: 4, cidr: '10.0.0.0/24' } });
  const cluster = [
    clouds,
    object('Secret', 'wrong'),
    object('Network', 'net', { ...waiting('Project/p to be created'), resource: { projectRef: 'p' } }),
    ...['a', 'b', 'c', 'd'].map((name) => link(name, waiting('Network/net to be ready'))),
    object('Router', 'fine'),
    object('Router', 'x', { id: '', says: ['TransientError', denied], spec: other }),
    object('Router', 'y', {
      id: '',
      says: ['TransientError', denied.replace('401', '401 (code 403)')],
      spec: other,
    }),
    object('SecurityGroup', 'two', { id: '', says: ['InvalidConfiguration', 'found two'] }),
  ];
  const deps = { registry: known, now: NOW };
  const overview = await overviewOf({ ...deps, reading: readingOf(cluster) }, 'ns');
  const clause =
    "correct 'auth' of cloud 'openstack' in the key 'clouds.yaml' of Secret/wrong: user, password or secret, project, domains";
  assert.is(
    overviewText(overview),
    `namespace ns: 8 of 9 objects wait, or something is wrong with them

root cause: Project/p does not exist; create it, or correct the reference in Network/net
  5 wait for it: Network/net, Subnet/a, Subnet/b and 2 more
root cause: Secret/wrong: ${denied}; ${clause}
  2 wait for it: Router/x, Router/y
root cause: SecurityGroup/two: InvalidConfiguration: found two; correct its spec, or what it represents
  nothing else waits for it
`,
  );
  assert.is(
    overviewText(await overviewOf({ ...deps, reading: readingOf([object('Router', 'fine')]) }, 'ns')),
    'namespace ns: all of 1 objects wait for nothing\n',
  );
  const empty = overviewText(await overviewOf({ ...deps, reading: readingOf([], []) }, 'ns'));
  assert.match(
    empty,
    /^namespace ns holds none of the objects that troupe manages\nthe cluster has no kind \w+: .*crds --apply/,
  );
});

test('35.B: of all namespaces each is told by itself, though objects and causes have the same words', async () => {
  const inNamespace = (namespace: string, one: KubeObject): KubeObject => ({
    ...one,
    metadata: { ...one.metadata, namespace },
  });
  const waits = (namespace: string): readonly KubeObject[] => [
    inNamespace(namespace, clouds),
    inNamespace(namespace, app(waiting('Network/net to be created'))),
  ];
  const cluster = [
    ...waits('one'),
    ...waits('two'),
    inNamespace('well', object('Network', 'fine')),
    inNamespace('well', clouds),
  ];
  const overview = await clusterOverviewOf({ registry: known, now: NOW, reading: readingOf(cluster) });
  const of = (
    namespace: string,
  ): string => `namespace ${namespace}: 1 of 1 objects wait, or something is wrong with them

root cause: Network/net does not exist; create it, or correct the reference in Subnet/app
  1 waits for it: Subnet/app
`;
  assert.is(
    clusterOverviewText(overview),
    `${of('one')}\n${of('two')}\nall of 1 objects of 1 other namespace wait for nothing\n`,
  );
  // The bus is told once, with all that it holds up.
  const around = { leader: undefined, hosting: { kind: 'away', message: 'nobody answers' } } as const;
  const { causes } = await clusterOverviewOf({ registry: known, now: NOW, reading: readingOf(cluster) }, async (each) =>
    causesIn(around, each, known),
  );
  assert.is(causes.length, 1);
  assert.match(causes[0]?.summary ?? '', 'the bus is away');
});

test('a namespace of many objects is told within a moment, whatever is held by what', async () => {
  const count = 300;
  const cluster = [
    clouds,
    ...Array.from({ length: count }, (_, index) =>
      object('Network', `n${index}`, { deleted: true, finalizers: ['network', 'subnet'] }),
    ),
    ...Array.from({ length: count }, (_, index) =>
      object('Subnet', `s${index}`, {
        resource: { networkRef: `n${index % 10}` },
        deleted: true,
        finalizers: ['subnet'],
      }),
    ),
  ];
  let calls = 0;
  const counting: Registry = {
    ...known,
    claimants: (finalizer) =>
      known.claimants(finalizer).map((kind) => ({
        ...kind,
        references: (of) => {
          calls++;
          return kind.references(of);
        },
      })),
  };
  const deps = { registry: counting, now: NOW, reading: readingOf(cluster) };
  const { waiting } = await overviewOf(deps, 'ns');
  assert.is(waiting, 2 * count);
  // Once for each finalizer of each deleted object.
  assert.ok(calls <= 3 * count * count, String(calls));
});

test('a kind whose status has words of its own is explained by what these come to', async () => {
  const kinds = [configure(metal3, { IRONIC_ENDPOINT: 'http://ironic.test' })].flatMap(withoutOperations);
  const metal = registry(kinds, metal3.referencedKinds ?? []);
  const host = (state: string, errorMessage = ''): KubeObject => {
    const operationalStatus = errorMessage === '' ? 'OK' : 'error';
    const status = { operationalStatus, errorMessage, provisioning: { state, ID: 'node' } };
    const one = { ...object('BareMetalHost', 'one'), spec: { online: true }, status };
    return { ...one, status: { ...status, conditions: conditions(one, { at: NOW }) as unknown as Json } };
  };
  const reported = async (one: KubeObject): Promise<string> => {
    const inquiry = new Diagnosis({ reading: readingOf([one]), registry: metal, now: NOW });
    const asked = { realm: 'metal3', plural: 'baremetalhosts', namespace: 'ns', name: 'one' };
    return whyText(await inquiry.explain(asked), Ink.Plain);
  };
  assert.is(
    await reported(host('provisioned')),
    'BareMetalHost/one  available\n\nBareMetalHost/one waits for nothing\n',
  );
  const failed = await reported(host('inspecting', 'no such BMC'));
  assert.match(
    failed,
    /^BareMetalHost\/one {2}failing for 0 s: Inspecting: no such BMC\n\nroot cause: BareMetalHost\/one: no such BMC; it is tried again/,
  );
  const edited = host('provisioned');
  const behind = { ...edited, metadata: { ...edited.metadata, generation: 2 } };
  assert.match(await reported(behind), /no process has looked at BareMetalHost\/one since its spec was changed/);
  const { status: _, ...fresh } = host('');
  assert.match(await reported(fresh), /no process has looked at BareMetalHost\/one since it was applied/);
  const leaving = host('deleting', 'no such BMC');
  const deleted = { deletionTimestamp: ago(9), finalizers: ['baremetalhost.metal3.io'] };
  assert.match(
    await reported({ ...leaving, metadata: { ...leaving.metadata, ...deleted } }),
    /root cause: BareMetalHost\/one cannot be cleaned up: no such BMC; it is tried again/,
  );
  assert.match(await reported(host('what?')), /^BareMetalHost\/one {2}failed/);
  assert.match(await reported(host('deprovisioning')), /^BareMetalHost\/one {2}waiting/);
});

test('a paused host is a root cause with its annotation, whatever its conditions said before', async () => {
  const kinds = [configure(metal3, { IRONIC_ENDPOINT: 'http://ironic.test' })].flatMap(withoutOperations);
  const metal = registry(kinds, metal3.referencedKinds ?? []);
  const host = (value: string, deletion = {}): KubeObject => {
    const one = object('BareMetalHost', 'one');
    const status = { operationalStatus: 'OK', errorMessage: '', provisioning: { state: 'provisioned', ID: 'node' } };
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'NotProgressing', message: '', lastTransitionTime: ago(9_000) },
    ];
    const annotations = { 'baremetalhost.metal3.io/paused': value };
    return { ...one, metadata: { ...one.metadata, ...deletion, annotations }, status: { ...status, conditions } };
  };
  const found = (one: KubeObject): Promise<Finding> => {
    const address = { realm: 'metal3', plural: 'baremetalhosts', namespace: 'ns', name: 'one' };
    return new Diagnosis({ reading: readingOf([one]), registry: metal, now: NOW }).explain(address);
  };
  const reported = async (one: KubeObject): Promise<string> => whyText(await found(one), Ink.Plain);
  const paused = "root cause: BareMetalHost/one is paused by its annotation 'baremetalhost.metal3.io/paused'";
  const own = await found(host('troupe.dev/pause'));
  assert.equal([own.standing, own.sinceMs, own.progressing?.reason], ['paused', undefined, 'Paused']);
  assert.is(
    whyText(own, Ink.Plain),
    `BareMetalHost/one  paused\n\n${paused}; run 'troupe resume baremetalhost/one -n ns'\n`,
  );
  const others = 'the client that set the annotation must remove it; nothing is done for the object until then';
  assert.is(
    await reported(host('metal3.io/capm3')),
    `BareMetalHost/one  paused\n\n${paused}, which 'metal3.io/capm3' set; ${others}\n`,
  );
  assert.is(await reported(host('')), `BareMetalHost/one  paused\n\n${paused}; ${others}\n`);
  const deleted = { deletionTimestamp: ago(9), finalizers: ['baremetalhost.metal3.io'] };
  assert.match(
    await reported(host('troupe.dev/pause', deleted)),
    /^BareMetalHost\/one {2}deleting for 9 s: Paused: by its annotation '.*'\n(.*\n)+root cause: BareMetalHost\/one is paused by/,
  );
});

test('a message that is empty leaves no colon, and the time is that of the present generation', async () => {
  const kinds = [configure(metal3, { IRONIC_ENDPOINT: 'http://ironic.test' })].flatMap(withoutOperations);
  const metal = registry(kinds, metal3.referencedKinds ?? []);
  const reported = async (state: string, generation: number): Promise<string> => {
    const one = object('BareMetalHost', 'one');
    const lastTransitionTime = ago(9_000);
    const conditions = [
      {
        type: 'Progressing',
        status: 'True',
        reason: 'Deprovisioning',
        message: '',
        lastTransitionTime,
        observedGeneration: 1,
      },
    ];
    const status = { operationalStatus: 'OK', errorMessage: '', provisioning: { state, ID: 'node' }, conditions };
    const changed = { ...one, metadata: { ...one.metadata, generation }, status };
    const address = { realm: 'metal3', plural: 'baremetalhosts', namespace: 'ns', name: 'one' };
    return whyText(
      await new Diagnosis({ reading: readingOf([changed]), registry: metal, now: NOW }).explain(address),
      Ink.Plain,
    );
  };
  assert.is(
    await reported('deprovisioning', 1),
    `BareMetalHost/one  waiting for 2 h: Deprovisioning\n\nroot cause: BareMetalHost/one: Deprovisioning; ${BY_ITSELF}\n`,
  );
  assert.match(await reported('deprovisioning', 2), /^BareMetalHost\/one {2}unseen\n/);
});

test('states have colors on a terminal', async () => {
  const text = whyText(await ask('Network', 'net'), Ink.Color);
  assert.ok(text.startsWith('Network/net  \u001b[31mabsent\u001b[0m\n'), JSON.stringify(text));
});

test('durations are as coarse as they are long', () => {
  assert.equal([-5, 0, 119_999, 120_000, 7_200_000, 172_800_000].map(duration), [
    '0 s',
    '0 s',
    '119 s',
    '2 min',
    '2 h',
    '2 d',
  ]);
});

test.run();
