// JSON data as CEL rules see it, by its schema: integers are BigInt, sets are sets, timestamps are dates, and the names
// of declared fields are escaped where CEL reserves them.

import { isList, isMap, type JsonMap, put } from '../text/json.ts';
import { durationOf } from './library.ts';
import { type CelSchema, itemKey } from './schema.ts';
import { escapeField } from './types.ts';

/** A value as CEL sees it. Fields that the schema does not declare are invisible. */
export function celValue(schema: CelSchema, value: unknown): unknown {
  if (value === null) return null;
  if (typeof value === 'number') {
    return Number.isInteger(value) && schema.type !== 'number' ? BigInt(value) : value;
  }
  if (typeof value === 'bigint') return schema.type === 'number' ? Number(value) : value;
  if (typeof value === 'string') return celString(schema, value);
  if (isList(value)) return celList(schema, value);
  if (isMap(value)) return celMap(schema, value);
  return value;
}

function celString(schema: CelSchema, value: string): unknown {
  if (schema.format === 'date-time' || schema.format === 'date') return new Date(value);
  if (schema.format === 'duration') return durationOf(value);
  if (schema.format === 'byte') return new Uint8Array(Buffer.from(value, 'base64'));
  return value;
}

function celList(schema: CelSchema, value: readonly unknown[]): unknown {
  const { items } = schema;
  const converted = items === undefined ? value.map(open) : value.map((item) => celValue(items, item));
  if (schema.listType === 'set') return new Set(converted);
  if (schema.listType !== 'map') return converted;
  // Lists of type map compare by their keys, whatever their order.
  const order = value.map((item, index) => ({ key: itemKey(schema, item), index }));
  order.sort((left, right) => (left.key < right.key ? -1 : 1));
  return order.map(({ index }) => converted[index]);
}

function celMap(schema: CelSchema, value: JsonMap): JsonMap {
  const result: JsonMap = {};
  for (const key of Object.keys(value)) {
    const declared = schema.properties?.get(key);
    const field = value[key];
    if (declared !== undefined) {
      if (field === null) continue;
      const name = escapeField(key);
      if (name !== undefined) put(result, name, celValue(declared, field));
    } else if (schema.additional !== undefined) {
      put(result, key, celValue(schema.additional, field));
    } else if (schema.anyAdditional) {
      put(result, key, open(field));
    }
  }
  return result;
}

/** A value nothing is known about. */
function open(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (isList(value)) return value.map(open);
  if (!isMap(value)) return value;
  const result: JsonMap = {};
  for (const key of Object.keys(value)) put(result, key, open(value[key]));
  return result;
}
