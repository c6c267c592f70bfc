// Instants as the API reads them, and what it says of a text that is none.

/** The element of a layout, as messages name it, and what fits it. */
const HEAD: readonly (readonly [string, RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
  ['05', /^\d\d/],
];
const ZONE: readonly [string, RegExp] = ['Z07:00', /^(Z|[+-]\d\d:\d\d)/];

/** As the server writes it. */
const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Whole seconds, or more digits: `creationTimestamp` and its like. */
const TIME = '2006-01-02T15:04:05Z07:00';
/** Exactly six digits: `eventTime`, `renewTime`. */
const MICRO_TIME = '2006-01-02T15:04:05.000000Z07:00';

/** @returns what is wrong with a text that should be an instant */
export function timeProblem(text: string, precision: 'seconds' | 'microseconds' = 'seconds'): string | undefined {
  const layout = precision === 'seconds' ? TIME : MICRO_TIME;
  const fraction: readonly [string, RegExp] =
    precision === 'seconds' ? ['', /^(\.\d+)?/] : ['.000000', /^\.\d{6}(?!\d)/];
  const quoted = JSON.stringify(text);
  const isPlain = precision === 'seconds' && PLAIN.test(text);
  let rest = isPlain ? '' : text;
  for (const [element, pattern] of isPlain ? [] : [...HEAD, fraction, ZONE]) {
    const match = pattern.exec(rest);
    if (match === null)
      return `parsing time ${quoted} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`;
    rest = rest.slice(match[0].length);
  }
  if (rest !== '') return `parsing time ${quoted}: extra text: ${JSON.stringify(rest)}`;
  const part = outOfRange(text);
  return part === undefined ? undefined : `parsing time ${quoted}: ${part} out of range`;
}

function outOfRange(text: string): string | undefined {
  const number = (start: number): number => Number(text.slice(start, start + 2));
  const [month, day] = [number(5), number(8)];
  if (month < 1 || month > 12) return 'month';
  if (day < 1 || day > new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate()) return 'day';
  if (number(11) > 23) return 'hour';
  if (number(14) > 59) return 'minute';
  return number(17) > 59 ? 'second' : undefined;
}
