// Keystone v3: the request that gets a token, and what its answer says.

import type { Json, JsonObject } from '../../../bus/bus.ts';
import { TransientError } from '../../../bus/errors.ts';
import { type Catalog, endpointIn, parseCatalog, withVersion } from './catalog.ts';
import type { CloudEntry } from './clouds-yaml.ts';
import { isId } from './ids.ts';

/** Result of an authentication. */
export interface Grant {
  readonly token: string;
  /** Whose token it is; undefined: it does not say. */
  readonly userId: string | undefined;
  /** Lifetime of the token from now on, in milliseconds, by the cloud's own clock. */
  readonly lifetimeMs: number;
  readonly catalog: Catalog;
}

type Auth = CloudEntry['auth'];

/** The URL of Keystone's version 3, whatever version `auth_url` names or not. @throws {TransientError} no URL */
export function identityUrl(entry: CloudEntry): string {
  const { bare, fault } = endpointIn(entry.auth['auth_url'] ?? '');
  if (fault === 'no URL' || fault === 'not HTTP')
    throw new TransientError("'auth_url' of the cloud is not an HTTP URL");
  if (fault === 'credentials') throw new TransientError("'auth_url' of the cloud holds credentials");
  if (fault !== undefined) throw new TransientError("'auth_url' of the cloud holds a query or a fragment");
  return withVersion(bare, '/v3');
}

/**
 * The body of `POST /v3/auth/tokens`.
 *
 * @throws {TransientError} naming the member that is missing, or a way of authentication that is not known
 * @see Identity API v3, "Password authentication with scoped authorization" and its neighbors
 */
export function tokenRequest({ auth, authType }: CloudEntry): JsonObject {
  switch (authMethod(auth, authType)) {
    case 'application_credential':
      // Its scope is part of the credential, and may not be asked for.
      return {
        auth: {
          identity: { methods: ['application_credential'], application_credential: applicationCredential(auth) },
        },
      };
    case 'token':
      return withScope({ methods: ['token'], token: { id: required(auth, 'token') } }, auth);
    case 'password': {
      const user = { ...userOf(auth), password: required(auth, 'password') };
      return withScope({ methods: ['password'], password: { user } }, auth);
    }
  }
}

function authMethod(auth: Auth, authType: string): 'application_credential' | 'token' | 'password' {
  switch (authType) {
    case 'password':
    case 'v3password':
      return 'password';
    case 'token':
    case 'v3token':
      return 'token';
    case 'v3applicationcredential':
    case 'applicationcredential':
      return 'application_credential';
    case '':
      if (auth['application_credential_id'] || auth['application_credential_name']) return 'application_credential';
      return auth['token'] && !auth['password'] ? 'token' : 'password';
    default:
      // Not quoted: the value comes from a secret.
      throw new TransientError(
        "this 'auth_type' of the cloud is not supported; password, token and v3applicationcredential are",
      );
  }
}

function applicationCredential(auth: Auth): JsonObject {
  const secret = required(auth, 'application_credential_secret');
  const id = auth['application_credential_id'];
  if (id) return { id, secret };
  return { name: required(auth, 'application_credential_name'), secret, user: userOf(auth) };
}

function userOf(auth: Auth): JsonObject {
  if (auth['user_id']) return { id: auth['user_id'] };
  const name = required(auth, 'username');
  const domain = domainOf(auth, 'user_domain_');
  if (domain === undefined)
    throw new TransientError("'user_domain_name' or 'user_domain_id' is missing in the cloud's 'auth'");
  return { name, domain };
}

/** The domain of the user or the project: its own keys, those for both, the default, in this order. */
function domainOf(auth: Auth, prefix: 'user_domain_' | 'project_domain_'): JsonObject | undefined {
  for (const from of [prefix, 'domain_']) {
    const id = auth[`${from}id`];
    if (id) return { id };
    const name = auth[`${from}name`];
    if (name) return { name };
  }
  return auth['default_domain'] ? { id: auth['default_domain'] } : undefined;
}

function withScope(identity: JsonObject, auth: Auth): JsonObject {
  const scope = scopeOf(auth);
  return { auth: { identity, ...(scope === undefined ? {} : { scope }) } };
}

function scopeOf(auth: Auth): JsonObject | undefined {
  if (auth['system_scope']) return { system: { all: true } };
  if (auth['trust_id']) return { 'OS-TRUST:trust': { id: auth['trust_id'] } };
  const projectId = auth['project_id'] || auth['tenant_id'];
  if (projectId) return { project: { id: projectId } };
  const name = auth['project_name'] || auth['tenant_name'];
  if (name) {
    const domain = domainOf(auth, 'project_domain_') ?? domainOf(auth, 'user_domain_');
    if (domain === undefined) {
      throw new TransientError("'project_domain_name' or 'project_domain_id' is missing in the cloud's 'auth'");
    }
    return { project: { name, domain } };
  }
  if (auth['domain_id']) return { domain: { id: auth['domain_id'] } };
  return auth['domain_name'] ? { domain: { name: auth['domain_name'] } } : undefined;
}

function required(auth: Auth, key: string): string {
  const value = auth[key];
  if (value === undefined || value === '') throw new TransientError(`'${key}' is missing in the cloud's 'auth'`);
  return value;
}

/** Reads the answer to `tokenRequest`. @throws {TransientError} when it is not what Keystone answers */
export function parseGrant(token: string | undefined, body: JsonObject, now: number): Grant {
  const content = body['token'];
  if (token === undefined || token === '' || !isObject(content)) {
    throw new TransientError('the identity service answered without a token');
  }
  const expiresAt = Date.parse(String(content['expires_at']));
  const issuedAt = Date.parse(String(content['issued_at']));
  // The cloud's clock may differ from ours: both instants are its own.
  const lifetimeMs = Number.isNaN(issuedAt) ? expiresAt - now : expiresAt - issuedAt;
  if (Number.isNaN(lifetimeMs)) throw new TransientError('the identity service answered with a token without an end');
  const user = content['user'];
  const userId = isObject(user) && isId(user['id']) ? user['id'] : undefined;
  return { token, userId, lifetimeMs, catalog: parseCatalog(content['catalog']) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
