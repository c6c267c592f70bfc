// Taking over from ORC, and going back, with objects of all kinds: what it left settled costs nothing, what is read anew is said as
// it says it, and what it would say when it comes back changes nothing.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { KINDS as ALL } from '../../adapters/openstack/kinds/registry.ts';
import type { Json, JsonObject } from '../../bus/mod.ts';
import { startFileHost } from '../adapters/openstack/file-host.ts';
import type { OpenGround } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { CREDENTIALS, checkIn, condition, isDone, type Kind, type World } from '../world/world.ts';
import { CHILDREN, type Described, everyKind, IMAGE_CONTENT, manifestOf, secretsFor } from './every-kind.ts';
import { guardAllAsOrc, saidByOrc, settleAsOrc } from './orc.ts';
import { orcResource } from './orc-status.ts';

/** Whatever would be written, or asked of the cloud, is by then, in milliseconds. */
const QUIET_MS = 1_500;
/** As ORC's interfaces of subnets: they hold their subnet, and are no controller's. */
const OWNED = { apiVersion: 'openstack.k-orc.cloud/v1alpha1', kind: 'Subnet', blockOwnerDeletion: true };

export function describeSuccessionOfKinds(test: Test, openGround: OpenGround): void {
  checkIn(test, openGround)(
    'objects of all kinds are taken over from ORC without a call or a write, and ORC finds them as it left them',
    async (world) => {
      const all = await describedIn(world);
      try {
        await made(world, all);
        const left = await leftByOrc(world, all);
        await takenOver(world, left);
        await readAnew(world, left);
      } catch (error) {
        // Nothing is left to others; that it cannot be removed is no news then.
        await removed(world, all).catch(() => undefined);
        throw error;
      }
      await removed(world, all);
    },
    { runtime: 'stopped' },
  );
}

async function describedIn(world: World): Promise<readonly Described[]> {
  const { clouds } = parse(world.ground.cloudsYaml) as {
    clouds: Readonly<Record<string, { readonly auth: { readonly username: string } }>>;
  };
  const userName = clouds[world.ground.cloudName]?.auth.username ?? '';
  const all = everyKind({ prefix: world.prefix, imageUrl: 'http://127.0.0.1:1/image', userName });
  assert.equal([...new Set(all.map(({ kind }) => kind))].sort(), ALL.map(({ kind }) => kind).sort());
  return all;
}

function applied(world: World, all: readonly Described[]): Promise<readonly Raw[]> {
  const ref = { secretName: CREDENTIALS, cloudName: world.ground.cloudName };
  return world.apply(...all.map((one) => manifestOf(one, ref)));
}

/** All objects, those that others made included. */
function stored(world: World): Promise<readonly Raw[]> {
  return Promise.all(
    ALL.map(async ({ kind }) => {
      const { body } = await world.client.call({
        method: 'GET',
        path: collection(world, kind as Kind),
      });
      return (body['items'] as unknown as Raw[]).map((item) => ({ ...item, kind }));
    }),
  ).then((lists) => lists.flat());
}

function collection(world: World, kind: Kind): string {
  return world.path(kind, '').replace(/\/$/, '');
}

/** Waits until the runtime does nothing any more. */
async function quiet(world: World): Promise<void> {
  const done = (): number => world.calls.length + world.writes.length;
  for (let before = -1; before !== done(); await world.clock.sleep(QUIET_MS)) before = done();
}

function forget(world: World): void {
  world.calls.length = 0;
  world.writes.length = 0;
}

/** What there is in the cloud, made by objects that are there no more: those that ORC left get their names. */
async function made(world: World, all: readonly Described[]): Promise<void> {
  const host = await startFileHost();
  try {
    const imageUrl = host.file('/image', IMAGE_CONTENT);
    for (const [name, content] of Object.entries(secretsFor(world.prefix))) await world.secret(name, content);
    await world.start({ namespaces: [world.namespace] });
    const withImage = JSON.parse(JSON.stringify(all).replaceAll('http://127.0.0.1:1/image', imageUrl));
    await applied(world, withImage);
    for (const { kind, name } of all) await world.available(kind, name);
    await quiet(world);
  } finally {
    await host.close();
  }
  await world.stop();
}

/** The same resources, with the objects that stand for them as ORC leaves them. */
async function leftByOrc(world: World, all: readonly Described[]): Promise<readonly Raw[]> {
  const before = await stored(world);
  assert.is(before.length, all.length + CHILDREN);
  const secrets = [CREDENTIALS, ...Object.keys(secretsFor(world.prefix))];
  for (const name of secrets) await world.patch('Secret', name, { metadata: { finalizers: null } });
  for (const { kind, metadata } of before) {
    await world.patch(kind as Kind, metadata.name, { metadata: { finalizers: null } });
    await world.delete(kind as Kind, metadata.name);
  }
  for (const { kind, metadata } of before) await world.gone(kind as Kind, metadata.name);
  await applied(world, all);
  for (const { kind, metadata, spec } of before.filter(
    ({ metadata: { name } }) => !all.some((one) => one.name === name),
  ))
    await childOfOrc(world, kind as Kind, metadata.name, spec);
  for (const object of before) {
    const { kind, metadata } = object;
    await settleAsOrc(world, kind as Kind, metadata.name, {
      id: object.status?.id,
      resource: await observed(world, object, before),
    });
  }
  for (const object of before) await guardAllAsOrc(world, object);
  return stored(world);
}

