// The order of lists.
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import { compareText } from './compare.ts';
import { type Key, valueKey } from './constants.ts';
import { type Field, type FieldScope, fieldOf } from './fields.ts';
import { compareKeys } from './tests.ts';

interface SortField {
  readonly field: Field;
  readonly sign: 1 | -1;
}

export interface Order {
  /** Equal for orders that are the same. */
  readonly key: string;
  readonly fields: readonly SortField[];
  /** Scope of its fields; undefined for the order by identifier alone. */
  readonly scope: FieldScope | undefined;
}

/** Sort key of an object. */
export interface SortKeys {
  readonly values: readonly (Key | undefined)[];
  readonly id: string;
}

const MOST_FIELDS = 10;

export const BY_ID: Order = { key: '', fields: [], scope: undefined };

/**
 * `name desc, region.id`: ties are broken by `id`, and what is absent comes last, or first where the order is descending.
 *
 * @throws {RefusedRequest} 400
 */
export function orderOf(text: string, scope: FieldScope): Order {
  if (text.trim() === '') return BY_ID;
  const parts = text.split(',');
  if (parts.length > MOST_FIELDS) refuse(400, `An order has at most ${MOST_FIELDS} fields`);
  return orderBy(
    parts.map((part) => sortField(part, scope)),
    scope,
  );
}

/** Ascending by one field. */
export function ascendingBy(field: Field, scope: FieldScope): Order {
  return orderBy([{ field, sign: 1 }], scope);
}

export function sortKeysOf({ fields }: Order, object: StoredObject): SortKeys {
  const values = fields.map(({ field: { one, kind } }) => {
    const value = one(object);
    return value === undefined ? undefined : valueKey(value, kind);
  });
  return { values, id: object.id };
}

/** Negative when `a` comes first. */
export function compareSortKeys({ fields }: Order, a: SortKeys, b: SortKeys): number {
  for (let at = 0; at < fields.length; at++) {
    const order = compareValues(a.values[at], b.values[at]);
    // mutant: gateway-always-ascending return -> order
    if (order !== 0) return (fields[at]?.sign ?? 1) * order;
  }
  // mutant: gateway-ties return -> 0
  return compareText(a.id, b.id);
}

function orderBy(fields: readonly SortField[], scope: FieldScope): Order {
  return { key: fields.map(({ field, sign }) => `${field.key} ${sign}`).join(), fields, scope };
}

function sortField(part: string, scope: FieldScope): SortField {
  const [name = '', direction = 'asc', ...others] = part.trim().split(/\s+/);
  const lower = direction.toLowerCase();
  if (others.length > 0) refuse(400, `The order '${shown(part)}' has more than a field and a direction`);
  if (lower !== 'asc' && lower !== 'desc')
    refuse(400, `The direction of an order is 'asc' or 'desc', and not '${shown(direction)}'`);
  const field = fieldOf(name.split('.'), scope);
  if (field === undefined) return refuse(400, `'${shown(name)}' is not a valid field name`);
  if (field.isMany) refuse(400, `The field '${field.path}' may have several values, so nothing can be ordered by it`);
  if (field.kind === 'whole') refuse(400, `The field '${field.path}' is an object, so nothing can be ordered by it`);
  return { field, sign: lower === 'asc' ? 1 : -1 };
}

function compareValues(a: Key | undefined, b: Key | undefined): number {
  // mutant: gateway-absent-first return -> Number(b === undefined) - Number(a === undefined)
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  // Values of different types come up in fields of any type only.
  return compareKeys(a, b) || (typeof a < typeof b ? -1 : typeof a > typeof b ? 1 : 0);
}

function shown(text: string): string {
  return text.trim().slice(0, 100);
}
