// Domains and projects of the simulated Keystone. A domain is a project that acts as one, as in the real service.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { keystoneRefusal, pythonRepr, type Reply, type SimulatedRequest } from './exchange.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

/** What is listed, and how. */
export interface KeystoneLists {
  readonly store: Store;
  /** Items a list answers at most; undefined: all, as the real one of this release does. */
  readonly pageSize: number | undefined;
}

/** Keystone's limits. */
const NAME_LENGTH = 64;
const TAG_LENGTH = 255;
const TAGS = 80;

const MALFORMED =
  'Expecting to find valid JSON in request body. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';

export function serveDomains(request: SimulatedRequest, { store, pageSize }: KeystoneLists): Reply {
  const [, id] = request.segments;
  const domains = store.collection(CollectionName.Domains);
  if (id === undefined) {
    if (request.method === 'POST') {
      const given = member(request, 'domain', ['name']);
      validate(given);
      refuseSameDomain(store, given['name'], undefined);
      const explicit = given['explicit_domain_id'];
      const domain: Item = {
        ...given,
        id: typeof explicit === 'string' ? explicit : store.newHexId(),
        description: given['description'] ?? '',
        enabled: given['enabled'] ?? true,
        tags: given['tags'] ?? [],
        options: {},
      };
      domains.set(String(domain['id']), domain);
      return { status: 201, body: { domain: linked(request, 'domains', domain) } };
    }
    return list(request, store.sorted(CollectionName.Domains), ['name', 'enabled'], pageSize);
  }
  const domain = domains.get(id);
  if (domain === undefined) throw keystoneRefusal(404, `Could not find domain: ${id}.`);
  switch (request.method) {
    case 'PATCH': {
      const given = member(request, 'domain', []);
      validate(given);
      if (given['name'] !== undefined) refuseSameDomain(store, given['name'], id);
      Object.assign(domain, given, { id });
      return { status: 200, body: { domain: linked(request, 'domains', domain) } };
    }
    case 'DELETE': {
      if (domain['enabled'] !== false) {
        throw keystoneRefusal(403, 'Cannot delete a domain that is enabled, please disable it first.');
      }
      const projects = store.collection(CollectionName.Projects);
      for (const [projectId, project] of projects) if (project['domain_id'] === id) projects.delete(projectId);
      domains.delete(id);
      return { status: 204 };
    }
    default:
      return { status: 200, body: { domain: linked(request, 'domains', domain) } };
  }
}

export function serveProjects(request: SimulatedRequest, { store, pageSize }: KeystoneLists): Reply {
  const [, id, part] = request.segments;
  const projects = store.collection(CollectionName.Projects);
  if (id === undefined) {
    if (request.method === 'POST') return createProject(request, store);
    const shown = request.query.get('is_domain') === 'true' ? asProjects(store) : store.sorted(CollectionName.Projects);
    return list(request, shown, ['name', 'domain_id', 'enabled', 'parent_id'], pageSize);
  }
  const project = projects.get(id) ?? asProjects(store).find((item) => item['id'] === id);
  if (project === undefined) throw keystoneRefusal(404, `Could not find project: ${id}.`);
  if (part === 'tags') {
    if (request.method === 'PUT') {
      const given = member(request, undefined, ['tags']);
      validate(given);
      project['tags'] = given['tags'] ?? [];
    }
    return { status: 200, body: { links: { self: request.baseUrl }, tags: project['tags'] ?? [] } };
  }
  switch (request.method) {
    case 'PATCH':
      updateProject(request, store, project);
      return { status: 200, body: { project: { ...linked(request, 'projects', project), extra: {} } } };
    case 'DELETE':
      projects.delete(id);
      return { status: 204 };
    default:
      return { status: 200, body: { project: linked(request, 'projects', project) } };
  }
}

