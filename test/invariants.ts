// Invariants and the tests that name them: `npm run -s invariants -- [options]`.
//
// An invariant is a numbered line of a comment, `//   OUTBOX-4. A sentence.`, in a source or in a module of the tests; the rules of
// the protocol (P1 to P13, I1 to I11) are rows of the tables of `actors/README.md`. Its code begins with the name of its file, after
// that of the adapter or part that the file belongs to, so that each is defined once. A test names one in a title or a message,
// `(OUTBOX-4, P9)` or `OUTBOX-4: ...`, or in the head of its file; a checker of histories or of chaos in what it reports.
// The last line is `N invariants, N named by a test, N not named`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { scriptOptions } from '../deploy/script-options.ts';
import { type Imports, readImports } from './imports.ts';

const USAGE = `Usage: npm run invariants -- [options]

Prints the numbered invariants of the sources, each with the tests that name it.

  --check          print only codes that are defined twice, or cited and defined nowhere; exits with 1 if there are any
  --json           the report as JSON
  --compare FILE   list what was lost since --json wrote FILE; exits with 1 if anything was
  --help           this text
`;

export interface Naming {
  readonly file: string;
  /** Title of the test, or what else names the code: a comment, or the report of a checker. */
  readonly title: string;
  /** Whether nothing runs it but test/real. */
  readonly real: boolean;
}

export interface Invariant {
  readonly file: string;
  readonly code: string;
  readonly sentence: string;
  readonly tests: readonly Naming[];
}

export interface Report {
  readonly invariants: readonly Invariant[];
  /** Codes that are defined twice, or cited and defined nowhere, a line each. */
  readonly faults: readonly string[];
}

type Definition = Omit<Invariant, 'tests'>;

interface Citation {
  readonly code: string;
  readonly title: string;
}

/** Stands for the file of the rules of the protocol, which many files cite. */
export const PROTOCOL = 'protocol';
/** The page that states them. */
export const RULES_PAGE = 'actors/README.md';
const RULE = /^\| ([PI]\d+)(?: [^|]*)? \| ([^|]+) \|/;

/** Rows of the tables of rules and invariants: code and name, sentence, and what breaks without it. */
export function rulesIn(page: string): readonly Definition[] {
  return page.split('\n').flatMap((line) => {
    const [, code, sentence] = RULE.exec(line) ?? [];
    return code === undefined || sentence === undefined ? [] : [{ file: PROTOCOL, code, sentence }];
  });
}

const ONE = '[A-Z]+(?:-[A-Z]+)*-?\\d{1,3}[a-z]?';
const CODES = new RegExp(`(?<![\\w-])(${ONE})(?:(?: to | ?[-–] ?)(${ONE}))?(?![\\w-])`, 'g');
const PARENTHESES = /\(([^()]*)(?:\)|$)/g;
const AT_THE_BEGINNING = new RegExp(`^\\W*(${ONE}(?:(?:, | and | to )${ONE})*):`);
const DEFINITION = new RegExp(`^//   (${ONE})\\. (.+)$`);
const TEST = /\.(test|suite)\.ts$/;
/** The codes in it are those of trees that it makes up. */
const OWN_TEST = 'test/invariants.test.ts';
/** Modules that are no tests themselves and judge what is played. */
const CHECKER = /^test\/(simulation|chaos)\/.+\.ts$/;

/** Numbered lines of comments. */
export function definitionsIn(file: string, text: string): readonly Definition[] {
  const found: { code: string; text: string }[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const [, code, begun] = DEFINITION.exec(line) ?? [];
    const more = /^\/\/ {4,}(\S.*)$/.exec(line)?.[1];
    const last = found.at(-1);
    if (code !== undefined && begun !== undefined) found.push({ code, text: begun });
    else if (isOpen && more !== undefined && last !== undefined) last.text += ` ${more}`;
    isOpen = code !== undefined || (isOpen && more !== undefined);
  }
  return found.map(({ code, text }) => ({ file, code, sentence: /^.*?[.!?](?= [^a-z]|$)/.exec(text)?.[0] ?? text }));
}

