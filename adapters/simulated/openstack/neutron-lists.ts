// Lists of the simulated Neutron: filters, fields, order and pages.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { neutronRefusal, type Reply, type SimulatedRequest } from './exchange.ts';
import { tagsMatch } from './keystone-requests.ts';
import { type NeutronResource, notFound } from './neutron-resource.ts';
import type { Item } from './store.ts';

const PAGING = ['limit', 'marker', 'page_reverse', 'sort_key', 'sort_dir', 'fields'];
const TAG_FILTERS = ['tags', 'tags-any', 'not-tags', 'not-tags-any'];
const COMMON_FILTERS = ['id', 'project_id', 'tenant_id', 'created_at', 'updated_at', 'revision_number'];

/** Answers a GET of a collection. `items` come in the order of their ids. */
export function answerList(
  request: SimulatedRequest,
  resource: NeutronResource,
  items: readonly Item[],
  maxPageSize: number | undefined,
): Reply {
  const { query } = request;
  refuseUnknownFilters(query, resource);
  if (query.has('tags') && query.has('tags-any')) {
    // The real one (21.0.0) does the same: it joins the table of tags twice under one name.
    const message = 'Request Failed: internal server error while processing your request.';
    throw neutronRefusal(500, 'HTTPInternalServerError', message);
  }
  const wanted = filterValues(query, resource);
  const matches = items
    .map((item) => resource.show(item))
    .filter((item) => [...wanted].every(([key, values]) => isWanted(item, key, values, resource)))
    .filter((item) => tagsMatch(item, query, 'caseless'));
  const sorted = sort(matches, query, resource);
  const { page, links } = cut(request, resource, sorted, maxPageSize);
  const shown = page.map((item) => withFields(item, query));
  const collection = resource.collection;
  return {
    status: 200,
    body: { [collection]: shown, ...(links.length === 0 ? {} : { [`${collection}_links`]: links }) },
  };
}

/** Only what `fields` names, when it names something. */
export function withFields(item: JsonObject, query: URLSearchParams): JsonObject {
  const fields = query.getAll('fields');
  if (fields.length === 0) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => fields.includes(key)));
}

function refuseUnknownFilters(query: URLSearchParams, resource: NeutronResource): void {
  const tagFilters = resource.tags === 'none' ? [] : TAG_FILTERS;
  const known = [...PAGING, ...tagFilters, ...COMMON_FILTERS, ...resource.filters];
  const unknown = [...new Set(query.keys())].filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const list = unknown.map((key) => `'${key}'`).join(', ');
  throw neutronRefusal(400, 'HTTPBadRequest', `[${list}] is invalid attribute for filtering`);
}

/** Values by key; several values of a key are alternatives. */
function filterValues(query: URLSearchParams, resource: NeutronResource): Map<string, Json[]> {
  const values = new Map<string, Json[]>();
  for (const [key, text] of query) {
    if (PAGING.includes(key) || TAG_FILTERS.includes(key)) continue;
    const { convert } = resource.attributes[key] ?? {};
    const typed = ['ip_version', 'mtu'].includes(key) || isBoolean(resource, key);
    const value = typed && convert !== undefined ? convert(key === 'ip_version' ? integer(text) : text, key) : text;
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

function integer(text: string): Json {
  if (/^\d+$/.test(text)) return Number(text);
  throw neutronRefusal(400, 'InvalidInput', `Invalid input for operation: '${text}' is not an integer.`);
}

function isBoolean({ attributes }: NeutronResource, key: string): boolean {
  return typeof attributes[key]?.preset === 'boolean';
}

function isWanted(item: JsonObject, key: string, values: readonly Json[], { matches }: NeutronResource): boolean {
  const own = matches?.[key];
  return own === undefined ? values.some((value) => sameValue(item[key], value)) : own(item, values.map(String));
}

/** MariaDB compares text without regard to case, and so does the real service. */
function sameValue(one: Json | undefined, other: Json): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase();
}

function sort(items: JsonObject[], query: URLSearchParams, resource: NeutronResource): JsonObject[] {
  const keys = query.getAll('sort_key');
  const directions = query.getAll('sort_dir');
  if (keys.length !== directions.length) {
    throw neutronRefusal(400, 'HTTPBadRequest', 'The number of sort_keys and sort_dirs must be same');
  }
  const known = [...(resource.sortKeys ?? Object.keys(resource.attributes)), ...COMMON_FILTERS];
  const unknown = keys.filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    const list = unknown.map((key) => `'${key}'`).join(', ');
    throw neutronRefusal(400, 'HTTPBadRequest', `[${list}] is invalid attribute for sort_keys`);
  }
  return [...items].sort((one, other) => {
    for (const [index, key] of keys.entries()) {
      const [left, right] = [String(one[key]), String(other[key])];
      if (left !== right) return (left < right ? -1 : 1) * (directions[index] === 'desc' ? -1 : 1);
    }
    return 0;
  });
}

/** The page that `limit` and `marker` ask for, with its links. */
function cut(
  { query, baseUrl, path }: SimulatedRequest,
  resource: NeutronResource,
  items: readonly JsonObject[],
  maxPageSize: number | undefined,
): { page: readonly JsonObject[]; links: readonly JsonObject[] } {
  const limitText = query.get('limit');
  if (limitText !== null && !/^\d+$/.test(limitText)) {
    throw neutronRefusal(
      400,
      'BadRequest',
      `Bad limit request: Limit must be an integer 0 or greater and not '${limitText}'.`,
    );
  }
  const asked = Number(limitText ?? 0);
  const limit = maxPageSize === undefined ? asked : asked === 0 ? maxPageSize : Math.min(asked, maxPageSize);
  const marker = query.get('marker');
  const position = items.findIndex((item) => item['id'] === marker);
  if (marker !== null && position < 0) throw notFound(resource, marker);
  const reverse = query.get('page_reverse')?.toLowerCase() === 'true';
  const rest = reverse ? items.slice(0, marker === null ? items.length : position) : items.slice(position + 1);
  const page = limit === 0 ? rest : reverse ? rest.slice(-limit) : rest.slice(0, limit);
  if (limit === 0) return { page, links: [] };
  const link = (rel: string, end: JsonObject | undefined): JsonObject => {
    const next = new URLSearchParams(query);
    next.delete('marker');
    next.delete('page_reverse');
    if (end !== undefined) next.set('marker', String(end['id']));
    if (rel === 'previous') next.set('page_reverse', 'True');
    return { rel, href: `${baseUrl}${path}?${next}` };
  };
  const links: JsonObject[] = [];
  if (page.length === limit) links.push(link('next', page.at(-1)));
  if (page.length > 0 || marker !== null) links.push(link('previous', page[0]));
  return { page, links };
}
