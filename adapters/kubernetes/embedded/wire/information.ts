// What the server tells about itself: health, version, discovery, OpenAPI, and how to check its tokens.
import { type AccountTokens, ISSUER } from '../auth/account-tokens.ts';
import type { Registry } from '../kinds/resources.ts';
import { methodNotAllowed, unknownPath } from './api-error.ts';
import { AGGREGATED_TYPE, discover, VERSION, wantsAggregated } from './discovery.ts';
import type { Sent } from './http.ts';
import type { OpenApi } from './openapi.ts';

const HEALTH_PATHS = ['/healthz', '/livez', '/readyz'];
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
  /** Without a slash at the end. */
  readonly path: string;
  readonly accept: string;
}

/** Answers every path that leads to no resource. @throws {ApiError} 404, 405 */
export function information(
  { registry, documents, tokens, address }: InformationDeps,
  { method, path, accept }: InformationRequest,
): Sent {
  const json = (value: unknown): Sent => ({ code: 200, body: JSON.stringify(value) });
  if (HEALTH_PATHS.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) {
    return { code: 200, body: 'ok', type: 'text/plain; charset=utf-8' };
  }
  if (path === '/version') return json(VERSION);
  if (path === '/openapi/v3') return { code: 200, body: documents.index() };
  if (path.startsWith('/openapi/v3/')) {
    const document = documents.document(path.slice('/openapi/v3/'.length));
    if (document === undefined) throw unknownPath();
    return { code: 200, body: document };
  }
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
  if (!path.startsWith('/api') || path.split('/').length > MAX_PARTS) throw unknownPath();
  if (method !== 'GET') throw methodNotAllowed();
  const isAggregated = wantsAggregated(accept) && (path === '/api' || path === '/apis');
  const found = json(discover(registry, path, accept, address()));
  return isAggregated ? { ...found, type: AGGREGATED_TYPE } : found;
}
