// A cloud on loopback for tests and for trying things out: Keystone v3 and Neutron v2.0 over HTTP, in memory.
//
// What it does not do: policies and roles (whoever has a scoped token may do everything, and a token without scope is
// refused by Keystone only), any service but these two, subnet pools, address scopes, floating IPs, trunks, address
// groups, quality of service, RBAC, prefixes without room for a gateway; no agent wires a port: whatever has a host is
// ACTIVE, as is an interface of a router; routers have no routes or flavors of their own, and those that are
// distributed or highly available differ only in what their interfaces are called; Keystone's complaints about a body
// end after their first line, and where the real one of this release breaks off without an answer (a project is renamed
// to a name that is taken) this one says 409; the order in which several faults of one body are found may differ, and
// by how much a revision grows. Nothing outlives it.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { Faults } from './faults.ts';
import { keystone } from './keystone.ts';
import { neutron } from './neutron.ts';
import { bump } from './neutron-resource.ts';
import { SimulatorServer } from './server.ts';
import { CollectionName, type Item, Store } from './store.ts';
import { Tokens } from './tokens.ts';

/** Keystone's default, in milliseconds. */
const TOKEN_LIFETIME_MS = 3_600_000;

export interface SimulatorOptions {
  clock: Clock;
  /** On 127.0.0.1; 0, the default, for any that is free. */
  port?: number;
  /** Time that every request takes, in milliseconds; 0 by default. */
  latencyMs?: number;
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

export interface Simulator {
  /** Keystone's URL, with its version. */
  readonly authUrl: string;
  readonly faults: Faults;
  readonly drift: Drift;
  /** The user's own project. */
  readonly projectId: string;
  /** A `clouds.yaml` by which user `admin` reaches project `admin`. */
  cloudsYaml(cloudName: string): string;
  setLatency(latencyMs: number): void;
  /** Limits by resource (`network`, `subnet`, `port`); -1: none. */
  setQuota(projectId: string, limits: Readonly<Record<string, number>>): void;
  /** Applies to tokens issued from now on. */
  setTokenLifetime(tokenLifetimeMs: number): void;
  /** All tokens issued so far are worthless from now on. */
  expireTokens(): void;
  /** What is stored, by id; without what Neutron adds when it shows an item. */
  resources(collection: CollectionName): readonly JsonObject[];
  /** Number of requests so far, by e.g. `network GET /networks/{id}`. */
  calls(): Readonly<Record<string, number>>;
  /** Most requests that were served at the same time. */
  mostInFlight(): number;
  /** Starts `calls` and `mostInFlight` afresh. */
  resetCounts(): void;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a simulated cloud. There are the domain `Default` (id `default`), the projects `admin` and `service`, and the
 * user `admin` with password `secret`.
 *
 * @returns once the port is open
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, port = 0, availabilityZones = [], dnsExtension = 'loaded' } = options;
  let { latencyMs = 0, tokenLifetimeMs = TOKEN_LIFETIME_MS } = options;
  const store = new Store(clock);
  const projectId = seed(store);
  const catalogue = (): Json => {
    const network = options.networkUrl === 'versioned' ? '/network/v2.0/' : '/network';
    return [
      service(store, 'network', 'neutron', origin() + network),
      service(store, 'identity', 'keystone', authUrl()),
    ];
  };
  const tokens = new Tokens({ clock, store, catalogue, tokenLifetimeMs: () => tokenLifetimeMs });
  const faults = new Faults();
  const server = new SimulatorServer({
    clock,
    store,
    faults,
    latencyMs: () => latencyMs,
    handlers: {
      identity: keystone({ store, tokens, pageSize: options.identityPageSize }),
      network: neutron({
        store,
        tokens,
        dns: dnsExtension === 'loaded',
        availabilityZones,
        maxPageSize: options.networkPageSize,
      }),
    },
  });
  const origin = (): string => server.origin;
  const authUrl = (): string => `${origin()}/identity/v3`;
  await server.listen(port);
  return {
    authUrl: authUrl(),
    faults,
    drift: drift(store),
    projectId,
    cloudsYaml: (cloudName) => cloudsYaml(cloudName, authUrl()),
    setLatency(newLatencyMs) {
      latencyMs = newLatencyMs;
    },
    setQuota(id, limits) {
      store.quotas.set(id, new Map([...(store.quotas.get(id) ?? []), ...Object.entries(limits)]));
    },
    setTokenLifetime(newLifetimeMs) {
      tokenLifetimeMs = newLifetimeMs;
    },
    expireTokens: () => tokens.revokeAll(),
    resources: (collection) => structuredClone(store.sorted(collection)),
    calls: () => server.calls,
    mostInFlight: () => server.mostInFlight,
    resetCounts: () => server.resetCounts(),
    close: () => server.close(),
  };
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
