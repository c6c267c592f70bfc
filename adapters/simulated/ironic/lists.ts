// Pages of a list, as Ironic cuts them: by `limit` and `marker`, with the address of the next.
import type { JsonObject } from '../../../bus/json.ts';
import { refusal, type SimulatedRequest } from './exchange.ts';
import type { Item } from './records.ts';

/** Ironic's `max_limit`. */
export const MAX_LIMIT = 1_000;

export interface Listing {
  readonly name: 'nodes' | 'ports';
  /** In the order of their creation. */
  readonly items: readonly Item[];
  /** The query for fields in the address of the next page. */
  readonly fields: string;
  readonly maxLimit: number;
  readonly show: (item: Item) => JsonObject;
}

/** Parameters that every list takes. */
const PAGING: readonly string[] = ['limit', 'marker', 'sort_key', 'sort_dir', 'fields', 'detail'];

/** @throws {Refusal} 400: a parameter that the list does not have */
export function refuseUnknown({ query }: SimulatedRequest, filters: readonly string[]): void {
  const unknown = [...query.keys()].filter((key) => !PAGING.includes(key) && !filters.includes(key));
  if (unknown.length > 0) throw refusal(400, `Unexpected arguments: ${unknown.join(', ')}`);
}

/** @throws {Refusal} 400, 404 */
export function page(
  { query, origin }: SimulatedRequest,
  { name, items, fields, maxLimit, show }: Listing,
): JsonObject {
  const limit = Math.min(limitOf(query.get('limit')) ?? maxLimit, maxLimit);
  const marker = query.get('marker');
  const start = marker === null ? 0 : items.findIndex(({ uuid }) => uuid === marker) + 1;
  if (marker !== null && start === 0) {
    throw refusal(404, `${name === 'nodes' ? 'Node' : 'Port'} ${marker} could not be found.`);
  }
  const shown = items.slice(start, start + limit);
  const list: JsonObject = { [name]: shown.map(show) };
  // A page that is full has a next one, which may be empty. What the list was narrowed to is not part of its address.
  if (shown.length < limit) return list;
  const last = shown.at(-1)?.['uuid'];
  return { ...list, next: `${origin}/v1/${name}?sort_key=id&sort_dir=asc${fields}&limit=${limit}&marker=${last}` };
}

function limitOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^-?\d+$/.test(text)) throw refusal(400, `Expected an integer for limit: ${text}`);
  if (Number(text) <= 0) throw refusal(400, 'Limit must be positive');
  return Number(text);
}
