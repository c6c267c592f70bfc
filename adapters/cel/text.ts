// What CEL's string extension does with texts: places are counted in code points, patterns are RE2.

import { isList } from '../text/json.ts';
import { patternOf } from '../text/patterns.ts';
import { doubleText, withTwoDigits } from './numbers.ts';
import { isPlainMap, kindOf } from './operators.ts';
import { Duration, Timestamp } from './times.ts';

/**
 * A value as `string()` converts it.
 *
 * @throws {Error} bytes that are not UTF-8
 */
export function textOf(value: unknown): string {
  if (typeof value === 'number') return doubleText(value);
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch (cause) {
    throw new Error('invalid UTF-8 in bytes, cannot convert to string', { cause });
  }
}

/** A value as `%s` writes it. */
function written(value: unknown): string {
  if (isList(value)) return `[${value.map(inner).join(', ')}]`;
  if (isPlainMap(value)) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, one]) => `${quoteText(key)}: ${inner(one)}`).join(', ')}}`;
  }
  return kindOf(value) === 'type' ? String(value).replace(/^Type<(.*)>$/, '$1') : textOf(value);
}

/** A value within a list or map, as `%s` writes it. */
function inner(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value === 'number') return value.toFixed(6);
  if (value instanceof Uint8Array) return `b${quoteText(textOf(value))}`;
  if (value instanceof Timestamp) return `timestamp("${value}")`;
  return value instanceof Duration ? `duration("${value}")` : written(value);
}

/** A clause of a format, such as `%d`. */
interface Clause {
  readonly accepts: readonly string[];
  /** Message for values of other types. */
  readonly refusal: string;
  readonly write: (value: unknown, precision: number | undefined) => string;
}

const hex = (value: unknown): string =>
  typeof value === 'string' || value instanceof Uint8Array
    ? Buffer.from(value as string).toString('hex')
    : BigInt(String(value)).toString(16);

const HEX = 'only integers, byte buffers, and strings can be formatted as hex';

const CLAUSES: Readonly<Record<string, Clause>> = {
  s: {
    accepts:
      'string bool bytes int uint double map list type null google.protobuf.Timestamp google.protobuf.Duration'.split(
        ' ',
      ),
    refusal:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    write: written,
  },
  d: { accepts: ['int', 'uint'], refusal: 'decimal clause can only be used on integers', write: String },
  f: {
    accepts: ['double'],
    refusal: 'fixed-point clause can only be used on doubles',
    write: (value, precision) => Number(value).toFixed(precision ?? 6),
  },
  e: {
    accepts: ['double'],
    refusal: 'scientific clause can only be used on doubles',
    write: (value, precision) => withTwoDigits(Number(value).toExponential(precision ?? 6)),
  },
  b: {
    accepts: ['int', 'uint', 'bool'],
    refusal: 'only integers and bools can be formatted as binary',
    write: (value) => (typeof value === 'boolean' ? String(Number(value)) : BigInt(String(value)).toString(2)),
  },
  o: {
    accepts: ['int', 'uint'],
    refusal: 'octal clause can only be used on integers',
    write: (value) => BigInt(String(value)).toString(8),
  },
  x: { accepts: ['int', 'uint', 'bytes', 'string'], refusal: HEX, write: hex },
  X: { accepts: ['int', 'uint', 'bytes', 'string'], refusal: HEX, write: (value) => hex(value).toUpperCase() },
};

const CLAUSE = /%(?:%|(?:\.(\d+))?(.))/gs;

/** @throws {Error} the clause does not exist */
function clauseOf(verb: string): Clause {
  const clause = Object.hasOwn(CLAUSES, verb) ? CLAUSES[verb] : undefined;
  if (clause === undefined) {
    throw new Error(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
  return clause;
}

/** Why a clause does not accept a value of a type; undefined if it does. */
function refusalOf({ accepts, refusal }: Clause, type: string): string | undefined {
  return accepts.includes(type) ? undefined : `error during formatting: ${refusal}, was given ${type}`;
}

/** Problem of a format and the types of its values; `index` is that of the value, if it is the value's problem. */
export function formatProblem(
  format: string,
  types: readonly string[],
): { readonly message: string; readonly index?: number } | undefined {
  const verbs = [...format.matchAll(CLAUSE)].flatMap(([, , verb]) => verb ?? []);
  try {
    for (const [index, verb] of verbs.entries()) {
      const clause = clauseOf(verb);
      const type = types[index];
      if (type === undefined) return { message: `index ${index} out of range` };
      const message = type === 'dyn' ? undefined : refusalOf(clause, type);
      if (message !== undefined) return { message, index };
    }
  } catch (error) {
    return { message: (error as Error).message };
  }
  if (types.length <= verbs.length) return undefined;
  return {
    message: `too many arguments supplied to string.format (expected ${verbs.length}, got ${types.length})`,
  };
}

/** @throws {Error} a clause that does not exist or does not accept its value, or fewer values than clauses */
export function formatText(format: string, values: readonly unknown[]): string {
  let next = 0;
  return format.replaceAll(CLAUSE, (_, precision: string | undefined, verb: string | undefined) => {
    if (verb === undefined) return '%';
    const clause = clauseOf(verb);
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    const value = values[next++];
    const refusal = refusalOf(clause, kindOf(value));
    if (refusal !== undefined) throw new Error(refusal);
    return clause.write(value, precision === undefined ? undefined : Number(precision));
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** The text without white space at its ends, as Unicode defines white space. */
export function trimmed(text: string): string {
  const isSpace = (at: number): boolean => /\p{White_Space}/u.test(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** The text in quotes, with escapes where needed. */
export function quoteText(text: string): string {
  return `"${[...text].map((point) => ESCAPES[point] ?? point).join('')}"`;
}

export function findAll(text: string, pattern: string, limit: bigint): string[] {
  const matcher = patternOf(pattern).matcher(text);
  const found: string[] = [];
  while ((limit < 0n || found.length < Number(limit)) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

/** A place within a text or list, counted from 0. */
export function place(at: bigint, length: number): number {
  if (at < 0n || at > BigInt(length)) throw new Error(`index out of range: ${at}`);
  return Number(at);
}

export function position(text: string, part: string, direction: 'first' | 'last', from?: bigint): bigint {
  if (part === '' && from !== undefined) return from;
  const [points, wanted] = [[...text], [...part]];
  const start = from === undefined ? undefined : place(from, points.length);
  const fits = (at: number): boolean => wanted.every((point, index) => points[at + index] === point);
  const last = points.length - wanted.length;
  if (direction === 'first') {
    for (let at = start ?? 0; at <= last; at++) if (fits(at)) return BigInt(at);
  } else {
    for (let at = Math.min(start ?? last, last); at >= 0; at--) if (fits(at)) return BigInt(at);
  }
  return -1n;
}

export function replaced(text: string, from: string, to: string, limit: bigint): string {
  const parts = from === '' ? ['', ...text, ''] : text.split(from);
  const count = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  const head = parts.slice(0, count + 1).join(to);
  const tail = parts.slice(count + 1);
  return tail.length === 0 ? head : head + from + tail.join(from);
}

export function pieces(text: string, separator: string, limit: bigint): string[] {
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit === 0n) return [];
  if (limit < 0n || parts.length <= Number(limit)) return parts;
  const count = Number(limit) - 1;
  return [...parts.slice(0, count), parts.slice(count).join(separator)];
}
