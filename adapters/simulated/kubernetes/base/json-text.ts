// JSON as text: what is wrong with it, in the API server's words, and which keys an object has twice. `JSON.parse` does
// the reading; this looks only when something is amiss.

import { jsonText } from '../../../text/exact-json.ts';

/** Nesting that the API server's decoder allows. */
const MAX_DEPTH = 10_000;

class Problem extends Error {}

const QUOTED: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\x07': '\\a',
};

/** A byte as messages show it: as the character of that number. */
function quoted(byte: number): string {
  const character = String.fromCharCode(byte);
  const known = QUOTED[character];
  if (known !== undefined) return `'${known}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if (byte > 0x7f && byte <= 0xa0) return `'\\u${byte.toString(16).padStart(4, '0')}'`;
  return byte === 0xad ? "'\\u00ad'" : `'${character}'`;
}

const code = (character: string): number => character.charCodeAt(0);
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const isHex = (byte: number): boolean => /[0-9a-fA-F]/.test(String.fromCharCode(byte));

/** @returns what is wrong with a text that is no JSON */
export function jsonProblem(body: Buffer): string {
  let at = 0;
  const bad = (context: string): Problem => {
    const byte = body[at];
    if (byte === undefined) return new Problem('unexpected end of JSON input');
    return new Problem(`invalid character ${quoted(byte)} ${context}`);
  };
  const skip = (): void => {
    while ([0x20, 0x09, 0x0a, 0x0d].includes(body[at] ?? 0)) at++;
  };
  const digits = (context: string): void => {
    if (!isDigit(body[at])) throw bad(context);
    while (isDigit(body[at])) at++;
  };
  const string = (): void => {
    for (at++; body[at] !== code('"'); at++) {
      const byte = body[at];
      if (byte === undefined || byte < 0x20) throw bad('in string literal');
      if (byte !== code('\\')) continue;
      at++;
      const escaped = body[at];
      if (escaped === code('u')) {
        for (let count = 0; count < 4; count++) {
          at++;
          if (!isHex(body[at] ?? 0)) throw bad('in \\u hexadecimal character escape');
        }
      } else if (escaped === undefined || !'bfnrt\\/"'.includes(String.fromCharCode(escaped))) {
        throw bad('in string escape code');
      }
    }
    at++;
  };
  const number = (): void => {
    if (body[at] === code('-')) at++;
    if (body[at] === code('0')) at++;
    else digits('in numeric literal');
    if (body[at] === code('.')) {
      at++;
      digits('after decimal point in numeric literal');
    }
    if (body[at] === code('e') || body[at] === code('E')) {
      at++;
      if (body[at] === code('+') || body[at] === code('-')) at++;
      digits('in exponent of numeric literal');
    }
  };
  const literal = (word: string): void => {
    for (const character of word) {
      if (body[at] !== code(character)) throw bad(`in literal ${word} (expecting ${quoted(code(character))})`);
      at++;
    }
  };
  const members = (close: string, depth: number, member: () => void, after: string): void => {
    if (depth > MAX_DEPTH) throw bad('exceeded max depth');
    at++;
    skip();
    if (body[at] === code(close)) {
      at++;
      return;
    }
    for (;;) {
      member();
      skip();
      if (body[at] === code(close)) break;
      if (body[at] !== code(',')) throw bad(after);
      at++;
      skip();
    }
    at++;
  };
  const value = (depth: number): void => {
    skip();
    const first = String.fromCharCode(body[at] ?? 0);
    if (first === '{') {
      const member = (): void => {
        if (body[at] !== code('"')) throw bad('looking for beginning of object key string');
        string();
        skip();
        if (body[at] !== code(':')) throw bad('after object key');
        at++;
        value(depth + 1);
      };
      members('}', depth, member, 'after object key:value pair');
    } else if (first === '[') members(']', depth, () => value(depth + 1), 'after array element');
    else if (first === '"') string();
    else if (first === '-' || isDigit(body[at])) number();
    else if (first === 't') literal('true');
    else if (first === 'f') literal('false');
    else if (first === 'n') literal('null');
    else throw bad('looking for beginning of value');
  };
  try {
    value(1);
    skip();
    throw bad('after top-level value');
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/**
 * Errors about keys that an object has twice.
 *
 * @param text  valid JSON
 * @param value  what `JSON.parse` made of it
 */
export function repeatedKeys(text: string, value: unknown): string[] {
  // Nothing is lost in a text that comes back as long as it was.
  if (jsonText(value).length === text.length) return [];
  const found = new Set<string>();
  const token = /\s*("(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+)/gy;
  const next = (): string => token.exec(text)?.[1] ?? '';
  const visit = (first: string, path: string): void => {
    if (first === '[') {
      let item = next();
      for (let index = 0; item !== ']'; index++) {
        visit(item, `${path}[${index}]`);
        if (next() === ']') return;
        item = next();
      }
    } else if (first === '{') {
      const keys = new Set<string>();
      for (let quotedKey = next(); quotedKey !== '}'; quotedKey = next()) {
        const key: string = JSON.parse(quotedKey);
        const below = path === '' ? key : `${path}.${key}`;
        if (keys.has(key)) found.add(`duplicate field "${below}"`);
        keys.add(key);
        next(); // the colon
        visit(next(), below);
        if (next() === '}') return;
      }
    }
  };
  visit(next(), '');
  return [...found];
}
