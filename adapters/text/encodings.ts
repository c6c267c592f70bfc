// Decoded text, with the position in the original from which each byte was read.
//
// Invariants:
//   TEXT-ENCODINGS-1. A byte of a reading was read from the bytes of the text from `starts[i]` to before `ends[i]`.

/** Bytes, one a character (latin1), and where each was read in the text at the root of the readings. */
export interface Reading {
  readonly bytes: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The text itself, as its bytes in UTF-8. */
export function readingOf(text: string): Reading {
  const bytes = Buffer.from(text).toString('latin1');
  const starts = Uint32Array.from({ length: bytes.length }, (_, index) => index);
  return { bytes, starts, ends: starts.map((start) => start + 1) };
}

/** A reading that grows by bytes with the places they were read from. */
class Writer {
  readonly #source: Reading;
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #length = 0;

  /** @param most how many bytes it may get: no encoding is shorter than what it says */
  constructor(source: Reading, most: number) {
    this.#source = source;
    this.#bytes = Buffer.allocUnsafe(most);
    this.#starts = new Uint32Array(most);
    this.#ends = new Uint32Array(most);
  }

  /** @param from of the first byte in the source that says this  @param to behind the last one */
  add(byte: number, from: number, to: number): void {
    this.#bytes[this.#length] = byte;
    this.#starts[this.#length] = this.#source.starts[from] ?? 0;
    this.#ends[this.#length] = this.#source.ends[to - 1] ?? 0;
    this.#length++;
  }

  reading(): Reading {
    const length = this.#length;
    return {
      bytes: this.#bytes.toString('latin1', 0, length),
      starts: this.#starts.subarray(0, length),
      ends: this.#ends.subarray(0, length),
    };
  }
}

/** Escape sequences: an expression for one of them, and its decoded value. */
interface Escapes {
  readonly places: RegExp;
  readonly says: (place: RegExpExecArray) => string;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LETTERS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' };
const PERCENT = /%([0-9a-f]{2})/gi;

const ESCAPES: readonly Escapes[] = [
  { places: PERCENT, says: ([, digits = '']) => byteOf(digits) },
  // A form.
  { places: /%([0-9a-f]{2})|\+/gi, says: ([, digits]) => (digits === undefined ? ' ' : byteOf(digits)) },
  // HTML and XML.
  {
    places: /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    says: ([, decimal, hexadecimal, name]) =>
      name === undefined
        ? characterOf(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
        : (NAMED[name.toLowerCase()] ?? ''),
  },
  // JSON, and the texts of programming languages.
  {
    places: /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|x([0-9a-f]{2})|(.))/gis,
    says: ([, high, low, unit, point, byte, letter]) => {
      if (high !== undefined && low !== undefined) return utf8(String.fromCharCode(hex(high), hex(low)));
      if (unit !== undefined) return utf8(String.fromCharCode(hex(unit)));
      if (point !== undefined) return characterOf(hex(point));
      return byte === undefined ? (LETTERS[letter ?? ''] ?? letter ?? '') : byteOf(byte);
    },
  },
];

function hex(digits: string): number {
  return Number.parseInt(digits, 16);
}

function byteOf(digits: string): string {
  return String.fromCharCode(hex(digits));
}

function characterOf(point: number): string {
  return utf8(point <= 0x10_ff_ff ? String.fromCodePoint(point) : '\ufffd');
}

/** The bytes of a text, one a character. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The reading with one sort of escapes undone; undefined: it has none. */
function unescaped(source: Reading, { places, says }: Escapes): Reading | undefined {
  const { bytes } = source;
  const writer = new Writer(source, bytes.length);
  let next = 0;
  for (const place of bytes.matchAll(places)) {
    for (; next < place.index; next++) writer.add(bytes.charCodeAt(next), next, next + 1);
    next = place.index + place[0].length;
    const said = says(place);
    for (let at = 0; at < said.length; at++) writer.add(said.charCodeAt(at), place.index, next);
  }
  if (next === 0) return undefined;
  for (; next < bytes.length; next++) writer.add(bytes.charCodeAt(next), next, next + 1);
  return writer.reading();
}

/** Digits that encode bytes, each of which holds some bits. */
interface Digits {
  readonly runs: RegExp;
  readonly bits: number;
  /** At how many digits a byte may begin. */
  readonly begins: number;
  readonly value: (character: string) => number | undefined;
}

const BASE64 = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((digit, value) => [digit, value]),
);
BASE64.set('-', 62).set('_', 63);

const DIGITS: readonly Digits[] = [
  // Also with the line breaks of MIME.
  {
    runs: /[A-Za-z0-9+/_-]{4,}(?:\r?\n[A-Za-z0-9+/_-]+)*/g,
    bits: 6,
    begins: 4,
    value: (digit) => BASE64.get(digit),
  },
  {
    runs: /(?:[0-9A-Fa-f]{2}[: ]?){4,}/g,
    bits: 4,
    begins: 2,
    value: (digit) => (/[0-9A-Fa-f]/.test(digit) ? hex(digit) : undefined),
  },
];

/** Bytes of one run of digits, if a byte begins with its digit number `begin`. */
function counted(source: Reading, run: RegExpExecArray, { bits, value }: Digits, begin: number): Reading {
  const writer = new Writer(source, run[0].length);
  const end = run.index + run[0].length;
  let digits = 0;
  let held = 0;
  let bitsHeld = 0;
  let from = run.index;
  for (let at = run.index; at < end; at++) {
    const digit = value(source.bytes[at] ?? '');
    if (digit === undefined || digits++ < begin) continue;
    if (bitsHeld === 0) from = at;
    held = ((held << bits) | digit) & 0xff_ff;
    bitsHeld += bits;
    if (bitsHeld < 8) continue;
    bitsHeld -= 8;
    writer.add((held >> bitsHeld) & 0xff, from, at + 1);
    // The rest of this digit begins the next byte.
    from = at;
  }
  return writer.reading();
}

/** Everything that a reading may say besides itself, with one encoding undone. */
export function* readingsWithin(source: Reading): Generator<Reading> {
  for (const escapes of ESCAPES) {
    const reading = unescaped(source, escapes);
    if (reading !== undefined) yield reading;
  }
  for (const digits of DIGITS) {
    for (const run of source.bytes.matchAll(digits.runs)) {
      for (let begin = 0; begin < digits.begins; begin++) yield counted(source, run, digits, begin);
    }
  }
}
