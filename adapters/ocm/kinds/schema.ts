// Structural schemas of fields. Every string, list and map has a bound, since the model language has none.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { EnumType, Item, StructType, Type } from '../model/mod.ts';
import { BindingError, type Field } from './fields.ts';

/** Longest string, in characters. */
const STRING_LENGTH = 1_024;
/** Most items of a list, and of a map. */
const ITEMS = 100;
/** Longest name of a Kubernetes object, in characters. */
const NAME_LENGTH = 253;

/** Fragments of JSON schema by dotted property path. */
export type Overrides = Readonly<Record<string, JsonObject>>;

/** The schema of an object with these fields, without its description. */
export function objectSchema(fields: readonly Field[]): JsonObject {
  const properties = Object.fromEntries(
    fields.map(({ attribute, property, inner }): [string, JsonObject] => [
      property,
      {
        ...described(attribute),
        ...(attribute.link ? nameSchema() : typeSchema(attribute.type, inner?.fields ?? [])),
      },
    ]),
  );
  return { type: 'object', ...(fields.length > 0 && { properties }) };
}

/** The name of another object. */
export function nameSchema(): JsonObject {
  return { type: 'string', minLength: 1, maxLength: NAME_LENGTH };
}

/** The documentation; it says first what is deprecated. */
export function described({ documentation, deprecated }: Pick<Item, 'documentation' | 'deprecated'>): JsonObject {
  const text = [deprecated ? 'Deprecated.' : '', documentation.trim()].filter(Boolean).join(' ');
  return text === '' ? {} : { description: text };
}

/**
 * A schema with fragments merged over it.
 *
 * @param schemas  tried one after the other; a fragment belongs to each that has its path
 * @throws {BindingError} none has the path
 */
export function overridden(schemas: readonly JsonObject[], overrides: Overrides): readonly JsonObject[] {
  let all = schemas;
  for (const [path, fragment] of Object.entries(overrides)) {
    const next = all.map((schema) => merged(schema, path.split('.'), fragment));
    if (next.every((each) => each === undefined)) {
      throw new BindingError(`overrides: there is no property '${path}'`);
    }
    all = next.map((each, index) => each ?? (all[index] as JsonObject));
  }
  return all;
}

function typeSchema(type: Type, fields: readonly Field[]): JsonObject {
  switch (type.kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer', format: 'int32' };
    case 'long':
      return { type: 'integer', format: 'int64' };
    case 'float':
      return { type: 'number' };
    case 'string':
      return { type: 'string', maxLength: STRING_LENGTH };
    case 'enum':
      return { ...enumDescription(type), type: 'string', maxLength: STRING_LENGTH };
    case 'date':
      return { type: 'string', format: 'date-time' };
    case 'interface':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    case 'struct':
    case 'class':
      return structSchema(type, fields);
    case 'list':
      return {
        type: 'array',
        maxItems: ITEMS,
        'x-kubernetes-list-type': 'atomic',
        items: typeSchema(type.element, fields),
      };
    case 'map':
      return { type: 'object', maxProperties: ITEMS, additionalProperties: typeSchema(type.element, fields) };
  }
}

/** A value of a class has an identifier; its kind and address are the gateway's to say. */
function structSchema({ kind }: StructType, fields: readonly Field[]): JsonObject {
  const schema = objectSchema(fields);
  if (kind === 'struct') return schema;
  const id = { type: 'string', description: 'Identifier of the object.', maxLength: STRING_LENGTH };
  return { ...schema, properties: { id, ...(schema['properties'] as JsonObject | undefined) } };
}

/** The texts are open: one that is not known today is legal. */
function enumDescription(type: EnumType): JsonObject {
  return described(type);
}

function merged(schema: JsonObject, path: readonly string[], fragment: JsonObject): JsonObject | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return deepMerged(schema, fragment);
  for (const through of ['items', 'additionalProperties'] as const) {
    const inner = schema[through];
    if (!isMap(inner)) continue;
    const changed = merged(inner, path, fragment);
    return changed && { ...schema, [through]: changed };
  }
  const properties = schema['properties'];
  const property = isMap(properties) && Object.hasOwn(properties, first) ? properties[first] : undefined;
  if (!isMap(properties) || !isMap(property)) return undefined;
  const changed = merged(property, rest, fragment);
  return changed && { ...schema, properties: { ...properties, [first]: changed } };
}

function deepMerged(schema: JsonObject, fragment: JsonObject): JsonObject {
  const members = Object.entries(fragment).map(([name, value]): [string, Json] => {
    const known = schema[name];
    return [name, isMap(known) && isMap(value) ? deepMerged(known, value) : value];
  });
  return { ...schema, ...Object.fromEntries(members) };
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
