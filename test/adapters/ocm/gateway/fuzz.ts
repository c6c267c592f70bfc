// Requests that nobody would send, made of the pieces of those that are sent: paths, queries, bodies, searches, tokens.
import type { OutgoingHttpHeaders } from 'node:http';
import { mulberry32 } from '../../../../actors/base/clock.ts';
import type { Client, Reply } from './client.ts';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | undefined;
}

const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT', 'OPTIONS'];
const SEGMENTS = [
  'api',
  'clusters_mgmt',
  'accounts_mgmt',
  'v1',
  'clusters',
  'machine_pools',
  'ingresses',
  'status',
  'a',
  'b',
  'subscriptions',
  'errors',
  'openapi',
  'hibernate',
  'summary',
  'roles',
  '..',
  '.',
  '',
  '%2f',
  '%00',
  '%',
  '%ff',
  '__proto__',
  'constructor',
  '%F0%9F%98%80',
  'x'.repeat(300),
];
const PATHS = [
  '/api/clusters_mgmt/v1/clusters',
  '/api/clusters_mgmt/v1/clusters/a',
  '/api/clusters_mgmt/v1/clusters/a/machine_pools',
  '/api/clusters_mgmt/v1/clusters/a/ingresses',
  '/api/clusters_mgmt/v1/cloud_providers',
  '/api/accounts_mgmt/v1/subscriptions',
  '/api/clusters_mgmt/v1/errors',
  '/api/clusters_mgmt/v1/versions',
  '/api/accounts_mgmt/v1/current_account',
  '/api/accounts_mgmt/v1/token_authorizations',
];
const WORDS = [
  'name',
  'id',
  'nodes.compute',
  'managed',
  "'x'",
  "'",
  '"',
  '(',
  ')',
  '(((',
  'and',
  'or',
  'not',
  'in',
  'like',
  'ilike',
  'between',
  'is',
  'null',
  '=',
  '!=',
  '<',
  '~=',
  '~!',
  "'(a+)+$'",
  '1',
  '-1',
  '1e999',
  '*',
  '/',
  '%',
  '.',
  ',',
  '[',
  ']',
  '`',
  'tags',
  'properties.a',
  'aws.sts.operator_iam_roles.name',
  'creation_timestamp',
  "'2023-01-01'",
  '\\',
  '\u0000',
  '😀',
  '__proto__',
  'asc',
  'desc',
];
const PARAMETERS = [
  'page',
  'size',
  'search',
  'order',
  'orderBy',
  'fields',
  'method',
  'dryRun',
  'fetchLabels',
  'since',
  'state',
  'depth',
  'x',
  '__proto__',
  '',
];
const VALUES = [
  '1',
  '0',
  '-1',
  '100',
  '65500',
  '99999999999999999999',
  'get',
  'true',
  'x',
  '',
  'NaN',
  '1e3',
  '%',
  '%27',
  '2026-03-10T16:45:13Z',
];
const NAMES = [
  'id',
  'name',
  'kind',
  'href',
  'nodes',
  'compute',
  'tags',
  'properties',
  'state',
  'status',
  'machine_pools',
  'region',
  'cloud_provider',
  'extra',
  'aws',
  'sts',
  '__proto__',
  'constructor',
  'toString',
  'items',
  'page',
];
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'text/plain',
  'application/merge-patch+json',
  '',
  ';',
  undefined,
];
const TOKENS = [
  undefined,
  undefined,
  'Bearer',
  'Bearer x',
  'Basic eDp5',
  'AccessToken a:b',
  'Bearer a.b.c',
  'x'.repeat(3_000),
  'Bearer eyJhbGciOiJub25lIn0.e30.',
];

