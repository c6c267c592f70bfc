// Conversion between the versions of the API, for all kinds of the group.
//
// Invariants:
//   IRONIC-CONVERT-1. From v1alpha1 to v1beta1 and back gives the object that it was, and what is changed in between is all that changes.
//   IRONIC-CONVERT-2. One object is all that a conversion looks at: no clock, no look-up, and the same answer for ever.
//   IRONIC-CONVERT-3. It never throws, and fails for nothing but a kind or a version that it does not know.
import type { ErrorData } from '../../../../bus/errors.ts';
import { isMap, type JsonMap } from '../../json-values.ts';
import { GROUP } from '../types.ts';
import { cachedObject, withCache, withoutCache } from './cache.ts';
import type { Rule } from './rules/rule.ts';
import { RULES } from './rules/rules.ts';
import { V1ALPHA1, V1BETA1 } from './versions.ts';

export type Conversion =
  | { readonly kind: 'done'; readonly object: JsonMap }
  /** `reason` of the error is `InvalidObject`, `UnknownKind` or `UnknownVersion`. */
  | { readonly kind: 'failed'; readonly error: ErrorData };

/**
 * The object in another version.
 *
 * @param object  as the API has it; what did not change is shared with the result
 * @param desiredAPIVersion  `metal3.io/v1alpha1` or `metal3.io/v1beta1`; its own version gives the object itself
 */
export function convertObject(object: unknown, desiredAPIVersion: string): Conversion {
  if (!isMap(object)) return failed('InvalidObject', 'not an object');
  const { apiVersion, kind } = object;
  for (const version of [apiVersion, desiredAPIVersion]) {
    if (version !== V1ALPHA1 && version !== V1BETA1) {
      return failed('UnknownVersion', `no version of ${GROUP} that is known: ${quoted(version)}`);
    }
  }
  const rules = typeof kind === 'string' ? RULES.get(kind) : undefined;
  if (rules === undefined) return failed('UnknownKind', `no kind of ${GROUP} that is known: ${quoted(kind)}`);
  if (apiVersion === desiredAPIVersion) return { kind: 'done', object };
  if (rules.length === 0) return { kind: 'done', object: { ...object, apiVersion: desiredAPIVersion } };
  return { kind: 'done', object: apiVersion === V1ALPHA1 ? toV1beta1(object, rules) : toV1alpha1(object, rules) };
}

function toV1beta1(object: JsonMap, rules: readonly Rule[]): JsonMap {
  const converted = rules.reduce((result, rule) => rule.toV1beta1(result, object), object);
  return { ...converted, apiVersion: V1BETA1, metadata: withCache(object['metadata'], object) };
}

function toV1alpha1(object: JsonMap, rules: readonly Rule[]): JsonMap {
  const old = cachedObject(object);
  const converted = rules.reduceRight((result, rule) => rule.toV1alpha1(result, old), object);
  return { ...converted, apiVersion: V1ALPHA1, metadata: withoutCache(object['metadata']) };
}

const quoted = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : 'none');

function failed(reason: string, message: string): Conversion {
  return { kind: 'failed', error: { code: 'terminal', message, reason } };
}
