// Conversions between types of CEL, and what timestamps and durations can do.
import { parse } from '@marcbachmann/cel-js';
import { int64, wholeOf } from './numbers.ts';
import { textOf } from './text.ts';
import { Duration, parseDuration, parseTimestamp, type Timestamp, timestampAt } from './times.ts';

type Functions = Readonly<Record<string, (...parameters: never[]) => unknown>>;

const conversionError = (type: string): string => `type conversion error from 'string' to '${type}'`;

const unsigned = parse('uint(self)');

function uint64(value: bigint): unknown {
  if (BigInt.asUintN(64, value) !== value) throw new Error('unsigned integer overflow');
  return unsigned({ self: value });
}

/** The integer that a text is, in decimal digits that match a pattern. */
function integerIn(text: string, pattern: RegExp, type: 'int' | 'uint'): bigint {
  const value = pattern.test(text) ? BigInt(text) : undefined;
  const fits = value !== undefined && (type === 'int' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)) === value;
  if (!fits) throw new Error(conversionError(type));
  return value;
}

/** @throws {Error} `why`: the value is undefined */
export function must<T>(value: T | undefined, why: string): T {
  if (value === undefined) throw new Error(why);
  return value;
}

const startOfYear = (date: Date): number => Date.UTC(date.getUTCFullYear(), 0, 1);

const DATE_PARTS: Readonly<Record<string, (date: Date) => number>> = {
  FullYear: (date) => date.getUTCFullYear(),
  Month: (date) => date.getUTCMonth(),
  DayOfYear: (date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000),
  DayOfMonth: (date) => date.getUTCDate() - 1,
  Date: (date) => date.getUTCDate(),
  DayOfWeek: (date) => date.getUTCDay(),
  Hours: (date) => date.getUTCHours(),
  Minutes: (date) => date.getUTCMinutes(),
  Seconds: (date) => date.getUTCSeconds(),
  Milliseconds: (date) => date.getUTCMilliseconds(),
};

const dateFunctions: Functions = Object.fromEntries(
  Object.entries(DATE_PARTS).flatMap(([part, read]) => [
    [`timestamp.get${part}(): int`, (time: Timestamp) => BigInt(read(time.in('UTC')))],
    [`timestamp.get${part}(string): int`, (time: Timestamp, zone: string) => BigInt(read(time.in(zone)))],
  ]),
);

const STRINGS = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'timestamp', 'duration', 'net.IP', 'net.CIDR'];

/** Functions by signature. Those whose name ends in an underscore replace functions of the evaluator. */
export const CONVERSIONS: Functions = {
  'int_(int): int': (value: bigint) => value,
  'int_(uint): int': (value: { valueOf(): bigint }) => int64(value.valueOf()),
  'int_(double): int': (value: number) => wholeOf(value, { above: -(2 ** 63), below: 2 ** 63 }, 'integer overflow'),
  'int_(string): int': (text: string) => integerIn(text, /^[+-]?\d+$/, 'int'),
  'int_(timestamp): int': (time: Timestamp) => time.seconds,
  'int_(duration): int': (duration: Duration) => duration.nanoseconds,
  'uint_(uint): uint': (value: unknown) => value,
  'uint_(int): uint': uint64,
  'uint_(double): uint': (value: number) =>
    uint64(wholeOf(value, { above: -Number.MIN_VALUE, below: 2 ** 64 }, 'unsigned integer overflow')),
  'uint_(string): uint': (text: string) => uint64(integerIn(text, /^\d+$/, 'uint')),
  'timestamp_(timestamp): timestamp': (time: Timestamp) => time,
  'timestamp_(string): timestamp': (text: string) =>
    must(parseTimestamp(text), conversionError('google.protobuf.Timestamp')),
  'timestamp_(int): timestamp': (seconds: bigint) => must(timestampAt(seconds), 'timestamp overflow'),
  'duration_(duration): duration': (duration: Duration) => duration,
  'duration_(string): duration': (text: string) =>
    must(parseDuration(text), conversionError('google.protobuf.Duration')),
  'duration.getHours(): int': (duration: Duration) => duration.in('h'),
  'duration.getMinutes(): int': (duration: Duration) => duration.in('m'),
  'duration.getSeconds(): int': (duration: Duration) => duration.in('s'),
  'duration.getMilliseconds(): int': (duration: Duration) => duration.in('ms'),
  ...Object.fromEntries(STRINGS.map((type) => [`string_(${type}): string`, textOf])),
  ...dateFunctions,
};

/** Operators by signature. */
export const TIME_OPERATORS: Functions = {
  'timestamp + duration: timestamp': (time: Timestamp, { nanoseconds }: Duration) => time.plus(nanoseconds),
  'duration + timestamp: timestamp': ({ nanoseconds }: Duration, time: Timestamp) => time.plus(nanoseconds),
  'timestamp - duration: timestamp': (time: Timestamp, { nanoseconds }: Duration) => time.plus(-nanoseconds),
  'timestamp - timestamp: duration': (one: Timestamp, other: Timestamp) =>
    new Duration(one.nanoseconds - other.nanoseconds),
  'duration + duration: duration': (one: Duration, other: Duration) =>
    new Duration(one.nanoseconds + other.nanoseconds),
  'duration - duration: duration': (one: Duration, other: Duration) =>
    new Duration(one.nanoseconds - other.nanoseconds),
};
