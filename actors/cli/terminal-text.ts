// Text of others in colors and columns.

import { plain } from '../base/printable.ts';
import type { Standing } from '../diagnosis/findings.ts';
import { COLORS } from './colors.ts';
import { Ink } from './demo/view.ts';

/** A standing in its color. */
export function colored(text: string, standing: Standing, ink: Ink): string {
  return ink === Ink.Color ? `\u001b[${COLORS[standing]}m${text}\u001b[0m` : text;
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
