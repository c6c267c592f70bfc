// The simulated Keystone: routes, and the few resources that authentication needs.
import type { JsonObject } from '../../../bus/bus.ts';
import { keystoneRefusal, type Reply, type SimulatedRequest, type TokenRecord, UNAUTHENTICATED } from './exchange.ts';
import { type KeystoneLists, listLinks, serveDomains, serveProjects } from './keystone-resources.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject, type Tokens } from './tokens.ts';

const NOT_FOUND_PAGE = `<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>
`;

export interface KeystoneDeps extends KeystoneLists {
  readonly tokens: Tokens;
}

/** Makes the handler of all requests below `/v3`. */
export function keystone(deps: KeystoneDeps): (request: SimulatedRequest) => Reply {
  const { store, tokens } = deps;
  return (request) => {
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
    if (!['domains', 'projects', 'users', 'OS-TRUST'].includes(collection ?? '')) {
      return { status: 404, html: NOT_FOUND_PAGE };
    }
    if (!speaker.scoped && collection !== 'users') {
      const verb = method === 'GET' ? (id === undefined ? 'list' : 'get') : method === 'POST' ? 'create' : 'update';
      const noun = id === undefined && method === 'GET' ? collection : collection?.slice(0, -1);
      throw keystoneRefusal(403, `You are not authorized to perform the requested action: identity:${verb}_${noun}.`);
    }
    switch (collection) {
      case 'domains':
        return serveDomains(request, deps);
      case 'projects':
        return serveProjects(request, deps);
      case 'users':
        return serveUsers(request, store, speaker);
      default:
        return serveTrusts(request, store);
    }
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

/** GET of users, and their application credentials. */
function serveUsers(request: SimulatedRequest, store: Store, speaker: TokenRecord): Reply {
  const [, userId, part, credentialId] = request.segments;
  const users = store.collection(CollectionName.Users);
  const shown = ({ password, ...user }: Item): JsonObject => ({
    ...user,
    links: { self: `${request.baseUrl}/users/${user['id']}` },
  });
  if (userId === undefined) {
    return { status: 200, body: { users: [...users.values()].map(shown), links: listLinks(request) } };
  }
  const user = users.get(userId);
  if (user === undefined) throw keystoneRefusal(404, `Could not find user: ${userId}.`);
  if (part === undefined) return { status: 200, body: { user: shown(user) } };
  if (part !== 'application_credentials') return { status: 404, html: NOT_FOUND_PAGE };
  const credentials = store.collection(CollectionName.ApplicationCredentials);
  const open = ({ secret, ...item }: Item): Item => item;
  if (credentialId === undefined && request.method === 'POST') {
    const given = asObject(
      request.body === 'absent' || request.body === 'broken' ? undefined : request.body['application_credential'],
    );
    if (typeof given?.['name'] !== 'string') throw keystoneRefusal(400, "'name' is a required property");
    const item: Item = {
      id: store.newHexId(),
      name: given['name'],
      description: given['description'] ?? null,
      user_id: userId,
      project_id: speaker.projectId ?? null,
      expires_at: null,
      unrestricted: null,
      roles: [{ id: 'role-admin', name: 'admin' }],
      secret: given['secret'] ?? store.newHexId(),
    };
    credentials.set(String(item['id']), item);
    return { status: 201, body: { application_credential: item } };
  }
  if (credentialId === undefined) {
    const items = [...credentials.values()].filter((item) => item['user_id'] === userId).map(open);
    return { status: 200, body: { application_credentials: items, links: listLinks(request) } };
  }
  const item = credentials.get(credentialId);
  if (item === undefined) throw keystoneRefusal(404, `Could not find Application Credential: ${credentialId}.`);
  if (request.method !== 'DELETE') return { status: 200, body: { application_credential: open(item) } };
  credentials.delete(credentialId);
  return { status: 204 };
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
