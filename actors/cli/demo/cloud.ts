// The demo's own look at the cloud: its credentials, what is there before and after, and the network it takes for granted.
import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { openStackSessions, readClouds, type Session } from '../../../adapters/openstack/mod.ts';
import { type Simulator, startSimulator } from '../../../adapters/simulated/openstack/mod.ts';
import { type Clock, type JsonObject, TerminalError } from '../../../bus/mod.ts';
import { TROUPE_VERSION } from '../../base/version.ts';

/** The name that the objects of the landscape give to their cloud. */
const CLOUD_NAME = 'openstack';
/** The external network that the landscape imports. */
export const PUBLIC = 'public';
/** Longest wait for one answer, in milliseconds. */
const CALL_MS = 30_000;
const TRACEPARENT = `00-${'d3'.repeat(16)}-${'d3'.repeat(8)}-01`;

/** Time that each call to the simulated cloud takes, in milliseconds. */
const LATENCY_MS = 150;

export interface CloudInUse {
  /** A clouds.yaml. */
  readonly cloudsYaml: string;
  /** The simulated cloud, unless a real one was given. */
  readonly simulator: Simulator | undefined;
  /** One line. */
  readonly description: string;
}

/** The cloud of a clouds.yaml; without one, a simulated one is started, which the caller closes. */
export async function cloudInUse(cloudsFile: string | undefined, clock: Clock): Promise<CloudInUse> {
  if (cloudsFile !== undefined) {
    const cloudsYaml = await readClouds(cloudsFile);
    return { cloudsYaml, simulator: undefined, description: `cloud: as in ${cloudsFile}` };
  }
  const simulator = await startSimulator({ clock, latencyMs: LATENCY_MS, externalNetwork: PUBLIC });
  const description = `cloud: ${simulator.authUrl} (simulated)`;
  return { cloudsYaml: simulator.cloudsYaml(CLOUD_NAME), simulator, description };
}

/** Values in base64, as a Secret has them. */
export type SecretData = Readonly<Record<string, string>>;

/**
 * One cloud of a clouds.yaml under the name that the landscape uses, with the file of its CA.
 *
 * @param cloudName  OS_CLOUD; without it, the cloud `openstack` or the first one
 * @throws {TerminalError} there is no such cloud
 */
export async function credentials(cloudsYaml: string, cloudName: string | undefined): Promise<SecretData> {
  const clouds = cloudsIn(cloudsYaml);
  const name = cloudName ?? (Object.hasOwn(clouds, CLOUD_NAME) ? CLOUD_NAME : Object.keys(clouds)[0]);
  const cloud = name !== undefined && Object.hasOwn(clouds, name) ? clouds[name] : undefined;
  if (cloud === undefined || cloud === null)
    throw new TerminalError(`OS_CLOUD must name a cloud of the clouds.yaml; got '${name ?? ''}'`);
  const { cacert, ...rest } = cloud;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const yaml = base64(stringify({ clouds: { [CLOUD_NAME]: rest } }));
  if (typeof cacert !== 'string' || cacert === '') return { 'clouds.yaml': yaml };
  return { 'clouds.yaml': yaml, cacert: base64(await readFile(cacert, 'utf8')) };
}

function cloudsIn(cloudsYaml: string): Readonly<Record<string, JsonObject | null>> {
  try {
    // Scalars stay text, so that a password of digits keeps its zeros.
    const content = parse(cloudsYaml, {
      schema: 'failsafe',
      customTags: ['null', 'merge'],
      prettyErrors: false,
    }) as JsonObject | null;
    return (content?.['clouds'] ?? {}) as Record<string, JsonObject | null>;
  } catch {
    // Without cause: its message may quote a password.
    throw new TerminalError('the clouds.yaml is not valid YAML');
  }
}

/** Content of the cloud: `network 'public'` and the like, by id. */
export type Inventory = ReadonlyMap<string, { readonly what: string; readonly name: string }>;

