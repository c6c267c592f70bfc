// Lines cut to the size of a terminal. Pure.
import type { Size } from './demo/view.ts';

const ESCAPE = String.fromCharCode(0x1b);
/** Color sequence, which takes no room. */
const COLOR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`, 'u');

/** As many lines as there is room for, the last of them saying how many are missing, and none too wide. */
export function truncateToTerminal(lines: readonly string[], { columns, rows }: Size): readonly string[] {
  const room = Math.max(1, rows);
  const missing = lines.length - room + 1;
  const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${missing} more`];
  return shown.map((line) => cut(line, columns));
}

function cut(line: string, columns: number): string {
  const parts = line.split(COLOR);
  const length = parts.reduce((sum, part) => sum + (COLOR.test(part) ? 0 : [...part].length), 0);
  if (length <= columns) return line;
  let room = columns - 1;
  let text = '';
  for (const part of parts) {
    if (COLOR.test(part)) {
      text += part;
      continue;
    }
    const characters = [...part].slice(0, Math.max(0, room));
    room -= characters.length;
    text += characters.join('');
  }
  return `${text}…`;
}
