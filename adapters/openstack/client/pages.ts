// Links to the next page of a list, by service.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import { isJsonObject } from '../kinds/fields.ts';

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
