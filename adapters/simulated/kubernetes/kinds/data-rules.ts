// Rules for the data of ConfigMaps and of Secrets alike.

import { mapOf, same, stringOf } from '../../../text/json.ts';
import { configKeyProblems } from '../../../text/names.ts';
import { type FieldError, forbidden, invalidValue } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';

/** Limit of the API for the data of a Secret or a ConfigMap, in bytes. */
const MAX_DATA_BYTES = 1024 * 1024;

export function checkKeys(field: string, data: unknown): FieldError[] {
  const keys = Object.keys(mapOf(data));
  return keys.flatMap((key) => configKeyProblems(key).map((why) => invalidValue(`${field}[${key}]`, key, why)));
}

export function dataBytes(data: unknown, encoding: 'base64' | 'utf8'): number {
  return Object.values(mapOf(data)).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(stringOf(value), encoding),
    0,
  );
}

export function tooMuchData(field: string, bytes: number): FieldError[] {
  if (bytes <= MAX_DATA_BYTES) return [];
  return [{ type: 'FieldValueTooLong', field, body: `Too long: may not be more than ${MAX_DATA_BYTES} bytes` }];
}

/** Errors about what an immutable object must not change. */
export function immutableErrors(next: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  return ['immutable', ...fields]
    .filter((field) => (field === 'immutable' ? next[field] !== true : !same(next[field], old[field])))
    .map((field) => forbidden(field, why));
}
