// The simulated Neutron: one way to serve all its collections, tags and quotas.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import {
  keystoneRefusal,
  neutronRefusal,
  type Reply,
  type SimulatedRequest,
  type TokenRecord,
  UNAUTHENTICATED,
} from './exchange.ts';
import { addressScopes } from './neutron-address-scopes.ts';
import { type AttributeTable, invalidInput, toInteger } from './neutron-attributes.ts';
import { floatingIps } from './neutron-floating-ips.ts';
import { answerList, withFields } from './neutron-lists.ts';
import { networks } from './neutron-networks.ts';
import { ports } from './neutron-ports.ts';
import { bump, type NeutronDeps, type NeutronResource, notFound, pathOf } from './neutron-resource.ts';
import { routers } from './neutron-routers.ts';
import { securityGroupRules } from './neutron-security-group-rules.ts';
import { securityGroups } from './neutron-security-groups.ts';
import { subnets } from './neutron-subnets.ts';
import { trunks } from './neutron-trunks.ts';
import { type Item, QUOTA_RESOURCES, type Store } from './store.ts';
import { asObject } from './tokens.ts';

/** Makes the handler of all requests below `/v2.0`. */
export function neutron(deps: NeutronDeps): (request: SimulatedRequest) => Reply {
  const { store, tokens } = deps;
  const resources = [
    networks,
    subnets,
    ports,
    routers,
    securityGroups,
    securityGroupRules,
    floatingIps,
    trunks,
    addressScopes,
  ].map((make) => make(deps));
  return (request) => {
    const speaker = tokens.find(String(request.headers['x-auth-token']));
    if (speaker === undefined) {
      const { reply } = keystoneRefusal(401, UNAUTHENTICATED);
      return { ...reply, headers: { 'WWW-Authenticate': 'Keystone uri="http://127.0.0.1/identity"' } };
    }
    const [collection, id, part, tag] = request.segments.map((segment, index, { length }) =>
      index === length - 1 ? segment.replace(/\.json$/, '') : segment,
    );
    if (collection === 'quotas') return serveQuotas(request, store, id);
    const resource = resources.find((candidate) => pathOf(candidate) === collection);
    const action = part === undefined ? undefined : resource?.actions?.[part];
    if (resource === undefined || (part !== undefined && part !== 'tags' && action === undefined)) {
      throw neutronRefusal(404, 'HTTPNotFound', 'The resource could not be found.');
    }
    if (id === undefined) return serveCollection(request, resource, speaker, deps);
    const item = store.collection(resource.collection).get(id);
    if (part === 'tags') return serveTags(request, resource, item, id, tag, store);
    if (item === undefined) throw notFound(resource, id);
    if (action !== undefined) return serveAction(request, item, action);
    return serveItem(request, resource, item, store);
  };
}

