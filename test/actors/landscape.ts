// The sample landscape under the names of one world, so that it fits beside others in one cloud.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import type { Json, JsonObject } from '../../bus/mod.ts';
import { CREDENTIALS, isDone, type Kind, type World } from './harness.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/samples/network-landscape/', import.meta.url));

export interface SampleObject {
  readonly kind: Kind;
  readonly name: string;
  readonly manifest: JsonObject;
}

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

/** Whether an object names another one in its spec. */
export function refersTo({ manifest }: SampleObject, { kind, name }: Pick<SampleObject, 'kind' | 'name'>): boolean {
  const field = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}Ref`;
  const isIn = (value: Json | undefined): boolean => {
    if (Array.isArray(value)) return value.some(isIn);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value as JsonObject).some(
      ([key, member]) =>
        (key === field && member === name) ||
        (key === `${field}s` && Array.isArray(member) && member.includes(name)) ||
        isIn(member),
    );
  };
  return isIn(manifest['spec']);
}

/** Whether an object refers to another, or has its gateway on it: the address of a router's gateway is of a subnet of its network. */
export function needs(object: SampleObject, other: SampleObject): boolean {
  const { networkRef } = resourceOf(other);
  const gateways = (resourceOf(object)['externalGateways'] ?? []) as readonly JsonObject[];
  return (
    refersTo(object, other) || (other.kind === 'Subnet' && gateways.some((one) => one['networkRef'] === networkRef))
  );
}

function resourceOf({ manifest }: SampleObject): JsonObject {
  return ((manifest['spec'] as JsonObject)['resource'] ?? {}) as JsonObject;
}

export async function applyAbsent(world: World, objects: readonly SampleObject[]): Promise<void> {
  const absent = objects.filter(({ kind, name }) => world.follower.get(kind, name) === undefined);
  await world.apply(...absent.map(({ manifest }) => manifest));
}

export function isUp(world: World, { kind, name }: Pick<SampleObject, 'kind' | 'name'>): boolean {
  const object = world.follower.get(kind, name);
  const available = object?.status?.conditions?.find(({ type }) => type === 'Available')?.status;
  return (
    object !== undefined && object.metadata.deletionTimestamp === undefined && available === 'True' && isDone(object)
  );
}

/** Each object has its resource, and there is no other (I4). */
export async function isOneToOne(world: World, objects: readonly SampleObject[]): Promise<void> {
  for (const [kind, collection] of [
    ['Network', 'networks'],
    ['Subnet', 'subnets'],
    ['Project', 'projects'],
    ['Port', 'ports'],
    ['Router', 'routers'],
    ['SecurityGroup', 'security-groups'],
  ] as const) {
    const stored = objects
      .filter((object) => object.kind === kind)
      .map(({ name }) => world.follower.get(kind, name)?.status?.id);
    const found = (await world.contents(collection)).map(({ id, name }) => ({ id: plain(id), name }));
    const duplicates = found.filter(({ name }, index) => found.findIndex((other) => other.name === name) !== index);
    assert.equal(duplicates, [], `${collection} that are there twice`);
    assert.equal(
      found.map(({ id }) => id).sort(),
      stored.map(plain).sort(),
      `${collection} and the ids of their objects`,
    );
  }
}

function plain(id: unknown): string {
  return String(id).replaceAll('-', '');
}
