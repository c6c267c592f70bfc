// Documentation as JSDoc.
import type { Item } from '../model/mod.ts';

/** Lines of a comment, each ended; none where there is nothing to say. */
export function note(
  { documentation, deprecated }: Pick<Item, 'documentation' | 'deprecated'>,
  indent: string,
): string {
  const lines = documentation === '' ? [] : documentation.split(/\r?\n/).map((line) => line.trimEnd());
  if (deprecated) lines.push(...(lines.length > 0 ? [''] : []), '@deprecated');
  if (lines.length === 0) return '';
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'));
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  const body = safe.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('');
  return `${indent}/**\n${body}${indent} */\n`;
}
