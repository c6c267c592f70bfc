// Lists of the simulated Cinder and Manila: pages, and common parts of their requests.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import {
  faultRefusal,
  keystoneRefusal,
  Refusal,
  type Reply,
  type SimulatedRequest,
  type TokenRecord,
  UNAUTHENTICATED,
} from './exchange.ts';
import type { Item } from './store.ts';
import { asObject, type Tokens } from './tokens.ts';

export const PAGING: ReadonlySet<string> = new Set(['limit', 'marker', 'offset', 'sort', 'sort_key', 'sort_dir']);

/** The user, if it has permission. */
export function speakerOf({ headers }: SimulatedRequest, tokens: Tokens): TokenRecord {
  const speaker = tokens.find(String(headers['x-auth-token']));
  if (speaker !== undefined) return speaker;
  throw keystoneRefusal(401, UNAUTHENTICATED);
}

/** The page of `limit`, `marker` and `offset`, the newest items first; an unknown marker is ignored. */
export function pageOf(
  { query }: SimulatedRequest,
  items: readonly Item[],
  maxPageSize: number,
): { readonly page: readonly Item[]; readonly isFull: boolean } {
  const limit = Math.min(numberIn(query, 'limit') ?? maxPageSize, maxPageSize);
  const marker = query.get('marker');
  const sorted = [...items].sort((one, other) => (ageOf(one) < ageOf(other) ? 1 : -1));
  const start = sorted.findIndex(({ id }) => id === marker);
  const page = sorted.slice(start + 1).slice(numberIn(query, 'offset') ?? 0);
  return { page: page.slice(0, limit), isFull: limit > 0 && page.length >= limit };
}

/** Link to the page after a full one. */
export function nextLink({ baseUrl, path, query }: SimulatedRequest, page: readonly Item[]): readonly JsonObject[] {
  const next = new URLSearchParams(query);
  next.set('marker', String(page.at(-1)?.['id']));
  return [{ rel: 'next', href: `${baseUrl}${path}?${next}` }];
}

/** The object in a body. */
export function member(
  { body }: SimulatedRequest,
  name: string,
  missing: Refusal = faultRefusal(400, `'${name}' is a required property`),
): JsonObject {
  const given = typeof body === 'string' ? undefined : asObject(body[name]);
  if (given === undefined) throw missing;
  return given;
}

/** MariaDB compares text without regard to case, and so do the real services. */
export function sameText(one: Json | undefined, other: string): boolean {
  return String(one).toLowerCase() === other.toLowerCase();
}

/** Error of the web server in front of the service for an unknown path. */
export function absent(): Refusal {
  return new Refusal({ status: 404, html: '404 Not Found\n\nThe resource could not be found.\n\n   ' });
}

export const ACCEPTED: Reply = { status: 202 };

function ageOf({ created_at: createdAt, id }: Item): string {
  return `${createdAt} ${id}`;
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw faultRefusal(400, `${name} param must be an integer`);
}
