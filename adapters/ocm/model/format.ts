// The one layout of a model file: a line a member, a line a mark, tabs, and all notes where they mean what they meant.
//
// Invariants:
//   OCM-FORMAT-1. The formatted file parses to the same tree, documentation included, and formatted again it stays as it is.
//   OCM-FORMAT-2. No note is lost or changed. A note moves only where a line that is split would take the documentation of one item
//       to another: it then stands directly above its item.
//   OCM-FORMAT-3. A line note that documents nothing never comes to stand directly above an item.
import type { Note, Token, TokenKind } from './lexer.ts';
import type { Declaration, FileSyntax, Part } from './syntax.ts';

type Element = Token | Note;

const LINE_STARTS: ReadonlySet<string> = new Set(['target', 'variable', 'code', '@', '}']);

/** @param syntax  of a file without errors */
export function format(syntax: FileSyntax): string {
  const text = new Layout(syntax).text();
  return /^[^\n]*\r\n/.test(syntax.text) ? text.replaceAll('\n', '\r\n') : text;
}

class Layout {
  readonly #tokens: readonly Token[];
  readonly #notes: readonly Note[];
  /** First tokens of parts. */
  readonly #starts = new Map<number, Part>();
  /** The part that a note documents. */
  readonly #documented = new Map<Note, Part>();
  /** Notes that have to be moved to the part they document. */
  readonly #moved = new Map<Part, readonly Note[]>();
  readonly #lines: string[] = [];
  #line = '';
  /** The last element of the current line or of the one before. */
  #last: Element | undefined;
  /** The line note that ends the line above the current one. */
  #above: Note | undefined;
  #depth = 0;

  constructor({ tokens, notes, declarations }: FileSyntax) {
    this.#tokens = tokens;
    this.#notes = notes;
    for (const part of partsOf(declarations)) {
      this.#starts.set(part.first, part);
      const before = tokens[part.first - 1]?.offset ?? -1;
      for (const note of this.#documentation(part)) {
        this.#documented.set(note, part);
        if (note.offset < before && !this.#moved.has(part)) this.#move(part);
      }
    }
  }

  text(): string {
    const notes = this.#notes.values();
    let note = notes.next();
    this.#tokens.forEach((token, index) => {
      for (; !note.done && note.value.offset < token.offset; note = notes.next()) {
        const owner = this.#documented.get(note.value);
        if (owner !== undefined && this.#wouldTakeMore(note.value, owner, index)) this.#move(owner);
        if (owner === undefined || !this.#moved.has(owner)) this.#note(note.value, index, owner);
      }
      if (token.kind !== 'end') this.#token(token, index);
    });
    this.#endLine();
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  #documentation({ notes }: Part): Note[] {
    return notes.flatMap((index) => this.#notes[index] ?? []);
  }

  #move(part: Part): void {
    this.#moved.set(part, this.#documentation(part));
  }

  /** A trailing note would begin its run with the note of the line above, which is not attached otherwise. */
  #wouldTakeMore(note: Note, owner: Part, nextToken: number): boolean {
    if (this.#above === undefined || !this.#trails(note)) return false;
    const taker = this.#documented.get(this.#above);
    return taker !== owner && (taker === undefined || taker.last >= nextToken);
  }

  #trails({ line }: Note): boolean {
    return this.#last !== undefined && endLine(this.#last) === line;
  }

