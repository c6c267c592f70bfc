// What CEL's string extension does with texts: places are counted in code points, patterns are RE2.

import { isList, isMap } from '../text/json.ts';
import { patternOf } from '../text/patterns.ts';

/** A value within another one: texts are quoted. */
const inner = (value: unknown): string => (typeof value === 'string' ? quoteText(value) : written(value));

/** A value as `%s` writes it. */
function written(value: unknown): string {
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Set) return written([...value]);
  if (isList(value)) return `[${value.map(inner).join(', ')}]`;
  if (value instanceof Map) return written(Object.fromEntries(value));
  if (isMap(value) && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return `{${entries.map(([key, one]) => `${quoteText(key)}: ${inner(one)}`).join(', ')}}`;
  }
  return String(value);
}

const VERBS: Readonly<Record<string, (value: unknown, precision: number | undefined) => string>> = {
  s: (value) => written(value),
  d: (value) => String(value),
  f: (value, precision) => Number(value).toFixed(precision ?? 6),
  e: (value, precision) =>
    Number(value)
      .toExponential(precision ?? 6)
      .replace(/e([+-])(\d)$/, 'e$10$2'),
  b: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : BigInt(String(value)).toString(2)),
  o: (value) => BigInt(String(value)).toString(8),
  x: (value) => (typeof value === 'string' ? Buffer.from(value).toString('hex') : BigInt(String(value)).toString(16)),
  X: (value) => VERBS['x']?.(value, undefined).toUpperCase() ?? '',
};

/** @throws {Error} a verb that there is not, or fewer values than verbs */
export function formatText(format: string, values: readonly unknown[]): string {
  let next = 0;
  return format.replaceAll(
    /%(%|(?:\.(\d+))?(.))/gs,
    (_, whole: string, precision: string | undefined, verb: string) => {
      if (whole === '%') return '%';
      const write = VERBS[verb];
      if (write === undefined)
        throw new Error(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
      if (next >= values.length) throw new Error(`index ${next} out of range`);
      return write(values[next++], precision === undefined ? undefined : Number(precision));
    },
  );
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
