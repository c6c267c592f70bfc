// Users, groups, roles, services and endpoints of the simulated Keystone: each made, shown, listed, changed and removed in the
// same way.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { keystoneRefusal, pythonRepr, type Reply, type SimulatedRequest } from './exchange.ts';
import { type KeystoneLists, linked, list, member, refuse, sameName, text, validate } from './keystone-requests.ts';
import { CollectionName, type Item, type Store } from './store.ts';

/** Keystone's limits. */
const LONGEST = 255;
const LONGEST_URL = 225;

interface Collection {
  readonly name: CollectionName;
  /** Name of the item, in bodies and in messages. */
  readonly member: string;
  readonly required: readonly string[];
  /** Query keys. */
  readonly filters: readonly string[];
  /** Whether an item is listed at all. */
  readonly isListed?: (item: Item, query: URLSearchParams) => boolean;
  /** Refuses what is given. @param own  the item that is changed; undefined: one is made */
  readonly check: (given: JsonObject, store: Store, own: Item | undefined) => void;
  /** Members of an item that the request did not give. */
  readonly defaults: JsonObject;
  /** Shown members of a stored item, and further ones. */
  readonly shown?: (item: Item) => JsonObject;
  /** Takes with it what is nothing without the item. */
  readonly onRemoved?: (id: string, store: Store) => void;
}

const roles: Collection = {
  name: CollectionName.Roles,
  member: 'role',
  required: ['name'],
  filters: ['name', 'domain_id'],
  isListed: ({ domain_id: domain }, query) => query.has('domain_id') || domain === null,
  check(given, store, own) {
    validate(given, { nameLength: LONGEST });
    if (own !== undefined && given['domain_id'] !== undefined && given['domain_id'] !== own['domain_id'])
      throw keystoneRefusal(400, 'Update of `domain_id` is not allowed.');
    refuseDuplicate(store, CollectionName.Roles, 'role', { given, own });
  },
  defaults: { domain_id: null, description: null, options: {} },
};

const groups: Collection = {
  name: CollectionName.Groups,
  member: 'group',
  required: ['name'],
  filters: ['name', 'domain_id'],
  check(given, store, own) {
    validate(given, { nameLength: LONGEST });
    const { domain_id: domain = 'default' } = given;
    if (own === undefined && !store.collection(CollectionName.Domains).has(String(domain)))
      throw keystoneRefusal(404, `Could not find domain: ${String(domain)}.`);
    refuseDuplicate(store, CollectionName.Groups, 'group', {
      given: own === undefined ? { domain_id: domain, ...given } : given,
      own,
    });
  },
  defaults: { domain_id: 'default', description: '' },
};

const services: Collection = {
  name: CollectionName.Services,
  member: 'service',
  required: ['type'],
  filters: ['name', 'type'],
  check(given) {
    const { description: _, ...checked } = given;
    validate(checked, { nameLength: LONGEST });
    if (given['type'] !== undefined) text('type', given['type'], LONGEST);
  },
  defaults: { name: '', enabled: true },
  onRemoved(id, store) {
    const items = store.collection(CollectionName.Endpoints);
    for (const [endpointId, { service_id: service }] of items) if (service === id) items.delete(endpointId);
  },
};

const INTERFACES: readonly Json[] = ['admin', 'internal', 'public'];

const endpoints: Collection = {
  name: CollectionName.Endpoints,
  member: 'endpoint',
  required: ['interface', 'service_id', 'url'],
  filters: ['interface', 'service_id', 'region_id'],
  check(given, store) {
    const { interface: place, url, service_id: service, enabled } = given;
    if (enabled !== undefined) validate({ enabled });
    if (place !== undefined && !INTERFACES.includes(place))
      refuse('interface', `${pythonRepr(place)} is not one of ${pythonRepr(INTERFACES)}`);
    if (typeof url === 'string' && !/^[a-zA-Z0-9+.-]+:.+/.test(url))
      refuse('url', `${pythonRepr(url)} does not match '^[a-zA-Z0-9+.-]+:.+'`);
    if (url !== undefined) text('url', url, LONGEST_URL);
    if (service === undefined || store.collection(CollectionName.Services).has(String(service))) return;
    throw keystoneRefusal(
      400,
      'Expecting to find endpoint service_id in service table. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.',
    );
  },
  defaults: { enabled: true, region_id: null },
  shown: (item) => ({ ...item, region: item['region_id'] ?? null }),
};

