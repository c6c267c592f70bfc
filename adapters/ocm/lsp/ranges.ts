// Places of the model as the protocol counts them: lines from 0, characters in UTF-16 units.
import type { Position, Range } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Place } from '../model/mod.ts';

/** @param text  of the place's file */
export function rangeOf({ offset, length }: Pick<Place, 'offset' | 'length'>, text: string): Range {
  const document = TextDocument.create('', '', 0, text);
  return { start: document.positionAt(offset), end: document.positionAt(offset + length) };
}

export function offsetOf(position: Position, text: string): number {
  return TextDocument.create('', '', 0, text).offsetAt(position);
}
