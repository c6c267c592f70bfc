// Validation of a value against a structural schema, in the order and with the wording of the API server.
//
// Invariants:
//   V1. On an update, a value that equals what was stored at the same place is not complained about: rules that became
//       stricter after it was stored do not block writes of other fields.

import { parseJson } from '../exact-json.ts';
import { canonical, isList, isMap, isWhole, type JsonMap, same, typeName } from '../json.ts';
import {
  duplicate,
  type FieldError,
  FieldErrorType,
  goNumber,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
import { hasFormat, isStringFormat } from './formats.ts';
import { fieldSchema, type Schema } from './schema.ts';

/** Where a value is: `field` from the root of the object, `name` as the messages of schema rules say it. */
interface Place {
  readonly field: string;
  readonly name: string;
}

const below = ({ field, name }: Place, key: string): Place => ({
  field: field === '' ? key : `${field}.${key}`,
  name: name === '' ? key : `${name}.${key}`,
});

const at = ({ field, name }: Place, index: number): Place => ({
  field: `${field}[${index}]`,
  name: `${name}[${index}]`,
});

/**
 * Checks everything but CEL rules and the uniqueness of list items.
 *
 * @param old  what is stored at the same place, undefined on creation
 * @param field  path of `value` in the object; messages name paths below it, as the API server does for `status`
 */
export function validate(schema: Schema, value: unknown, old: unknown, field = ''): FieldError[] {
  const errors: FieldError[] = [];
  check(schema, value, old, { field, name: '' }, errors);
  // What several alternatives complain about is said once.
  const seen = new Set<string>();
  return errors.filter(({ field: at, body }) => {
    const line = `${at}: ${body}`;
    const isNew = !seen.has(line);
    seen.add(line);
    return isNew;
  });
}

function check(schema: Schema, value: unknown, old: unknown, place: Place, errors: FieldError[]): void {
  const found: FieldError[] = [];
  checkType(schema, value, place, found);
  checkAlternatives(schema, value, place, found);
  if (typeof value === 'string') checkString(schema, value, place, found);
  if (typeof value === 'number' || typeof value === 'bigint') checkNumber(schema, value, place, found);
  if (isList(value)) checkList(schema, value, old, place, found);
  if (schema.enum !== undefined && !schema.enum.some((allowed) => same(allowed, value))) {
    const allowed = schema.enum.map((one) => (typeof one === 'string' ? one : canonical(one)));
    found.push(notSupported(place.field, value, allowed));
  }
  if (isMap(value)) checkMap(schema, value, old, place, found);
  if (found.length > 0 && !(old !== undefined && same(value, old))) errors.push(...found); // V1
}

function checkType(schema: Schema, value: unknown, { field, name }: Place, errors: FieldError[]): void {
  const actual = typeName(value);
  const wrong = (expected: string, got: string): void => {
    errors.push(typeInvalid(field, got, `${name} in body must be of type ${expected}: ${JSON.stringify(got)}`));
  };
  const types = schema.intOrString ? ['integer', 'string'] : schema.type === '' ? [] : [schema.type];
  if (value === null) {
    if (types.length > 0 && !schema.nullable) wrong(types.join(','), 'null');
    return;
  }
  if (types.includes(actual) || (actual === 'integer' && types.includes('number'))) return;
  if (typeof value === 'number' && types.includes('integer') && isNearlyWhole(value)) return;
  if (isStringFormat(schema.format)) {
    if (typeof value !== 'string' && !isList(value)) {
      wrong(schema.format, actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '');
    } else if (types.includes('number') || types.includes('integer')) wrong(types.join(','), actual);
  } else if (types.length > 0) wrong(types.join(','), actual);
}

function checkString(schema: Schema, value: string, { field, name }: Place, errors: FieldError[]): void {
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    errors.push(tooLong(field, schema.maxLength));
  } else if (schema.minLength !== undefined && length < schema.minLength) {
    errors.push(invalidValue(field, value, `${name} in body should be at least ${schema.minLength} chars long`));
  } else if (schema.pattern !== undefined && !schema.pattern.regexp.test(value)) {
    errors.push(invalidValue(field, value, `${name} in body should match '${schema.pattern.source}'`));
  }
  if (isStringFormat(schema.format) && !hasFormat(schema.format, value)) {
    errors.push(
      typeInvalid(field, value, `${name} in body must be of type ${schema.format}: ${JSON.stringify(value)}`),
    );
  }
}

