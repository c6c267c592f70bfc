// Domains and projects of the simulated Keystone. A domain is a project that acts as one, as in the real service.
import type { Json } from '../../../bus/bus.ts';
import { keystoneRefusal, type Reply, type SimulatedRequest } from './exchange.ts';
import { type KeystoneLists, linked, list, member, sameName, validate } from './keystone-requests.ts';
import { CollectionName, type Item, type Store } from './store.ts';

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
      for (const name of [CollectionName.Projects, CollectionName.Users, CollectionName.Groups]) {
        const items = store.collection(name);
        for (const [itemId, item] of items) if (item['domain_id'] === id) items.delete(itemId);
      }
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
