// From text to tokens and notes. Notes are kept apart: the grammar does not know them, documentation is made of them.
//
// After a lexical error the lexer continues behind the faulty part, as if it were whole, so that one fault gives one
// diagnostic.
import { type Diagnostic, diagnostic } from './diagnostics.ts';
import type { Place } from './model.ts';
import { unescaped } from './strings.ts';

const KEYWORDS = [
  'attribute',
  'class',
  'code',
  'enum',
  'error',
  'false',
  'in',
  'link',
  'locator',
  'method',
  'out',
  'parameter',
  'resource',
  'struct',
  'target',
  'true',
  'value',
  'variable',
] as const;
const SYMBOLS = ['@', '{', '}', '[', ']', '(', ')', '='] as const;

/** Keywords and symbols are kinds of their own; `end` is behind the last token. */
export type TokenKind = (typeof KEYWORDS)[number] | (typeof SYMBOLS)[number] | 'name' | 'number' | 'string' | 'end';

export interface Token extends Place {
  readonly kind: TokenKind;
  /** As written. */
  readonly text: string;
  /** Decoded text of a string, value of a number. */
  readonly value: string | number | undefined;
}

/** A line note (`//`) or a block note. */
export interface Note extends Place {
  readonly form: 'line' | 'block';
  /** As written, with `//` or with both ends of the block. */
  readonly text: string;
}

export interface Lexed {
  /** The last is of kind `end`. */
  readonly tokens: readonly Token[];
  readonly notes: readonly Note[];
  readonly diagnostics: readonly Diagnostic[];
  /** Tokens with a lexical error. */
  readonly damaged: ReadonlySet<Token>;
  /** A block note swallowed the end of the file. */
  readonly swallowed: boolean;
}