/** Whether a number is an integer but for a billionth, which the API server forgives. */
function isNearlyWhole(value: number): boolean {
  const whole = Math.trunc(value);
  if (value === whole) return Number.isSafeInteger(value);
  return value !== 0 && whole !== 0 && Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}

function isMultiple(value: number | bigint, of: number): boolean {
  if (typeof value === 'bigint')
    return Number.isInteger(of) ? value % BigInt(of) === 0n : isMultiple(Number(value), of);
  if (isWhole(value) && isWhole(of)) return value % of === 0;
  return isNearlyWhole(of < 1 ? (1 / of) * value : value / of);
}

function checkNumber(schema: Schema, value: number | bigint, { field, name }: Place, errors: FieldError[]): void {
  const { minimum, maximum, multipleOf } = schema;
  const isInteger = typeof value === 'bigint' || isWhole(value);
  const fits = (limit: number): boolean => Number.isInteger(limit) && limit >= -(2 ** 63) && limit < 2 ** 63;
  const shown = (limit: number): string => (isInteger && fits(limit) ? String(BigInt(limit)) : goNumber(limit));
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    errors.push(invalidValue(field, value, `${name} in body should be a multiple of ${shown(multipleOf)}`));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    const words = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
    errors.push(invalidValue(field, value, `${name} in body should be ${words} ${shown(maximum)}`));
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    const words = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    errors.push(invalidValue(field, value, `${name} in body should be ${words} ${shown(minimum)}`));
  }
}

function checkList(schema: Schema, value: readonly unknown[], old: unknown, place: Place, errors: FieldError[]): void {
  const { field, name } = place;
  if (schema.items !== undefined) {
    const counterpart = oldItems(schema, old);
    for (const [index, item] of value.entries()) {
      check(schema.items, item, counterpart(item), at(place, index), errors);
    }
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    errors.push(invalidValue(field, value.length, `${name} in body should have at least ${schema.minItems} items`));
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    errors.push(tooMany(field, value.length, schema.maxItems));
  }
  if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) {
    errors.push(invalidValue(field, '', `${name} in body shouldn't contain duplicates`));
  }
}

/** How to find what an item of a list was before: lists of type map know it by their keys, others do not. */
export function oldItems(schema: Schema, old: unknown): (item: unknown) => unknown {
  if (schema.listType !== 'map' || !isList(old)) return () => undefined;
  const byKey = new Map(old.map((item) => [itemKey(schema, item), item]));
  return (item) => byKey.get(itemKey(schema, item));
}

/** The keys of an item of a list of type map, with the defaults of the schema, as text. */
export function itemKey(schema: Schema, item: unknown): string {
  if (!isMap(item)) return canonical(item);
  const key: JsonMap = {};
  for (const name of schema.listKeys) {
    const value = item[name] ?? schema.items?.properties?.get(name)?.default;
    if (value !== undefined) key[name] = value;
  }
  return canonical(key);
}

function checkMap(schema: Schema, value: JsonMap, old: unknown, place: Place, errors: FieldError[]): void {
  const { field, name } = place;
  const before = isMap(old) ? old : {};
  const size = Object.keys(value).length;
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    const rule = `${name} in body should have at least ${schema.minProperties} properties`;
    errors.push(invalidValue(field, size, rule));
  }
  if (schema.maxProperties !== undefined && size > schema.maxProperties) {
    errors.push(tooMany(field, size, schema.maxProperties));
  }
  for (const key of Object.keys(value)) {
    const child = fieldSchema(schema, key);
    if (child !== undefined) check(child, value[key], before[key], below(place, key), errors);
  }
  for (const key of schema.required) {
    if (!Object.hasOwn(value, key)) errors.push(required(below(place, key).field));
  }
}

