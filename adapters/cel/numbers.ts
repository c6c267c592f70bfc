// Conversions between numbers as CEL defines them: integers have 64 bits, and doubles are written as Go writes them.

/** @throws {Error} the value does not fit in a signed integer of 64 bits */
export function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new Error('integer overflow');
  return value;
}

/**
 * Integer part of a double.
 *
 * @throws {Error} `overflow`: the value is not between the limits, or is not a number
 */
export function wholeOf(value: number, { above, below }: Limits, overflow: string): bigint {
  if (!(value > above && value < below)) throw new Error(overflow);
  return BigInt(Math.trunc(value));
}

interface Limits {
  readonly above: number;
  readonly below: number;
}

/** Shortest decimal form of a double, with an exponent if it is below -4 or above 5. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const text = value.toExponential();
  const exponent = Number(text.split('e')[1]);
  return exponent < -4 || exponent >= 6 ? withTwoDigits(text) : String(value);
}

/** The text of a double with at least two digits in its exponent. */
export function withTwoDigits(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
