// The simulated Keystone's tokens: who gets one, what it says, how long it lives.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { keystoneRefusal, type SimulatedRequest, type TokenRecord, UNAUTHENTICATED } from './exchange.ts';
import { CollectionName, type Item, type Store } from './store.ts';

/** Keystone's hint after most complaints about a request. */
const MALFORMED =
  'The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';

export interface TokensDeps {
  clock: Clock;
  store: Store;
  /** Called for every token, as the port is known late. */
  catalog: (projectId: string | undefined) => Json;
  tokenLifetimeMs: () => number;
}

export class Tokens {
  readonly #deps: TokensDeps;
  readonly #issued = new Map<string, TokenRecord>();

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  /** The token of that id, unless it has ended. */
  find(id: string): TokenRecord | undefined {
    const record = this.#issued.get(id);
    if (record !== undefined && record.expiresAt > this.#deps.clock.now()) return record;
    this.#issued.delete(id);
    return undefined;
  }

  revoke(id: string): boolean {
    return this.#issued.delete(id);
  }

  /** Ends all tokens at once, as a rotation of keys does. */
  revokeAll(): void {
    this.#issued.clear();
  }

  /** Serves POST /auth/tokens. */
  issue(body: SimulatedRequest['body']): TokenRecord {
    const auth = body === 'absent' || body === 'broken' ? undefined : asObject(body['auth']);
    const identity = asObject(auth?.['identity']);
    if (auth === undefined || identity === undefined) throw keystoneRefusal(400, "'identity' is a required property");
    const methods = identity['methods'];
    if (!Array.isArray(methods)) {
      throw keystoneRefusal(400, "Invalid input for field 'identity': 'methods' is a required property");
    }
    const [method] = methods;
    const given = typeof method === 'string' ? asObject(identity[method]) : undefined;
    if (given === undefined)
      throw keystoneRefusal(400, `Expecting to find ${String(method)} in identity. ${MALFORMED}`);
    const scope = asObject(auth['scope']);
    switch (method) {
      case 'password':
        return this.#grant(['password'], this.#userByPassword(asObject(given['user']) ?? {}), this.#scope(scope));
      case 'token': {
        const earlier = this.find(String(given['id']));
        if (earlier === undefined) throw keystoneRefusal(404, 'Could not recognize Fernet token');
        const user = this.#deps.store.collection(CollectionName.Users).get(earlier.userId);
        if (user === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
        return this.#grant(['password', 'token'], user, this.#scope(scope));
      }
      case 'application_credential':
        return this.#byApplicationCredential(given, scope);
      default:
        throw keystoneRefusal(401, UNAUTHENTICATED);
    }
  }

  #byApplicationCredential(given: JsonObject, scope: JsonObject | undefined): TokenRecord {
    const credentials = [...this.#deps.store.collection(CollectionName.ApplicationCredentials).values()];
    const user = given['user'] === undefined ? undefined : this.#user(asObject(given['user']) ?? {});
    const found = credentials.find((item) =>
      given['id'] === undefined
        ? item['name'] === given['name'] && item['user_id'] === user?.['id']
        : item['id'] === given['id'],
    );
    if (found === undefined) {
      throw keystoneRefusal(404, `Could not find Application Credential: ${String(given['id'] ?? given['name'])}.`);
    }
    if (found['secret'] !== given['secret']) throw keystoneRefusal(401, UNAUTHENTICATED);
    if (scope !== undefined) {
      throw keystoneRefusal(
        401,
        'Error authenticating with application credential: Application credentials cannot request a scope.',
      );
    }
    const owner = this.#deps.store.collection(CollectionName.Users).get(String(found['user_id']));
    if (owner === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
    return this.#grant(
      ['application_credential'],
      owner,
      this.#scope({ project: { id: found['project_id'] ?? null } }),
    );
  }

  #user(given: JsonObject): Item {
    const users = [...this.#deps.store.collection(CollectionName.Users).values()];
    const domain = asObject(given['domain']);
    if (given['id'] === undefined && domain === undefined) {
      throw keystoneRefusal(400, `Expecting to find domain in user. ${MALFORMED}`);
    }
    const domainId = domain === undefined ? undefined : this.#domain(domain)?.['id'];
    const user = users.find((item) =>
      given['id'] === undefined
        ? item['name'] === given['name'] && item['domain_id'] === domainId
        : item['id'] === given['id'],
    );
    if (user === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
    return user;
  }

  #userByPassword(given: JsonObject): Item {
    const user = this.#user(given);
    if (user['password'] !== given['password']) throw keystoneRefusal(401, UNAUTHENTICATED);
    return user;
  }

  #domain(given: JsonObject): Item | undefined {
    return [...this.#deps.store.collection(CollectionName.Domains).values()].find((item) =>
      given['id'] === undefined ? item['name'] === given['name'] : item['id'] === given['id'],
    );
  }

  /** Members of the token that tell its scope; undefined: unscoped. */
  #scope(scope: JsonObject | undefined): JsonObject | undefined {
    if (scope === undefined) return undefined;
    if (scope['system'] !== undefined) return { system: { all: true } };
    const trustId = asObject(scope['OS-TRUST:trust'])?.['id'];
    const trust = this.#deps.store.collection(CollectionName.Trusts).get(String(trustId));
    if (trustId !== undefined && trust === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
    const wanted = trust === undefined ? asObject(scope['project']) : { id: trust['project_id'] ?? null };
    if (wanted === undefined) {
      const domain = this.#domain(asObject(scope['domain']) ?? {});
      if (domain === undefined) throw keystoneRefusal(401, UNAUTHENTICATED);
      return { domain: { id: domain['id'] ?? null, name: domain['name'] ?? null } };
    }
    const wantedDomain = asObject(wanted['domain']);
    const domainId = wantedDomain === undefined ? undefined : this.#domain(wantedDomain)?.['id'];
    const project = [...this.#deps.store.collection(CollectionName.Projects).values()].find((item) =>
      wanted['id'] === undefined
        ? item['name'] === wanted['name'] && item['domain_id'] === domainId
        : item['id'] === wanted['id'],
    );
    if (project === undefined || project['enabled'] === false) throw keystoneRefusal(401, UNAUTHENTICATED);
    const { id = null, name = null } = project;
    const domain = this.#domain({ id: project['domain_id'] ?? null });
    return {
      project: { domain: { id: project['domain_id'] ?? null, name: domain?.['name'] ?? null }, id, name },
      is_domain: false,
      ...(trustId === undefined ? {} : { 'OS-TRUST:trust': { id: trustId, impersonation: true } }),
    };
  }

  #grant(methods: readonly string[], user: Item, scope: JsonObject | undefined): TokenRecord {
    const { clock, store } = this.#deps;
    const issuedAt = clock.now();
    const expiresAt = issuedAt + this.#deps.tokenLifetimeMs();
    const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 23)}000Z`;
    const domain = this.#domain({ id: user['domain_id'] ?? null });
    const token: JsonObject = {
      methods,
      user: {
        domain: { id: user['domain_id'] ?? null, name: domain?.['name'] ?? null },
        id: user['id'] ?? null,
        name: user['name'] ?? null,
        password_expires_at: null,
      },
      audit_ids: [store.newHexId().slice(0, 22)],
      expires_at: iso(expiresAt),
      issued_at: iso(issuedAt),
      ...scope,
      ...(scope === undefined
        ? {}
        : {
            roles: ['admin', 'member', 'reader'].map((name) => ({ id: `role-${name}`, name })),
            catalog: this.#deps.catalog(projectIdOf(scope)),
          }),
    };
    const record: TokenRecord = {
      id: `gAAAAAB${store.newHexId()}${store.newHexId()}`,
      userId: String(user['id']),
      projectId: projectIdOf(scope),
      scoped: scope !== undefined,
      expiresAt,
      token,
    };
    this.#issued.set(record.id, record);
    return record;
  }
}

/** The value, if it is a JSON object. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function projectIdOf(scope: JsonObject | undefined): string | undefined {
  const projectId = asObject(scope?.['project'])?.['id'];
  return typeof projectId === 'string' ? projectId : undefined;
}