function checkAlternatives(schema: Schema, value: unknown, place: Place, errors: FieldError[]): void {
  const attempt = (alternative: Schema): FieldError[] => {
    const found: FieldError[] = [];
    check(alternative, value, undefined, place, found);
    return found;
  };
  const fail = (message: string): void => {
    errors.push(invalidValue('<nil>', '', `"${place.name}" ${message}`));
  };
  if (schema.anyOf.length > 0) {
    const results = schema.anyOf.map(attempt);
    if (!results.some((result) => result.length === 0)) {
      fail('must validate at least one schema (anyOf)');
      errors.push(...fewest(results));
    }
  }
  if (schema.oneOf.length > 0) {
    const results = schema.oneOf.map(attempt);
    const valid = results.filter((result) => result.length === 0).length;
    if (valid === 0) {
      fail('must validate one and only one schema (oneOf). Found none valid');
      errors.push(...fewest(results));
    } else if (valid > 1) {
      fail(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
    }
  }
  const failures = schema.allOf.map(attempt).filter((result) => result.length > 0);
  for (const result of failures) errors.push(...result);
  if (failures.length > 0) {
    fail(`must validate all the schemas (allOf)${failures.length === schema.allOf.length ? '. None validated' : ''}`);
  }
  if (schema.not !== undefined && attempt(schema.not).length === 0) fail('must not validate the schema (not)');
}

function fewest(results: readonly FieldError[][]): FieldError[] {
  return results.reduce((best, result) => (result.length < best.length ? result : best));
}

/** Whether the errors are such that CEL rules cannot be evaluated meaningfully. */
export function blocksRules(errors: readonly FieldError[]): boolean {
  const blocking: readonly FieldErrorType[] = [
    FieldErrorType.NotSupported,
    FieldErrorType.Required,
    FieldErrorType.TooLong,
    FieldErrorType.TooMany,
    FieldErrorType.TypeInvalid,
  ];
  return errors.some(({ type }) => blocking.includes(type));
}

/** Checks that embedded objects say what they are. */
export function validateEmbedded(schema: Schema, value: unknown, field = ''): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (node: Schema, item: unknown, path: string): void => {
    if (isList(item) && node.items !== undefined) {
      for (const [index, one] of item.entries()) visit(node.items, one, `${path}[${index}]`);
    }
    if (!isMap(item)) return;
    for (const key of node.embedded ? ['apiVersion', 'kind'] : []) {
      const at = `${path}.${key}`;
      if (!Object.hasOwn(item, key)) errors.push(required(at));
      else if (typeof item[key] !== 'string') errors.push(invalidValue(at, item[key], 'must be a string'));
      else if (item[key].trim() === '') errors.push(invalidValue(at, item[key], 'must not be empty'));
    }
    for (const key of Object.keys(item)) {
      const child = fieldSchema(node, key);
      if (child !== undefined) visit(child, item[key], childPath(node, path, key));
    }
  };
  visit(schema, value, field);
  return errors;
}

/** The path of a field: in brackets when its name is none of the schema's. */
function childPath(schema: Schema, path: string, key: string): string {
  if (schema.properties?.has(key) !== true) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Checks that lists of type set and map hold no item twice. */
export function validateUniqueness(schema: Schema, value: unknown, field = ''): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (node: Schema, item: unknown, path: string): void => {
    if (isList(item)) {
      const stranger = node.listType === 'map' ? item.findIndex((one) => one !== null && !isMap(one)) : -1;
      if (stranger >= 0) {
        const why = 'must be an object for an array of list-type map';
        errors.push(invalidValue(`${path}[${stranger}]`, item[stranger], why));
      } else if (node.listType !== 'atomic') {
        const times = new Map<string, number>();
        item.forEach((one, index) => {
          const key = node.listType === 'map' ? itemKey(node, one) : canonical(one);
          const before = times.get(key) ?? 0;
          // An item that comes many times is reported once, where it comes for the second time.
          if (before === 1) {
            errors.push(duplicate(`${path}[${index}]`, node.listType === 'map' ? parseJson(key) : one));
          }
          times.set(key, before + 1);
        });
      }
      if (node.items !== undefined)
        for (const [index, one] of item.entries()) visit(node.items, one, `${path}[${index}]`);
    } else if (isMap(item)) {
      for (const key of Object.keys(item)) {
        const named = node.properties?.get(key);
        const child = named ?? node.additional;
        if (child === undefined) continue;
        const childPath = named === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
        visit(child, item[key], childPath);
      }
    }
  };
  visit(schema, value, field);
  return errors;
}
