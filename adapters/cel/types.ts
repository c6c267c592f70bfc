// The types of CEL as rules of schemas see them: what a schema declares, how types fit each other, how they are spelt.
import type { CelSchema } from './schema.ts';

export interface CelType {
  /**
   * `list`, `map`, `optional_type` and `type` have parameters; `object` has fields; `param` is a placeholder for any
   * one type.
   */
  readonly name: string;
  readonly parameters: readonly CelType[];
  readonly fields?: ReadonlyMap<string, CelType>;
  /** Most characters, items or entries that a value can have; known of what a schema declares. */
  readonly maxSize?: number;
  /** Least length of a value in JSON. */
  readonly minLength?: number;
}

const simple = (name: string): CelType => ({ name, parameters: [] });

export const DYN = simple('dyn');
export const ERROR = simple('!error!');
export const BOOL = simple('bool');
export const INT = simple('int');
export const STRING = simple('string');

export const listOf = (item: CelType): CelType => ({ name: 'list', parameters: [item] });
export const mapOf = (key: CelType, value: CelType): CelType => ({ name: 'map', parameters: [key, value] });
export const optionalOf = (value: CelType): CelType => ({ name: 'optional_type', parameters: [value] });
export const typeOf = (value: CelType): CelType => ({ name: 'type', parameters: [value] });

/** The largest request, in bytes: what a schema does not bound is bounded by it. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

const sized = (name: string, maxSize: number, minLength: number): CelType => ({
  name,
  parameters: [],
  maxSize,
  minLength,
});

/** Words that CEL keeps to itself: a field of such a name is written `__name__` in rules. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** The name of a declared field as rules spell it; undefined when they cannot. */
export function escapeField(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/**
 * Type of a schema's values in rules; undefined if rules cannot read them.
 *
 * @param name of the type, if it is an object's
 * @param options.isRoot  whether the schema is one of a whole object, whose metadata rules see
 */
export function declaredType(
  schema: CelSchema,
  name: string,
  { isRoot }: { readonly isRoot: boolean },
): CelType | undefined {
  if (schema.intOrString) return sized('dyn', boundOf(schema), 1);
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return schema.additional === undefined ? objectType(schema, name, { isRoot }) : mapType(schema, name);
    case 'string':
      return stringType(schema);
    case 'boolean':
      return sized('bool', 0, 4);
    case 'number':
      return sized('double', 0, 1);
    case 'integer':
      return sized('int', 0, 1);
    default:
      return undefined;
  }
}

/** Bytes at most: a code point has up to four. */
function boundOf({ maxLength }: CelSchema): number {
  return maxLength === undefined ? MAX_REQUEST_BYTES - 2 : Math.max(0, maxLength) * 4;
}

function stringType(schema: CelSchema): CelType {
  switch (schema.format) {
    case 'byte':
      return sized('bytes', schema.maxLength ?? MAX_REQUEST_BYTES - 2, 2);
    case 'duration':
      return sized('duration', 32, 3);
    case 'date':
      return sized('timestamp', 12, 12);
    case 'date-time':
      return sized('timestamp', 32, 21);
    default: {
      if (schema.maxLength !== undefined || schema.enum === undefined) return sized('string', boundOf(schema), 2);
      const lengths = schema.enum.map((one) => (typeof one === 'string' ? Buffer.byteLength(one) : 0));
      return sized('string', Math.max(0, ...lengths), 2);
    }
  }
}

function listType({ items, maxItems }: CelSchema, name: string): CelType | undefined {
  const item = items && declaredType(items, `${name}.@idx`, { isRoot: items.embedded });
  if (item === undefined) return undefined;
  const maxSize = maxItems ?? Math.floor((MAX_REQUEST_BYTES - 2) / ((item.minLength ?? 0) + 1));
  return { ...listOf(item), maxSize: Math.max(0, maxSize), minLength: 2 };
}

function mapType({ additional, maxProperties }: CelSchema, name: string): CelType | undefined {
  const value = additional && declaredType(additional, `${name}.@elem`, { isRoot: additional.embedded });
  if (value === undefined) return undefined;
  const maxSize = maxProperties ?? Math.floor((MAX_REQUEST_BYTES - 2) / ((value.minLength ?? 0) + 6));
  return { ...mapOf(STRING, value), maxSize: Math.max(0, maxSize), minLength: 2 };
}

