// Constants of a search, and values of objects, in the form that they are compared in.
import { dateKey, searchedDate } from '../envelope/dates.ts';
import { refuse } from '../envelope/faults.ts';
import type { FieldKind } from './fields.ts';
import type { Constant } from './syntax.ts';

/** Texts and dates are strings. */
export type Key = string | number | boolean;

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['t', true],
  ['true', true],
  ['f', false],
  ['false', false],
]);

/** @throws {RefusedRequest} 400: it does not fit the type of the field */
export function constantKey({ type, text }: Constant, kind: FieldKind, field: string): Key {
  switch (kind) {
    case 'text':
      return text;
    case 'number':
      return type !== 'boolean' && NUMBER.test(text) ? Number(text) : unfit(text, 'a number', field);
    case 'boolean':
      return (type !== 'number' ? BOOLEANS.get(text) : undefined) ?? unfit(text, 'a boolean', field);
    case 'date': {
      const date = type === 'text' ? searchedDate(text) : undefined;
      return (date && dateKey(date)) ?? unfit(text, 'a date', field);
    }
    case 'any':
      return type === 'text' ? text : type === 'number' ? Number(text) : text === 'true';
    case 'whole':
      return refuse(400, `The field '${field}' is an object: it can be compared with null only`);
  }
}

/** @returns undefined for what is no value of the kind: it counts as absent */
export function valueKey(value: unknown, kind: FieldKind): Key | undefined {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'boolean':
      // An absent value equals false.
      return value === true;
    case 'date':
      return typeof value === 'string' ? dateKey(value) : undefined;
    case 'any':
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
    case 'whole':
      return undefined;
  }
}

function unfit(text: string, expected: string, field: string): never {
  return refuse(
    400,
    `The value '${text.slice(0, 100)}' is not ${expected}, which the field '${field}' is compared with`,
  );
}
