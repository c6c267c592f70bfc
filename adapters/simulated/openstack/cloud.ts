// The simulated cloud itself: what it stores, and its answers to requests, however they come.
//
// What it does not do: see simulator.ts.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { Faults } from '../http/mod.ts';
import { cinder } from './cinder.ts';
import { seedVolumeType } from './cinder-types.ts';
import { proceedVolumes } from './cinder-volumes.ts';
import { type Drift, drift } from './drift.ts';
import { Refusal, type Reply, type SimulatedRequest, SimulatedService } from './exchange.ts';
import { glance } from './glance.ts';
import { type ContentSink, type Fetch, fetchContent, isUpload, receive } from './glance-data.ts';
import { keystone } from './keystone.ts';
import { manila } from './manila.ts';
import { neutron } from './neutron.ts';
import { nova } from './nova.ts';
import { proceed } from './nova-computes.ts';
import { CollectionName, Store } from './store.ts';
import { Tokens } from './tokens.ts';

/** Keystone's default, in milliseconds. */
const TOKEN_LIFETIME_MS = 3_600_000;

/** Below its origin each service has a place, with its version, and Cinder's with the project that speaks. */
const ROOTS: Readonly<Record<SimulatedService, RegExp>> = {
  identity: /^\/identity\/v3/,
  network: /^\/network\/v2\.0/,
  compute: /^\/compute\/v2\.1/,
  'block-storage': /^\/volume\/v3\/[^/]+/,
  'shared-file-system': /^\/share\/v2/,
  image: /^\/image\/v2/,
};

/** Time that Cinder works on a volume, in milliseconds. */
const VOLUME_WORK_MS = 200;
/** Time that Nova works on a server, in milliseconds. */
const SERVER_WORK_MS = 300;
/** Cinder's, Manila's and Nova's default. */
const PAGE_SIZE = 1_000;

export interface CloudOptions {
  clock: Clock;
  /** Content of the cloud, if it is no new one. */
  store?: Store;
  /** Life of the tokens issued, in milliseconds; one hour by default. */
  tokenLifetimeMs?: number;
  /** Whether the catalog's URLs end in a version: `bare`, the default, as Neutron is usually published. */
  networkUrl?: 'bare' | 'versioned';
  /** Without it networks have no `dns_domain`. */
  dnsExtension?: 'loaded' | 'absent';
  /** Zones that a network may hint at; none by default. */
  availabilityZones?: readonly string[];
  /** Most items of one answer of Keystone's; unlimited by default. */
  identityPageSize?: number;
  /** Time to make a volume, and to remove it, in milliseconds; 200 by default. */
  volumeWorkMs?: number;
  /** Most items of one answer of Cinder's and Manila's (`osapi_max_limit`); 1000 by default. */
  storagePageSize?: number;
  /** Most items of one answer of Neutron's (`pagination_max_limit`); unlimited by default. */
  networkPageSize?: number;
  /** How Glance takes content beside uploads; `web-download` by default. */
  importMethods?: readonly string[];
  /** How Glance reads what it imports; by HTTP unless stated. */
  fetch?: Fetch;
  /** Time to build a server, and to remove it, in milliseconds; 300 by default. */
  serverWorkMs?: number;
  /** Most items of one answer of Nova's (`max_limit`); 1000 by default. */
  computePageSize?: number;
}

export interface SimulatedCloud {
  readonly faults: Faults;
  readonly drift: Drift;
  /** The user's own project. */
  readonly projectId: string;
  /** Keystone's URL, with its version. */
  authUrl(): string;
  /** A `clouds.yaml` by which user `admin` reaches project `admin`. */
  cloudsYaml(cloudName: string): string;
  /** Limits by resource (`network`, `subnet`, `port`); -1: none. */
  setQuota(projectId: string, limits: Readonly<Record<string, number>>): void;
  /** Applies to tokens issued from now on. */
  setTokenLifetime(tokenLifetimeMs: number): void;
  /** All tokens issued so far are worthless from now on. */
  expireTokens(): void;
  /** Stored items, by id; without the members that Neutron adds when it shows an item. */
  resources(collection: CollectionName): readonly JsonObject[];
  newUuid(): string;
  /** A request as one of the services sees it; undefined: the path is that of none. @param url  path and query */
  parse(method: string, url: string, headers: SimulatedRequest['headers'], body: string): SimulatedRequest | undefined;
  /** Does what is asked for. */
  answer(request: SimulatedRequest): Reply;
  /** For a request that carries the content of an image: its destination, or why it is refused; undefined: it carries none. */
  receive(request: SimulatedRequest): ContentSink | Reply | undefined;
}

