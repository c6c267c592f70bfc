// Resources below a user of the simulated Keystone: application credentials, and the access rules that they brought with them.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import {
  keystoneRefusal,
  NOT_ALLOWED,
  NOT_FOUND_PAGE,
  pythonRepr,
  type Reply,
  type SimulatedRequest,
  type TokenRecord,
} from './exchange.ts';
import { type KeystoneLists, linked, list, member, refuse, sameName, text, validate } from './keystone-requests.ts';
import { CollectionName, type Item, type Store } from './store.ts';
import { asObject } from './tokens.ts';

const LONGEST = 255;
const LONGEST_PATH = 225;
const METHODS: readonly Json[] = ['POST', 'GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'];
const MALFORMED =
  'The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';

/** Like the real one of this release, it shows and removes the item with the id, for any user in the path. */
export function serveBelowUser(request: SimulatedRequest, deps: KeystoneLists, speaker: TokenRecord): Reply {
  const [, userId = '', part, id] = request.segments;
  const { store, pageSize } = deps;
  if (part === 'access_rules') return serveAccessRules(request, deps);
  if (part !== 'application_credentials') return { status: 404, html: NOT_FOUND_PAGE };
  const credentials = store.collection(CollectionName.ApplicationCredentials);
  if (id === undefined) {
    if (request.method !== 'POST') {
      const own = store.sorted(CollectionName.ApplicationCredentials).filter((item) => item['user_id'] === userId);
      return list(request, own.map(shown), ['name'], pageSize, part);
    }
    const given = member(request, 'application_credential', ['name']);
    if (userId !== speaker.userId)
      throw keystoneRefusal(
        403,
        'You are not authorized to perform the requested action: identity:create_application_credential.',
      );
    const item = credentialOf(given, store, speaker);
    credentials.set(String(item['id']), item);
    const body = { ...linked(request, part, shown(item)), secret: item['secret'] as Json };
    return { status: 201, body: { application_credential: body } };
  }
  if (request.method !== 'GET' && request.method !== 'DELETE') return NOT_ALLOWED;
  const item = credentials.get(id);
  if (item === undefined) throw keystoneRefusal(404, `Could not find Application Credential: ${id}.`);
  if (request.method === 'GET')
    return { status: 200, body: { application_credential: linked(request, part, shown(item)) } };
  credentials.delete(id);
  return { status: 204 };
}

function shown({ secret: _, ...item }: Item): Item {
  return item;
}

function credentialOf(given: JsonObject, store: Store, speaker: TokenRecord): Item {
  validateCredential(given);
  const { name = null, description = null, expires_at: end = null, unrestricted = null, secret } = given;
  for (const item of store.collection(CollectionName.ApplicationCredentials).values()) {
    if (item['user_id'] !== speaker.userId || !sameName(item['name'], name)) continue;
    const what = `Duplicate entry found with name ${String(name)}`;
    throw keystoneRefusal(409, `Conflict occurred attempting to store application_credential - ${what}.`);
  }
  const rules = (given['access_rules'] ?? []) as readonly JsonObject[];
  return {
    id: store.newHexId(),
    name,
    description,
    user_id: speaker.userId,
    project_id: speaker.projectId ?? null,
    system: null,
    expires_at: end === null ? null : expiry(String(end), store),
    unrestricted,
    roles: rolesOf((given['roles'] ?? []) as readonly JsonObject[], store, speaker),
    ...(rules.length > 0 && { access_rules: rules.map((rule) => accessRule(rule, store, speaker.userId)) }),
    secret: secret ?? store.newHexId(),
  };
}

function validateCredential(given: JsonObject): void {
  validate(given, { nameLength: LONGEST });
  const { secret = null, unrestricted = false, expires_at: end = null, roles = [], access_rules: rules = [] } = given;
  if (secret !== null && typeof secret !== 'string')
    refuse('secret', `${pythonRepr(secret)} is not of type 'null', 'string'`);
  if (unrestricted !== null && typeof unrestricted !== 'boolean')
    refuse('unrestricted', `${pythonRepr(unrestricted)} is not of type 'boolean'`);
  if (end !== null && typeof end !== 'string')
    refuse('expires_at', `${pythonRepr(end)} is not of type 'null', 'string'`);
  if (!Array.isArray(roles)) refuse('roles', `${pythonRepr(roles)} is not of type 'array'`);
  for (const [index, role] of (roles as readonly Json[]).entries()) {
    if (Object.keys(asObject(role) ?? {}).length === 0)
      refuse(`roles/${index}`, `${pythonRepr(role)} does not have enough properties`);
  }
  if (!Array.isArray(rules)) refuse('access_rules', `${pythonRepr(rules)} is not of type 'array'`);
  for (const [index, rule] of (rules as readonly Json[]).entries())
    validateRule(`access_rules/${index}`, asObject(rule));
}