function serveCollection(
  request: SimulatedRequest,
  resource: NeutronResource,
  speaker: TokenRecord,
  deps: NeutronDeps,
): Reply {
  const { store } = deps;
  const { collection, singular } = resource;
  if (request.method === 'GET') return answerList(request, resource, store.sorted(collection), deps.maxPageSize);
  if (request.method !== 'POST') throw notAllowed();
  const { body } = request;
  if (body === 'absent' || (body !== 'broken' && Object.keys(body).length === 0)) {
    throw badRequest('Resource body required');
  }
  const several = body === 'broken' ? undefined : body[collection];
  if (several === undefined) {
    const item = itemOf({ ...member(request, singular) }, resource, speaker, store);
    return { status: 201, body: { [singular]: keep(item, resource, store) } };
  }
  const items = asList(several).map((given) => itemOf({ ...asObject(given) }, resource, speaker, store));
  if (items.length === 0) throw badRequest('Resources required');
  resource.checkAll?.(items);
  const shown: JsonObject[] = [];
  try {
    for (const item of items) shown.push(keep(item, resource, store));
  } catch (error) {
    // All or none.
    for (const item of items.slice(0, shown.length)) {
      resource.remove(item);
      store.collection(collection).delete(String(item['id']));
    }
    throw error;
  }
  return { status: 201, body: { [collection]: shown } };
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A new item as a body states it, checked attribute by attribute. */
function itemOf(
  given: Record<string, Json>,
  { attributes }: NeutronResource,
  speaker: TokenRecord,
  store: Store,
): Item {
  const { project_id: project, tenant_id: tenant } = given;
  if (project !== undefined && tenant !== undefined && project !== tenant) {
    throw neutronRefusal(400, 'HTTPBadRequest', "'project_id' and 'tenant_id' do not match");
  }
  delete given['project_id'];
  const projectId = String(project ?? tenant ?? speaker.projectId ?? '');
  given['tenant_id'] = projectId;
  refuseUnknown(given, attributes);
  for (const [name, attribute] of Object.entries(attributes)) {
    if (given[name] === undefined) {
      if (attribute.allowed !== 'never' && attribute.preset === undefined) {
        throw badRequest(`Failed to parse request. Required attribute '${name}' not specified`);
      }
    } else if (attribute.allowed === 'never') throw badRequest(`Attribute '${name}' not allowed in POST`);
  }
  const item: Item = { id: store.newUuid() };
  for (const [name, { convert, preset }] of Object.entries(attributes)) {
    const value = given[name];
    if (value !== undefined) item[name] = convert(value, name);
    else if (preset !== 'unset' && preset !== undefined) item[name] = preset;
  }
  const now = store.now();
  return Object.assign(item, { project_id: projectId, tags: [], created_at: now, updated_at: now });
}

/** Finishes a new item and stores it. @returns it, as clients see what was not there before */
function keep(item: Item, resource: NeutronResource, store: Store): JsonObject {
  refuseOverQuota(store, resource, String(item['project_id']));
  resource.create(item);
  const shown = resource.show(item);
  store.collection(resource.collection).set(String(item['id']), item);
  return shown;
}

function serveAction(
  request: SimulatedRequest,
  item: Item,
  action: (item: Item, body: JsonObject) => JsonObject,
): Reply {
  if (request.method !== 'PUT') throw notAllowed();
  if (request.body === 'broken') throw badRequest('Body contains invalid data');
  return { status: 200, body: action(item, request.body === 'absent' ? {} : request.body) };
}

function serveItem(request: SimulatedRequest, resource: NeutronResource, item: Item, store: Store): Reply {
  const { singular, attributes } = resource;
  switch (request.method) {
    case 'GET':
      return { status: 200, body: { [singular]: withFields(resource.show(item), request.query) } };
    case 'PUT': {
      const given = { ...member(request, singular) };
      if (given['project_id'] !== undefined) given['tenant_id'] = given['project_id'];
      delete given['project_id'];
      refuseUnknown(given, attributes);
      for (const name of Object.keys(given)) {
        if (attributes[name]?.allowed !== 'always') throw badRequest(`Cannot update read-only attribute ${name}`);
      }
      const change: Record<string, Json> = {};
      for (const [name, value] of Object.entries(given)) {
        const { [name]: attribute } = attributes;
        if (attribute !== undefined) change[name] = attribute.convert(value, name);
      }
      refuseOtherRevision(request, item);
      resource.update(item, change);
      return { status: 200, body: { [singular]: resource.show(item) } };
    }
    case 'DELETE':
      refuseOtherRevision(request, item);
      resource.remove(item);
      store.collection(resource.collection).delete(String(item['id']));
      return { status: 204 };
    default:
      throw notAllowed();
  }
}

function serveTags(
  request: SimulatedRequest,
  resource: NeutronResource,
  item: Item | undefined,
  id: string,
  tag: string | undefined,
  store: Store,
): Reply {
  if (item === undefined) {
    throw neutronRefusal(404, 'TagResourceNotFound', `Resource ${resource.collection} ${id} could not be found.`);
  }
  const own = (Array.isArray(item['tags']) ? item['tags'] : []).map(String);
  const keep = (tags: readonly string[]): void => {
    if (JSON.stringify([...tags].sort()) === JSON.stringify([...own].sort())) return;
    item['tags'] = [...tags].sort();
    bump(item, store);
  };
  if (tag !== undefined) {
    if (request.method === 'PUT') {
      if (!own.includes(tag)) keep([...own, tag]);
      return { status: 201, body: null };
    }
    if (!own.includes(tag)) throw neutronRefusal(404, 'TagNotFound', `Tag ${tag} could not be found.`);
    if (request.method === 'DELETE') keep(own.filter((candidate) => candidate !== tag));
    return { status: 204 };
  }
  if (request.method === 'GET') return { status: 200, body: { tags: own } };
  if (request.method === 'DELETE') {
    keep([]);
    return { status: 204 };
  }
  const tags = typeof request.body === 'string' ? undefined : request.body['tags'];
  if (tags === undefined) throw invalidInput('Invalid tags body');
  if (!Array.isArray(tags)) throw invalidInput(`'${String(tags)}' is not a list`);
  for (const [index, candidate] of tags.entries()) {
    if (typeof candidate !== 'string') throw invalidInput(`'${String(candidate)}' is not a valid string`);
    if (tags.indexOf(candidate) < index) throw invalidInput(`Duplicate items in the list: '${candidate}'`);
    if (candidate.length > 255) throw invalidInput(`'${candidate}' exceeds maximum length of 255`);
  }
  keep(tags.map(String));
  return { status: 200, body: { tags } };
}

function serveQuotas(request: SimulatedRequest, store: Store, projectId: string | undefined): Reply {
  const limits = (id: string): JsonObject => {
    const own = store.quotas.get(id);
    return Object.fromEntries(
      QUOTA_RESOURCES.map((name) => [name, own?.get(name) ?? (name === 'rbac_policy' ? 10 : -1)]),
    );
  };
  if (projectId === undefined) {
    const all = [...store.quotas.keys()].map((id) => ({ ...limits(id), project_id: id, tenant_id: id }));
    return { status: 200, body: { quotas: all } };
  }
  if (request.method === 'PUT') {
    const given = member(request, 'quota');
    const own = store.quotas.get(projectId) ?? new Map<string, number>();
    for (const [name, limit] of Object.entries(given)) {
      if (!QUOTA_RESOURCES.includes(name)) throw badRequest(`Unrecognized attribute(s) '${name}'`);
      own.set(name, Number(toInteger(limit, name)));
    }
    store.quotas.set(projectId, own);
  } else if (request.method === 'DELETE') {
    if (store.quotas.delete(projectId)) return { status: 204 };
    throw neutronRefusal(404, 'TenantQuotaNotFound', `Quota for tenant ${projectId} could not be found.`);
  }
  return { status: 200, body: { quota: limits(projectId) } };
}

function refuseOverQuota(store: Store, { singular, collection }: NeutronResource, projectId: string): void {
  const limit = store.quotas.get(projectId)?.get(singular) ?? -1;
  if (limit < 0) return;
  const used = [...store.collection(collection).values()].filter((item) => item['project_id'] === projectId).length;
  if (used >= limit) throw neutronRefusal(409, 'OverQuota', `Quota exceeded for resources: ['${singular}'].`);
}

function refuseUnknown(given: JsonObject, attributes: AttributeTable): void {
  const unknown = Object.keys(given).filter((name) => attributes[name] === undefined);
  if (unknown.length > 0) throw badRequest(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
}

/** Serves `If-Match: revision_number=<n>`; a header of any other form counts for nothing. */
function refuseOtherRevision({ headers }: SimulatedRequest, item: Item): void {
  const wanted = /^"?revision_number=(\d+)"?$/.exec(String(headers['if-match']))?.[1];
  if (wanted === undefined || Number(wanted) === item['revision_number']) return;
  const found = `Constrained to ${wanted}, but current revision is ${item['revision_number']}`;
  throw neutronRefusal(412, 'RevisionNumberConstraintFailed', found);
}

function member({ body }: SimulatedRequest, singular: string): JsonObject {
  if (body === 'broken') throw badRequest('Body contains invalid data');
  const given = body === 'absent' ? undefined : asObject(body[singular]);
  if (given === undefined) throw badRequest(`Unable to find '${singular}' in request body`);
  return given;
}

function badRequest(message: string): Error {
  return neutronRefusal(400, 'HTTPBadRequest', message);
}

function notAllowed(): Error {
  const message = 'The server could not comply with the request since it is either malformed or otherwise incorrect.';
  return neutronRefusal(405, 'HTTPMethodNotAllowed', message);
}
