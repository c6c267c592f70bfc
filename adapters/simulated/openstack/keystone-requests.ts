// The common part of the simulated Keystone's resources: bodies that are checked, lists, links.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { keystoneRefusal, pythonRepr, type Reply, type SimulatedRequest } from './exchange.ts';
import type { Item, Store } from './store.ts';
import { asObject } from './tokens.ts';

/** The items of a list, and its form. */
export interface KeystoneLists {
  readonly store: Store;
  /** Items a list answers at most; undefined: all, as the real one of this release does. */
  readonly pageSize: number | undefined;
}

/** Keystone's limits. */
const NAME_LENGTH = 64;
const TAG_LENGTH = 255;
const TAGS = 80;

const MALFORMED =
  'Expecting to find valid JSON in request body. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';

/** The object in a body, checked as far as its shape goes. `key` undefined: the body itself. */
export function member({ body }: SimulatedRequest, key: string | undefined, required: readonly string[]): JsonObject {
  if (body === 'absent' || body === 'broken') throw keystoneRefusal(400, MALFORMED);
  const given = (key === undefined ? body : asObject(body[key])) ?? {};
  for (const name of required) {
    if (given[name] === undefined) throw keystoneRefusal(400, `'${name}' is a required property`);
  }
  if (required.length === 0 && Object.keys(given).length === 0) {
    throw keystoneRefusal(400, '{} does not have enough properties');
  }
  return given;
}

/** Refuses as the JSON schema of the real service does; of its messages only the first line is kept. */
export function validate(given: JsonObject, { nameLength = NAME_LENGTH }: { readonly nameLength?: number } = {}): void {
  const { name, enabled, description, tags } = given;
  if (name !== undefined) text('name', name, nameLength);
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    refuse('enabled', `${pythonRepr(enabled)} is not of type 'boolean'`);
  }
  if (description !== undefined && description !== null && typeof description !== 'string') {
    refuse('description', `${pythonRepr(description)} is not of type 'string', 'null'`);
  }
  if (tags === undefined) return;
  if (!Array.isArray(tags)) refuse('tags', `${pythonRepr(tags)} is not of type 'array'`);
  for (const [index, tag] of tags.entries()) {
    text(`tags/${index}`, tag, TAG_LENGTH);
    if (/[,/]/.test(String(tag))) refuse(`tags/${index}`, `${pythonRepr(tag)} does not match '^[^,/]*$'`);
  }
  if (tags.length > TAGS) refuse('tags', `${pythonRepr(tags)} is too long`);
  if (new Set(tags).size < tags.length) refuse('tags', `${pythonRepr(tags)} has non-unique elements`);
}

/** A text of 1 to `longest` characters; a name is not blank. */
export function text(field: string, value: Json, longest: number): void {
  if (typeof value !== 'string') refuse(field, `${pythonRepr(value)} is not of type 'string'`);
  else if (value.length > longest) refuse(field, `${pythonRepr(value)} is too long`);
  else if (value.length < 1) refuse(field, `${pythonRepr(value)} is too short`);
  else if (field === 'name' && value.trim() === '') refuse(field, `${pythonRepr(value)} does not match '[\\\\S]+'`);
}

/** The expected type that a value of the body does not have. */
export function refuse(field: string, problemMessage: string): never {
  throw keystoneRefusal(400, `Invalid input for field '${field}': ${problemMessage}`);
}

/** MariaDB compares names without regard to case, and so does the real service. */
export function sameName(one: Json | undefined, other: Json | undefined): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase();
}

export function linked({ baseUrl }: SimulatedRequest, collection: string, item: Item): JsonObject {
  return { ...item, links: { self: `${baseUrl}/${collection}/${item['id']}` } };
}

/** Filters, pages and links a list. What is not in `filters`, and values that make no sense, count for nothing. */
export function list(
  request: SimulatedRequest,
  items: readonly Item[],
  filters: readonly string[],
  pageSize: number | undefined,
  collection = String(request.segments[0]),
): Reply {
  const { query } = request;
  const matches = items.filter((item) => {
    for (const [key, wanted] of query) {
      if (key === 'enabled' && filters.includes(key)) {
        // Whatever is not a spelling of "no" means yes.
        if (item['enabled'] !== !['false', '0'].includes(wanted.toLowerCase())) return false;
      } else if (filters.includes(key) && !sameName(item[key], wanted)) return false;
    }
    return collection === 'domains' || tagsMatch(item, query, 'exact');
  });
  const start = matches.findIndex((item) => item['id'] === query.get('marker')) + 1;
  const page = pageSize === undefined ? matches : matches.slice(start, start + pageSize);
  const last = page.at(-1)?.['id'];
  const links = listLinks(request);
  const more = pageSize !== undefined && start + pageSize < matches.length;
  const next = new URLSearchParams(query);
  next.set('marker', String(last));
  return {
    status: 200,
    body: {
      [collection]: page.map((item) => linked(request, collection, item)),
      links: more ? { ...links, next: `${request.baseUrl}${request.path}?${next}` } : links,
    },
  };
}

/** Whether the tags of an item satisfy `tags`, `tags-any`, `not-tags` and `not-tags-any`; several of one are joined. */
export function tagsMatch(item: JsonObject, query: URLSearchParams, spelling: 'exact' | 'caseless'): boolean {
  const spell = (tag: Json): string => (spelling === 'exact' ? String(tag) : String(tag).toLowerCase());
  const tags = item['tags'];
  const own = new Set((Array.isArray(tags) ? tags : []).map(spell));
  const wanted = (key: string): string[] => query.getAll(key).flatMap((value) => value.split(',').map(spell));
  const all = (key: string): boolean => wanted(key).every((tag) => own.has(tag));
  const some = (key: string): boolean => wanted(key).some((tag) => own.has(tag));
  return (
    (!query.has('tags') || all('tags')) &&
    (!query.has('tags-any') || some('tags-any')) &&
    (!query.has('not-tags') || !all('not-tags')) &&
    (!query.has('not-tags-any') || !some('not-tags-any'))
  );
}

/** The `links` of a list that is complete. */
export function listLinks({ baseUrl, path, rawQuery }: SimulatedRequest): JsonObject {
  return { next: null, self: `${baseUrl}${path}${rawQuery === '' ? '' : `?${rawQuery}`}`, previous: null };
}