/** All codes of a text; `B1 to B3` are three. */
function codesIn(text: string): readonly string[] {
  return [...text.matchAll(CODES)].flatMap(([, first = '', last]) => {
    const [from, to] = [first, last ?? first].map((code) => /^(.*?)(\d+)$/.exec(code));
    if (!from || !to || from[1] !== to[1] || last === undefined) return last === undefined ? [first] : [first, last];
    const count = Math.max(Number(to[2]) - Number(from[2]) + 1, 0);
    return Array.from({ length: count }, (_, index) => `${from[1]}${Number(from[2]) + index}`);
  });
}

/** Codes that a title, a message or a comment names: in parentheses, or at its beginning. */
function namedIn(text: string): readonly string[] {
  const places = [...text.matchAll(PARENTHESES)].map(([, inside = '']) => inside);
  return [AT_THE_BEGINNING.exec(text)?.[1] ?? '', ...places].flatMap(codesIn);
}

interface Node {
  readonly type?: unknown;
  readonly start?: number;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

/** What a test or a checker names: titles and messages, and comments for what none of those names. */
export function citationsIn(file: string, text: string): readonly Citation[] {
  const { program, comments } = parse(text, {
    sourceType: 'module',
    plugins: ['typescript'],
    attachComment: false,
  });
  const found = new Map<string, Citation>();
  const add = (codes: readonly string[], title: string): void => {
    const flat = title.replaceAll(/\s+/g, ' ').trim();
    for (const code of codes) found.set(`${code} ${flat}`, { code, title: flat });
  };
  const isTest = TEST.test(file);
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value, quasis } = node as Node;
    const said =
      type === 'StringLiteral'
        ? String(value)
        : type === 'TemplateLiteral'
          ? quasis?.map((part) => part.value.raw).join('…')
          : undefined;
    if (said !== undefined) add(isTest ? namedIn(said) : reportedIn(said), said);
    Object.values(node).forEach(visit);
  };
  visit(program.body);
  if (!isTest || comments === null || comments === undefined) return [...found.values()];
  const head = program.body[0]?.start ?? 0;
  const heads = comments.filter(({ start }) => (start ?? 0) < head).map(({ value }) => value);
  const isNew = (code: string): boolean => [...found.values()].every((citation) => citation.code !== code);
  add(codesIn(heads.join(' ')).filter(isNew), 'head of the file');
  for (const { value } of comments) add(namedIn(value.replaceAll(/^[\s*]+/g, '')).filter(isNew), 'a comment');
  return [...found.values()];
}

/** What a checker reports: the code alone, or before what was seen. */
function reportedIn(text: string): readonly string[] {
  const code = new RegExp(`^(${ONE})(?::|$)`).exec(text)?.[1];
  return code === undefined ? [] : [code];
}

/** For each file of test/ that a test file runs, whether others than test/real do. */
function runBy(imports: Imports): ReadonlyMap<string, boolean> {
  const here = new Map<string, boolean>();
  const visit = (file: string, isHere: boolean): void => {
    if (here.get(file) === true || here.get(file) === isHere) return;
    here.set(file, isHere);
    for (const target of imports.get(file) ?? []) if (target.startsWith('test/')) visit(target, isHere);
  };
  for (const file of imports.keys()) if (file.endsWith('.test.ts')) visit(file, !file.startsWith('test/real/'));
  return here;
}

const isNamer = (file: string): boolean => file !== OWN_TEST && (TEST.test(file) || CHECKER.test(file));

/** Chaos judges rules of the protocol from outside, and says what each is there. */
const isRestated = (file: string, code: string): boolean => file.startsWith('test/chaos/') && /^[PI]\d+$/.test(code);

/** @param read  the text of a file of the tree */
export function reportOn(imports: Imports, read: (file: string) => string): Report {
  const files = [...imports.keys()].sort();
  const sources = files.filter((file) => file.endsWith('.ts') && !TEST.test(file));
  const definitions = [
    ...rulesIn(read(RULES_PAGE)),
    ...sources.flatMap((file) => definitionsIn(file, read(file))),
  ].filter(({ file, code }) => !isRestated(file, code));
  const known = Map.groupBy(definitions, ({ code }) => code);
  const run = runBy(imports);
  const tests = new Map<string, Naming[]>();
  for (const file of files.filter((name) => run.has(name) && isNamer(name))) {
    for (const { code, title } of citationsIn(file, read(file))) {
      tests.set(code, [...(tests.get(code) ?? []), { file, title, real: run.get(file) === false }]);
    }
  }
  const twice = [...known].filter(([, those]) => those.length > 1);
  return {
    invariants: definitions.map((one) => ({ ...one, tests: tests.get(one.code) ?? [] })),
    faults: [
      ...twice.map(([code, those]) => `${code} is defined in ${those.map(({ file }) => file).join(' and ')}`),
      ...files.flatMap((file) => danglingIn(file, read(file), known)),
    ],
  };
}

