// The text of a `.proto` file as tokens with places and comments, and the tokens as statements: what stands before `;`
// or before a block. protobufjs' own tokens have lines at best, and its reflection has none.
import { type Position, ProtoError } from './model.ts';

export interface Token {
  /** As written: a string has its quotes. */
  readonly text: string;
  readonly at: Position;
  /** The comment directly above. */
  above: string;
  /** The comment behind it on its line, where nothing else follows there. */
  behind: string;
}

export interface Statement {
  /** Tokens before `;` or `{`; never empty. */
  readonly head: readonly Token[];
  /** undefined: it ended with `;`. */
  readonly body: readonly Statement[] | undefined;
  readonly comment: string;
}

interface Comment {
  readonly text: string;
  readonly line: number;
  readonly lastLine: number;
}

const LEXEME =
  /(?<space>\s+)|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<token>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\s{}=;:[\],'"()<>/]+|[{}=;:[\],()<>])/y;

/** @throws {ProtoError} a string or a comment does not end */
export function tokens(text: string, file: string): readonly Token[] {
  const found: Token[] = [];
  let comments: Comment[] = [];
  let line = 1;
  let lineStart = 0;
  let offset = 0;
  while (offset < text.length) {
    LEXEME.lastIndex = offset;
    const match = LEXEME.exec(text);
    const at = { file, line, column: offset - lineStart + 1 };
    if (match === null) {
      const sign = text.charAt(offset);
      const what = text.startsWith('/*', offset) ? 'comment' : sign === '/' ? undefined : 'string';
      throw new ProtoError([{ at, message: what === undefined ? "unexpected '/'" : `the ${what} does not end` }]);
    }
    const [lexeme] = match;
    for (let at = lexeme.indexOf('\n'); at >= 0; at = lexeme.indexOf('\n', at + 1)) {
      line += 1;
      lineStart = offset + at + 1;
    }
    offset += lexeme.length;
    if (match.groups?.['comment'] !== undefined) {
      comments.push({ text: commentText(lexeme), line: at.line, lastLine: line });
    } else if (match.groups?.['token'] !== undefined) {
      const token: Token = { text: lexeme, at, above: '', behind: '' };
      giveComments(comments, found.at(-1), token);
      found.push(token);
      comments = [];
    }
  }
  giveComments(comments, found.at(-1), undefined);
  return found;
}

function giveComments(comments: readonly Comment[], before: Token | undefined, after: Token | undefined): void {
  const [first] = comments;
  const isBehind =
    first !== undefined && first.line === before?.at.line && (after === undefined || after.at.line > first.lastLine);
  if (isBehind) before.behind = first.text;
  if (after === undefined) return;
  const above: string[] = [];
  let { line } = after.at;
  for (const comment of comments.slice(isBehind ? 1 : 0).reverse()) {
    if (comment.lastLine < line - 1) break;
    above.unshift(comment.text);
    line = comment.line;
  }
  after.above = above.join('\n');
}

function commentText(comment: string): string {
  if (comment.startsWith('//')) return comment.replace(/^\/\/+ ?/, '').trimEnd();
  return comment
    .slice(2, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\*+ ?/, '').trimEnd())
    .join('\n')
    .trim();
}

/** The statements of a file whose grammar is known to be right. */
export function statements(of: readonly Token[]): readonly Statement[] {
  const rest = of.values();
  return block(rest).statements;
}

function block(rest: Iterator<Token>): { readonly statements: readonly Statement[]; readonly end: Token | undefined } {
  const found: Statement[] = [];
  let head: Token[] = [];
  // Braces inside the value of an option are no blocks.
  let depth = 0;
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const token = next.value;
    const { text } = token;
    const isNested = depth > 0 || head[0]?.text === 'option';
    if (text === '[' || (text === '{' && isNested)) depth += 1;
    else if (text === ']' || (text === '}' && isNested)) depth -= 1;
    if (text === ';' && depth === 0) {
      if (head.length > 0) found.push({ head, body: undefined, comment: commentOf(head, token) });
      head = [];
    } else if (text === '{' && !isNested) {
      const { statements: body, end } = block(rest);
      const last = body.length === 0 && end?.at.line === token.at.line ? end : token;
      if (head.length > 0) found.push({ head, body, comment: commentOf(head, last) });
      head = [];
    } else if (text === '}' && !isNested) {
      return { statements: found, end: token };
    } else head.push(token);
  }
  return { statements: found, end: undefined };
}

function commentOf([first]: readonly Token[], last: Token): string {
  return [first?.above ?? '', last.behind].filter((text) => text !== '').join('\n');
}

/**
 * The word at `index`.
 * @throws {ProtoError} there is none, though the grammar wants one
 */
export function tokenAt(head: readonly Token[], index: number): Token {
  const token = head[index];
  if (token !== undefined) return token;
  const last = head.at(-1);
  throw new ProtoError(last === undefined ? [] : [{ at: last.at, message: `a word is missing behind '${last.text}'` }]);
}

export function unquoted({ text }: Token): string {
  return /^["']/.test(text) ? text.slice(1, -1) : text;
}
