// Text of others as it may stand on a terminal, and columns of it.

import type { Standing } from '../inquiry/findings.ts';
import { COLOURS } from './colours.ts';
import { Ink } from './demo/view.ts';

/** What moves the cursor, ends the line, turns its direction or is not seen at all. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same text with whatever is no visible character written as its code: `\u{202e}`. */
export function plain(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A standing in its colour. */
export function inked(text: string, standing: Standing, ink: Ink): string {
  return ink === Ink.Colour ? `\u001b[${COLOURS[standing]}m${text}\u001b[0m` : text;
}

/**
 * Rows below a head, in columns.
 *
 * @param paint  what is done to a cell when its width is settled
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (text: string, row: number, column: number) => string = (text) => text,
): string {
  const all = [head, ...rows].map((row) => row.map(plain));
  const widths = head.map((_, column) => all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  return all
    .map((row, index) => {
      const cells = row.map((text, column) => {
        const room = ' '.repeat(column === row.length - 1 ? 0 : (widths[column] ?? 0) - text.length + GAP);
        return `${index === 0 ? text : paint(text, index - 1, column)}${room}`;
      });
      return `${cells.join('').trimEnd()}\n`;
    })
    .join('');
}

/** Between two columns. */
const GAP = 3;
