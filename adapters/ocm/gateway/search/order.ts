// The order of lists.
import { refuse } from '../envelope/faults.ts';
import type { StoredObject } from '../store/store.ts';
import { compareText } from './compare.ts';
import { valueKey } from './constants.ts';
import { type Field, type FieldScope, fieldOf } from './fields.ts';
import { compareKeys } from './tests.ts';

export type Comparison = (a: StoredObject, b: StoredObject) => number;

export interface Order {
  /** Equal for orders that are the same. */
  readonly key: string;
  readonly compare: Comparison;
}

const MOST_FIELDS = 10;

export const BY_ID: Order = { key: '', compare: (a, b) => compareText(a.id, b.id) };

/**
 * `name desc, region.id`: ties are broken by `id`, and what is absent comes last, or first where the order is descending.
 *
 * @throws {RefusedRequest} 400
 */
export function orderOf(text: string, scope: FieldScope): Order {
  if (text.trim() === '') return BY_ID;
  const parts = text.split(',');
  if (parts.length > MOST_FIELDS) refuse(400, `An order has at most ${MOST_FIELDS} fields`);
  const fields = parts.map((part) => sortField(part, scope));
  const compare: Comparison = (a, b) => {
    for (const { field, sign } of fields) {
      const order = sign * compareValues(field, a, b);
      if (order !== 0) return order;
    }
    return compareText(a.id, b.id);
  };
  return { key: fields.map(({ field, sign }) => `${field.path} ${sign}`).join(), compare };
}

function sortField(part: string, scope: FieldScope): { readonly field: Field; readonly sign: 1 | -1 } {
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

function compareValues({ one, kind }: Field, a: StoredObject, b: StoredObject): number {
  const [x, y] = [one(a), one(b)];
  const [left, right] = [
    x === undefined ? undefined : valueKey(x, kind),
    y === undefined ? undefined : valueKey(y, kind),
  ];
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  // Values of different types come up in fields of any type only.
  return compareKeys(left, right) || (typeof left < typeof right ? -1 : typeof left > typeof right ? 1 : 0);
}

function shown(text: string): string {
  return text.trim().slice(0, 100);
}
