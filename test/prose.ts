// Patterns of English that are hard to understand: part of `npm run check`. Counts them in comments, strings and Markdown, and fails
// when a file, or the whole tree, has more of them than `prose-counts.txt` stores.
//
//   node test/prose.ts           what is above the stored counts
//   node test/prose.ts --list    every match
//   node test/prose.ts --store   stores today's counts, unless the whole tree has more than before
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

export interface Pattern {
  readonly pattern: RegExp;
  /** Words to write in place of a match. */
  readonly instead: string;
}

/** Text for people: a comment, a string with a blank, or a Markdown page. A comment begins with `// `. */
export interface Passage {
  /** Line of its first character, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface Match {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

const TEXT = /\.(ts|js|mjs|cjs|md)$/;
/** Generated files repeat the text of their sources; the others show text by purpose. */
const LEFT =
  /_generated\.ts$|^(machines\/README\.md|test\/(invariants\.md|prose\.test\.ts|words\.test\.ts))$|(^|\/)golden(\/|$)/;

/** Names of mutants: `// mutant: ID drop`. */
const MARK = /^ mutant: /;

/** Patterns of `prose-patterns.txt`. A blank of a pattern also matches the end of a line. */
export function patternsIn(text: string): readonly Pattern[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [pattern = '', instead = ''] = line.split(' => ');
      return { pattern: new RegExp(pattern.replaceAll(' ', '\\s+'), 'g'), instead };
    });
}

/** Every match in a file, in the order of the patterns. */
export function matchesIn(file: string, text: string, patterns: readonly Pattern[]): readonly Match[] {
  const passages = file.endsWith('.md') ? [{ line: 1, text: withoutCode(text) }] : passagesIn(text);
  return patterns.flatMap(({ pattern, instead }) =>
    passages.flatMap((passage) =>
      [...passage.text.matchAll(pattern)].map(({ 0: found, index }) => ({
        file,
        line: passage.line + passage.text.slice(0, index).split('\n').length - 1,
        found: found.replaceAll(/\s+/g, ' ').replace('// ', '').trim(),
        instead,
      })),
    ),
  );
}

/** A line for each file, and for the whole tree, that has more matches than are stored. */
export function growth(matches: readonly Match[], stored: ReadonlyMap<string, number>): readonly string[] {
  const files = Map.groupBy(matches, ({ file }) => file);
  const grown = [...files].flatMap(([file, all]) => {
    const allowed = stored.get(file) ?? 0;
    if (all.length <= allowed) return [];
    return [...all.map(shown), `${file}: ${all.length} matches, ${allowed} are stored`];
  });
  const whole = [...stored.values()].reduce((sum, count) => sum + count, 0);
  return matches.length > whole ? [...grown, `${matches.length} matches, ${whole} are stored`] : grown;
}

function shown({ file, line, found, instead }: Match): string {
  return `${file}:${line}: '${found}': write: ${instead}`;
}

function withoutCode(page: string): string {
  return page.replaceAll(/^( *)```.*?^\1```/gms, (code) => code.replaceAll(/[^\n]/g, ''));
}

interface Token {
  readonly type: string | { readonly label?: string };
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
}

function passagesIn(text: string): readonly Passage[] {
  const { comments, tokens } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript'],
    tokens: true,
    errorRecovery: true,
  });
  const found: Passage[] = [];
  let end = 0;
  for (const { type, value, loc } of comments ?? []) {
    if (MARK.test(value)) continue;
    const last = found.at(-1);
    const isAlone = text.split('\n')[(loc?.start.line ?? 1) - 1]?.slice(0, loc?.start.column).trim() === '';
    if (last !== undefined && type === 'CommentLine' && isAlone && loc?.start.line === end + 1)
      found[found.length - 1] = { ...last, text: `${last.text}\n${value.trim()}` };
    else found.push({ line: loc?.start.line ?? 1, text: `// ${value.replaceAll(/^\s*\*+ ?/gm, '').trimStart()}` });
    end = type === 'CommentLine' && isAlone ? (loc?.end.line ?? 0) : 0;
  }
  for (const { type, start, end: last, loc } of (tokens ?? []) as readonly Token[]) {
    const label = typeof type === 'string' ? type : type.label;
    const value = text.slice(start, last);
    if ((label === 'string' || label?.startsWith('...')) && value.includes(' '))
      found.push({ line: loc.start.line, text: value });
  }
  return found;
}

export function storedIn(text: string): ReadonlyMap<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' '))
      .map(([count = '0', file = '']) => [file, Number(count)]),
  );
}

function main(root: string, option: string | undefined): void {
  const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const patterns = patternsIn(readFileSync(at('prose-patterns.txt'), 'utf8'));
  const matches = execFileSync('git', ['-C', root, 'ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => TEXT.test(file) && !LEFT.test(file) && existsSync(join(root, file)))
    .flatMap((file) => matchesIn(file, readFileSync(join(root, file), 'utf8'), patterns));
  if (option === '--list') {
    for (const match of matches) process.stdout.write(`${shown(match)}\n`);
    return;
  }
  const stored = storedIn(existsSync(at('prose-counts.txt')) ? readFileSync(at('prose-counts.txt'), 'utf8') : '');
  const grown = growth(matches, stored);
  if (
    option === '--store' &&
    (stored.size === 0 || matches.length <= [...stored.values()].reduce((a, b) => a + b, 0))
  ) {
    const files = [...Map.groupBy(matches, ({ file }) => file)].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = files.map(([file, all]) => `${all.length} ${file}\n`).join('');
    writeFileSync(
      at('prose-counts.txt'),
      `# Matches of prose-patterns.txt in each file: node test/prose.ts --store\n${lines}`,
    );
    return;
  }
  for (const line of grown) process.stdout.write(`${line}\n`);
  process.exitCode = grown.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main(fileURLToPath(new URL('..', import.meta.url)), process.argv[2]);