  #token(token: Token, index: number): void {
    const part = this.#starts.get(index);
    for (const note of (part && this.#moved.get(part)) ?? []) {
      this.#startLine(note, this.#depth, { owner: part, tight: true });
      this.#add(note, noteText(note));
    }
    if (token.kind === '}') this.#depth--;
    if (this.#startsLine(token, index) && !this.#followsBlock(token)) {
      this.#startLine(token, this.#depth, { owner: part, tight: this.#endsMark(index) });
    } else if (this.#last !== undefined && isLineNote(this.#last)) {
      this.#startLine(token, this.#depth + 1, { owner: undefined, tight: true });
    } else if (isApart(this.#last, token)) {
      this.#line += ' ';
    }
    this.#add(token, token.text.replaceAll('\r', ''));
    if (token.kind === '{') this.#depth++;
  }

  #note(note: Note, nextToken: number, owner: Part | undefined): void {
    if (this.#trails(note)) {
      this.#line += ' ';
    } else {
      const next = this.#tokens[nextToken];
      const between = next !== undefined && next.kind !== 'end' && !this.#startsLine(next, nextToken);
      this.#startLine(note, this.#depth + (between ? 1 : 0), { owner, tight: false });
    }
    this.#add(note, noteText(note));
  }

  #startsLine({ kind }: Token, index: number): boolean {
    return (
      this.#starts.has(index) || LINE_STARTS.has(kind) || this.#tokens[index - 1]?.kind === '{' || this.#endsMark(index)
    );
  }

  /** The token before this one is the last of a mark. */
  #endsMark(index: number): boolean {
    const isName = this.#tokens[index - 2]?.kind === '@';
    return this.#tokens[index - 1]?.kind === ')' || (isName && this.#tokens[index]?.kind !== '(');
  }

  /** The token stands behind a block note that begins its line: the line above may document what it starts. */
  #followsBlock(token: Token): boolean {
    return this.#last !== undefined && endLine(this.#last) === token.line && /^\s*(?:\/\*.*?\*\/ ?)+$/.test(this.#line);
  }

  /**
   * @param how.owner  the part that begins here, or that is documented here
   * @param how.tight  without the blank line that may be here
   */
  #startLine(element: Element, depth: number, how: { owner: Part | undefined; tight: boolean }): void {
    const last = this.#last;
    this.#endLine();
    this.#above = last !== undefined && isLineNote(last) ? last : undefined;
    if (last !== undefined && this.#isApartFrom(last, element, how)) {
      this.#lines.push('');
      this.#above = undefined;
    }
    this.#line = '\t'.repeat(depth);
  }

  #isApartFrom(
    last: Element,
    element: Element,
    { owner, tight }: { owner: Part | undefined; tight: boolean },
  ): boolean {
    if (owner !== undefined && isLineNote(last)) return this.#documented.get(last) !== owner;
    if (owner !== undefined && this.#depth === 0 && kindOf(last) === '}') return true;
    if (tight || kindOf(last) === '{' || kindOf(element) === '}') return false;
    return element.line > endLine(last) + 1;
  }

  #add(element: Element, text: string): void {
    this.#line += text;
    this.#last = element;
  }

  #endLine(): void {
    if (this.#last !== undefined) this.#lines.push(this.#line);
  }
}

/** All parts, containers before their members. */
function* partsOf(declarations: readonly Declaration[]): Generator<Part> {
  for (const declaration of declarations) {
    yield declaration;
    if (declaration.form === 'enum') yield* declaration.values;
    else if (declaration.form === 'resource') {
      yield* declaration.locators;
      for (const method of declaration.methods) {
        yield method;
        yield* method.parameters;
      }
    } else if (declaration.form !== 'error') yield* declaration.attributes;
  }
}

function isLineNote(element: Element): element is Note {
  return 'form' in element && element.form === 'line';
}

function kindOf(element: Element): TokenKind | undefined {
  return 'form' in element ? undefined : element.kind;
}

function noteText({ form, text }: Note): string {
  return form === 'line' ? text : text.replaceAll(/\r+\n/g, '\n');
}

function endLine({ line, text }: Element): number {
  return text.includes('\n') ? line + text.split('\n').length - 1 : line;
}

/** Within a line: words and braces are, brackets, marks and what belongs to them are not. */
function isApart(last: Element | undefined, { kind }: Token): boolean {
  const before = last && kindOf(last);
  if (before === undefined) return last !== undefined;
  if (before === '[' || before === ']' || before === '@' || before === '(') return false;
  return kind !== ']' && kind !== ')' && kind !== '(';
}
