// JSON merge patch (RFC 7386) as the API server applies it.
import { isList, isMap, type JsonMap, put } from '../../../text/json.ts';

/** The target with the patch applied. Shares parts with both; changes neither. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(target)) return withoutNulls(patch);
  if (!isMap(patch)) return patch;
  const result: JsonMap = { ...target };
  for (const key in patch) {
    if (patch[key] === null) delete result[key];
    else put(result, key, mergePatch(Object.hasOwn(target, key) ? target[key] : undefined, patch[key]));
  }
  return result;
}

/** Nulls in maps mean nothing where there is nothing to remove; in lists they are values. */
function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const result: JsonMap = {};
  for (const key in value) if (value[key] !== null) put(result, key, withoutNulls(value[key]));
  return result;
}
