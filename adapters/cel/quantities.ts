// Quantities (`100Mi`) and semantic versions as values of CEL.

/** Exponents of ten, or of 1,024 for those with an i. */
const SUFFIXES: Readonly<Record<string, readonly [bigint, number]>> = {
  n: [10n, -9],
  u: [10n, -6],
  m: [10n, -3],
  '': [10n, 0],
  k: [10n, 3],
  M: [10n, 6],
  G: [10n, 9],
  T: [10n, 12],
  P: [10n, 15],
  E: [10n, 18],
  Ki: [1024n, 1],
  Mi: [1024n, 2],
  Gi: [1024n, 3],
  Ti: [1024n, 4],
  Pi: [1024n, 5],
  Ei: [1024n, 6],
};

/** Quantities are kept to a billionth, the least that they can tell apart. */
const BILLION = 1_000_000_000n;

export class Quantity {
  /** In billionths. */
  readonly billionths: bigint;
  /**
   * Exponent of ten of the integer in which the API server keeps the quantity. Undefined if it does not fit in 64 bits,
   * and is kept in another form, which is never an integer.
   */
  readonly scale: number | undefined;
  constructor(billionths: bigint, scale: number | undefined) {
    this.billionths = billionths;
    this.scale = scale;
  }
  isInteger(): boolean {
    return this.scale !== undefined && this.scale >= 0 && isInt64(this.integer());
  }
  integer(): bigint {
    return this.billionths / BILLION;
  }
  plus({ billionths, scale }: Quantity): Quantity {
    return new Quantity(this.billionths + billionths, this.#scaleWith(billionths, scale));
  }
  minus({ billionths, scale }: Quantity): Quantity {
    return this.plus(new Quantity(-billionths, scale));
  }
  compareTo({ billionths }: Quantity): bigint {
    return this.billionths < billionths ? -1n : this.billionths > billionths ? 1n : 0n;
  }
  #scaleWith(billionths: bigint, scale: number | undefined): number | undefined {
    if (this.scale === undefined || scale === undefined) return undefined;
    if (billionths === 0n) return this.scale;
    return this.billionths === 0n ? scale : Math.min(this.scale, scale);
  }
}

/** A whole number as a quantity. */
export const quantityOf = (value: bigint): Quantity => new Quantity(value * BILLION, 0);

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

export function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/.exec(text);
  const [, sign, whole = '', fraction = '', suffix = '', exponent] = match ?? [];
  if (match === null || (whole === '' && fraction === '')) return undefined;
  const [base, power] = exponent === undefined ? (SUFFIXES[suffix] ?? [10n, 0]) : [10n, Number(exponent)];
  if (Math.abs(power) > 400) return undefined;
  const digits = BigInt(whole + fraction) * BILLION * (power > 0 ? base ** BigInt(power) : 1n);
  const divisor = 10n ** BigInt(fraction.length) * (power < 0 ? base ** BigInt(-power) : 1n);
  // Fractions below a billionth are rounded up.
  const rounded = (digits + divisor - 1n) / divisor;
  return new Quantity(sign === '-' ? -rounded : rounded, scaleOf(whole, fraction, { base, power }));
}

/** Scale of a quantity that is written with these digits; undefined if their number exceeds what the API server keeps. */
function scaleOf(
  whole: string,
  fraction: string,
  { base, power }: { readonly base: bigint; readonly power: number },
): number | undefined {
  const digits = (whole.replace(/^0+/, '') || '0').length;
  if (base === 1024n) return fraction === '' && digits + 3 * power <= 14 ? 0 : undefined;
  const scale = power - fraction.length;
  return digits + fraction.length <= 18 && scale >= -9 ? scale : undefined;
}

export class Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly labels: readonly string[];
  constructor(numbers: readonly [bigint, bigint, bigint], labels: readonly string[]) {
    this.numbers = numbers;
    this.labels = labels;
  }
  compareTo({ numbers, labels }: Semver): bigint {
    for (const [index, one] of this.numbers.entries()) {
      const other = numbers[index] ?? 0n;
      if (one !== other) return one < other ? -1n : 1n;
    }
    if (this.labels.length === 0 || labels.length === 0) {
      return BigInt(Math.sign(labels.length - this.labels.length));
    }
    for (let index = 0; index < Math.max(this.labels.length, labels.length); index++) {
      const order = compareLabels(this.labels[index], labels[index]);
      if (order !== 0n) return order;
    }
    return 0n;
  }
}

function compareLabels(one: string | undefined, other: string | undefined): bigint {
  if (one === other) return 0n;
  if (one === undefined) return -1n;
  if (other === undefined) return 1n;
  const [left, right] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (left && right) return BigInt(one) < BigInt(other) ? -1n : 1n;
  if (left !== right) return left ? -1n : 1n;
  return one < other ? -1n : 1n;
}

const NUMBER = '(0|[1-9]\\d*)';
const LABEL = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${LABEL}(?:\\.${LABEL})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

export function parseSemver(text: string): Semver | undefined {
  const match = SEMVER.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', labels] = match;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  if (numbers.some((number) => BigInt.asUintN(64, number) !== number)) return undefined;
  return new Semver(numbers, labels?.split('.') ?? []);
}

/** The version with what is often written in front or left out put right: `v1.02` is 1.2.0. */
export function normalizeSemver(text: string): string {
  const [numbers = '', ...rest] = text.replace(/^v/, '').split(/(?=[-+])/);
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3 && rest.length === 0) parts.push('0');
  return parts.join('.') + rest.join('');
}