/** Citations of a file whose code has the name of a file, and a number that nothing defines. */
function danglingIn(file: string, text: string, known: ReadonlyMap<string, unknown>): readonly string[] {
  if (file === OWN_TEST) return [];
  const prefixes = new Set([...known.keys()].map(prefixOf));
  const cited = new Set([...text.matchAll(CODES)].flatMap(([, first = '', last = first]) => [first, last]));
  return [...cited]
    .filter((code) => prefixOf(code).length > 1 && prefixes.has(prefixOf(code)) && !known.has(code))
    .map((code) => `${file} cites ${code}, which is defined nowhere`);
}

const prefixOf = (code: string): string => code.replace(/-?\d+[a-z]?$/, '');

/**
 * Invariants that since an earlier report are gone, are not named any more, or are named by test/real alone: a line for each.
 * One that was moved or was given another code is recognized by its sentence.
 */
export function lostSince(before: Report, now: Report): readonly string[] {
  return before.invariants.flatMap((old) => {
    const { file, code, sentence } = old;
    const same =
      now.invariants.find((one) => one.file === file && one.code === code) ??
      now.invariants.find((one) => one.sentence === sentence);
    const what = `${file} ${code}: ${sentence}`;
    if (same === undefined) return [`gone: ${what}`];
    if (old.tests.length > 0 && same.tests.length === 0) return [`not named any more: ${what}`];
    const isHere = ({ tests }: Invariant): boolean => tests.some(({ real }) => !real);
    return isHere(old) && !isHere(same) ? [`named by test/real alone: ${what}`] : [];
  });
}

/** The report for people. */
export function linesOf({ invariants, faults }: Report): readonly string[] {
  const table = [...Map.groupBy(invariants, ({ file }) => file)].flatMap(([file, those]) => [
    file,
    ...those.flatMap(({ code, sentence, tests }) => [
      `  ${code} ${sentence}`,
      ...tests.map(({ file: namer, title, real }) => `         ${namer}: ${title}${real ? ' [test/real alone]' : ''}`),
      ...(tests.length === 0 ? ['         no test names it'] : []),
    ]),
  ]);
  const named = invariants.filter(({ tests }) => tests.length > 0).length;
  return [
    ...table,
    ...faults,
    `${invariants.length} invariants, ${named} named by a test, ${invariants.length - named} not named`,
  ];
}

/** @throws {Error} the file cannot be read, or is not what `--json` writes: nothing would be lost since an empty one */
function storedReport(path: string): Report {
  const report = JSON.parse(readFileSync(path, 'utf8')) as Partial<Report> | null;
  if (!Array.isArray(report?.invariants)) throw new Error(`'${path}' is not a report of --json`);
  return report as Report;
}

function main(): number {
  const { values } = scriptOptions(USAGE, {
    options: {
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      compare: { type: 'string' },
    },
  });
  const before = values.compare === undefined ? undefined : storedReport(values.compare);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const report = reportOn(readImports(root), (file) => readFileSync(join(root, file), 'utf8'));
  if (before !== undefined) {
    const lost = lostSince(before, report);
    process.stdout.write(
      values.json ? `${JSON.stringify({ lost }, undefined, 1)}\n` : [...lost, `${lost.length} lost`, ''].join('\n'),
    );
    return lost.length > 0 ? 1 : 0;
  }
  if (values.check) {
    for (const fault of report.faults) process.stdout.write(`${fault}\n`);
    return report.faults.length > 0 ? 1 : 0;
  }
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 1)}\n` : `${linesOf(report).join('\n')}\n`);
  return 0;
}

if (import.meta.main) {
  try {
    process.exitCode = main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
