// Durations as Go writes them: `1h15m30.918s`, `-1.5h`, `300ms`.

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // Micro sign and Greek mu.
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Go counts nanoseconds in 63 bits. */
const LONGEST_MS = 2 ** 63 / 1e6;

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * The duration in milliseconds; undefined when the text is none.
 *
 * @see Go: time.ParseDuration
 */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  let totalMs = 0;
  let end = 0;
  while (end < unsigned.length) {
    PART.lastIndex = end;
    const part = PART.exec(unsigned);
    if (part === null) return undefined;
    const [whole, amount = '', unit = ''] = part;
    totalMs += Number(amount) * (UNITS_MS[unit] ?? Number.NaN);
    end += whole.length;
  }
  if (unsigned === '' || !(totalMs < LONGEST_MS)) return undefined;
  return text.startsWith('-') ? -totalMs : totalMs;
}
