// JSON data as CEL rules see it, by its schema: integers are BigInt, times are exact to the nanosecond, the order of lists
// of type set or map does not count when they are compared, and the names of declared fields are escaped where CEL
// reserves them.

import { isList, isMap, type JsonMap, put } from '../text/json.ts';
import { withoutOrder } from './operators.ts';
import type { CelSchema } from './schema.ts';
import { type Duration, parseDuration, parseTimestamp } from './times.ts';
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
  if (schema.format === 'date-time') return parseTimestamp(value.toUpperCase()) ?? value;
  if (schema.format === 'date') return parseTimestamp(`${value}T00:00:00Z`) ?? value;
  if (schema.format === 'duration') return durationOf(value) ?? value;
  if (schema.format === 'byte') return new Uint8Array(Buffer.from(value, 'base64'));
  return value;
}

function celList(schema: CelSchema, value: readonly unknown[]): unknown {
  const { items } = schema;
  const converted = items === undefined ? value.map(open) : value.map((item) => celValue(items, item));
  return schema.listType === 'atomic' ? converted : withoutOrder(converted);
}

/** Duration of a text of that format, which has units of days and weeks too. */
function durationOf(text: string): Duration | undefined {
  const [, count, unit = ''] = /^(\d+)\s*(d|day|days|w|wk|week|weeks)$/i.exec(text) ?? [];
  if (count === undefined) return parseDuration(text.replaceAll(/\s/g, ''));
  return parseDuration(`${BigInt(count) * (/^d/i.test(unit) ? 24n : 168n)}h`);
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
