// The memory of a simulated cloud, and the source of its ids and times.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';

export type Item = Record<string, Json>;

export const CollectionName = {
  Domains: 'domains',
  Projects: 'projects',
  Users: 'users',
  Groups: 'groups',
  Roles: 'roles',
  RoleAssignments: 'role_assignments',
  Services: 'services',
  Endpoints: 'endpoints',
  ApplicationCredentials: 'application_credentials',
  AccessRules: 'access_rules',
  Trusts: 'trusts',
  Networks: 'networks',
  Subnets: 'subnets',
  Ports: 'ports',
  Routers: 'routers',
  SecurityGroups: 'security_groups',
  SecurityGroupRules: 'security_group_rules',
  AddressScopes: 'address_scopes',
  Images: 'images',
  ShareNetworks: 'share_networks',
  Volumes: 'volumes',
  VolumeTypes: 'volume_types',
  FloatingIps: 'floatingips',
  Trunks: 'trunks',
  Flavors: 'flavors',
  KeyPairs: 'keypairs',
  ServerGroups: 'server_groups',
  Servers: 'servers',
} as const;
export type CollectionName = (typeof CollectionName)[keyof typeof CollectionName];

/** An item, or the limits of a project, under a key that tells which. */
export type StoredRecord = readonly [key: string, value: JsonObject];

const QUOTAS = 'quotas';

export class Store {
  readonly #clock: Clock;
  readonly #collections = new Map<CollectionName, Map<string, Item>>();
  /** Limits by project and resource; what is absent is unlimited. */
  readonly quotas = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  collection(name: CollectionName): Map<string, Item> {
    let items = this.#collections.get(name);
    if (items === undefined) {
      items = new Map();
      this.#collections.set(name, items);
    }
    return items;
  }

  /** All that is stored. */
  *records(): Generator<StoredRecord> {
    for (const [name, items] of this.#collections) for (const [id, item] of items) yield [`${name}/${id}`, item];
    for (const [id, limits] of this.quotas) yield [`${QUOTAS}/${id}`, Object.fromEntries(limits)];
  }

  /** Stores a record of another store's, or removes it. */
  restore(key: string, value: JsonObject | undefined): void {
    const [name = '', id = ''] = key.split(/\/(.*)/s);
    if (name === QUOTAS) {
      if (value === undefined) this.quotas.delete(id);
      else this.quotas.set(id, new Map(Object.entries(value).map(([resource, limit]) => [resource, Number(limit)])));
    } else if (value === undefined) this.collection(name as CollectionName).delete(id);
    else this.collection(name as CollectionName).set(id, { ...value });
  }

  /** All items of a collection, those with the least id first, as MariaDB lists them. */
  sorted(name: CollectionName): Item[] {
    return [...this.collection(name).values()].sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
  }

  /** Keystone's form of an id: 32 hexadecimal digits. */
  newHexId(): string {
    return Array.from({ length: 32 }, () => Math.floor(this.#clock.random() * 16).toString(16)).join('');
  }

  /** Neutron's form of an id: a UUID of version 4. */
  newUuid(): string {
    const hex = this.newHexId();
    const variant = (8 + Math.floor(this.#clock.random() * 4)).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** A whole number in [from, to]. */
  pick(from: number, to: number): number {
    return from + Math.floor(this.#clock.random() * (to - from + 1));
  }

  /** Neutron's form of the present time. */
  now(): string {
    return `${this.nowWithoutZone().slice(0, 19)}Z`;
  }

  /** That of Cinder and Manila, which do not say that it is UTC. */
  nowWithoutZone(): string {
    return `${new Date(this.nowMs()).toISOString().slice(0, 23)}000`;
  }

  nowMs(): number {
    return this.#clock.now();
  }
}

/** What Neutron counts against a quota. */
export const QUOTA_RESOURCES: readonly string[] = [
  'network',
  'subnet',
  'subnetpool',
  'port',
  'router',
  'floatingip',
  'rbac_policy',
  'security_group',
  'security_group_rule',
  'trunk',
];
