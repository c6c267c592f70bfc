// JSON objects in annotations. Every user with permission to write the object can write them, so reading never throws.
// Integers beyond the range of a number are BigInts, as in the objects themselves.
import { parseJson } from '../../../text/exact-json.ts';
import { isMap, type JsonMap } from '../../json-values.ts';

/**
 * Depth limit, larger than that of any object of the API. Far deeper ones would exhaust the stack of the code that
 * reads them.
 */
const MAX_DEPTH = 32;

/** The object that the text says; undefined: it is no JSON, no object, or nested too deeply. */
export function parsedMap(text: unknown): JsonMap | undefined {
  if (typeof text !== 'string') return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  return isMap(value) && isWithin(value, MAX_DEPTH) ? value : undefined;
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1));
}