/**
 * A cloud with the domain `Default` (id `default`), the projects `admin` and `service`, and the user `admin` with
 * password `secret`.
 *
 * @param origin  where the services are reached; asked for late
 */
export function simulatedCloud(options: CloudOptions, origin: () => string): SimulatedCloud {
  const { clock, store = new Store(clock), availabilityZones = [], dnsExtension = 'loaded' } = options;
  let { tokenLifetimeMs = TOKEN_LIFETIME_MS } = options;
  const projectId = adminProject(store) ?? seed(store);
  seedVolumeType(store);
  seedRoles(store);
  const authUrl = (): string => `${origin()}/identity/v3`;
  const catalog = (ofProject: string | undefined): Json => {
    const network = options.networkUrl === 'versioned' ? '/network/v2.0/' : '/network';
    return [
      service(store, 'network', 'neutron', origin() + network),
      service(store, 'sharev2', 'manilav2', `${origin()}/share/v2`),
      ...(ofProject === undefined
        ? []
        : [service(store, 'volumev3', 'cinderv3', `${origin()}/volume/v3/${ofProject}`)]),
      service(store, 'identity', 'keystone', authUrl()),
      service(store, 'image', 'glance', `${origin()}/image`),
      service(store, 'compute', 'nova', `${origin()}/compute/v2.1`),
      ...madeServices(store),
    ];
  };
  const tokens = new Tokens({ clock, store, catalog, tokenLifetimeMs: () => tokenLifetimeMs });
  const handlers: Readonly<Record<SimulatedService, (request: SimulatedRequest) => Reply>> = {
    identity: keystone({ store, tokens, pageSize: options.identityPageSize }),
    network: neutron({
      store,
      tokens,
      dns: dnsExtension === 'loaded',
      availabilityZones,
      maxPageSize: options.networkPageSize,
    }),
    compute: nova({
      store,
      tokens,
      workMs: options.serverWorkMs ?? SERVER_WORK_MS,
      zones: availabilityZones,
      maxPageSize: options.computePageSize ?? PAGE_SIZE,
    }),
    'block-storage': cinder({
      store,
      tokens,
      workMs: options.volumeWorkMs ?? VOLUME_WORK_MS,
      maxPageSize: options.storagePageSize ?? PAGE_SIZE,
    }),
    'shared-file-system': manila({ store, tokens, maxPageSize: options.storagePageSize ?? PAGE_SIZE }),
    image: glance({
      store,
      tokens,
      importMethods: options.importMethods ?? ['web-download'],
      onImport: (image, uri) => fetchContent(image, uri, () => store.now(), options.fetch),
    }),
  };
  const orRefusal = <Result>(serve: () => Result): Result | Reply => {
    try {
      return serve();
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      throw error;
    }
  };
  return {
    faults: new Faults(),
    drift: drift(store),
    projectId,
    authUrl,
    cloudsYaml: (cloudName) => cloudsYaml(cloudName, authUrl()),
    setQuota(id, limits) {
      store.quotas.set(id, new Map([...(store.quotas.get(id) ?? []), ...Object.entries(limits)]));
    },
    setTokenLifetime(newLifetimeMs) {
      tokenLifetimeMs = newLifetimeMs;
    },
    expireTokens: () => tokens.revokeAll(),
    resources(collection) {
      // The state that a caller would see now.
      proceed(store);
      proceedVolumes(store);
      return structuredClone(store.sorted(collection));
    },
    newUuid: () => store.newUuid(),
    parse(method, url, headers, body) {
      const [path = '', rawQuery = ''] = url.split(/\?(.*)/s);
      const service = Object.values(SimulatedService).find((name) => ROOTS[name].test(path));
      const root = service && ROOTS[service].exec(path)?.[0];
      if (service === undefined || root === undefined) return undefined;
      const below = path.slice(root.length).replace(/\/+$/, '');
      return {
        service,
        method,
        path: below,
        segments: below.split('/').slice(1).map(decodeURIComponent),
        query: new URLSearchParams(rawQuery),
        rawQuery,
        headers,
        ...parsedBody(body),
        baseUrl: `${origin()}${root}`,
      };
    },
    answer: (request) =>
      orRefusal(() => {
        // Ports and volumes change with the servers that use them.
        proceed(store);
        return handlers[request.service](request);
      }),
    receive: (request) => (isUpload(request) ? orRefusal(() => receive(request, { store, tokens })) : undefined),
  };
}

