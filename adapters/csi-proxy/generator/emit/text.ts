// Pieces of TypeScript text that all generated files are made of.
import { compareText } from '../problem.ts';

/** Maximum line length in characters, that of the formatter of hand-written files. */
export const LINE_WIDTH = 120;

export interface Doc {
  readonly comment?: string;
  /** Text after `@deprecated`; undefined if it is not deprecated. */
  readonly deprecation?: string | undefined;
}

/** A documentation comment with its line end, or nothing where there is nothing to say. */
export function docText({ comment = '', deprecation }: Doc, indent = ''): string {
  const lines = comment.trim() === '' ? [] : comment.trim().split('\n');
  if (deprecation !== undefined) lines.push(...`@deprecated ${deprecation}`.trim().split('\n'));
  if (lines.length === 0) return '';
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/').trimEnd());
  const [only] = safe;
  if (safe.length === 1 && `${indent}/** ${only} */`.length <= LINE_WIDTH) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Text after `@deprecated` on a member that is marked itself. */
export function deprecationOf({ deprecated }: { readonly deprecated: boolean }): string | undefined {
  return deprecated ? '' : undefined;
}

/** `before`, the parts and `after` on one line, or each part on one of its own. */
export function wrapped(before: string, parts: readonly string[], after: string, indent = ''): string {
  const line = `${before}${parts.join(', ')}${after}`;
  if (line.length <= LINE_WIDTH) return line;
  return `${before}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${after}`;
}

/** `before` and `value` on one line, or the value on one of its own. */
export function assigned(before: string, value: string, indent = ''): string {
  const line = `${before} ${value}`;
  return line.length <= LINE_WIDTH ? line : `${before}\n${indent}  ${value}`;
}

/** `import { a, type B, c as d } from './c.ts';`, sorted by the names that they have here. */
export function importText(names: readonly string[], from: string): string {
  const localName = (name: string): string => name.replace(/^(?:type )?(?:.* as )?/, '');
  const sorted = [...new Set(names)].toSorted((a, b) => compareNames(localName(a), localName(b)));
  const isType = sorted.every((name) => name.startsWith('type '));
  const parts = isType ? sorted.map((name) => name.replace(/^type /, '')) : sorted;
  const line = `import ${isType ? 'type ' : ''}{ ${parts.join(', ')} } from '${from}';\n`;
  if (line.length <= LINE_WIDTH + 1) return line;
  return `import ${isType ? 'type ' : ''}{\n${parts.map((part) => `  ${part},\n`).join('')}} from '${from}';\n`;
}

/** Import statements in the formatter's order: what is farther away first, then by path. */
export function sortedImports(statements: readonly string[]): string {
  const from = (statement: string): string => /'(.*)'/.exec(statement)?.[1] ?? '';
  const distance = (path: string): number => path.split('../').length;
  return statements
    .filter((statement) => statement !== '')
    .map((statement) => ({ statement, path: from(statement) }))
    .sort((a, b) => distance(b.path) - distance(a.path) || compareText(a.path, b.path))
    .map(({ statement }) => statement)
    .join('');
}

/** As the formatter sorts names: regardless of case, and of two spellings the capital first. */
function compareNames(a: string, b: string): number {
  return compareText(a.toLowerCase(), b.toLowerCase()) || compareText(a, b);
}

/** A text as a literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