function createProject(request: SimulatedRequest, store: Store): Reply {
  const given = member(request, 'project', ['name']);
  validate(given);
  const domainId = String(given['domain_id'] ?? given['parent_id'] ?? 'default');
  const domain = store.collection(CollectionName.Domains).get(domainId);
  if (domain === undefined) {
    throw keystoneRefusal(400, `Could not find ${given['domain_id'] == null ? 'project' : 'domain'}: ${domainId}.`);
  }
  if (domain['enabled'] === false) {
    throw keystoneRefusal(400, `cannot create a project in a branch containing a disabled project: ${domainId}`);
  }
  const id = store.newHexId();
  refuseSameProject(store, given['name'], domainId, id);
  const project: Item = {
    ...given,
    id,
    domain_id: domainId,
    description: given['description'] ?? '',
    enabled: given['enabled'] ?? true,
    parent_id: given['parent_id'] ?? domainId,
    is_domain: false,
    tags: given['tags'] ?? [],
    options: {},
  };
  store.collection(CollectionName.Projects).set(id, project);
  return { status: 201, body: { project: linked(request, 'projects', project) } };
}

function updateProject(request: SimulatedRequest, store: Store, project: Item): void {
  const given = member(request, 'project', []);
  validate(given);
  if (given['domain_id'] !== undefined && given['domain_id'] !== project['domain_id']) {
    throw keystoneRefusal(400, 'Cannot change Domain ID');
  }
  const id = String(project['id']);
  if (given['name'] !== undefined) refuseSameProject(store, given['name'], String(project['domain_id']), id);
  const domain = store.collection(CollectionName.Domains).get(String(project['domain_id']));
  if (given['enabled'] === true && domain?.['enabled'] === false) {
    throw keystoneRefusal(403, `Cannot enable project ${id} since it has disabled parents`);
  }
  Object.assign(project, given, { id });
}

/** The object in a body, checked as far as its shape goes. `key` undefined: the body itself. */
function member({ body }: SimulatedRequest, key: string | undefined, required: readonly string[]): JsonObject {
  if (body === 'absent' || body === 'broken') throw keystoneRefusal(400, MALFORMED);
  const given = (key === undefined ? body : asObject(body[key])) ?? {};
  for (const name of required) {
    if (given[name] === undefined) throw keystoneRefusal(400, `'${name}' is a required property`);
  }
  if (required.length === 0 && Object.keys(given).length === 0) {
    throw keystoneRefusal(400, '{} does not have enough properties');
  }
  return given;
}

/** Refuses as the JSON schema of the real service does; of its messages only the first line is kept. */
function validate(given: JsonObject): void {
  const refuse = (field: string, complaint: string): never => {
    throw keystoneRefusal(400, `Invalid input for field '${field}': ${complaint}`);
  };
  const text = (field: string, value: Json, longest: number): void => {
    if (typeof value !== 'string') refuse(field, `${pythonRepr(value)} is not of type 'string'`);
    else if (value.length > longest) refuse(field, `${pythonRepr(value)} is too long`);
    else if (value.length < 1) refuse(field, `${pythonRepr(value)} is too short`);
    else if (field === 'name' && value.trim() === '') refuse(field, `${pythonRepr(value)} does not match '[\\\\S]+'`);
  };
  const { name, enabled, description, tags } = given;
  if (name !== undefined) text('name', name, NAME_LENGTH);
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    refuse('enabled', `${pythonRepr(enabled)} is not of type 'boolean'`);
  }
  if (description !== undefined && description !== null && typeof description !== 'string') {
    refuse('description', `${pythonRepr(description)} is not of type 'string', 'null'`);
  }
  if (tags === undefined) return;
  if (!Array.isArray(tags)) throw refuse('tags', `${pythonRepr(tags)} is not of type 'array'`);
  for (const [index, tag] of tags.entries()) {
    text(`tags/${index}`, tag, TAG_LENGTH);
    if (/[,/]/.test(String(tag))) refuse(`tags/${index}`, `${pythonRepr(tag)} does not match '^[^,/]*$'`);
  }
  if (tags.length > TAGS) refuse('tags', `${pythonRepr(tags)} is too long`);
  if (new Set(tags).size < tags.length) refuse('tags', `${pythonRepr(tags)} has non-unique elements`);
}