function parsedBody(text: string): Pick<SimulatedRequest, 'body' | 'list'> {
  if (text === '') return { body: 'absent' };
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { body: 'broken', list: value };
    return { body: typeof value === 'object' && value !== null ? (value as JsonObject) : 'broken' };
  } catch {
    return { body: 'broken' };
  }
}

function cloudsYaml(cloudName: string, authUrl: string): string {
  return `clouds:
  ${JSON.stringify(cloudName)}:
    auth:
      auth_url: ${authUrl}
      username: admin
      password: secret
      project_name: admin
      user_domain_name: Default
      project_domain_name: Default
    region_name: RegionOne
`;
}

/** The user's own project; undefined: nothing is there yet. */
function adminProject(store: Store): string | undefined {
  const projects = [...store.collection(CollectionName.Projects).values()];
  const found = projects.find(({ name, domain_id: domain }) => name === 'admin' && domain === 'default');
  return found && String(found['id']);
}

/** Makes what is there from the start. @returns the id of project `admin` */
function seed(store: Store): string {
  store.collection(CollectionName.Domains).set('default', {
    id: 'default',
    name: 'Default',
    description: 'The default domain',
    enabled: true,
    tags: [],
    options: {},
  });
  const [projectId, serviceId, userId] = [store.newHexId(), store.newHexId(), store.newHexId()];
  for (const [id, name, description] of [
    [projectId, 'admin', 'Bootstrap project for initializing the cloud.'],
    [serviceId, 'service', ''],
  ] as const) {
    store.collection(CollectionName.Projects).set(id, {
      id,
      name,
      domain_id: 'default',
      description,
      enabled: true,
      parent_id: 'default',
      is_domain: false,
      tags: [],
      options: {},
    });
  }
  store.collection(CollectionName.Users).set(userId, {
    id: userId,
    name: 'admin',
    domain_id: 'default',
    enabled: true,
    password: 'secret',
    options: {},
  });
  return projectId;
}

/** Those of every cloud, which also one that was kept by an earlier version has. */
function seedRoles(store: Store): void {
  const roles = store.collection(CollectionName.Roles);
  for (const name of ['admin', 'member', 'reader']) {
    const id = `role-${name}`;
    if (!roles.has(id)) roles.set(id, { id, name, domain_id: null, description: null, options: {} });
  }
}

/** The endpoints that were made, by service. */
function madeServices(store: Store): readonly JsonObject[] {
  const endpoints = store.sorted(CollectionName.Endpoints).filter(({ enabled }) => enabled === true);
  return store
    .sorted(CollectionName.Services)
    .filter(({ enabled }) => enabled === true)
    .map(({ id = null, type = null, name = null }) => ({
      id,
      type,
      name,
      endpoints: endpoints
        .filter(({ service_id: of }) => of === id)
        .map(({ id: own = null, interface: place = null, region_id: region = null, url = null }) => ({
          id: own,
          interface: place,
          region_id: region,
          region,
          url,
        })),
    }));
}

/** A service in the catalog. */
function service(store: Store, type: string, name: string, url: string): JsonObject {
  const endpoints = ['public', 'internal', 'admin'].map((kind) => ({
    id: store.newHexId(),
    interface: kind,
    region_id: 'RegionOne',
    region: 'RegionOne',
    url,
  }));
  return { endpoints, id: store.newHexId(), type, name };
}