const FIXED: ReadonlyMap<string, TokenKind> = new Map([...KEYWORDS, ...SYMBOLS].map((text) => [text, text]));
const LARGEST_NUMBER = 2n ** 63n - 1n;
/** Below this many digits no number is too large. */
const SAFE_DIGITS = 18;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /[0-9]+/y;
const BLANKS = /[ \t\r]*/y;
/** Characters that can neither be between tokens nor start one. */
const STRANGE = /(?:\/(?![/*])|[^A-Za-z_0-9@{}[\]()="`/ \t\r\n])+/y;

/** A word of the language, which cannot be a name. */
export function isKeyword(text: string): boolean {
  return FIXED.has(text);
}

/** Splits the text of a file; never fails. */
export function lex(file: string, text: string): Lexed {
  const tokens: Token[] = [];
  const notes: Note[] = [];
  const diagnostics: Diagnostic[] = [];
  const damaged = new Set<Token>();
  const astral = /[\ud800-\udbff]/.test(text);
  let offset = 0;
  let line = 1;
  let lineStart = 0;
  let swallowed = false;

  /** The next LF, as far as it was looked for. */
  let newline = -1;
  const returns = text.includes('\r');

  /** The CR or LF that ends the line of `at`, or the end of the text. */
  const endOfLine = (at: number): number => {
    if (newline < at) newline = text.indexOf('\n', at);
    if (newline < 0) newline = text.length;
    const end = newline;
    const carriageReturn = returns ? text.slice(at, end).indexOf('\r') : -1;
    return carriageReturn < 0 ? end : at + carriageReturn;
  };
  /** Nothing but blanks stands between `at` and the end of the line. */
  const endsLine = (at: number): boolean => {
    BLANKS.lastIndex = at;
    BLANKS.test(text);
    return BLANKS.lastIndex >= text.length || text[BLANKS.lastIndex] === '\n';
  };
  /** Position up to which the characters of a line were counted, if some are longer than one unit. */
  let counted = { from: 0, to: 0, characters: 0 };
  const columnOf = (at: number): number => {
    if (!astral) return at - lineStart + 1;
    if (counted.from !== lineStart) counted = { from: lineStart, to: lineStart, characters: 0 };
    counted.characters += [...text.slice(counted.to, at)].length;
    counted.to = at;
    return counted.characters + 1;
  };
  const add = (kind: TokenKind, end: number, value?: string | number): Token => {
    const length = end - offset;
    const token = { kind, text: text.slice(offset, end), value, file, line, column: columnOf(offset), offset, length };
    tokens.push(token);
    offset = end;
    return token;
  };
  const complain = (code: Diagnostic['code'], length: number, message: string): void => {
    diagnostics.push(diagnostic(code, { file, line, column: columnOf(offset), offset, length }, message));
  };
  /** Moves to `end` over text that may have line ends in it. */
  const pass = (end: number): void => {
    for (let at = text.indexOf('\n', offset); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
      line++;
      lineStart = at + 1;
    }
    offset = end;
  };

  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (code === 0x20 || code === 0x09 || code === 0x0d) {
      offset++;
    } else if (code === 0x0a) {
      offset++;
      line++;
      lineStart = offset;
    } else if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f) {
      const end = endOf(NAME, text, offset);
      add(FIXED.get(text.slice(offset, end)) ?? 'name', end);
    } else if (code >= 0x30 && code <= 0x39) {
      const end = endOf(NUMBER, text, offset);
      const digits = text.slice(offset, end);
      if (digits.length > SAFE_DIGITS && BigInt(digits) > LARGEST_NUMBER) {
        complain('lex.number', digits.length, `the number is larger than ${LARGEST_NUMBER}`);
      }
      add('number', end, Number(digits));
    } else if (code === 0x22 || code === 0x60) {
      const quote = code === 0x22 ? '"' : '`';
      const close = text.indexOf(quote, offset + 1);
      const newline = endOfLine(offset);
      if (close < 0 || (quote === '"' && newline < close)) {
        // A bracket at the end of the line was hardly meant to be in the string.
        const end = offset + text.slice(offset, newline).replace(/\)[ \t]*$/, '').length;
        const how = close < 0 ? `${quote} is missing` : 'it ends on another line';
        complain('lex.string', end - offset, `the string is not closed: ${how}`);
        damaged.add(add('string', end, text.slice(offset + 1, end)));
      } else if (quote === '`') {
        const start = offset;
        add('string', close + 1, text.slice(offset + 1, close).replaceAll('\r', ''));
        offset = start;
        pass(close + 1);
      } else {
        const { value, unknown } = unescaped(text.slice(offset + 1, close));
        if (unknown !== undefined) {
          complain('lex.string', close + 1 - offset, `the string has an escape that does not exist: '${unknown}'`);
        }
        add('string', close + 1, value);
      }
    } else if (code === 0x2f && text.charCodeAt(offset + 1) === 0x2f) {
      const end = endOfLine(offset);
      notes.push(note('line', end));
      offset = end;
      // mutant: layout-changes-meaning if -> false
      if (text[end] === '\r' && !endsLine(end)) {
        complain('lex.return', 1, 'a lone CR ends this note, but no line: what follows counts as on the same one');
      }
    } else if (code === 0x2f && text.charCodeAt(offset + 1) === 0x2a) {
      const close = text.indexOf('*/', offset + 2);
      if (close < 0) {
        complain('lex.comment', 2, "the block note is not closed: '*/' is missing");
        swallowed = true;
      }
      const end = close < 0 ? text.length : close + 2;
      notes.push(note('block', end));
      pass(end);
    } else {
      const kind = FIXED.get(text.charAt(offset));
      if (kind !== undefined) add(kind, offset + 1);
      else {
        const end = endOf(STRANGE, text, offset);
        complain('lex.character', end - offset, strangeness(text.slice(offset, end)));
        offset = end;
      }
    }
  }
  add('end', offset);
  return { tokens, notes, diagnostics, damaged, swallowed };

  function note(form: Note['form'], end: number): Note {
    const noted = text.slice(offset, end);
    return { form, text: noted, file, line, column: columnOf(offset), offset, length: end - offset };
  }
}

/** @returns where the match of a sticky expression that matches at `offset` ends */
function endOf(expression: RegExp, text: string, offset: number): number {
  expression.lastIndex = offset;
  return expression.test(text) ? expression.lastIndex : offset + 1;
}

function strangeness(characters: string): string {
  const codes = [...characters].map((character) => `U+${hex(character.codePointAt(0) ?? 0)}`);
  if (codes[0] === 'U+FEFF') return 'a byte order mark has no place here: files are plain UTF-8';
  const shown = /^[!-~]+$/.test(characters) ? `'${characters}'` : codes.slice(0, 3).join(' ');
  return codes.length === 1 ? `the character ${shown} starts nothing` : `the characters ${shown} start nothing`;
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}