export interface DemoCloud {
  /** Everything of the kinds that there are. @throws as `Session.list` */
  inventory(): Promise<Inventory>;
  hasNetwork(name: string): Promise<boolean>;
  /** The kinds of objects whose service the cloud does not have. @throws as `Session.list` */
  kindsWithoutService(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

interface Listed {
  readonly service: string;
  /** The last part of the path, and the member that holds the list unless stated. */
  readonly collection: string;
  readonly key?: string;
  readonly kind: string;
}

const NETWORKS: Listed = { service: 'network', collection: 'networks', kind: 'Network' };
/** Endpoints that list kinds. A kind that is not here belongs to one that is. */
const LISTS: readonly Listed[] = [
  ...(
    [
      ['domains', 'Domain'],
      ['projects', 'Project'],
      ['roles', 'Role'],
      ['groups', 'Group'],
      ['users', 'User'],
      ['services', 'Service'],
      ['endpoints', 'Endpoint'],
    ] as const
  ).map(([collection, kind]) => ({ service: 'identity', collection, kind })),
  NETWORKS,
  ...(
    [
      ['subnets', 'Subnet'],
      ['routers', 'Router'],
      ['ports', 'Port'],
      ['security-groups', 'SecurityGroup'],
      ['floatingips', 'FloatingIP'],
      ['trunks', 'Trunk'],
      ['address-scopes', 'AddressScope'],
    ] as const
  ).map(([collection, kind]) => ({ service: 'network', collection, kind })),
  { service: 'compute', collection: 'servers', kind: 'Server' },
  { service: 'compute', collection: 'os-server-groups', key: 'server_groups', kind: 'ServerGroup' },
  { service: 'compute', collection: 'flavors', kind: 'Flavor' },
  { service: 'compute', collection: 'os-keypairs', key: 'keypairs', kind: 'KeyPair' },
  { service: 'image', collection: 'images', kind: 'Image' },
  { service: 'block-storage', collection: 'volumes', kind: 'Volume' },
  { service: 'block-storage', collection: 'types', key: 'volume_types', kind: 'VolumeType' },
  { service: 'shared-file-system', collection: 'share-networks', kind: 'ShareNetwork' },
];
/** Neutron makes such a security group for every project, and keeps it. */
const NEUTRONS_OWN = `SecurityGroup 'default'`;
/** Error of a session about a service that the cloud does not offer. */
const NO_SERVICE = /^the catalog has no /;

/** Looks at the cloud with the credentials that the actors get. */
export function demoCloud({ clock, data }: { clock: Clock; data: SecretData }): DemoCloud {
  const sessions = openStackSessions({
    clock,
    version: TROUPE_VERSION,
    readSecret: async () => ({ uid: 'demo', resourceVersion: '1', data }),
  });
  const deadlineAt = (): number => clock.now() + CALL_MS;
  const session = (): Promise<Session> =>
    sessions.open('', { secretName: 'demo', cloudName: CLOUD_NAME }, '1', deadlineAt());
  /** Undefined: the cloud has no such service. */
  const listIfThere = async ({ service, collection, key }: Listed): Promise<readonly JsonObject[] | undefined> => {
    const call = { service, path: `/${collection}`, deadlineAt: deadlineAt(), traceparent: TRACEPARENT };
    try {
      return await (await session()).list(call, key ?? collection.replaceAll('-', '_'));
    } catch (error) {
      if (error instanceof Error && NO_SERVICE.test(error.message)) return undefined;
      throw error;
    }
  };
  return {
    async inventory() {
      const lists = await Promise.all(
        LISTS.map(async (of) => ((await listIfThere(of)) ?? []).map((item) => entryOf(of, item))),
      );
      return new Map(lists.flat().filter(([, { what }]) => what !== NEUTRONS_OWN));
    },
    async hasNetwork(name) {
      const networks = (await listIfThere(NETWORKS)) ?? [];
      return networks.some((network) => network['name'] === name && network['router:external'] === true);
    },
    async kindsWithoutService() {
      const there = await Promise.all(
        LISTS.map(async (of) => ((await listIfThere(of)) === undefined ? [of.kind] : [])),
      );
      return new Set(there.flat());
    },
    close: () => sessions.close(),
  };
}

/** A key pair has no id, and stands in a member of its own. */
function entryOf({ kind }: Listed, item: JsonObject): [string, { what: string; name: string }] {
  const { id, name } = (item['keypair'] ?? item) as JsonObject;
  return [`${id ?? `${kind} ${name}`}`, { what: `${kind} '${name ?? id}'`, name: String(name) }];
}
