// Wire format of the services: the form of one resource and of a change of it in a body, the parameters of a list request, and the next
// page of a list.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isJsonObject } from '../base/fields.ts';
import type { Service } from '../base/services.ts';
import { type Identity, resourcesIn } from './identity.ts';
import type { Call } from './session.ts';

/** Description of a request body. */
export interface Bodied {
  readonly service: Service;
  /** Member of a body that holds one resource. */
  readonly member: string;
  /** See `KindTable`. */
  readonly unwrapped?: (reported: JsonObject) => JsonObject;
  /** Identity of a resource that has no id. */
  readonly identity?: Identity;
}

/** The resource that a body holds, as its kind reads it. */
export function resourceIn({ service, member, unwrapped }: Bodied, body: JsonObject): Json | undefined {
  const reported = service.bodies === 'bare' ? body : body[member];
  return unwrapped !== undefined && isJsonObject(reported) ? unwrapped(reported) : reported;
}

/** Resources of a list, in the form that the kind reads. */
export function resourcesOf(of: Bodied, reported: readonly JsonObject[]): readonly JsonObject[] {
  const { unwrapped, identity } = of;
  const list = unwrapped === undefined ? reported : reported.map((each) => unwrapped(each));
  return identity === undefined ? list : resourcesIn(identity, list);
}

/** The body of a create; what of it is beside the resource, the kind says. */
export function bodyOf(
  { service, member, beside = [] }: Bodied & { readonly beside?: readonly string[] },
  attributes: JsonObject,
): JsonObject {
  const entries = Object.entries(attributes);
  const isBeside = ([name]: readonly [string, unknown]): boolean => beside.includes(name);
  return {
    ...holding({ service, member }, Object.fromEntries(entries.filter((entry) => !isBeside(entry)))),
    ...Object.fromEntries(entries.filter(isBeside)),
  };
}

/** Part of a call that sets these attributes. */
export function changeRequest(of: Bodied, attributes: JsonObject): Pick<Call, 'method' | 'headers' | 'body'> {
  const { patch, updateMethod: method } = of.service;
  if (patch === undefined) return { method, body: holding(of, attributes) };
  const body = Object.entries(attributes).map(([name, value]) => ({ op: 'replace', path: pointerTo(name), value }));
  return { method, headers: { 'content-type': patch }, body };
}

function holding({ service, member }: Bodied, resource: JsonObject): JsonObject {
  return service.bodies === 'bare' ? resource : { [member]: resource };
}

/** RFC 6901. */
function pointerTo(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export interface Listing {
  /** Below the collection: where a list shows whole resources. */
  readonly path?: string;
  /** Query by default: without it the service leaves some resources out. */
  readonly query?: Query;
  /** Keys of the query without which a list does not hold all there is: what differs in one of them is not one list. */
  readonly within?: readonly string[];
  /** Keys whose values the service takes for regular expressions. */
  readonly patterns?: readonly string[];
  /** Attributes of a resource that a list does not show. */
  readonly lacks?: readonly string[];
}

export type Query = NonNullable<Call['query']>;

/** Part of a call that selects the list. */
export function listCall(
  {
    service,
    collection,
    listing = {},
  }: { readonly service: Service; readonly collection: string; readonly listing?: Listing },
  query: Query,
): Pick<Call, 'service' | 'path'> & { readonly query: Query } {
  const { path, query: usual = [], patterns = [] } = listing;
  const asked = new Set(query.map(([key]) => key));
  return {
    service: service.type,
    path: path === undefined ? `/${collection}` : `/${collection}/${path}`,
    query: [
      ...query.map(([key, value]) => [key, patterns.includes(key) ? patternOf(value) : value] as const),
      ...usual.filter(([key]) => !asked.has(key)),
    ],
  };
}

/** Pattern that matches this text only. Those services interpret pattern characters, so they are escaped. */
function patternOf(text: string): string {
  return `^${text.replaceAll(/[.*+?^${}()[\]\\]/g, '\\$&')}$`;
}

/** Services whose lists are cut and name no next page: it is asked for by an offset. */
const BY_OFFSET: ReadonlySet<string> = new Set(['shared-file-system']);

export function isPagedByOffset(service: string): boolean {
  return BY_OFFSET.has(service);
}

/** The query of what follows the items read so far. */
export function offsetQuery(query: readonly (readonly [string, string])[], count: number): string {
  const next = new URLSearchParams();
  for (const [key, value] of query) next.append(key, value);
  next.append('offset', String(count));
  return next.toString();
}

/**
 * The query of the next page: Neutron and Cinder say `<plural>_links` or `<singular>_links`, Keystone `links.next`, Glance
 * `next`.
 */
export function nextQuery(body: JsonObject, key: string): string | undefined {
  const links: Json | undefined = body[`${key}_links`] ?? body[`${key.slice(0, -1)}_links`];
  const named = (Array.isArray(links) ? links : []).filter(isJsonObject).find((link) => link['rel'] === 'next');
  const keystone = isJsonObject(body['links']) ? body['links']['next'] : undefined;
  const href = named?.['href'] ?? keystone ?? body['next'];
  return typeof href === 'string' && href.includes('?') ? href.slice(href.indexOf('?') + 1) : undefined;
}
