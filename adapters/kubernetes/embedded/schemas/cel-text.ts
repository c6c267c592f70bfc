// Texts that CEL's string extension makes: `'%s'.format([...])` and `strings.quote`.
import { isList, isMap } from '../json.ts';

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
