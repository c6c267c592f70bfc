// The form in which built-in kinds are kept: fields that hold nothing are absent, whatever the client sent for nothing.
import { isList, isMap, put } from '../../../text/json.ts';
import type { Schema } from '../schemas/schema.ts';

/**
 * Drops the fields of a built-in kind that hold nothing: null, "", 0, false, empty lists and maps. Structures stay, and
 * so does what has a default. Changes `object` in place, except for what is tidy already.
 *
 * @param kept  paths of the fields that may hold an empty text, 0 or false
 */
export function tidy(schema: Schema, object: Record<string, unknown>, kept: ReadonlySet<string>): void {
  for (const key of Object.keys(object)) {
    const child = schema.properties?.get(key);
    if (key === 'metadata' || child === undefined) continue;
    const value = tidied(child, object[key], key, kept);
    if (value === undefined) delete object[key];
    else if (value !== object[key]) put(object, key, value);
  }
}

function tidied(schema: Schema, value: unknown, path: string, kept: ReadonlySet<string>): unknown {
  if (value === null || value === undefined) return undefined;
  if (isList(value)) {
    if (value.length === 0) return undefined;
    const { items } = schema;
    if (items === undefined) return value;
    const next = value.map((item) => tidied(items, item, path, kept) ?? (items.type === 'object' ? {} : ''));
    return next.every((item, index) => item === value[index]) ? value : next;
  }
  if (isMap(value)) return tidiedMap(schema, value, path, kept);
  if (value === '' || value === 0 || value === false) return kept.has(path) || schema.hasDefault ? value : undefined;
  return schema.format === 'date-time' && typeof value === 'string' ? utc(value) : value;
}

function tidiedMap(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  kept: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  const { properties, additional } = schema;
  const keys = Object.keys(value);
  if (properties === undefined && additional === undefined) return value;
  if (properties === undefined && keys.length === 0) return undefined;
  let result: Record<string, unknown> | undefined;
  for (const key of keys) {
    const child = properties?.get(key);
    // In maps an empty text is a value, and null is one.
    const next = child === undefined ? (value[key] ?? '') : tidied(child, value[key], `${path}.${key}`, kept);
    if (next === value[key]) continue;
    result ??= { ...value };
    if (next === undefined) delete result[key];
    else put(result, key, next);
  }
  return result ?? value;
}

/** The same instant in UTC, with as many digits. */
function utc(time: string): string {
  const at = Date.parse(time);
  if (time.endsWith('Z') || Number.isNaN(at)) return time;
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return `${new Date(at).toISOString().slice(0, 19)}${fraction}Z`;
}
