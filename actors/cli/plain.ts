// Text of others in colours and columns.

import type { Standing } from '../inquiry/findings.ts';
import { plain } from '../telling/printable.ts';
import { COLOURS } from './colours.ts';
import { Ink } from './demo/view.ts';

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
