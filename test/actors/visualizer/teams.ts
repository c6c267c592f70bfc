// 4,867 OpenStack objects of a company's teams, which make 5,000 with the demo's landscape: a namespace per team, with a project,
// networks and servers. Three teams have a problem: a quota that is used up, a service that refuses, networks that are deleted
// while they are in use.
import { State } from '../../../actors/cli/demo/history.ts';
import type { LandscapeObject } from '../../../actors/cli/demo/landscape.ts';
import { resourcePath } from '../../../adapters/kubernetes/mod.ts';
import { addressKey, type JsonObject } from '../../../bus/mod.ts';
import type { Kind } from '../../../machines/kind.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { REGISTRY } from './company.ts';
import type { Stage } from './stage.ts';

/** Teams with a problem. */
export const QUOTA = 'payments';
const [REFUSED, DELETED] = ['edge-porto', 'ci-runners'] as const;

/** Objects of each namespace, 4,867 in all. */
export const TEAMS: Readonly<Record<string, number>> = {
  payments: 272,
  'edge-porto': 164,
  media: 228,
  'ci-runners': 290,
  search: 240,
  windows: 210,
  checkout: 238,
  shipping: 236,
  accounts: 214,
  'hosts-a': 232,
  analytics: 214,
  catalog: 231,
  'edge-oslo': 170,
  monitoring: 190,
  'edge-gdansk': 160,
  'edge-lyon': 168,
  'edge-berlin': 176,
  partners: 163,
  pricing: 148,
  identity: 142,
  'lab-1': 120,
  'lab-2': 118,
  'lab-3': 116,
  returns: 152,
  mail: 96,
  training: 95,
  archive: 84,
};
/** Applications of a team. */
const APPLICATIONS = ['web', 'api', 'worker', 'store', 'batch', 'cache', 'proxy', 'queue'] as const;
/** Ports and volumes of an application, and how many of them share a server. */
const [INSTANCES, SERVERS] = [16, 4] as const;
const CREDENTIALS = { secretName: 'openstack-clouds', cloudName: 'openstack' };
const API_VERSION = 'openstack.k-orc.cloud/v1alpha1';

export interface TeamObject extends Pick<LandscapeObject, 'path' | 'manifest'> {
  /** As the page and the trace know it. */
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** Keys of its dependencies. */
  readonly needs: readonly string[];
}

export function keyIn(namespace: string, kind: string, name: string): string {
  const { realm, plural } = kindOf(kind);
  return addressKey({ realm, plural, namespace, name });
}

function kindOf(name: string): Kind {
  const kind = REGISTRY.kinds.find((each) => each.kind === name);
  if (kind === undefined) throw new Error(`no kind '${name}'`);
  return kind;
}

