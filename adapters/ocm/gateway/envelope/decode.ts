// Bodies of requests, by the types of the model: what is unknown is dropped, what does not fit is refused by its path.
//
// Invariants:
//   OCM-DECODE-1. What is decoded has members of the model only, each of its type, and no prototype of a client's making.
//   OCM-DECODE-2. Of a link only the identifier is kept: a client decides neither what a link is called nor where it leads.
import type { Attribute, StructType, Type } from '../../model/mod.ts';
import { isObject } from '../store/links.ts';
import { ownMember } from '../store/paths.ts';
import type { Value } from '../store/store.ts';
import { utcDate } from './dates.ts';
import { refuse } from './faults.ts';

/** Meaning of null: absent, or that a member is to be cleared. */
export type Nulls = 'absent' | 'kept';

/** @throws {RefusedRequest} 400 with the path of what does not fit */
export function decodeValue(type: Type, value: unknown, path: string, nulls: Nulls): unknown {
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? value : wrong(path, 'a boolean');
    case 'integer':
    case 'long':
      return decodeInteger(value, path, type.kind);
    case 'float':
      return Number.isFinite(value) ? value : wrong(path, 'a number');
    case 'string':
    case 'enum':
      return typeof value === 'string' ? value : wrong(path, 'a string');
    case 'date':
      return (typeof value === 'string' ? utcDate(value) : undefined) ?? wrong(path, 'a date in the form of RFC 3339');
    case 'interface':
      // mutant: gateway-interface-infinite ?:.1 -> true
      return isServable(value) ? value : wrong(path, 'without numbers that are too large');
    case 'list':
      if (!Array.isArray(value)) return wrong(path, 'a list');
      return value.flatMap((each, index) =>
        each === null ? [] : [decodeValue(type.element, each, `${path}[${index}]`, 'absent')],
      );
    case 'map':
      if (!isObject(value)) return wrong(path, 'an object');
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, each]) =>
          each === null ? [] : [[key, decodeValue(type.element, each, `${path}.${key}`, 'absent')]],
        ),
      );
    case 'struct':
    case 'class':
      if (!isObject(value)) return wrong(path, 'an object');
      return { ...nestedIdentity(type, value, path), ...decodeStruct(type, value, path, nulls) };
  }
}

/** An object of a class that is part of another one keeps its identifier. */
function nestedIdentity({ kind }: StructType, { id }: Value, path: string): Value {
  if (kind !== 'class' || id === undefined || id === null) return {};
  return typeof id === 'string' ? { id } : wrong(`${path}.id`, 'a string');
}

/**
 * The attributes of a struct or class; `kind`, `id` and `href` of a class are not among them.
 *
 * @throws {RefusedRequest} 400
 */
export function decodeStruct(type: StructType, value: Value, path: string, nulls: Nulls): Value {
  // mutant: gateway-unknown-members return -> { ...value, ...$ }
  return Object.fromEntries(
    type.attributes.flatMap((attribute): [string, unknown][] => {
      const { wireName } = attribute;
      const member = ownMember(value, wireName);
      if (member === undefined) return [];
      // mutant: gateway-null-stays ?:.1 -> false
      if (member === null) return nulls === 'kept' ? [[wireName, null]] : [];
      const at = path === '' ? wireName : `${path}.${wireName}`;
      return [
        [wireName, attribute.link ? decodeLink(attribute, member, at) : decodeValue(attribute.type, member, at, nulls)],
      ];
    }),
  );
}

function decodeLink({ type }: Attribute, value: unknown, path: string): unknown {
  if (type.kind !== 'list') return decodeSingleLink(type, value, path);
  // An object with the items, as the reference client sends it, or the array that the OpenAPI document promises.
  const items = isObject(value) ? (value['items'] ?? []) : value;
  if (!Array.isArray(items)) return wrong(path, "a list, or an object with 'items'");
  return { items: items.map((each, index) => decodeSingleLink(type.element, each, `${path}.items[${index}]`)) };
}

function decodeSingleLink(type: Type, value: unknown, path: string): unknown {
  // A link to a struct carries the struct's own attributes.
  if (type.kind !== 'class') return decodeValue(type, value, path, 'absent');
  if (!isObject(value)) return wrong(path, 'an object');
  const { id } = value;
  if (typeof id !== 'string' || id === '' || !id.isWellFormed())
    return wrong(`${path}.id`, 'a string that is not empty');
  return { id };
}

function decodeInteger(value: unknown, path: string, kind: IntegerKind): number {
  // mutant: gateway-any-number ?: -> Number(value)
  return typeof value === 'number' && isInteger(value, kind) ? value + 0 : wrong(path, RANGES[kind]);
}

type IntegerKind = 'integer' | 'long';

const RANGES: Readonly<Record<IntegerKind, string>> = {
  integer: 'a whole number of 32 bits',
  long: 'a whole number of 53 bits',
};

/** Whether a number is one of an integer type. Of a long beyond the numbers that are exact, another one would be stored. */
export function isInteger(value: number, kind: IntegerKind): boolean {
  // mutant: gateway-long-rounded ?:.2 -> Number.isInteger(value)
  return kind === 'long' ? Number.isSafeInteger(value) : Number.isInteger(value) && value === (value | 0);
}

/** JSON has no numbers beyond those of JavaScript: they would be served as null. */
function isServable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isServable);
}

function wrong(path: string, expected: string): never {
  return refuse(400, path === '' ? `The body must be ${expected}` : `The value of '${path}' must be ${expected}`);
}
