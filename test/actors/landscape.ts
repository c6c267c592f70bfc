// The sample landscape under the names of one world, so that it fits beside others in one cloud.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { KINDS } from '../../adapters/openstack/kinds/registry.ts';
import type { JsonObject } from '../../bus/mod.ts';
import type { Reference } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { TABLES } from '../world/cloud-contents.ts';
import { CREDENTIALS, condition, isDone, type Kind, type World } from '../world/world.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/samples/network-landscape/', import.meta.url));

export interface SampleObject {
  readonly kind: Kind;
  readonly name: string;
  readonly manifest: JsonObject;
  /** What it stands on beside what it refers to. */
  readonly by?: readonly { readonly kind: Kind; readonly name: string }[];
}

const BY_KIND = new Map(KINDS.map((kind) => [kind.kind, kind]));

/** The manifests, file after file. Names of objects stay, names in the cloud begin with the world's prefix. */
export function landscape(world: World): readonly (readonly SampleObject[])[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) =>
    parseAllDocuments(readFileSync(`${FOLDER}${file}`, 'utf8')).flatMap((document) => {
      const manifest = document.toJS() as JsonObject | null;
      return manifest === null ? [] : [renamed(world, manifest)];
    }),
  );
}

/** A subnet and its network are applied in the wrong order, come up, and are deleted in the wrong order, too. */
export async function comeAndGo(world: World): Promise<void> {
  const [net, sub] = [world.name('net'), world.name('sub')];
  const resource = { networkRef: net, ipVersion: 4, cidr: '10.0.0.0/24' };
  await world.apply(world.managed('Subnet', sub, resource), world.managed('Network', net));
  await world.available('Subnet', sub);
  await world.delete('Network', net);
  await world.delete('Subnet', sub);
  await world.gone('Network', net);
}

function renamed(world: World, manifest: JsonObject): SampleObject {
  const kind = manifest['kind'] as Kind;
  const { name } = manifest['metadata'] as { readonly name: string };
  const spec = manifest['spec'] as Readonly<Record<string, JsonObject>>;
  // An interface has no credentials and no name in the cloud of its own.
  if (kind === 'RouterInterface') return { kind, name, manifest: { ...manifest, metadata: { name } } };
  const cloudCredentialsRef = { secretName: CREDENTIALS, cloudName: world.ground.cloudName };
  const more: Record<string, JsonObject> = { cloudCredentialsRef };
  if (spec['resource'] !== undefined) more['resource'] = { ...spec['resource'], name: world.name(name) };
  // The imported domain is every cloud's; the imported network is made by the test.
  if (spec['import'] !== undefined && kind === 'Network') more['import'] = { filter: { name: world.name(name) } };
  return { kind, name, manifest: { ...manifest, metadata: { name }, spec: { ...spec, ...more } } };
}

/** Asked for by everybody about everybody. */
const REFERENCES = new WeakMap<SampleObject, readonly Reference[]>();

/** What an object refers to, but for its credentials. */
export function referencesOf(sample: SampleObject): readonly Reference[] {
  const known = REFERENCES.get(sample) ?? readReferences(sample);
  REFERENCES.set(sample, known);
  return known;
}

function readReferences({ kind, name, manifest }: SampleObject): readonly Reference[] {
  const object = { ...manifest, kind, metadata: { name } } as unknown as KubeObject;
  const references = BY_KIND.get(kind)?.references(object) ?? [];
  return references.filter(({ kind: of, name: secret }) => of !== 'Secret' || secret !== CREDENTIALS);
}

/** Whether an object names another one in its spec. */
export function refersTo(object: SampleObject, { kind, name }: Pick<SampleObject, 'kind' | 'name'>): boolean {
  // What it makes for itself it does not stand on.
  return referencesOf(object).some((each) => each.kind === kind && each.name === name && each.neededFor !== 'never');
}

/**
 * Whether an object refers to another, or has its gateway or its address on it: that of a router, and a floating IP, is of a
 * subnet of the network outside, and a floating IP goes its way through what plugs the subnet of its port into a router.
 */
export function needs(object: SampleObject, other: SampleObject): boolean {
  if (refersTo(object, other)) return true;
  const { externalGateways = [], floatingNetworkRef } = resourceOf(object);
  const outside = [
    ...(externalGateways as readonly JsonObject[]).map(({ networkRef }) => networkRef),
    floatingNetworkRef,
  ];
  const { networkRef } = resourceOf(other);
  if (other.kind === 'Subnet' && networkRef !== undefined) return outside.includes(networkRef);
  const { by = [] } = object;
  return by.some(({ kind, name }) => kind === other.kind && name === other.name);
}

function resourceOf({ manifest }: SampleObject): JsonObject {
  return ((manifest['spec'] as JsonObject | undefined)?.['resource'] ?? {}) as JsonObject;
}

export async function applyAbsent(world: World, objects: readonly SampleObject[]): Promise<void> {
  const absent = objects.filter(({ kind, name }) => world.follower.get(kind, name) === undefined);
  await world.apply(...absent.map(({ manifest }) => manifest));
}

export function isUp(world: World, { kind, name }: Pick<SampleObject, 'kind' | 'name'>): boolean {
  const object = world.follower.get(kind, name);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return false;
  return kind === 'Secret' || (condition(object, 'Available').status === 'True' && isDone(object));
}

/** Each object has its resource, and there is no other (I4). */
export async function isOneToOne(world: World, objects: readonly SampleObject[]): Promise<void> {
  for (const kind of new Set(objects.map((object) => object.kind))) {
    const table = TABLES.get(kind);
    if (table === undefined) continue;
    const stored = objects
      .filter((object) => object.kind === kind && isOurs(world, object))
      .map(({ name }) => table.externalId(world.follower.get(kind, name) as unknown as KubeObject));
    const found = await world.contents(table.collection);
    const names = found.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
    const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
    assert.equal(duplicates, [], `${table.collection} that are there twice`);
    assert.equal(
      found.map(({ id }) => plain(id)).sort(),
      stored.map(plain).sort(),
      `${table.collection} and the ids of their objects`,
    );
  }
}

/** It is made for its object, or by the test: what every cloud begins with is nobody's. */
function isOurs(world: World, { manifest }: SampleObject): boolean {
  const { import: imported } = manifest['spec'] as {
    readonly import?: { readonly filter?: { readonly name?: string } };
  };
  return imported === undefined || imported.filter?.name?.startsWith(world.prefix) === true;
}

function plain(id: unknown): string {
  return String(id).replaceAll('-', '');
}
