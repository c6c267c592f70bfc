// A search as tokens.
import { refuse } from '../envelope/faults.ts';

export type TokenKind = 'name' | 'quoted' | 'text' | 'number' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Content of a text or a quoted part without the quotes; else as written. */
  readonly value: string;
  /** In the search, from 0. */
  readonly at: number;
}

const MOST_TOKENS = 1_000;
/** Length at which the text of an error is cut. */
const SHOWN = 200;
const BLANK = /\s+/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SYMBOL = /<=|>=|<>|!=|~=|~!|[=<>()*/%+\-.,]/y;
const CLOSING: Readonly<Record<string, string>> = { '"': '"', '`': '`', '[': ']' };

/** @throws {RefusedRequest} 400 with the position and the text */
export function tokensOf(search: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(search)?.[0];
  };
  while (at < search.length) {
    const blank = take(BLANK);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    if (tokens.length >= MOST_TOKENS) notParsed(search, at, `it has more than ${MOST_TOKENS} words`);
    const token = quotedAt(search, at) ?? plainAt(at, take);
    if (token === undefined) return notParsed(search, at, `'${[...search.slice(at, at + 2)][0]}' is not expected`);
    tokens.push(token.token);
    at = token.end;
  }
  tokens.push({ kind: 'end', value: '', at });
  return tokens;
}

/** @throws {RefusedRequest} always */
export function notParsed(search: string, at: number, why: string): never {
  const shown = search.length > SHOWN ? `${search.slice(0, SHOWN)}...` : search;
  // mutant: gateway-error-position return -> refuse(400, search)
  return refuse(400, `Failed to parse search query '${shown}': at position ${at + 1} ${why}`);
}

function plainAt(at: number, take: (pattern: RegExp) => string | undefined): { token: Token; end: number } | undefined {
  for (const [kind, pattern] of [
    ['name', NAME],
    ['number', NUMBER],
    ['symbol', SYMBOL],
  ] as const) {
    const value = take(pattern);
    if (value !== undefined) return { token: { kind, value, at }, end: at + value.length };
  }
  return undefined;
}

/** A text in single quotes, or a part of a field in others. */
function quotedAt(search: string, at: number): { token: Token; end: number } | undefined {
  const open = search[at] ?? '';
  if (open === "'") return textAt(search, at);
  const closing = CLOSING[open];
  if (closing === undefined) return undefined;
  const end = search.indexOf(closing, at + 1);
  if (end < 0) return notParsed(search, at, `the name has no closing ${closing}`);
  if (end === at + 1) return notParsed(search, at, 'the name is empty');
  return { token: { kind: 'quoted', value: search.slice(at + 1, end), at }, end: end + 1 };
}

/** Doubled quotes and those behind a backslash are part of the text. */
function textAt(search: string, at: number): { token: Token; end: number } {
  let value = '';
  for (let next = at + 1; next < search.length; next++) {
    const character = search[next];
    if (character === "'" && search[next + 1] !== "'") {
      return { token: { kind: 'text', value, at }, end: next + 1 };
    }
    if (character === "'" || (character === '\\' && search[next + 1] === "'")) {
      value += "'";
      next++;
    } else value += character;
  }
  return notParsed(search, at, 'the text has no closing quote');
}
