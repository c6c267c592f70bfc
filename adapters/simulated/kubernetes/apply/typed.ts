// Objects seen through their schema, as server-side apply sees them: what is one value, what is a structure, and what
// identifies the items of a list.
//
// Without a schema a value is taken by its shape: maps are merged field by field, lists are one value.
import { jsonText } from '../../../text/exact-json.ts';
import { canonical, isMap, type JsonMap } from '../../../text/json.ts';
import { compileSchema, fieldSchema, OBJECT_META, type Schema } from '../schemas/schema.ts';

export const Shape = { Scalar: 'scalar', Whole: 'whole', List: 'list', Map: 'map' } as const;
/** `whole` is a list or map that is one value; the other lists and maps are merged by items and fields. */
export type Shape = (typeof Shape)[keyof typeof Shape];

export function shapeOf(schema: Schema | undefined, value: unknown): Shape {
  if (schema === undefined || schema.type === '') {
    if (Array.isArray(value)) return Shape.Whole;
    return isMap(value) || value === null ? Shape.Map : Shape.Scalar;
  }
  if (schema.type === 'object') return schema.atomicMap ? Shape.Whole : Shape.Map;
  if (schema.type === 'array') return schema.listType === 'atomic' ? Shape.Whole : Shape.List;
  return Shape.Scalar;
}

const EMBEDDED_META = compileSchema(OBJECT_META);
const TEXT = compileSchema({ type: 'string' });

/** The schema of a field; undefined when any value is allowed. */
export function childSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.embedded) {
    if (key === 'metadata') return EMBEDDED_META;
    if (key === 'apiVersion' || key === 'kind') return TEXT;
  }
  return fieldSchema(schema, key);
}

/** Whether a field is one of a structure, not an entry of a map. */
export function isDeclared(schema: Schema | undefined, key: string): boolean {
  if (schema === undefined) return false;
  if (schema.embedded && (key === 'metadata' || key === 'apiVersion' || key === 'kind')) return true;
  return schema.properties?.has(key) === true;
}

/** The values of the keys of an item of a list of type map, sorted by key; a default replaces an absent one. */
export function itemKey(schema: Schema, item: JsonMap): JsonMap {
  const key: JsonMap = {};
  for (const name of schema.sortedListKeys) {
    const value = item[name] === undefined ? schema.items?.properties?.get(name)?.default : item[name];
    if (value !== undefined) key[name] = value;
  }
  return key;
}

/** The step that names an item of a list of type set or map. */
export function itemStep(schema: Schema, item: unknown): string {
  if (schema.listType === 'set' || !isMap(item)) return `v:${canonical(item)}`;
  return `k:${jsonText(itemKey(schema, item))}`;
}

/** The items of a list by their steps. Items that share a step are in one entry. */
export function byStep(schema: Schema, list: readonly unknown[]): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of list) {
    const step = itemStep(schema, item);
    const known = found.get(step);
    if (known === undefined) found.set(step, [item]);
    else known.push(item);
  }
  return found;
}
