// Declarations of a file, or of a whole model.
import { type DocumentSymbol, SymbolKind, SymbolTag } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Declaration, FileSyntax, Part, Place, Workspace } from '../model/mod.ts';

const KINDS = {
  class: SymbolKind.Class,
  struct: SymbolKind.Struct,
  enum: SymbolKind.Enum,
  error: SymbolKind.Constant,
  resource: SymbolKind.Module,
} as const;

/** The declarations of a file with their members, in the order of the text. */
export function symbolsOf({ text, tokens, declarations }: FileSyntax): DocumentSymbol[] {
  const document = TextDocument.create('', '', 0, text);
  const symbol = (part: Part, kind: SymbolKind, detail: string, children: readonly DocumentSymbol[] = []) => {
    const { name, place, deprecated } = part.item;
    const [first, last] = [tokens[part.first], tokens[part.last]];
    const [start, end] = [first?.offset ?? place.offset, last === undefined ? 0 : last.offset + last.length];
    const at = (from: number, to: number) => ({ start: document.positionAt(from), end: document.positionAt(to) });
    return {
      name: name.text,
      kind,
      detail,
      range: at(start, Math.max(end, place.offset + place.length)),
      selectionRange: at(place.offset, place.offset + place.length),
      ...(deprecated ? { tags: [SymbolTag.Deprecated] } : {}),
      children: children.toSorted(
        (a, b) => a.range.start.line - b.range.start.line || a.range.start.character - b.range.start.character,
      ),
    };
  };
  const members = (part: Declaration): DocumentSymbol[] => {
    switch (part.form) {
      case 'resource':
        return [
          ...part.locators.map((each) => symbol(each, SymbolKind.Field, 'locator')),
          ...part.methods.map((each) =>
            symbol(
              each,
              SymbolKind.Method,
              'method',
              each.parameters.map((parameter) => symbol(parameter, SymbolKind.Variable, 'parameter')),
            ),
          ),
        ];
      case 'enum':
        return part.values.map((each) => symbol(each, SymbolKind.EnumMember, 'value'));
      case 'error':
        return [];
      default:
        return part.attributes.map((each) => symbol(each, SymbolKind.Property, each.link ? 'link' : 'attribute'));
    }
  };
  return declarations.map((part) => symbol(part, KINDS[part.form], part.form, members(part)));
}

export interface Found {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly container: string;
  readonly place: Place;
}

/** Editors narrow the list down themselves, and ask again. */
const MOST = 500;

/** Declarations and methods of a model whose names have the letters of the query in their order. */
export function symbolsIn(workspace: Workspace, query: string): Found[] {
  const found: Found[] = [];
  const add = (part: Part, kind: SymbolKind, container: string): void => {
    if (found.length < MOST && hasLetters(part.item.name.text, query)) {
      found.push({ name: part.item.name.text, kind, container, place: part.item.place });
    }
  };
  for (const file of workspace.files().sort()) {
    const scope = workspace.scope(file);
    const version = scope === undefined ? '' : `${scope.service.snake}/${scope.name.snake}`;
    for (const part of workspace.syntax(file)?.declarations ?? []) {
      add(part, KINDS[part.form], version);
      if (part.form !== 'resource') continue;
      for (const method of part.methods) add(method, SymbolKind.Method, `${version} ${part.item.name.text}`);
    }
  }
  return found;
}

function hasLetters(name: string, query: string): boolean {
  let at = 0;
  for (const letter of query.toLowerCase()) {
    at = name.toLowerCase().indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