const users: Collection = {
  name: CollectionName.Users,
  member: 'user',
  required: ['name'],
  filters: ['name', 'domain_id', 'enabled'],
  check(given, store, own) {
    validate(given, { nameLength: LONGEST });
    const { domain_id: domain = 'default', password = null, default_project_id: project = null } = given;
    if (password !== null && typeof password !== 'string')
      refuse('password', `${pythonRepr(password)} is not of type 'string', 'null'`);
    if (own !== undefined && given['domain_id'] !== undefined && domain !== own['domain_id'])
      throw keystoneRefusal(400, 'Cannot change Domain ID');
    const domains = store.collection(CollectionName.Domains);
    if (own === undefined && !domains.has(String(domain)))
      throw keystoneRefusal(404, `Could not find domain: ${String(domain)}.`);
    if (domains.has(String(project)))
      throw keystoneRefusal(400, `User's default project ID cannot be a domain ID: ${String(project)}`);
    refuseDuplicate(store, CollectionName.Users, 'user', {
      given: own === undefined ? { domain_id: domain, ...given } : given,
      own,
    });
  },
  defaults: { domain_id: 'default', enabled: true, options: {}, password_expires_at: null },
  shown: ({ password: _, default_project_id: project = null, ...user }) => ({
    password_expires_at: null,
    ...user,
    ...(project !== null && { default_project_id: project }),
  }),
  onRemoved(id, store) {
    for (const name of [CollectionName.ApplicationCredentials, CollectionName.AccessRules]) {
      const items = store.collection(name);
      for (const [itemId, { user_id: owner }] of items) if (owner === id) items.delete(itemId);
    }
  },
};

const COLLECTIONS: Readonly<Record<string, Collection>> = { roles, groups, services, endpoints, users };

export function isPlainCollection(name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(COLLECTIONS, name);
}

export function servePlain(request: SimulatedRequest, { store, pageSize }: KeystoneLists): Reply {
  const [name = '', id] = request.segments;
  const of = COLLECTIONS[name] as Collection;
  const items = store.collection(of.name);
  const show = (item: Item): Item => ({ ...(of.shown?.(item) ?? item) });
  const answer = (item: Item): JsonObject => ({ [of.member]: linked(request, name, show(item)) });
  if (id === undefined) {
    if (request.method === 'POST') {
      const given = member(request, of.member, of.required);
      of.check(given, store, undefined);
      const item: Item = { ...of.defaults, ...given, id: store.newHexId() };
      items.set(String(item['id']), item);
      return { status: 201, body: answer(item) };
    }
    const listed = store.sorted(of.name).filter((item) => of.isListed?.(item, request.query) ?? true);
    return list(request, listed.map(show), of.filters, pageSize);
  }
  const item = items.get(id);
  if (item === undefined) throw keystoneRefusal(404, `Could not find ${of.member}: ${id}.`);
  switch (request.method) {
    case 'PATCH': {
      const given = member(request, of.member, []);
      of.check(given, store, item);
      Object.assign(item, given, { id });
      return { status: 200, body: answer(item) };
    }
    case 'DELETE':
      items.delete(id);
      of.onRemoved?.(id, store);
      return { status: 204 };
    default:
      return { status: 200, body: answer(item) };
  }
}

/** Names are unique within a domain, or, of roles, without one. */
export function refuseDuplicate(
  store: Store,
  collection: CollectionName,
  what: string,
  { given, own }: { readonly given: JsonObject; readonly own: Item | undefined },
): void {
  const { name, domain_id: domain } = given;
  if (name === undefined) return;
  const within = domain ?? own?.['domain_id'] ?? null;
  for (const item of store.collection(collection).values()) {
    if (item === own || (item['domain_id'] ?? null) !== within || !sameName(item['name'], name)) continue;
    const where = typeof domain === 'string' ? ` at domain ID ${domain}` : '';
    const details = `Duplicate entry found with name ${String(name)}${where}`;
    throw keystoneRefusal(409, `Conflict occurred attempting to store ${what} - ${details}.`);
  }
}