/** @param publicId  id of the external network in the cloud */
export function team(namespace: string, size: number, publicId: string): readonly TeamObject[] {
  const all: TeamObject[] = [];
  const add = (kind: string, name: string, spec: JsonObject): void => {
    const manifest = { apiVersion: API_VERSION, kind, metadata: { namespace, name }, spec };
    const of = kindOf(kind);
    const references = of.references(manifest as unknown as KubeObject);
    const needs = references.flatMap((each) =>
      each.kind === 'Secret' || each.neededFor === 'never' ? [] : [keyIn(namespace, each.kind, each.name)],
    );
    const path = resourcePath(of, namespace, name);
    all.push({ key: keyIn(namespace, kind, name), kind, name, needs, path, manifest });
  };
  const own = (kind: string, name: string, resource: JsonObject): void =>
    add(kind, name, {
      cloudCredentialsRef: CREDENTIALS,
      resource: { name: `${namespace}-${name}`, ...resource },
    });
  const imported = (kind: string, name: string, found: JsonObject): void =>
    add(kind, name, { cloudCredentialsRef: CREDENTIALS, managementPolicy: 'unmanaged', import: found });

  imported('Network', 'public', { id: publicId });
  imported('Image', 'debian', { filter: { name: 'debian' } });
  own('Project', namespace, {});
  own('Flavor', 'small', { vcpus: 1, ram: 1024, disk: 10 });
  own('Router', namespace, { projectRef: namespace, externalGateways: [{ networkRef: 'public' }] });
  const rule = { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', portRange: { min: 443, max: 443 } };
  for (let number = 0; all.length < size; number++) {
    const application = APPLICATIONS[number % APPLICATIONS.length] as string;
    const place =
      number < APPLICATIONS.length ? application : `${application}-${Math.floor(number / APPLICATIONS.length) + 1}`;
    own('Network', place, { projectRef: namespace });
    own('Subnet', place, { networkRef: place, projectRef: namespace, ipVersion: 4, cidr: `10.${number}.0.0/24` });
    add('RouterInterface', place, { type: 'Subnet', routerRef: namespace, subnetRef: place });
    own('SecurityGroup', place, { projectRef: namespace, rules: [rule] });
    for (let instance = 1; instance <= INSTANCES; instance++) {
      const name = `${place}-${instance}`;
      own('Port', name, { networkRef: place, addresses: [{ subnetRef: place }], securityGroupRefs: [place] });
      own('Volume', name, { size: 10 });
      if (instance % SERVERS !== 1) continue;
      own('Server', name, {
        imageRef: 'debian',
        flavorRef: 'small',
        ports: [{ portRef: name }],
        volumes: [{ volumeRef: name }],
      });
    }
  }
  return all.slice(0, size);
}

/** Objects that need one of the given ones, directly or not. */
export function blockedBy(roots: ReadonlySet<string>, objects: readonly TeamObject[]): ReadonlySet<string> {
  const blocked = new Set<string>();
  for (let before = -1; before < blocked.size; ) {
    before = blocked.size;
    for (const { key, needs } of objects) {
      if (!roots.has(key) && needs.some((need) => roots.has(need) || blocked.has(need))) blocked.add(key);
    }
  }
  return blocked;
}

/** Root causes of the broken teams. */
export interface TeamRoots {
  readonly quota: { readonly name: string; readonly blocks: number };
}

/** Applies all teams, and waits until each object is available, or in the state that the problem of its team brings. */
export async function applyTeams({ client, credentials, simulator, states, until }: Stage): Promise<TeamRoots> {
  const apply = ({ path, manifest }: Pick<TeamObject, 'path' | 'manifest'>): Promise<unknown> =>
    client.call({
      method: 'PATCH',
      path: `${path}?fieldManager=teams&force=true`,
      contentType: 'application/apply-patch+yaml',
      body: manifest,
    });
  const become = (keys: Iterable<string>, ...wanted: readonly State[]): Promise<void> => {
    const left = [...keys];
    const isThere = (key: string): boolean => wanted.some((state) => state === states.get(key));
    // An event looks at the last one alone.
    return until(() => {
      for (let last = left.at(-1); last !== undefined && isThere(last); last = left.at(-1)) left.pop();
      return left.length === 0;
    });
  };

  const publicId = simulator.resources('networks').find(({ name }) => name === 'public')?.['id'];
  const teams = Object.entries(TEAMS).map(([name, size]) => team(name, size, String(publicId)));
  const quota = keyIn(QUOTA, 'SecurityGroup', 'web');
  const roots = new Set([quota, keyIn(REFUSED, 'Router', REFUSED)]);
  const waiting = blockedBy(roots, teams.flat());
  for (const [index, namespace] of Object.keys(TEAMS).entries()) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await client.call({ method: 'POST', path: '/api/v1/namespaces', body });
    const { name, manifest } = credentials;
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    await apply({ path, manifest: { ...manifest, metadata: { name, namespace } } });
    await Promise.all((teams[index] ?? []).filter(({ key }) => !roots.has(key)).map(apply));
  }
  const others = teams.flat().filter(({ key }) => !roots.has(key) && !waiting.has(key));
  await become(
    others.map(({ key }) => key),
    State.Available,
  );

  const project = simulator.resources('projects').find(({ name }) => name === `${QUOTA}-${QUOTA}`);
  simulator.setQuota(String(project?.['id']), { security_group_rule: 0 });
  simulator.faults.inject({
    match: { service: 'network', method: 'POST', path: /routers$/ },
    status: 503,
    times: 1_000,
  });
  for (const object of teams.flat()) if (roots.has(object.key)) await apply(object);
  await become(roots, State.Retrying, State.Failed);
  await become(waiting, State.Waiting);
  const used = others.filter(({ key, kind }) => kind === 'Network' && key.includes(`.${DELETED}.`));
  const deleted = used.filter(({ name }) => name !== 'public');
  for (const { path } of deleted) await client.call({ method: 'DELETE', path });
  await become(
    deleted.map(({ key }) => key),
    State.Deleting,
    State.Held,
  );
  return { quota: { name: 'web', blocks: blockedBy(new Set([quota]), teams.flat()).size } };
}
