// Validation of a value against a structural schema, in the order and with the wording of the API server.
//
// Invariants:
//   KSIM-VALIDATION-1. On an update, a value that equals what was stored at the same place is not complained about: rules that became
//       stricter after it was stored do not block writes of other fields.

import { itemKey } from '../../../cel/schema.ts';
import { parseJson } from '../../../text/exact-json.ts';
import { hasFormat, isStringFormat } from '../../../text/formats.ts';
import { canonical, isList, isMap, isWhole, type JsonMap, same, typeName } from '../../../text/json.ts';
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
} from '../base/field-error.ts';
import { fieldSchema, type Schema } from './schema.ts';

/** Path of a value: spelled only when there is an error. */
class Place {
  readonly #root: string;
  readonly #above: Place | undefined;
  readonly #step: string | number;

  /** @param step  a key, the index of an item, or for the root its path in the object */
  constructor(above: Place | undefined, step: string | number) {
    this.#root = above === undefined ? String(step) : above.#root;
    this.#above = above;
    this.#step = step;
  }

  /** From the root of the object. */
  get field(): string {
    return this.#from(this.#root);
  }

  /** As the messages of schema rules say it. */
  get name(): string {
    return this.#from('');
  }

  #from(root: string): string {
    if (this.#above === undefined) return root;
    const above = this.#above.#from(root);
    if (typeof this.#step === 'number') return `${above}[${this.#step}]`;
    return above === '' ? this.#step : `${above}.${this.#step}`;
  }
}

/**
 * Checks everything but CEL rules and the uniqueness of list items.
 *
 * @param old  what is stored at the same place, undefined on creation
 * @param field  path of `value` in the object; messages name paths below it, as the API server does for `status`
 */
export function validate(schema: Schema, value: unknown, old: unknown, field = ''): FieldError[] {
  const errors: FieldError[] = [];
  check(schema, value, old, new Place(undefined, field), errors);
  if (errors.length < 2) return errors;
  // An error that several alternatives have is reported once.
  const seen = new Set<string>();
  return errors.filter(({ field: at, body }) => {
    const line = `${at}: ${body}`;
    const isNew = !seen.has(line);
    seen.add(line);
    return isNew;
  });
}

function check(schema: Schema, value: unknown, old: unknown, place: Place, errors: FieldError[]): void {
  if (value === old) return; // KSIM-VALIDATION-1, without reading it
  const before = errors.length;
  checkType(schema, value, place, errors);
  if (schema.hasAlternatives) checkAlternatives(schema, value, place, errors);
  if (typeof value === 'string') checkString(schema, value, place, errors);
  if (typeof value === 'number' || typeof value === 'bigint') checkNumber(schema, value, place, errors);
  if (isList(value)) checkList(schema, value, old, place, errors);
  if (schema.enum !== undefined && !schema.enum.some((allowed) => same(allowed, value))) {
    const allowed = schema.enum.map((one) => (typeof one === 'string' ? one : canonical(one)));
    errors.push(notSupported(place.field, value, allowed));
  }
  if (isMap(value)) checkMap(schema, value, old, place, errors);
  if (errors.length > before && old !== undefined && same(value, old)) errors.length = before; // KSIM-VALIDATION-1
}

function checkType(schema: Schema, value: unknown, place: Place, errors: FieldError[]): void {
  const actual = typeName(value);
  if (actual === schema.type && !schema.intOrString) return;
  const wrong = (expected: string, got: string): void => {
    const rule = `${place.name} in body must be of type ${expected}: ${JSON.stringify(got)}`;
    errors.push(typeInvalid(place.field, got, rule));
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

function checkString(schema: Schema, value: string, place: Place, errors: FieldError[]): void {
  const { format, maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    errors.push(tooLong(place.field, maxLength));
  } else if (minLength !== undefined && codePoints(value) < minLength) {
    const rule = `${place.name} in body should be at least ${minLength} chars long`;
    errors.push(invalidValue(place.field, value, rule));
  } else if (pattern !== undefined && !pattern.regexp.test(value)) {
    errors.push(invalidValue(place.field, value, `${place.name} in body should match '${pattern.source}'`));
  }
  if (isStringFormat(format) && !hasFormat(format, value)) {
    const rule = `${place.name} in body must be of type ${format}: ${JSON.stringify(value)}`;
    errors.push(typeInvalid(place.field, value, rule));
  }
}

/** Lengths are counted in these, never more than what `length` says. */
function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
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

function checkNumber(schema: Schema, value: number | bigint, place: Place, errors: FieldError[]): void {
  const { minimum, maximum, multipleOf } = schema;
  const isInteger = typeof value === 'bigint' || isWhole(value);
  const fits = (limit: number): boolean => Number.isInteger(limit) && limit >= -(2 ** 63) && limit < 2 ** 63;
  const shown = (limit: number): string => (isInteger && fits(limit) ? String(BigInt(limit)) : goNumber(limit));
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    const rule = `${place.name} in body should be a multiple of ${shown(multipleOf)}`;
    errors.push(invalidValue(place.field, value, rule));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    const words = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
    errors.push(invalidValue(place.field, value, `${place.name} in body should be ${words} ${shown(maximum)}`));
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    const words = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    errors.push(invalidValue(place.field, value, `${place.name} in body should be ${words} ${shown(minimum)}`));
  }
}

function checkList(schema: Schema, value: readonly unknown[], old: unknown, place: Place, errors: FieldError[]): void {
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    const oldItemOf = oldItems(schema, old);
    for (let index = 0; index < value.length; index++) {
      const item = value[index];
      check(items, item, oldItemOf(item), new Place(place, index), errors);
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    const rule = `${place.name} in body should have at least ${minItems} items`;
    errors.push(invalidValue(place.field, value.length, rule));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    errors.push(tooMany(place.field, value.length, maxItems));
  }
  if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) {
    errors.push(invalidValue(place.field, '', `${place.name} in body shouldn't contain duplicates`));
  }
}

/** Finds the earlier value of a list's item: lists of type map by their keys, others not at all. */
export function oldItems(schema: Schema, old: unknown): (item: unknown) => unknown {
  if (schema.listType !== 'map' || !isList(old)) return () => undefined;
  const byKey = new Map(old.map((item) => [itemKey(schema, item), item]));
  return (item) => byKey.get(itemKey(schema, item));
}

const NOTHING: JsonMap = {};

function checkMap(schema: Schema, value: JsonMap, old: unknown, place: Place, errors: FieldError[]): void {
  const before = isMap(old) ? old : NOTHING;
  let size = 0;
  for (const _ in value) size++;
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    const rule = `${place.name} in body should have at least ${schema.minProperties} properties`;
    errors.push(invalidValue(place.field, size, rule));
  }
  if (schema.maxProperties !== undefined && size > schema.maxProperties) {
    errors.push(tooMany(place.field, size, schema.maxProperties));
  }
  for (const key in value) {
    const child = fieldSchema(schema, key);
    if (child !== undefined) check(child, value[key], before[key], new Place(place, key), errors);
  }
  for (const key of schema.required) {
    if (!Object.hasOwn(value, key)) errors.push(required(new Place(place, key).field));
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
    if (!node.embeddedBeneath) return;
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

/**
 * Checks that lists of type set and map hold no item twice.
 *
 * @param old  parts that are shared with it are not looked at
 */
export function validateUniqueness(schema: Schema, value: unknown, old: unknown = undefined): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (node: Schema, item: unknown, before: unknown, path: string): void => {
    if (!node.uniqueBeneath || (item === before && item !== undefined)) return;
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
        for (const [index, one] of item.entries()) visit(node.items, one, undefined, `${path}[${index}]`);
    } else if (isMap(item)) {
      const previous = isMap(before) ? before : {};
      for (const key of Object.keys(item)) {
        const named = node.properties?.get(key);
        const child = named ?? node.additional;
        if (child === undefined) continue;
        const childPath = named === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
        visit(child, item[key], previous[key], childPath);
      }
    }
  };
  visit(schema, value, old, '');
  return errors;
}
