// Information about the server itself: health, version, discovery, OpenAPI, and how to check its tokens.

import { type AccountTokens, ISSUER } from '../auth/account-tokens.ts';
import { methodNotAllowed, notAcceptable, PlainAnswer, pageNotFound, unknownPath } from '../base/api-error.ts';
import type { Registry } from '../resources/api.ts';
import { demandAcceptable, demandRoutable, SERVED } from '../wire/answers.ts';
import { AGGREGATED_TYPE, discover, VERSION, wantsAggregated } from '../wire/discovery.ts';
import type { Sent } from '../wire/http.ts';
import type { OpenApi } from '../wire/openapi.ts';
import { health, isHealthPath } from './health.ts';

/** Of `/apis/<group>/<version>`, with the empty one before the first slash. */
const MAX_PARTS = 4;

const KEY_SET_PATH = '/openid/v1/jwks';

/** Others may keep what the tokens are checked with for an hour. */
const KEY_CACHE = 'public, max-age=3600';

export interface InformationDeps {
  readonly registry: Registry;
  readonly documents: OpenApi;
  readonly tokens: AccountTokens;
  /** `host:port` that clients reach the server at. */
  readonly address: () => string;
}

export interface InformationRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
}

/** Answers every path that leads to no resource. @throws {ApiError} 404, 405, 406 @throws {PlainAnswer} 404 */
export function information(
  { registry, documents, tokens, address }: InformationDeps,
  { method, path: asPath, query, accept }: InformationRequest,
): Sent {
  const path = asPath.length > 1 ? asPath.replace(/\/+$/, '') : asPath;
  const json = (value: unknown): Sent => ({ code: 200, body: JSON.stringify(value) });
  if (isHealthPath(path)) return health(asPath, query);
  if (path === '/') return json({ paths: pathsOf(registry) });
  if (path === '/version') {
    if (method !== 'GET') throw methodNotAllowed();
    demandRoutable(accept, ['application/json']);
    return json(VERSION);
  }
  const document = documents(path, accept);
  if (document !== undefined) return document;
  if (path === '/.well-known/openid-configuration') {
    const configuration = {
      issuer: ISSUER,
      jwks_uri: `https://${address()}${KEY_SET_PATH}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    };
    return { ...json(configuration), cache: KEY_CACHE };
  }
  if (path === KEY_SET_PATH) {
    return { ...json(tokens.keySet()), type: 'application/jwk-set+json', cache: KEY_CACHE };
  }
  if (path.startsWith('/version/')) throw unknownPath();
  const [, root = '', group] = path.split('/');
  if (root !== 'api' && root !== 'apis') throw pageNotFound();
  if (/^\/api\/[^/]+\/(watch|proxy)$/.test(path)) {
    const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`;
    throw new PlainAnswer(500, `Internal Server Error: ${JSON.stringify(path)}: ${why}\n`);
  }
  if (path.split('/').length > MAX_PARTS || path.includes('//')) throw unknownPath();
  const found = discover(registry, path, accept, address());
  const isRooted = path === '/api' || path === '/apis';
  if (path === '/apis' || !isBuiltIn(registry, root === 'api' ? '' : (group ?? ''))) demandAcceptable(accept);
  else {
    if (method !== 'GET') throw methodNotAllowed();
    demandRoutable(accept);
  }
  const isAggregated = wantsAggregated(accept) && isRooted;
  if (!isAggregated && isOnlyDiscovery(accept)) throw notAcceptable(SERVED);
  return isAggregated ? { ...json(found), type: AGGREGATED_TYPE, cache: 'public', vary: 'Accept' } : json(found);
}

/** Whether discovery in some form is asked for, and nothing plainer would do. */
function isOnlyDiscovery(accept: string): boolean {
  const clauses = accept.split(',').map((one) => one.trim());
  return clauses.every((one) => one.includes('as=APIGroupDiscoveryList'));
}

function isBuiltIn(registry: Registry, group: string): boolean {
  return registry.all().some((one) => one.group === group && one.builtin);
}

/** Paths that the root lists. */
function pathsOf(registry: Registry): string[] {
  const groups = registry.all().filter(({ group }) => group !== '');
  const below = groups.flatMap(({ group, version }) => [`/apis/${group}`, `/apis/${group}/${version}`]);
  const own = [
    '/api',
    '/api/v1',
    '/apis',
    '/apis/',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/readyz',
  ];
  return [...new Set([...own, '/version', KEY_SET_PATH, '/.well-known/openid-configuration', ...below])].sort();
}