/** @returns makes the next request; the same for the same seed */
export function hostileRequests(seed: number): () => HostileRequest {
  const random = mulberry32(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const some = (most: number): number => Math.floor(random() * (most + 1));
  const many = <T>(most: number, make: () => T): T[] => Array.from({ length: some(most) }, make);
  const value = (depth: number): unknown => {
    const roll = random();
    if (depth <= 0 || roll < 0.5)
      return pick<unknown>([
        1,
        -1,
        1.5,
        1e300,
        'x',
        '',
        'a',
        '😀\ud800',
        null,
        true,
        [],
        {},
        '2026-03-10T16:45:13Z',
        { id: 'a' },
      ]);
    if (roll < 0.65) return many(4, () => value(depth - 1));
    return Object.fromEntries(many(5, () => [pick(NAMES), value(depth - 1)]));
  };
  const query = (): string => {
    const parts = many(4, () => {
      const name = pick(PARAMETERS);
      const words = many(12, () => pick(WORDS)).join(' ');
      return `${name}=${random() < 0.5 && name !== '' ? encodeURIComponent(words.toWellFormed()) : pick(VALUES)}`;
    });
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  };
  const body = (): string => {
    const roll = random();
    if (roll < 0.7) return JSON.stringify(value(5)) ?? '';
    if (roll < 0.8) return JSON.stringify(value(4) ?? null).slice(0, some(20));
    if (roll < 0.9)
      return many(30, () => pick(['{', '}', '[', ']', '"', ':', ',', 'null', '\\u', '1e', '\n'])).join('');
    return '['.repeat(some(3_000));
  };
  return () => {
    const method = pick(METHODS);
    const path = random() < 0.7 ? pick(PATHS) : `/${many(7, () => pick(SEGMENTS)).join('/')}`;
    const hasBody = method === 'POST' || method === 'PATCH' || random() < 0.05;
    const headers: OutgoingHttpHeaders = { 'Content-Type': pick(TYPES), Authorization: pick(TOKENS) };
    if (random() < 0.1) headers['Accept-Encoding'] = pick(['gzip', 'gzip;q=0', '*', ',,;q=', 'x'.repeat(500)]);
    if (random() < 0.1) headers['X-Operation-ID'] = pick(['mine', ' ', 'x'.repeat(500), '"']);
    if (random() < 0.02) headers['Expect'] = 'x';
    return { method, path: `${path}${query()}`, headers, body: hasBody ? body() : undefined };
  };
}

/** Statuses that a request of a client may have: none of them says that the server failed. */
const STATUSES: ReadonlySet<number> = new Set([
  200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 413, 415, 429, 431, 501,
]);

/** @returns what is wrong with an answer; undefined: nothing */
export function wrongWith({ method }: HostileRequest, { status, headers, text }: Reply): string | undefined {
  if (!STATUSES.has(status)) return `status ${status}: ${text}`;
  if (headers['x-operation-id'] === undefined && status !== 431) return 'no X-Operation-ID';
  if (status === 204) return text === '' && headers['content-type'] === undefined ? undefined : '204 with a body';
  if (headers['content-type'] !== 'application/json') return `Content-Type '${headers['content-type']}'`;
  if (method === 'HEAD' || headers['content-encoding'] !== undefined || (status === 202 && text === ''))
    return undefined;
  try {
    const { kind } = JSON.parse(text) as { kind?: unknown };
    return status < 400 || kind === 'Error' ? undefined : `an error of kind '${kind}'`;
  } catch {
    return `no JSON: ${text.slice(0, 100)}`;
  }
}

/** Sends requests, some at a time. @returns the first that was answered wrongly */
export async function bombard(client: Client, seed: number, count: number, atATime = 16): Promise<string | undefined> {
  const next = hostileRequests(seed);
  let left = count;
  let wrong: string | undefined;
  const sender = async (): Promise<void> => {
    while (left-- > 0 && wrong === undefined) {
      const request = next();
      const { method, path, headers, body } = request;
      const reply = await client.send(method, path, { headers, ...(body !== undefined && { body }) });
      const why = wrongWith(request, reply);
      if (why !== undefined) wrong ??= `${why}\n${JSON.stringify(request).slice(0, 2_000)}`;
    }
  };
  await Promise.all(Array.from({ length: atATime }, sender));
  return wrong;
}
