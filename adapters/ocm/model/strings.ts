// Decoder of string literals.

const ESCAPE = /\\(?:([abfnrtv\\])|x([0-9A-Fa-f]{2})|([0-3][0-7]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|)/g;
const CONTROL: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };

export interface Unescaped {
  /** As it is when an escape is unknown. */
  readonly value: string;
  /** The first escape that does not exist. */
  readonly unknown?: string;
}

/** Decodes escapes. `\xHH` and `\OOO` are bytes, which together may be one character in UTF-8. */
export function unescaped(raw: string): Unescaped {
  if (!raw.includes('\\')) return { value: raw };
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of raw.matchAll(ESCAPE)) {
    const [whole, control, byte, octal, short, long] = match;
    parts.push(Buffer.from(raw.slice(end, match.index)));
    end = match.index + whole.length;
    const digits = short ?? long;
    if (control !== undefined) parts.push(Buffer.of(CONTROL[control] ?? 0));
    else if (byte !== undefined) parts.push(Buffer.of(Number.parseInt(byte, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8)));
    else if (digits !== undefined && isCharacter(Number.parseInt(digits, 16))) {
      parts.push(Buffer.from(String.fromCodePoint(Number.parseInt(digits, 16))));
    } else return { value: raw, unknown: digits === undefined ? raw.slice(match.index, match.index + 2) : whole };
  }
  parts.push(Buffer.from(raw.slice(end)));
  return { value: Buffer.concat(parts).toString() };
}

function isCharacter(point: number): boolean {
  return point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
}
