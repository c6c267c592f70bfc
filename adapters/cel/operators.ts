// Operators of CEL values: equality, order, membership, and the arithmetic in which integers can overflow.
import { evaluate, Optional, parse } from '@marcbachmann/cel-js';
import { isList, isMap, type JsonMap } from '../text/json.ts';
import { NO_OVERLOAD } from './failures.ts';
import { Duration, Timestamp } from './times.ts';

const unordered = new WeakSet<readonly unknown[]>();

/** Marks a list of type set or map: it equals every list that has the same items in any order. */
export function withoutOrder(list: readonly unknown[]): readonly unknown[] {
  unordered.add(list);
  return list;
}

/** Class of the evaluator's unsigned integers, which it does not export. */
const UnsignedInt = (evaluate('1u') as object).constructor;

/** The value; an unsigned integer as a BigInt. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value?.constructor === UnsignedInt ? value.valueOf() : value;

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Whether a value is a map, and not of a class of its own. */
export function isPlainMap(value: unknown): value is JsonMap {
  return isMap(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

/** Whether two values are equal. Whether the order of a list counts is decided by the list in `one`. */
export function isEqual(one: unknown, other: unknown): boolean {
  const [left, right] = [plain(one), plain(other)];
  if (isNumber(left) && isNumber(right)) return compare(left, right) === 0;
  if (left === right) return true;
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false;
    if (unordered.has(left)) return left.every((item) => right.some((candidate) => isEqual(item, candidate)));
    return left.every((item, index) => isEqual(item, right[index]));
  }
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (isPlainMap(left)) {
    if (!isPlainMap(right) || Object.keys(left).length !== Object.keys(right).length) return false;
    return Object.keys(left).every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]));
  }
  if (!isMap(left) || !isMap(right) || left.constructor !== right.constructor) return false;
  if (left instanceof Optional && right instanceof Optional) {
    if (!left.hasValue() || !right.hasValue()) return left.hasValue() === right.hasValue();
    return isEqual(left.value(), right.value());
  }
  if (typeof left['compareTo'] === 'function') return left['compareTo'](right) === 0n;
  return String(left) === String(right);
}

/**
 * Negative, zero or positive, as `one` is less than, equal to or greater than `other`; NaN if one of them is NaN.
 *
 * @throws {Error} values of these types have no order
 */
export function compare(one: unknown, other: unknown): number {
  const [left, right] = [plain(one), plain(other)];
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : left >= right ? 0 : Number.NaN;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  if (left instanceof Timestamp && right instanceof Timestamp) return Number(left.compareTo(right));
  if (left instanceof Duration && right instanceof Duration) return Number(left.compareTo(right));
  throw new Error(NO_OVERLOAD);
}

/** Order of texts by code points. */
function compareText(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Name of the type of a value, as messages spell it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (isList(value)) return 'list';
  if (isPlainMap(value)) return 'map';
  if (isNumber(plain(value))) return 'uint';
  return value instanceof Optional ? 'optional_type' : 'type';
}

/** Whether a list contains a value that is equal to `item`. */
export const holds = (list: readonly unknown[], item: unknown): boolean => list.some((one) => isEqual(item, one));

/** Whether a field of a map is present; a field of an optional is present if that has a value with the field. */
function isPresent(value: unknown, field: string): boolean {
  if (value instanceof Optional) return value.hasValue() && isPresent(value.value(), field);
  if (!isPlainMap(value)) throw new Error(NO_OVERLOAD);
  return Object.hasOwn(value, field);
}

const LEAST = -(2n ** 63n);

/** An operator of integers, or of other numbers for which the evaluator needs no correction. */
const checked = (expression: string): ((one: unknown, other: unknown) => unknown) => {
  const run = parse(expression);
  return (one, other) => {
    if (one === LEAST && other === -1n) throw new Error('integer overflow');
    return run({ self: one, oldSelf: other }) as unknown;
  };
};
const quotient = checked('self / oldSelf');
const remainder = checked('self % oldSelf');
const negative = checked('-self');

/** Functions that replace operators of the evaluator. */
export const OPERATOR_FUNCTIONS: Readonly<Record<string, (...parameters: never[]) => unknown>> = {
  'equals_(dyn, dyn): bool': isEqual,
  'differs_(dyn, dyn): bool': (one: unknown, other: unknown) => !isEqual(one, other),
  'isLess_(dyn, dyn): bool': (one: unknown, other: unknown) => compare(one, other) < 0,
  'isAtMost_(dyn, dyn): bool': (one: unknown, other: unknown) => compare(one, other) <= 0,
  'isGreater_(dyn, dyn): bool': (one: unknown, other: unknown) => compare(one, other) > 0,
  'isAtLeast_(dyn, dyn): bool': (one: unknown, other: unknown) => compare(one, other) >= 0,
  'isIn_(dyn, list): bool': (item: unknown, list: readonly unknown[]) => holds(list, item),
  'isIn_(dyn, map): bool': (key: unknown, map: object) => Object.hasOwn(map, String(key)),
  'quotient_(dyn, dyn): dyn': quotient,
  'remainder_(dyn, dyn): dyn': remainder,
  'negative_(dyn): dyn': (value: unknown) => negative(value, -1n),
  'has_(dyn, string): bool': isPresent,
};
