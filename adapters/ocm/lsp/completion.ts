// Completion of names. Text that is being edited is rarely complete, so this reads the tokens before the place rather
// than the tree.
import { type CompletionItem, CompletionItemKind, MarkupKind } from 'vscode-languageserver';
import {
  BUILT_IN_TYPES,
  type FileSyntax,
  MethodKind,
  methodForm,
  nameOf,
  type Scope,
  type Token,
} from '../model/mod.ts';
import { MARK_TEXTS, typeDetail } from './hover.ts';

/** Token kinds that may precede the name of a type in a line. */
const BEFORE_TYPE = {
  struct: /^(?:attribute |link )?name (?:\[ (?:name )?(?:\] )?)?$/,
  method: /^(?:parameter )?(?:in |out )*name (?:\[ (?:name )?(?:\] )?)?$/,
} as const;
/** `[name` is a key: the bracket has to be closed before anything else. */
const OPEN_KEY = /\[ name $/;
const BLOCKS: ReadonlySet<string> = new Set(['class', 'struct', 'enum', 'error', 'resource', 'locator', 'method']);

const WORDS: Readonly<Record<string, readonly string[]>> = {
  file: ['class', 'struct', 'enum', 'error', 'resource'],
  class: ['attribute', 'link'],
  struct: ['attribute', 'link'],
  enum: ['value'],
  error: ['code'],
  resource: ['method', 'locator'],
  locator: ['target', 'variable'],
  method: ['in', 'out', 'parameter'],
};
const MARKS: CompletionItem[] = [...MARK_TEXTS].map(([label, value]) => ({
  label,
  kind: CompletionItemKind.Function,
  documentation: { kind: MarkupKind.Markdown, value },
}));
/** Every other name is an action's. */
const METHODS: CompletionItem[] = Object.values(MethodKind)
  .filter((kind) => kind !== MethodKind.Action)
  .map((label) => {
    const { verb, status } = methodForm(nameOf(label).key);
    return { label, kind: CompletionItemKind.Method, detail: `${verb}, ${status}` };
  });

/** @param offset  in UTF-16 units; the word that ends there is being written */
export function completionsAt({ text, tokens }: FileSyntax, scope: Scope, offset: number): CompletionItem[] {
  const before = tokens.filter((token) => token.kind !== 'end' && token.offset + token.length <= offset);
  const last = before.at(-1);
  const isWord = last !== undefined && /^\w/.test(last.text) && last.offset + last.length === offset;
  if (isWord) before.pop();
  const line = text.slice(0, offset).split('\n').length;
  if (before.at(-1)?.kind === '@') return MARKS;
  const written = /\w*$/.exec(text.slice(0, offset))?.[0] ?? '';
  const words = wordsAfter(before, line).filter(({ label }) => label.startsWith(written));
  if (words.length > 0) return words;
  const expected = expectedAfter(before, line);
  if (expected === 'type') return types(scope);
  if (expected === 'resource') return resources(scope);
  return [];
}

/** Words of the language, and names that mean something in it, where a line begins. */
function wordsAfter(before: readonly Token[], line: number): CompletionItem[] {
  const last = before.at(-1);
  const block = blockOf(before) ?? 'file';
  if (block === 'resource' && last?.kind === 'method') return METHODS;
  const kinds = kindsSince(before, line);
  if (kinds === '') return (WORDS[block] ?? []).map(keyword);
  // Directions come in any order, before the name.
  if (block === 'method' && (kinds === 'in ' || kinds === 'out ')) return [keyword(kinds === 'in ' ? 'out' : 'in')];
  return [];
}

/** Token kinds since the start of the line, or of the block, without marks. */
function kindsSince(before: readonly Token[], line: number): string {
  const start = before.findLastIndex((token) => token.line < line || token.kind === '{' || token.kind === '}');
  return withoutMarks(
    before
      .slice(start + 1)
      .map(({ kind }) => `${kind} `)
      .join(''),
  );
}

function keyword(label: string): CompletionItem {
  return { label, kind: CompletionItemKind.Keyword };
}

function types(scope: Scope): CompletionItem[] {
  const builtIn = [...BUILT_IN_TYPES.values()].map(({ name }) => ({
    label: name.camel,
    kind: CompletionItemKind.Keyword,
    detail: 'built in',
  }));
  const declared = scope.types().map((entry) => ({
    label: entry.name.text,
    kind: entry.syntax.form === 'enum' ? CompletionItemKind.Enum : CompletionItemKind.Class,
    detail: typeDetail(entry),
    documentation: { kind: MarkupKind.Markdown, value: entry.syntax.item.documentation },
  }));
  return [...builtIn, ...declared];
}

function resources(scope: Scope): CompletionItem[] {
  return [...scope.resources.values()].map(({ item }) => ({
    label: item.name.text,
    kind: CompletionItemKind.Module,
    detail: 'resource',
    documentation: { kind: MarkupKind.Markdown, value: item.documentation },
  }));
}

function expectedAfter(before: readonly Token[], line: number): 'type' | 'resource' | undefined {
  const block = blockOf(before);
  const kinds = kindsSince(before, line);
  if (block === 'locator') return kinds.endsWith('target ') ? 'resource' : undefined;
  if (OPEN_KEY.test(kinds)) return undefined;
  const isStruct = (block === 'class' || block === 'struct') && BEFORE_TYPE.struct.test(kinds);
  return isStruct || (block === 'method' && BEFORE_TYPE.method.test(kinds)) ? 'type' : undefined;
}

function withoutMarks(kinds: string): string {
  return kinds.replaceAll(/@ name (?:\( [^)]*\) )?/g, '');
}

/** The kind of block that is open behind the last token; the word `method` may be missing. */
function blockOf(tokens: readonly Token[]): string | undefined {
  const open: string[] = [];
  tokens.forEach(({ kind }, index) => {
    if (kind === '}') open.pop();
    if (kind !== '{') return;
    const word = tokens[index - 2]?.kind ?? '';
    const form = BLOCKS.has(word) ? word : 'method';
    // Declarations are never inside of anything: what was open before was not closed.
    if (form !== 'locator' && form !== 'method') open.length = 0;
    open.push(form);
  });
  return open.at(-1);
}