/** MariaDB compares names without regard to case, and so does the real service. */
function sameName(one: Json | undefined, other: Json | undefined): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase();
}

function refuseSameDomain(store: Store, name: Json | undefined, ownId: string | undefined): void {
  for (const domain of store.collection(CollectionName.Domains).values()) {
    if (domain['id'] === ownId || !sameName(domain['name'], name)) continue;
    const reason = `it is not permitted to have two projects acting as domains with the same name: ${name}.`;
    throw keystoneRefusal(409, `Conflict occurred attempting to store project - ${reason}`);
  }
}

function refuseSameProject(store: Store, name: Json | undefined, domainId: string, ownId: string): void {
  for (const project of store.collection(CollectionName.Projects).values()) {
    if (project['id'] === ownId || project['domain_id'] !== domainId || !sameName(project['name'], name)) continue;
    const what = `name is ${name}, project id ${ownId}.`;
    throw keystoneRefusal(
      409,
      `Conflict occurred attempting to store project - it is not permitted to have two projects with either the same name or same id in the same domain: ${what}`,
    );
  }
}

function asProjects(store: Store): Item[] {
  return store
    .sorted(CollectionName.Domains)
    .map((domain) => ({ ...domain, domain_id: null, parent_id: null, is_domain: true }));
}

function linked({ baseUrl }: SimulatedRequest, collection: string, item: Item): JsonObject {
  return { ...item, links: { self: `${baseUrl}/${collection}/${item['id']}` } };
}

/** Filters, pages and links a list. What is not in `filters`, and values that make no sense, count for nothing. */
function list(
  request: SimulatedRequest,
  items: readonly Item[],
  filters: readonly string[],
  pageSize: number | undefined,
): Reply {
  const { query } = request;
  const collection = String(request.segments[0]);
  const matches = items.filter((item) => {
    for (const [key, wanted] of query) {
      if (key === 'enabled' && filters.includes(key)) {
        // Whatever is not a spelling of "no" means yes.
        if (item['enabled'] !== !['false', '0'].includes(wanted.toLowerCase())) return false;
      } else if (filters.includes(key) && !sameName(item[key], wanted)) return false;
    }
    return collection === 'domains' || tagsMatch(item, query, 'exact');
  });
  const start = matches.findIndex((item) => item['id'] === query.get('marker')) + 1;
  const page = pageSize === undefined ? matches : matches.slice(start, start + pageSize);
  const last = page.at(-1)?.['id'];
  const links = listLinks(request);
  const more = pageSize !== undefined && start + pageSize < matches.length;
  const next = new URLSearchParams(query);
  next.set('marker', String(last));
  return {
    status: 200,
    body: {
      [collection]: page.map((item) => linked(request, collection, item)),
      links: more ? { ...links, next: `${request.baseUrl}${request.path}?${next}` } : links,
    },
  };
}

/** Whether the tags of an item satisfy `tags`, `tags-any`, `not-tags` and `not-tags-any`; several of one are joined. */
export function tagsMatch(item: JsonObject, query: URLSearchParams, spelling: 'exact' | 'caseless'): boolean {
  const spell = (tag: Json): string => (spelling === 'exact' ? String(tag) : String(tag).toLowerCase());
  const tags = item['tags'];
  const own = new Set((Array.isArray(tags) ? tags : []).map(spell));
  const wanted = (key: string): string[] => query.getAll(key).flatMap((value) => value.split(',').map(spell));
  const all = (key: string): boolean => wanted(key).every((tag) => own.has(tag));
  const some = (key: string): boolean => wanted(key).some((tag) => own.has(tag));
  return (
    (!query.has('tags') || all('tags')) &&
    (!query.has('tags-any') || some('tags-any')) &&
    (!query.has('not-tags') || !all('not-tags')) &&
    (!query.has('not-tags-any') || !some('not-tags-any'))
  );
}

/** The `links` of a list that is complete. */
export function listLinks({ baseUrl, path, rawQuery }: SimulatedRequest): JsonObject {
  return { next: null, self: `${baseUrl}${path}${rawQuery === '' ? '' : `?${rawQuery}`}`, previous: null };
}
