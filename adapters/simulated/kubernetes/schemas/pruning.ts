// Unknown fields and defaults: what happens to an object between its JSON and its validation.
import { copy, isList, isMap, type JsonMap, put } from '../../../text/json.ts';
import { compileSchema, fieldSchema, type Schema } from './schema.ts';

/** For values without a declaration: their content is unknown. */
const CLOSED = compileSchema({});

/**
 * Removes the fields that the schema does not declare. Changes `value` in place.
 *
 * @returns the paths of what was removed, as the messages about unknown fields name them
 */
export function prune(schema: Schema, value: unknown): string[] {
  const removed: string[] = [];
  pruneInto(schema, value, removed);
  return removed.map((path) => path.replace(/^\./, ''));
}

/** @param removed  grows by the paths from here, which are spelled on the way back: next to always there are none */
function pruneInto(schema: Schema, value: unknown, removed: string[]): void {
  if (isList(value)) {
    const { items = schema.preserve ? undefined : CLOSED } = schema;
    if (items === undefined) return;
    for (let index = 0; index < value.length; index++) {
      const known = removed.length;
      pruneInto(items, value[index], removed);
      if (removed.length > known) lengthen(removed, known, `[${index}]`);
    }
    return;
  }
  if (!isMap(value)) return;
  for (const key in value) {
    if (schema.embedded && (key === 'apiVersion' || key === 'kind' || key === 'metadata')) continue;
    const child = fieldSchema(schema, key) ?? (schema.anyAdditional && !schema.preserve ? CLOSED : undefined);
    if (child !== undefined) {
      const known = removed.length;
      pruneInto(child, value[key], removed);
      if (removed.length > known) lengthen(removed, known, `.${key}`);
    } else if (!schema.preserve && !schema.anyAdditional) {
      delete value[key];
      removed.push(`.${key}`);
    }
  }
}

function lengthen(paths: string[], from: number, step: string): void {
  for (let at = from; at < paths.length; at++) paths[at] = `${step}${paths[at]}`;
}

/**
 * Removes nulls where the schema allows none and has no default: they count as absent. Changes `value` in place.
 */
export function dropNulls(schema: Schema, value: unknown): void {
  if (isList(value)) {
    if (schema.items !== undefined) for (const item of value) dropNulls(schema.items, item);
    return;
  }
  if (!isMap(value)) return;
  for (const key in value) {
    const child = fieldSchema(schema, key);
    if (child === undefined) continue;
    if (value[key] === null && !child.nullable && !child.hasDefault) delete value[key];
    else dropNulls(child, value[key]);
  }
}

/**
 * Fills in the defaults of the schema. Changes `value` in place. A null where none is allowed counts as absent when
 * there is a default for it.
 */
export function setDefaults(schema: Schema, value: unknown): void {
  if (!schema.defaultsBeneath) return;
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (item === null && items.hasDefault && !items.nullable) value[index] = copy(items.default);
      setDefaults(items, value[index]);
    }
    return;
  }
  if (!isMap(value)) return;
  for (const [key, child] of schema.properties ?? []) {
    if (!child.defaultsBeneath) continue;
    if (child.hasDefault && lacks(value, key, child)) put(value, key, copy(child.default));
    setDefaults(child, value[key]);
  }
  const { additional } = schema;
  if (additional?.defaultsBeneath) {
    for (const key of Object.keys(value)) {
      if (schema.properties?.has(key)) continue;
      if (additional.hasDefault && lacks(value, key, additional)) put(value, key, copy(additional.default));
      setDefaults(additional, value[key]);
    }
  }
}

function lacks(value: JsonMap, key: string, child: Schema): boolean {
  return value[key] === undefined || (value[key] === null && !child.nullable);
}
