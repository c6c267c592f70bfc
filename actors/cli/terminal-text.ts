// Text of others in colors and columns.

import { plain } from '../base/printable.ts';
import type { Standing } from '../diagnosis/findings.ts';
import { COLORS, Ink } from './colors.ts';

/** A standing in its color. */
export function colored(text: string, standing: Standing, ink: Ink): string {
  return ink === Ink.Color ? `\u001b[${COLORS[standing]}m${text}\u001b[0m` : text;
}

/**
 * Rows below a head, in columns.
 *
 * @param paint  what is done to a cell when its width is settled
 * @param room  how wide a line may be: what is too long in the widest columns is cut
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (text: string, row: number, column: number) => string = (text) => text,
  room = Number.POSITIVE_INFINITY,
): string {
  const whole = [head, ...rows].map((row) => row.map(plain));
  const widths = truncated(
    head.map((_, column) => whole.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)),
    room,
  );
  const all = whole.map((row) => row.map((text, column) => cut(text, widths[column] ?? 0)));
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

/** The widths, taken from the widest as long as they are too wide together. */
function truncated(widths: readonly number[], room: number): readonly number[] {
  const fit = [...widths];
  for (;;) {
    const sum = fit.reduce((all, width) => all + width, GAP * (fit.length - 1));
    const widest = Math.max(...fit);
    if (sum <= room || widest <= LEAST) return fit;
    fit[fit.indexOf(widest)] = widest - 1;
  }
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** No column is cut to less, in characters. */
const LEAST = 12;
/** Between two columns. */
const GAP = 3;
