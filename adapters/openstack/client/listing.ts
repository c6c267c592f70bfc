// List requests for the resources of a collection.
import type { Service } from '../kinds/services.ts';
import type { Call } from './session.ts';

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
