// Redaction of secrets in texts of an external system, in any spelling.
//
// Invariants:
//   HTTP-SECRETS-1. A secret is never printed as it is, nor in the spelling of JSON, a programming language, a URL, a
//       form, HTML, base64 or hexadecimal digits, nor in up to three of these nested, nor as a part of a longer text in
//       them.
//   HTTP-SECRETS-2. No piece of a secret of 24 bytes or more is ever printed in these spellings either.
//   HTTP-SECRETS-3. A text that cannot be searched completely is never printed.

import type { Json } from '../../bus/bus.ts';
import { type Reading, readingOf, readingsWithin, utf8 } from '../text/encodings.ts';

const HIDDEN = '***';
/** `//user:password@` in a URL; the password may have an `@`. */
const PASSWORD = /^[^/?#]*\/\/[^/?#@:]*:([^/?#]+)@/;
/** Maximum number of nested encodings that are decoded. */
const DEPTH = 3;
/** Maximum length in characters: a longer text is cut, as its printer would do. */
const LONGEST_TEXT = 8_192;
/** Bytes that the readings of one text may have together. */
const MOST_BYTES = 1 << 17;
/** In bytes. Shorter secrets are not looked for in what is no text: they would be found in any noise. */
const LEAST_IN_NOISE = 4;
/** In bytes: pieces of secrets that are hidden, and how long the parts are that they are found by. */
const LEAST_PIECE = 24;
const PART = LEAST_PIECE / 2;

/** @returns what hides the secrets in a text; empty ones and `undefined` are no secrets */
export function hiding(secrets: readonly (string | undefined)[]): (text: string) => string {
  const patterns = [...new Set(secrets)].flatMap((secret) => (secret ? [new SecretPattern(utf8(secret))] : []));
  if (patterns.length === 0) return (text) => text;
  return (text) => {
    const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
    const places = new Places(cut);
    if (!search(places, patterns)) return HIDDEN;
    return places.without();
  };
}

/** Passwords of URLs, as they are spelled and as they are meant. A text that is no URL has none. */
export function passwordsIn(urls: readonly unknown[]): readonly string[] {
  const spelled = urls.flatMap((url) => (typeof url === 'string' ? (PASSWORD.exec(url)?.slice(1) ?? []) : []));
  return [...new Set([...spelled, ...spelled.map(unescaped)])];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a URIError: a percent sign that escapes nothing
  }
}

/** All texts of a value without what is to be hidden, names of members included. */
export function hidden(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item: Json) => hidden(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), hidden(member, hide)]));
}

/** A secret, and what is needed to find pieces of it. */
class SecretPattern {
  readonly bytes: string;
  /** The parts of it that follow each other, with the place of the first such; made when first needed. */
  #parts: ReadonlyMap<string, number> | undefined;

  constructor(bytes: string) {
    this.bytes = bytes;
  }

  /** Tells every place where it, or a piece of it that is long enough, stands in the bytes. */
  find(bytes: string, found: (from: number, to: number) => void): void {
    for (let at = bytes.indexOf(this.bytes); at >= 0; at = bytes.indexOf(this.bytes, at + 1)) {
      found(at, at + this.bytes.length);
    }
    // mutant: secret-in-pieces && -> false
    if (this.bytes.length > LEAST_PIECE && bytes.length >= LEAST_PIECE) this.#findPieces(bytes, found);
  }

  #findPieces(bytes: string, found: (from: number, to: number) => void): void {
    const parts = this.#partsOf();
    let from = 0;
    let to = 0;
    const end = () => to - from >= LEAST_PIECE && found(from, to);
    for (let at = 0; at + PART <= bytes.length; at++) {
      const place = parts.get(bytes.slice(at, at + PART));
      if (place === undefined) continue;
      let before = 0;
      while (before < at && before < place && bytes[at - before - 1] === this.bytes[place - before - 1]) before++;
      let after = PART;
      while (at + after < bytes.length && bytes[at + after] === this.bytes[place + after]) after++;
      if (at - before > to) {
        end();
        from = at - before;
      }
      to = Math.max(to, at + after);
      // The next part cannot be found before its own end.
      at = Math.max(at, to - PART);
    }
    end();
  }

  #partsOf(): ReadonlyMap<string, number> {
    if (this.#parts === undefined) {
      const parts = new Map<string, number>();
      for (let at = 0; at + PART <= this.bytes.length; at += PART) {
        const part = this.bytes.slice(at, at + PART);
        if (!parts.has(part)) parts.set(part, at);
      }
      this.#parts = parts;
    }
    return this.#parts;
  }
}

/** Places in a text, by its bytes. */
class Places {
  readonly text: string;
  readonly #isHidden: Uint8Array;
  readonly #bytes: Buffer;

  constructor(text: string) {
    this.text = text;
    this.#bytes = Buffer.from(text);
    this.#isHidden = new Uint8Array(this.#bytes.length);
  }

  hide(from: number, to: number): void {
    this.#isHidden.fill(1, from, to);
  }

  /** The text without the places that are hidden, and with all others as they are. */
  without(): string {
    if (!this.#isHidden.includes(1)) return this.text;
    const kept: Buffer[] = [];
    for (let at = 0; at < this.#bytes.length; ) {
      const isHidden = this.#isHidden[at] === 1;
      let end = this.#isHidden.indexOf(isHidden ? 0 : 1, at);
      if (end < 0) end = this.#bytes.length;
      kept.push(isHidden ? Buffer.from(HIDDEN) : this.#bytes.subarray(at, end));
      at = end;
    }
    return Buffer.concat(kept).toString();
  }
}

/** @returns false if the text has too many encodings to be searched completely */
function search(places: Places, patterns: readonly SecretPattern[]): boolean {
  let bytes = 0;
  const visit = (reading: Reading, depth: number, wanted: readonly SecretPattern[]): boolean => {
    bytes += reading.bytes.length;
    // mutant: secrets-unsearched drop
    if (bytes > MOST_BYTES) return false;
    for (const secret of wanted) {
      secret.find(reading.bytes, (from, to) => places.hide(reading.starts[from] ?? 0, reading.ends[to - 1] ?? 0));
    }
    if (depth === 0) return true;
    for (const inner of readingsWithin(reading)) {
      const saysText = isText(inner.bytes);
      const findable = saysText ? patterns : patterns.filter((secret) => secret.bytes.length >= LEAST_IN_NOISE);
      // mutant: secret-in-base64 !.1 -> false
      if (!visit(inner, saysText ? depth - 1 : 0, findable)) return false;
    }
    return true;
  };
  return visit(readingOf(places.text), DEPTH, patterns);
}

/** Whether three quarters of the bytes are those of words, in UTF-8. */
function isText(bytes: string): boolean {
  const others = bytes.replaceAll(/[\t\r\n\x20-\x7e]|[\xc2-\xf4][\x80-\xbf]{1,3}/g, '').length;
  return others * 4 <= bytes.length;
}
