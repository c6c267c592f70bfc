// Values of the cloud that the schema of `status.resource` can hold (I10). The API server rejects a whole status
// because of one value that does not fit, so such a value is left out.
import type { Json } from '../../../bus/bus.ts';
import type { Schema } from '../../api/contract/contract.ts';

const INT32_LIMIT = 2 ** 31;
const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/;

/** The value as `schema` can hold it: undefined when it cannot, a list cut to its bound. Its content is not judged. */
export function representable(schema: Schema, value: unknown): Json | undefined {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? textOf(schema, value) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return integerOf(schema, value);
    case 'array':
      return Array.isArray(value) && schema.items !== undefined ? itemsOf(schema, schema.items, value) : undefined;
    case 'object':
      return undefined;
  }
}

/** Replacement of a missing value: the empty value of its type; undefined if there is none. */
export function zeroOf(schema: Schema): Json | undefined {
  const zero = { string: '', boolean: false, integer: 0, array: undefined, object: undefined }[schema.type];
  return zero === '' ? textOf(schema, zero) : zero;
}

/** Whether the value is missing, null, zero, or without content. `false` is not empty. */
export function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined || value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0)
  );
}

function textOf(schema: Schema, value: string): string | undefined {
  // Cinder and Manila tell UTC without saying so.
  const text = schema.keywords['format'] === 'date-time' && ZONELESS.test(value) ? `${value}Z` : value;
  return isLongAsAllowed(schema, text) && isWellFormed(schema, text) ? text : undefined;
}

function isLongAsAllowed({ keywords: { minLength, maxLength } }: Schema, value: string): boolean {
  if (typeof minLength === 'number' && [...value].length < minLength) return false;
  // Kubernetes counts code points.
  return typeof maxLength !== 'number' || value.length <= maxLength || [...value].length <= maxLength;
}

function isWellFormed({ keywords: { format, pattern, enum: values } }: Schema, value: string): boolean {
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return false;
  return format !== 'date-time' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value);
}

/** Numbers arrive as digits from some drivers. */
function integerOf({ keywords: { format } }: Schema, value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return undefined;
  return format === 'int32' && (number >= INT32_LIMIT || number < -INT32_LIMIT) ? undefined : number;
}

function itemsOf({ keywords: { maxItems } }: Schema, items: Schema, values: readonly unknown[]): readonly Json[] {
  const held = values.map((value) => representable(items, value)).filter((value) => value !== undefined);
  return typeof maxItems === 'number' ? held.slice(0, maxItems) : held;
}
