// Discovery: versions, groups, resources. Derived from the registry, kept until it changes.

import { createHash } from 'node:crypto';
import type { JsonMap } from '../../../text/json.ts';
import { pageNotFound, unknownPath } from '../base/api-error.ts';
import type { Registry, Resource } from '../resources/api.ts';

/** The release whose answers this server gives. */
export const VERSION: JsonMap = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.4-embedded',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: '',
};

const AGGREGATED =
  /application\/json\s*;(?=[^,]*\bas=APIGroupDiscoveryList)(?=[^,]*\bg=apidiscovery\.k8s\.io)(?=[^,]*\bv=v2(?![\w]))/;

/** The content type of aggregated discovery. */
export const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function wantsAggregated(accept: string): boolean {
  return AGGREGATED.test(accept);
}

interface Group {
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly string[];
}

/** Versions in the order of preference: stable, beta, alpha, the higher first. */
export function byPriority(left: string, right: string): number {
  const rank = (version: string): readonly number[] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (match === null) return [0, 0, 0];
    const stage = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
    return [stage, Number(match[1]), Number(match[3] ?? 0)];
  };
  const [a, b] = [rank(left), rank(right)];
  for (let index = 0; index < 3; index++) {
    const difference = (b[index] ?? 0) - (a[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left < right ? -1 : 1;
}

function groupsOf(registry: Registry): Group[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of registry.all()) {
    if (group === '') continue;
    const known = versions.get(group) ?? new Set();
    versions.set(group, known.add(version));
  }
  return [...versions].map(([name, set]) => ({ name, versions: [...set].sort(byPriority) }));
}

function groupJson({ name, versions }: Group): JsonMap {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceEntries(resource: Resource): JsonMap[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = resource;
  const entry = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: inOrder(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(resource.verbs.includes('watch') ? { storageVersionHash: storageHash(resource) } : {}),
  };
  const below = subresourcesOf(resource).map(({ name, verbs: allowed, foreign }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(foreign === undefined ? {} : { group: foreign.group, version: foreign.version }),
    kind: (foreign ?? resource).kind,
    verbs: allowed,
  }));
  return [entry, ...below];
}

/** Verbs by name; of custom resources in the order of their server. */
function inOrder({ builtin, verbs }: Resource): string[] {
  const sorted = [...verbs].sort();
  if (builtin) return sorted;
  const last = ['patch', 'create', 'update', 'watch'];
  return [...sorted.filter((verb) => !last.includes(verb)), ...last.filter((verb) => verbs.includes(verb))];
}

/** Hash of the stored kind: clients see by it whether two resources are the same objects. */
function storageHash({ storeKey, storageVersion, version, kind }: Resource): string {
  const stored = `${storeKey.split('/')[0]}/${storageVersion ?? version}/${kind}`;
  return createHash('sha256').update(stored).digest().subarray(0, 8).toString('base64');
}

interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** Kind of its body, where that is another kind. */
  readonly foreign?: Resource;
}

function subresourcesOf({ subresources, actions = {} }: Resource): Subresource[] {
  const parts = subresources.map((name) => ({
    name,
    verbs: name === 'finalize' ? ['update'] : ['get', 'patch', 'update'],
  }));
  const below = Object.entries(actions).filter(([name]) => name !== '');
  return [...parts, ...below.map(([name, { body }]) => ({ name, verbs: ['create'], foreign: body }))];
}

function aggregatedVersion(registry: Registry, group: string, version: string): JsonMap {
  const resources = registry.all().filter((one) => one.group === group && one.version === version);
  return { version, resources: resources.map(aggregatedResource), freshness: 'Current' };
}

function aggregatedResource(resource: Resource): JsonMap {
  const { plural, singular, namespaced, shortNames, categories } = resource;
  const below = subresourcesOf(resource).map(({ name, verbs: allowed, foreign }) => ({
    subresource: name,
    responseKind:
      foreign === undefined ? kindOf(resource) : { group: foreign.group, version: foreign.version, kind: foreign.kind },
    verbs: allowed,
  }));
  return {
    resource: plural,
    responseKind: kindOf(resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: inOrder(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(below.length === 0 ? {} : { subresources: below }),
  };
}

/** For built-in kinds the name alone: the rest is that of the list. */
const kindOf = ({ group, version, kind, builtin }: Resource): JsonMap =>
  builtin ? { group: '', version: '', kind } : { group, version, kind };

function aggregated(registry: Registry, groups: readonly Group[]): JsonMap {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((version) => aggregatedVersion(registry, name, version)),
    })),
  };
}

/**
 * Answers the paths of discovery.
 *
 * @param path  `/api`, `/apis`, `/api/v1`, `/apis/<group>` or `/apis/<group>/<version>`
 * @throws {ApiError} 404 nothing is served there
 */
export function discover(registry: Registry, path: string, accept: string, address: string): JsonMap {
  const [, root, group, version] = path.split('/');
  if (root === 'api' && group === undefined) {
    if (wantsAggregated(accept)) return aggregated(registry, [{ name: '', versions: ['v1'] }]);
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress: address }];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
  }
  if (root === 'api' && group === 'v1' && version === undefined) return resourceList(registry, '', 'v1');
  if (root !== 'apis') throw unknownPath();
  const groups = groupsOf(registry);
  if (group === undefined) {
    if (wantsAggregated(accept)) return aggregated(registry, groups);
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupJson) };
  }
  const found = groups.find(({ name }) => name === group);
  if (found === undefined) throw pageNotFound();
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupJson(found) };
  const isBuiltIn = registry.all().some((one) => one.group === group && one.builtin);
  if (!found.versions.includes(version)) throw isBuiltIn ? unknownPath() : pageNotFound();
  return resourceList(registry, group, version);
}

function resourceList(registry: Registry, group: string, version: string): JsonMap {
  const resources = registry.all().filter((one) => one.group === group && one.version === version);
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }), // the oldest list is older than the field
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: resources.flatMap(resourceEntries),
  };
}