/** The interface that ORC's controller of subnets makes. */
async function childOfOrc(world: World, kind: Kind, name: string, spec: JsonObject): Promise<void> {
  const owner = await world.read('Subnet', String(spec['subnetRef']));
  const { name: owned = '', uid = '' } = owner?.metadata ?? {};
  const metadata = { name, namespace: world.namespace, ownerReferences: [{ ...OWNED, name: owned, uid }] };
  const body = { apiVersion: OWNED.apiVersion, kind, metadata, spec } as unknown as JsonObject;
  await world.client.call({ method: 'POST', path: collection(world, kind), body });
}

/** `status.resource` as ORC writes it of what there is in the cloud now. */
async function observed(
  world: World,
  { kind, spec, status }: Raw,
  all: readonly Raw[],
): Promise<JsonObject | undefined> {
  // The parts of an assignment are all that there is of it.
  if (kind === 'RoleAssignment') return status?.resource;
  if (kind === 'RouterInterface') return undefined;
  const resource = (spec['resource'] ?? {}) as JsonObject;
  const user = all.find((one) => one.kind === 'User' && one.metadata.name === resource['userRef']);
  const above = kind === 'ApplicationCredential' ? `/users/${user?.status?.id}` : '';
  return orcResource(kind as 'Network', String(status?.id), (path) => world.cloud('GET', path), above);
}

/** Whatever ORC left settled costs no call and no write. */
async function takenOver(world: World, left: readonly Raw[]): Promise<void> {
  forget(world);
  await world.start({ namespaces: [world.namespace] });
  await world.eventually('all live, and are at rest', () => {
    const atRest = world.runtime?.countByState().get('idle.available') ?? 0;
    return atRest === left.length ? undefined : `${atRest} of ${left.length} are`;
  });
  await quiet(world);
  assert.equal([world.writes, world.calls], [[], []]);
  assert.equal(await stored(world), left);
  for (const object of left) await saidByOrc(world, object);
}

/** What is looked at anew is read, and no more; it is said as ORC says it, by those who say it there. */
async function readAnew(world: World, left: readonly Raw[]): Promise<void> {
  forget(world);
  for (const { kind, metadata } of left)
    await world.patch(kind as Kind, metadata.name, { spec: { resyncPeriod: '24h' } });
  for (const { kind, metadata } of left)
    await world.until(
      kind as Kind,
      metadata.name,
      'read anew',
      (object) => isDone(object) && object.metadata.generation === 2,
    );
  await quiet(world);
  await world.stop();
  assert.equal(
    world.calls.filter((call) => !/ GET |^identity POST \/auth\/tokens$/.test(call)),
    [],
  );
  const now = await stored(world);
  for (const object of now) {
    const { kind, metadata, status } = object;
    const before = left.find((one) => one.kind === kind && one.metadata.name === metadata.name);
    assert.is(status?.id, before?.status?.id, `${kind}/${metadata.name}`);
    assert.equal(plain(status?.resource), plain(before?.status?.resource), `${kind}/${metadata.name}`);
    assert.equal([...(metadata.finalizers ?? [])].sort(), [...(before?.metadata.finalizers ?? [])].sort());
    // It begins with nothing to do: up to date, not long ago.
    assert.is(condition(object, 'Available').status, 'True');
    assert.is(condition(object, 'Progressing').reason, 'Success');
    assert.ok(Date.parse(status?.lastSyncTime ?? '') > Date.parse(before?.status?.lastSyncTime ?? ''));
    await saidByOrc(world, object);
  }
}

/** Everything, also after a test that failed halfway; what it leaves behind is no other's to find. */
async function removed(world: World, all: readonly Described[]): Promise<void> {
  if (world.runtime === undefined) await world.start({ namespaces: [world.namespace] });
  for (const { kind, name } of all.filter((one) => one.kind === 'Domain')) {
    // Keystone removes none that is enabled.
    if ((await world.read(kind, name)) === undefined) continue;
    await world.patch(kind, name, { spec: { resource: { enabled: false } } });
    await world.until(kind, name, 'disabled', ({ status }) => status?.resource?.['enabled'] === false);
  }
  for (const { kind } of ALL)
    await world.client.call({
      method: 'DELETE',
      path: collection(world, kind as Kind),
    });
  for (const { kind, name } of all) await world.gone(kind, name);
}

/** Without what says nothing, and fractions of seconds; in whatever order. */
function plain(value: unknown, name = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item));
    return name === 'dnsNameservers' ? items : items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' && name.endsWith('At') ? value.replace(/\.\d+Z$/, 'Z') : ((value ?? null) as Json);
  const entries = Object.entries(value).flatMap(([key, member]): [string, Json][] => {
    const shown = plain(member, key);
    return shown === '' || (Array.isArray(shown) && shown.length === 0) ? [] : [[key, shown]];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
