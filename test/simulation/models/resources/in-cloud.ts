// What is in the cloud, by the ids that objects have for it.
import { CollectionName, type SimulatedCloud } from '../../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';

const NAMES: ReadonlySet<string> = new Set(Object.values(CollectionName));
/** Collections that are not called like the kind. */
const APART: Readonly<Record<string, CollectionName>> = {
  RouterInterface: CollectionName.Ports,
  FloatingIP: CollectionName.FloatingIps,
  KeyPair: CollectionName.KeyPairs,
};

/** The kinds of the histories without further ones: of these somebody takes resources away whatever is built on them. */
const NETWORKING: ReadonlySet<string> = new Set([
  'Network',
  'Subnet',
  'Port',
  'Router',
  'RouterInterface',
  'SecurityGroup',
  'Domain',
  'Project',
]);

export function isNetworking(kind: string): boolean {
  return NETWORKING.has(kind);
}

/** Undefined: objects of the kind stand for nothing there. */
export function collectionOf(kind: string): CollectionName | undefined {
  const name = APART[kind] ?? `${kind.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()}s`;
  return NAMES.has(name) ? (name as CollectionName) : undefined;
}

/** The resource of an id, as it is stored; undefined: it is not there. */
export function resourceOf(cloud: Pick<SimulatedCloud, 'resources'>, kind: string, id: string): JsonObject | undefined {
  const collection = collectionOf(kind);
  return collection && cloud.resources(collection).find((resource) => idIn(kind, resource) === id);
}

export function isInCloud(cloud: Pick<SimulatedCloud, 'resources'>, kind: string, id: string): boolean {
  return resourceOf(cloud, kind, id) !== undefined;
}

/** The id by which the kind has it: that of a key pair is its name, and an assignment has none. */
function idIn(kind: string, resource: JsonObject): unknown {
  if (kind === 'KeyPair') return resource['name'];
  if (kind !== 'RoleAssignment') return resource['id'];
  const { role, actor, actorKind, target, targetKind } = resource;
  return `role.id:${role}:${actorKind}.id:${actor}:scope.${targetKind}.id:${target}`;
}
