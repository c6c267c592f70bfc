// The simulated cloud itself: what it stores, and its answers to requests, however they come.
//
// What it does not do: see simulator.ts.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { Refusal, type Reply, type SimulatedRequest, SimulatedService } from './exchange.ts';
import { Faults } from './faults.ts';
import { keystone } from './keystone.ts';
import { neutron } from './neutron.ts';
import { bump } from './neutron-resource.ts';
import { CollectionName, type Item, Store } from './store.ts';
import { Tokens } from './tokens.ts';

/** Keystone's default, in milliseconds. */
const TOKEN_LIFETIME_MS = 3_600_000;

/** Below its origin each service has a place, with its version. */
const ROOTS = { identity: '/identity/v3', network: '/network/v2.0' } as const;

export interface CloudOptions {
  clock: Clock;
  /** What the cloud has, if it is no new one. */
  store?: Store;
  /** Life of the tokens issued, in milliseconds; one hour by default. */
  tokenLifetimeMs?: number;
  /** Whether the catalogue's URLs end in a version: `bare`, the default, as Neutron is usually published. */
  networkUrl?: 'bare' | 'versioned';
  /** Without it networks have no `dns_domain`. */
  dnsExtension?: 'loaded' | 'absent';
  /** Zones that a network may hint at; none by default. */
  availabilityZones?: readonly string[];
  /** Most items of one answer of Keystone's; unlimited by default. */
  identityPageSize?: number;
  /** Most items of one answer of Neutron's (`pagination_max_limit`); unlimited by default. */
  networkPageSize?: number;
}

/** Changes that no client of the simulated cloud made. */
export interface Drift {
  /** Stores an item as it is, with an id if it has none. @returns its id */
  add(collection: CollectionName, attributes: JsonObject): string;
  /** @throws when there is no such item */
  change(collection: CollectionName, id: string, attributes: JsonObject): void;
  /** Removes an item, in use or not. @throws when there is no such item */
  remove(collection: CollectionName, id: string): void;
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
  /** What is stored, by id; without what Neutron adds when it shows an item. */
  resources(collection: CollectionName): readonly JsonObject[];
  newUuid(): string;
  /** A request as one of the services sees it; undefined: the path is that of none. @param url  path and query */
  parse(method: string, url: string, headers: SimulatedRequest['headers'], body: string): SimulatedRequest | undefined;
  /** Does what is asked for. */
  answer(request: SimulatedRequest): Reply;
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
  const authUrl = (): string => `${origin()}/identity/v3`;
  const catalogue = (): Json => {
    const network = options.networkUrl === 'versioned' ? '/network/v2.0/' : '/network';
    return [
      service(store, 'network', 'neutron', origin() + network),
      service(store, 'identity', 'keystone', authUrl()),
    ];
  };
  const tokens = new Tokens({ clock, store, catalogue, tokenLifetimeMs: () => tokenLifetimeMs });
  const handlers: Readonly<Record<SimulatedService, (request: SimulatedRequest) => Reply>> = {
    identity: keystone({ store, tokens, pageSize: options.identityPageSize }),
    network: neutron({
      store,
      tokens,
      dns: dnsExtension === 'loaded',
      availabilityZones,
      maxPageSize: options.networkPageSize,
    }),
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
    resources: (collection) => structuredClone(store.sorted(collection)),
    newUuid: () => store.newUuid(),
    parse(method, url, headers, body) {
      const [path = '', rawQuery = ''] = url.split(/\?(.*)/s);
      const service = Object.values(SimulatedService).find((name) => path.startsWith(ROOTS[name]));
      if (service === undefined) return undefined;
      const below = path.slice(ROOTS[service].length).replace(/\/+$/, '');
      return {
        service,
        method,
        path: below,
        segments: below.split('/').slice(1).map(decodeURIComponent),
        query: new URLSearchParams(rawQuery),
        rawQuery,
        headers,
        body: body === '' ? 'absent' : parseObject(body),
        baseUrl: `${origin()}${ROOTS[service]}`,
      };
    },
    answer(request) {
      try {
        return handlers[request.service](request);
      } catch (error) {
        if (error instanceof Refusal) return error.reply;
        throw error;
      }
    },
  };
}

function parseObject(text: string): JsonObject | 'broken' {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : 'broken';
  } catch {
    return 'broken';
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

/** A service in the catalogue. */
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

const NEUTRON_COLLECTIONS: ReadonlySet<CollectionName> = new Set([
  CollectionName.Networks,
  CollectionName.Subnets,
  CollectionName.Ports,
  CollectionName.Routers,
  CollectionName.SecurityGroups,
  CollectionName.SecurityGroupRules,
]);

function drift(store: Store): Drift {
  const existing = (collection: CollectionName, id: string): Item => {
    const item = store.collection(collection).get(id);
    if (item === undefined) throw new Error(`no '${id}' among the simulated ${collection}`);
    return item;
  };
  const isNeutron = (collection: CollectionName): boolean => NEUTRON_COLLECTIONS.has(collection);
  return {
    add(collection, attributes) {
      const id = String(attributes['id'] ?? (isNeutron(collection) ? store.newUuid() : store.newHexId()));
      store.collection(collection).set(id, { ...attributes, id });
      return id;
    },
    change(collection, id, attributes) {
      const item = existing(collection, id);
      Object.assign(item, attributes);
      if (isNeutron(collection)) bump(item, store);
    },
    remove(collection, id) {
      existing(collection, id);
      store.collection(collection).delete(id);
    },
  };
}
