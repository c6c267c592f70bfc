// JSON objects in annotations. Anybody who may write to the object wrote them: they are read without an error. Integers that no
// number holds are BigInts, as in the objects themselves.
import { parseJson } from '../../../text/exact-json.ts';
import { isMap, type JsonMap } from '../../json-values.ts';

/** Deeper than any object of the API; far deeper ones exhaust the stack of whoever handles them. */
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
