// Semantic tokens of a file, for colors in editors.
import { SemanticTokensBuilder, type SemanticTokensLegend } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { FileSyntax, Scope } from '../model/mod.ts';
import { type Sight, sightsOf } from './symbols-at.ts';

const TYPES = [
  'keyword',
  'string',
  'number',
  'comment',
  'decorator',
  'type',
  'class',
  'struct',
  'enum',
  'enumMember',
  'property',
  'method',
  'parameter',
  'namespace',
] as const;
type TokenType = (typeof TYPES)[number];
const DECLARES = 1;
const DEPRECATED = 2;

export const LEGEND: SemanticTokensLegend = { tokenTypes: [...TYPES], tokenModifiers: ['declaration', 'deprecated'] };

interface Colored {
  readonly offset: number;
  readonly length: number;
  readonly type: TokenType;
  readonly modifiers: number;
}

export function semanticTokens(syntax: FileSyntax, scope: Scope): number[] {
  const { text, tokens, notes } = syntax;
  const highlighted: Colored[] = notes.map(({ offset, length }) => ({ offset, length, type: 'comment', modifiers: 0 }));
  for (const { kind, offset, length } of tokens) {
    if (kind === 'string' || kind === 'number') highlighted.push({ offset, length, type: kind, modifiers: 0 });
    else if (/^[a-z]/.test(kind) && kind !== 'name' && kind !== 'end') {
      highlighted.push({ offset, length, type: 'keyword', modifiers: 0 });
    }
  }
  for (const sight of sightsOf(syntax)) {
    const { offset, length } = sight.what === 'mark' ? sight.mark.place : sight.place;
    highlighted.push({ offset, length, type: typeOf(sight, scope), modifiers: modifiersOf(sight) });
  }
  const document = TextDocument.create('', '', 0, text);
  const builder = new SemanticTokensBuilder();
  for (const each of highlighted.sort((a, b) => a.offset - b.offset).flatMap((one) => byLine(one, text))) {
    const { line, character } = document.positionAt(each.offset);
    builder.push(line, character, each.length, TYPES.indexOf(each.type), each.modifiers);
  }
  return builder.build().data;
}

/** The protocol knows no token of several lines. */
function byLine(whole: Colored, text: string): Colored[] {
  const lines = text.slice(whole.offset, whole.offset + whole.length).matchAll(/[^\r\n]+/g);
  return [...lines].map((line) => ({ ...whole, offset: whole.offset + line.index, length: line[0].length }));
}

function typeOf(sight: Sight, scope: Scope): TokenType {
  switch (sight.what) {
    case 'mark':
      return 'decorator';
    case 'resource':
    case 'locator':
      return 'namespace';
    case 'value':
      return 'enumMember';
    case 'attribute':
      return 'property';
    case 'type':
      return scope.find(sight.word.name.key)?.syntax.form ?? 'type';
    case 'declaration':
      return sight.part.form === 'resource' ? 'namespace' : sight.part.form === 'error' ? 'type' : sight.part.form;
    default:
      return sight.what;
  }
}

function modifiersOf(sight: Sight): number {
  if (!('part' in sight)) return 0;
  return DECLARES | (sight.part.item.deprecated ? DEPRECATED : 0);
}
