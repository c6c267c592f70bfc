// What a layout must not change.
import type { parse } from '../../../adapters/ocm/model/mod.ts';

type FileSyntax = ReturnType<typeof parse>;

/** Where things stand, and which of the notes are documentation: the text of that is compared. */
const LAYOUT: ReadonlySet<string> = new Set(['place', 'first', 'last', 'notes']);

/** The tree of a file without the layout, as text. */
export function meaning({ declarations }: FileSyntax): string {
  return JSON.stringify(declarations, (key, value: unknown) => (LAYOUT.has(key) ? undefined : value));
}

/** The notes of a file, in no order. */
export function noteTexts({ notes }: FileSyntax): string[] {
  return notes.map(({ text }) => text.replaceAll(/\r+\n/g, '\n')).sort();
}
