// JSON with the integers that a JavaScript number does not hold: whole numbers beyond 2^53, as far as 64 bits with a
// sign go, are BigInts. Text that has none is read and written by the platform alone.
//
// Invariants:
//   TEXT-EXACT-JSON-1. An integer of 64 bits is written as it was read, digit by digit.
//   TEXT-EXACT-JSON-2. What fits a number is a number, so that equal integers are equal values.

declare global {
  interface JSON {
    /** A value that `stringify` writes as this text. */
    rawJSON(text: string): unknown;
  }
}

/** A token that may not fit: sixteen digits in a row, or an exponent of three. Strings may look like it, too. */
const SUSPECT = /(?:^|[[:,\s])-?\d{16}|\d[eE]\+?\d{3}/;

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** JSON or YAML that goes beyond what the decoder takes, in its words. */
export class LimitError extends SyntaxError {
  override name = 'LimitError';
}

/** A number that no computer holds. Thrown for JSON only when the kind of the object is known. */
export class UnfitNumber extends LimitError {
  override name = 'UnfitNumber';
}

/** A number without an exponent or a fraction that is no number of JavaScript's, or the number that it is. */
export function exactNumber(source: string): number | bigint {
  const value = Number(source);
  if (!Number.isFinite(value)) {
    throw new UnfitNumber(`json: cannot unmarshal number ${source} into Go value of type float64`);
  }
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
  const exact = BigInt(source);
  return exact > MAX_INT64 || exact < MIN_INT64 ? value : exact;
}

/** @throws {SyntaxError} the text is no JSON; an UnfitNumber when a number in it is too large */
export function parseJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text);
  const revive = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === 'number' && source !== undefined ? exactNumber(source) : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** Whether a text may have numbers that do not fit JavaScript's. */
export const mayHaveLargeNumbers = (text: string): boolean => SUSPECT.test(text);

/**
 * Data whose integers are BigInts, with those that fit as numbers (TEXT-EXACT-JSON-2).
 *
 * @throws {SyntaxError} a number is none that JSON has
 */
export function fittingNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return exactNumber(value.toString());
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const shown = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
    throw new LimitError(`json: unsupported value: ${shown}`);
  }
  if (Array.isArray(value)) return value.map(fittingNumbers);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  for (const [key, item] of Object.entries(value)) Object.assign(value, { [key]: fittingNumbers(item) });
  return value;
}

/** Nesting beyond which the API server's decoder reads no further. */
const MAX_DEPTH = 10_000;

/**
 * Reads untrusted JSON.
 *
 * @throws {SyntaxError} as `parseJson`; a LimitError also when it is nested too deeply
 */
export function readJson(text: string): unknown {
  if (text.length > MAX_DEPTH) checkDepth(text);
  return parseJson(text);
}

function checkDepth(text: string): void {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isString) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) isString = false;
    } else if (character === QUOTE) {
      isString = true;
    } else if (character === OPEN_MAP || character === OPEN_LIST) {
      depth++;
      if (depth > MAX_DEPTH) throw new LimitError(`invalid character '${text[at]}' exceeded max depth`);
    } else if (character === OPEN_MAP + 2 || character === OPEN_LIST + 2) {
      depth--; // `}` and `]` are two behind `{` and `[`
    }
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_MAP] = [0x22, 0x5c, 0x5b, 0x7b];

/** The JSON of data that may have BigInts in it. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Only BigInts are refused: the data has no circles.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item,
    );
  }
}
