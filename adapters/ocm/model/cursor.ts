// Token cursor of the parser: the next token, the expected ones, and the place where parsing continues after an error.
import { type Diagnostic, diagnostic } from './diagnostics.ts';
import type { Lexed, Token, TokenKind } from './lexer.ts';
import type { Place } from './model.ts';
import type { NameOf } from './names.ts';
import type { Word } from './syntax.ts';

/** Words that start a declaration, and nothing else. */
const DECLARING: ReadonlySet<TokenKind> = new Set(['class', 'struct', 'enum', 'error', 'resource']);

/** Number of tokens in which a missing brace is searched. */
const NEAR = 8;

export class Cursor {
  readonly diagnostics: Diagnostic[] = [];
  readonly #tokens: readonly Token[];
  readonly #swallowed: boolean;
  readonly #damaged: ReadonlySet<Token>;
  readonly #nameOf: NameOf;
  #index = 0;
  /** The last token that was complained about: no token is complained about twice. */
  #faulty = -1;

  constructor({ tokens, swallowed, damaged }: Lexed, nameOf: NameOf) {
    this.#tokens = tokens;
    this.#swallowed = swallowed;
    this.#damaged = damaged;
    this.#nameOf = nameOf;
  }

  /** Index of the next token. */
  get index(): number {
    return this.#index;
  }

  get kind(): TokenKind {
    return this.#at(this.#index).kind;
  }

  /** Line of a token, by default the next one. */
  lineOf(index: number = this.#index): number {
    return this.#at(index).line;
  }

  next(): Token {
    const token = this.#at(this.#index);
    if (token.kind !== 'end') this.#index++;
    return token;
  }

  /** The next token stands on the same line as the one before it. */
  isOnSameLine(): boolean {
    return !this.#startsLine();
  }

  /** Steps over the next token if it is of this kind. */
  skip(kind: TokenKind): boolean {
    if (this.kind !== kind) return false;
    this.next();
    return true;
  }

  /** The next token if it is of this kind; otherwise a complaint, and undefined. */
  expect(kind: TokenKind, what: string): Token | undefined {
    if (this.kind === kind) return this.next();
    this.complain(what);
    return undefined;
  }

  name(what: string): Word | undefined {
    const token = this.expect('name', what);
    return token === undefined ? undefined : { name: this.#nameOf(token.text), place: placeOf(token) };
  }

  /** Says that the next token cannot be accepted. */
  complain(expected: string): void {
    const token = this.#at(this.#index);
    // An unclosed note or string was reported already.
    const known = this.#damaged.has(token) || (token.kind === 'end' && this.#swallowed);
    if (known || this.#faulty === this.#index) return;
    this.#faulty = this.#index;
    const found = token.kind === 'end' ? 'end of the file' : token.kind === 'string' ? 'string' : `'${token.text}'`;
    const reserved = expected.startsWith('the name') && /^[a-z]/.test(token.text) && token.kind === token.text;
    const hint = reserved ? ' (a word of the language)' : '';
    const message = `unexpected ${found}${hint}, expected ${expected}`;
    this.diagnostics.push(diagnostic('syntax.unexpected', placeOf(token), message));
  }

  /** Goes back, over marks of something that turned out to be another's. */
  rewind(index: number): void {
    this.#index = index;
  }

  /** Steps over `{`; after a complaint over what stands before it on its line. @returns whether it was there at once */
  open(): boolean {
    const opened = this.expect('{', "'{'") !== undefined;
    if (opened) return true;
    for (let index = this.#index; index < this.#index + NEAR && !this.#startsLine(index); index++) {
      if (this.#at(index).kind !== '{') continue;
      this.#index = index + 1;
      break;
    }
    return false;
  }

  /** True before `class Name {` and its like: they cannot be inside of anything, so something was not closed. */
  atDeclaration(): boolean {
    const [next, second] = [this.#at(this.#index + 1).kind, this.#at(this.#index + 2).kind];
    return DECLARING.has(this.kind) && (next === '{' || (next === 'name' && second === '{'));
  }

  /**
   * Goes to where the next member of a body may start: a line, or a word in `starts`; or to what ends the body.
   *
   * @param from  where the faulty member started: at least that token is left behind
   */
  toNextMember(from: number, starts: ReadonlySet<TokenKind>): void {
    let depth = 0;
    for (; this.kind !== 'end'; this.next()) {
      if (this.atDeclaration() || (depth === 0 && this.kind === '}')) return;
      const moved = this.#index > from;
      if (moved && depth === 0 && (starts.has(this.kind) || this.#startsLine())) return;
      if (this.kind === '{') depth++;
      if (this.kind === '}') depth--;
    }
  }

  /** Goes to where the next declaration may start, or what is behind the braces of a faulty one. */
  toNextDeclaration(): void {
    let depth = 0;
    let closed = false;
    for (this.next(); this.kind !== 'end'; this.next()) {
      const starts = this.#startsLine();
      const named = this.#at(this.#index + 1).kind === 'name' && this.atDeclaration();
      if (DECLARING.has(this.kind) && (starts || named)) return;
      if (starts && depth <= 0 && (closed || this.kind === '@')) return;
      if (this.kind === '{') depth++;
      if (this.kind === '}') closed = --depth === 0;
    }
  }

  #startsLine(index: number = this.#index): boolean {
    return index === 0 || this.#at(index - 1).line < this.#at(index).line;
  }

  #at(index: number): Token {
    const token = this.#tokens[Math.min(index, this.#tokens.length - 1)];
    if (token === undefined) throw new RangeError('the tokens of a file end with one that says so');
    return token;
  }
}

/** The place of a token, or from one token to another of the same line. */
export function placeOf(token: Token, last: Token = token): Place {
  const { file, line, column, offset } = token;
  return { file, line, column, offset, length: last.offset + last.length - offset };
}
