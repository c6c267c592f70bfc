// Pieces of Markdown.

/** A line that a table can hold. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

/** @returns no line at all for a table without rows */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(cell))), ''];
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function link(text: string, target: string): string {
  return `[${text}](${target})`;
}

/** Anchor of a heading, as GitHub and similar sites derive it. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Parts of a page, one empty line between them. */
export function page(...parts: readonly (string | readonly string[])[]): string {
  const text = parts
    .flat()
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd();
  return `${text}\n`;
}