function validateRule(field: string, { path, method, service, id: _, ...others }: JsonObject = {}): void {
  const [other] = Object.keys(others);
  if (other !== undefined) refuse(field, `Additional properties are not allowed ('${other}' was unexpected)`);
  if (typeof path === 'string' && path.length > LONGEST_PATH)
    refuse(`${field}/path`, `${pythonRepr(path)} is too long`);
  if (typeof path === 'string' && !path.startsWith('/'))
    refuse(`${field}/path`, `${pythonRepr(path)} does not match '^\\\\/.*'`);
  if (method !== undefined && !METHODS.includes(method))
    refuse(`${field}/method`, `${pythonRepr(method)} does not match '^(POST|GET|HEAD|PATCH|PUT|DELETE)$'`);
  if (service !== undefined) text(`${field}/service`, service, 64);
}

/** An instant as it is stored: with fractions, and without a zone. */
function expiry(given: string, store: Store): string {
  const at = Date.parse(given.endsWith('Z') ? given : `${given}Z`);
  if (Number.isNaN(at)) throw keystoneRefusal(400, `Timestamp not in expected format. ${MALFORMED}`);
  if (at < store.nowMs()) throw keystoneRefusal(400, `The 'expires_at' must not be before now. ${MALFORMED}`);
  return `${new Date(at).toISOString().slice(0, 23)}000`;
}

/** Those that are asked for, of those that the token has, or that its user was given on its project; all that it has otherwise. */
function rolesOf(asked: readonly JsonObject[], store: Store, { token, userId, projectId }: TokenRecord): Item[] {
  const all = store.collection(CollectionName.Roles);
  const granted = [...store.collection(CollectionName.RoleAssignments).values()].flatMap((grant) =>
    grant['actor'] === userId && grant['target'] === projectId ? [String(grant['role'])] : [],
  );
  const held = ((token['roles'] ?? []) as readonly JsonObject[]).map(({ id }) => String(id));
  const ids =
    asked.length === 0
      ? held
      : asked.map(({ id, name }) =>
          String(id ?? [...all.values()].find((role) => sameName(role['name'], name))?.['id']),
        );
  return ids.map((id) => {
    const role = all.get(id);
    if (role === undefined || ![...held, ...granted].includes(id))
      throw keystoneRefusal(
        400,
        'Invalid application credential: Cannot create an application credential with unassigned role',
      );
    const { name = null, domain_id: domain = null, description = null, options = {} } = role;
    return { id, name, domain_id: domain, description, options };
  });
}

/** A user has one rule of a sort, however many credentials have it. */
function accessRule(given: JsonObject, store: Store, userId: string): JsonObject {
  const rules = store.collection(CollectionName.AccessRules);
  const { service = null, path = null, method = null } = given;
  const known = [...rules.values()].find(
    (rule) =>
      rule['user_id'] === userId && rule['service'] === service && rule['path'] === path && rule['method'] === method,
  );
  const id = known === undefined ? store.newHexId() : String(known['id']);
  rules.set(id, { id, service, path, method, user_id: userId });
  return { id, service, path, method };
}

function serveAccessRules(request: SimulatedRequest, { store, pageSize }: KeystoneLists): Reply {
  const [, userId = '', part = '', id] = request.segments;
  const rules = store.collection(CollectionName.AccessRules);
  const open = ({ user_id: _, ...rule }: Item): Item => rule;
  if (id === undefined) {
    const own = store.sorted(CollectionName.AccessRules).filter((rule) => rule['user_id'] === userId);
    return list(request, own.map(open), ['service', 'path', 'method'], pageSize, part);
  }
  const rule = rules.get(id);
  if (rule === undefined) throw keystoneRefusal(404, `Could not find Access Rule: ${id}.`);
  if (request.method !== 'DELETE') return { status: 200, body: { access_rule: linked(request, part, open(rule)) } };
  for (const { access_rules: used = [] } of store.collection(CollectionName.ApplicationCredentials).values()) {
    if ((used as readonly JsonObject[]).some((each) => each['id'] === id))
      throw keystoneRefusal(403, 'May not delete access rule in use');
  }
  rules.delete(id);
  return { status: 204 };
}
