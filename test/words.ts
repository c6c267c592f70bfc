// Names that were given up, so that a thing has one name: part of `npm run check`. Retired names are found in code, outside of
// comments and strings, and as names of files; spellings are found in all text.
//
//   node test/words.ts [FOLDER]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

export interface Words {
  /** What is used in place of a name. */
  readonly names: ReadonlyMap<string, string>;
  /** What is written in place of a spelling; it is found within longer words, too. */
  readonly spellings: ReadonlyMap<string, string>;
  /** What others call so: it is left as it is. */
  readonly owned: readonly string[];
}

const SOURCE = /\.(ts|js|mjs|cjs)$/;
const TEXT = /\.(ts|js|mjs|cjs|md|html|css|yaml|json)$/;
/** What is there to be read by the words of others, or by their old names. */
const LEFT =
  /^(CHANGELOG\.md|package-lock\.json|test\/(retired-words\.txt|words\.test\.ts))$|(^|\/)(golden|recorded\.json)/;

/** Of `retired-words.txt`: a line has a word and what replaces it; then come spellings, and what others call so. */
export function wordsIn(text: string): Words {
  const [names = '', spellings = '', owned = ''] = text.split(/^# (?:spellings|names of others)$/m);
  const pairs = (part: string): Map<string, string> =>
    new Map(
      part
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.split(' ') as [string, string]),
    );
  return { names: pairs(names), spellings: pairs(spellings), owned: owned.split('\n').filter((line) => line !== '') };
}

/** A line for each retired word in a file. */
export function retiredIn(file: string, text: string, { names, spellings, owned }: Words): readonly string[] {
  const left = owned.reduce((all, each) => all.replaceAll(each, ' '.repeat(each.length)), text);
  const found = SOURCE.test(file) ? namesIn(text).filter(({ name }) => names.has(name)) : [];
  const spelled = [...spellings].flatMap(([word, instead]) =>
    [...left.matchAll(new RegExp(word, 'gi'))].map(({ index }) => ({ name: word, line: lineAt(text, index), instead })),
  );
  return [...found.map((each) => ({ ...each, instead: names.get(each.name) })), ...spelled].map(
    ({ name, line, instead }) => `${file}:${line}: '${name}' is retired: write '${instead}'`,
  );
}

/** A line for a file whose name is a retired one. */
export function retiredName(file: string, { names, spellings }: Words): readonly string[] {
  const stem = basename(file).replace(/\..*$/, '');
  const camel = stem.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const both = [camel, camel.charAt(0).toUpperCase() + camel.slice(1)];
  const isInUse = [...names.values()].some((name) => both.includes(name));
  const instead = isInUse ? undefined : both.map((name) => names.get(name)).find((name) => name !== undefined);
  const spelled = [...spellings].find(([word]) => stem.includes(word));
  if (instead !== undefined) return [`${file}: the name is retired: '${instead}' is what it is called`];
  return spelled === undefined ? [] : [`${file}: '${spelled[0]}' is retired: write '${spelled[1]}'`];
}

/** Identifiers, private names included. */
function namesIn(text: string): readonly { readonly name: string; readonly line: number }[] {
  const { tokens } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript'],
    tokens: true,
    errorRecovery: true,
  });
  return (tokens ?? []).flatMap(
    ({ type, value, loc }: { type: { label?: string }; value?: unknown; loc: { start: { line: number } } }) =>
      type.label === 'name' || type.label === '#name' ? [{ name: String(value), line: loc.start.line }] : [],
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const words = wordsIn(readFileSync(new URL('retired-words.txt', import.meta.url), 'utf8'));
  const files = execFileSync('git', ['-C', root, 'ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => TEXT.test(file) && !LEFT.test(file) && existsSync(join(root, file)));
  const found = files.flatMap((file) => [
    ...retiredName(file, words),
    ...retiredIn(file, readFileSync(join(root, file), 'utf8'), words),
  ]);
  for (const line of found) process.stdout.write(`${line}\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
