// The simulated Keystone: routes, and the few resources that authentication needs.
import type { JsonObject } from '../../../bus/bus.ts';
import { keystoneRefusal, NOT_FOUND_PAGE, type Reply, type SimulatedRequest, UNAUTHENTICATED } from './exchange.ts';
import { serveBelowUser } from './keystone-application-credentials.ts';
import { isPlainCollection, servePlain } from './keystone-collections.ts';
import { forgetGrants, isGrant, serveAssignments, serveGrant } from './keystone-grants.ts';
import { type KeystoneLists, listLinks } from './keystone-requests.ts';
import { serveDomains, serveProjects } from './keystone-resources.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject, type Tokens } from './tokens.ts';

export interface KeystoneDeps extends KeystoneLists {
  readonly tokens: Tokens;
}

/** Makes the handler of all requests below `/v3`. */
export function keystone(deps: KeystoneDeps): (request: SimulatedRequest) => Reply {
  const { store, tokens } = deps;
  const serve = (request: SimulatedRequest): Reply => {
    const [collection, id] = request.segments;
    const { method } = request;
    if (request.path === '' || request.path === '/') return { status: 200, body: version(request.baseUrl) };
    if (request.path === '/auth/tokens' && method === 'POST') {
      const record = tokens.issue(request.body);
      return { status: 201, body: { token: record.token }, headers: { 'X-Subject-Token': record.id } };
    }
    const speaker = tokens.find(String(request.headers['x-auth-token']));
    if (speaker === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
    if (request.path === '/auth/tokens') return serveToken(request, tokens);
    if (request.path === '/auth/catalog') return { status: 200, body: { catalog: speaker.token['catalog'] ?? [] } };
    if (
      !isPlainCollection(collection) &&
      !['domains', 'projects', 'role_assignments', 'OS-TRUST', 'OS-INHERIT'].includes(collection ?? '')
    ) {
      return { status: 404, html: NOT_FOUND_PAGE };
    }
    if (!speaker.scoped && collection !== 'users') {
      const verb = method === 'GET' ? (id === undefined ? 'list' : 'get') : method === 'POST' ? 'create' : 'update';
      const noun = id === undefined && method === 'GET' ? collection : collection?.slice(0, -1);
      throw keystoneRefusal(403, `You are not authorized to perform the requested action: identity:${verb}_${noun}.`);
    }
    if (isGrant(request)) return serveGrant(request, store);
    if (collection === 'role_assignments') return serveAssignments(request, store);
    if (collection === 'users' && request.segments[2] !== undefined) return serveBelowUser(request, deps, speaker);
    if (isPlainCollection(collection)) return servePlain(request, deps);
    switch (collection) {
      case 'domains':
        return serveDomains(request, deps);
      case 'projects':
        return serveProjects(request, deps);
      default:
        return serveTrusts(request, store);
    }
  };
  return (request) => {
    const reply = serve(request);
    if (request.method === 'DELETE') forgetGrants(store);
    return reply;
  };
}

function version(baseUrl: string): JsonObject {
  return {
    version: {
      id: 'v3.14',
      status: 'stable',
      updated: '2020-04-07T00:00:00Z',
      links: [{ rel: 'self', href: `${baseUrl}/` }],
      'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
    },
  };
}

function serveToken({ method, headers }: SimulatedRequest, tokens: Tokens): Reply {
  const subject = headers['x-subject-token'];
  if (subject === undefined) throw keystoneRefusal(404, 'No token in the request');
  const found = tokens.find(String(subject));
  if (found === undefined) throw keystoneRefusal(404, 'Could not recognize Fernet token');
  if (method === 'DELETE') {
    tokens.revoke(found.id);
    return { status: 204 };
  }
  return { status: 200, body: { token: found.token }, headers: { 'X-Subject-Token': found.id } };
}

function serveTrusts(request: SimulatedRequest, store: Store): Reply {
  const [, collection, id] = request.segments;
  if (collection !== 'trusts') return { status: 404, html: NOT_FOUND_PAGE };
  const trusts = store.collection(CollectionName.Trusts);
  if (id === undefined && request.method === 'POST') {
    const given = asObject(request.body === 'absent' || request.body === 'broken' ? undefined : request.body['trust']);
    const trust: Item = { ...given, id: store.newHexId() };
    trusts.set(String(trust['id']), trust);
    return { status: 201, body: { trust } };
  }
  if (id === undefined) return { status: 200, body: { trusts: [...trusts.values()], links: listLinks(request) } };
  const trust = trusts.get(id);
  if (trust === undefined) throw keystoneRefusal(404, `Could not find trust: ${id}.`);
  if (request.method !== 'DELETE') return { status: 200, body: { trust } };
  trusts.delete(id);
  return { status: 204 };
}
