// Plain JSON data: the little that all readers of it need.

/** A JSON object that may be changed by whoever made it. */
export type JsonMap = Record<string, unknown>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** The value as a map, or an empty one. For reading only. */
export function mapOf(value: unknown): JsonMap {
  return isMap(value) ? value : {};
}

/** The value as a list, or an empty one. For reading only. */
export function listOf(value: unknown): unknown[] {
  return isList(value) ? value : [];
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What is found by following `keys` from `value`, or undefined. */
export function dig(value: unknown, ...keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) {
    if (!isMap(found)) return undefined;
    found = found[key];
  }
  return found;
}

/** A deep copy of JSON data. */
export function copy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (!isMap(value)) return value;
  const result: JsonMap = {};
  for (const key in value) put(result, key, copy(value[key]));
  return result as T;
}

/** Sets a key even when it is named `__proto__`. */
export function put(map: JsonMap, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    map[key] = value;
  }
}

/** Whether two pieces of JSON data are the same; the order of keys does not matter. */
export function same(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) if (!same(left[index], right[index])) return false;
    return true;
  }
  return isMap(left) && isMap(right) && sameFields(left, right, isNoKey);
}

/** Whether two maps are the same but for the keys that do not count. */
export function sameFields(left: JsonMap, right: JsonMap, isIgnored: (key: string) => boolean): boolean {
  let surplus = 0;
  for (const key in left) {
    if (isIgnored(key)) continue;
    if (!Object.hasOwn(right, key) || !same(left[key], right[key])) return false;
    surplus--;
  }
  for (const key in right) if (!isIgnored(key)) surplus++;
  return surplus === 0;
}

const isNoKey = (): boolean => false;

/** JSON with sorted keys: equal data gives equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'bigint') return value.toString();
  if (!isMap(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** Whether a number is an integer. Integers beyond these are BigInts (exact-json.ts), and other numbers floating point. */
export const isWhole = (value: number): boolean => Number.isSafeInteger(value);

/** The JSON name of a value's type, as the API's messages use it. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}