function objectType(schema: CelSchema, name: string, { isRoot }: { readonly isRoot: boolean }): CelType {
  const fields = new Map<string, CelType>();
  let minLength = 2;
  for (const [key, child] of schema.properties ?? []) {
    const escaped = escapeField(key);
    const type = declaredType(child, `${name}.${escaped ?? key}`, { isRoot: child.embedded });
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    if (schema.required.includes(key) && !child.hasDefault) {
      minLength += Buffer.byteLength(key) + (type.minLength ?? 0) + 4;
    }
  }
  if (isRoot) {
    const text = sized('string', MAX_REQUEST_BYTES - 2, 2);
    const metadata = new Map([
      ['name', text],
      ['generateName', text],
    ]);
    fields.set('kind', text).set('apiVersion', text);
    fields.set('metadata', { name: `${name}.metadata`, parameters: [], fields: metadata, maxSize: 0, minLength: 2 });
  }
  return { name, parameters: [], fields, maxSize: 0, minLength };
}

/** The type as the messages of the type checker spell it. */
export function spell({ name, parameters }: CelType): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(spell).join(', ')})`;
}

/** Whether the type contains unbound parameters. */
export const isParameter = ({ name }: CelType): boolean => name.startsWith('_');

const isOpen = ({ name }: CelType): boolean => name === 'dyn' || name === ERROR.name;

/** Bindings of the type parameters so far. */
export type Bindings = Map<string, CelType>;

/** Replaces bound parameters by their types; unbound ones by dyn, if requested. */
export function resolve(bindings: Bindings, type: CelType, whatIsFree: 'kept' | 'dyn'): CelType {
  if (isParameter(type)) {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return resolve(bindings, bound, whatIsFree);
    return whatIsFree === 'dyn' ? DYN : type;
  }
  if (type.parameters.length === 0) return type;
  return { ...type, parameters: type.parameters.map((one) => resolve(bindings, one, whatIsFree)) };
}

/** Whether a value of one type may stand where the other is asked for; binds parameters as it goes. */
export function fits(bindings: Bindings, given: CelType, wanted: CelType): boolean {
  if (isParameter(wanted)) return binds(bindings, given, wanted);
  if (isParameter(given)) return binds(bindings, wanted, given);
  if (isOpen(given) || isOpen(wanted)) return true;
  if (given.name === 'null' || wanted.name === 'null') {
    const other = given.name === 'null' ? wanted : given;
    return other.name === 'null' || !NOT_NULLABLE.has(other.name);
  }
  if (given.name !== wanted.name) return false;
  if (given.name === 'type') return true;
  return (
    given.parameters.length === wanted.parameters.length &&
    given.parameters.every((one, index) => fits(bindings, one, wanted.parameters[index] ?? DYN))
  );
}

const NOT_NULLABLE = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'type']);

function binds(bindings: Bindings, type: CelType, parameter: CelType): boolean {
  if (type.name === parameter.name) return true;
  const bound = bindings.get(parameter.name);
  if (bound !== undefined) {
    if (!fits(bindings, type, bound)) return false;
    if (isLessSpecific(type, bound) && !mentions(bindings, type, parameter)) bindings.set(parameter.name, type);
    return true;
  }
  if (mentions(bindings, type, parameter)) return false;
  bindings.set(parameter.name, type);
  return true;
}

function mentions(bindings: Bindings, type: CelType, parameter: CelType): boolean {
  const resolved = resolve(bindings, type, 'kept');
  return resolved.name === parameter.name || resolved.parameters.some((one) => mentions(bindings, one, parameter));
}

/** Whether the one type says no more than the other, of two that fit each other. */
export function isLessSpecific(one: CelType, other: CelType): boolean {
  if (one.name === 'dyn' || isParameter(one)) return true;
  if (other.name === 'dyn' || isParameter(other) || one.name !== other.name) return false;
  return one.parameters.every((parameter, index) => isLessSpecific(parameter, other.parameters[index] ?? DYN));
}
