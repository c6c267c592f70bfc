// Invariants and the tests that name them: `npm run -s invariants -- [options]`.
//
// An invariant is a numbered line of a comment, `//   O4. A sentence.`, in a source or in a module of the tests; the rules of the
// protocol (P1 to P13, I1 to I11) are listed here. A test names one in a title or a message, `(O4, P9)` or `O4: ...`, or in the
// head of its file; a checker of histories or of chaos in what it reports. Several files define the same code, so that the first
// of these that finds a definition says whose it is:
//
//   1. the test has the name of the source, in the same place below test/ or test/real/;
//   2. it imports the source, of its own top-level folder or else of another;
//   3. its folder, or its own name, is that of the source's folder;
//   4. its folder is one above the source's, and the test has its name, or it alone of those below is what the test speaks of;
//   5. it imports the `mod.ts` of the source's folder, and nothing in its own top-level folder defines the code;
//   6. the code is a rule of the protocol;
//   7. no other file defines the code, and the test speaks of the file's subject ("elsewhere").
//
// What several files of one folder define belongs to those whose subject the test speaks of, or else to all of them.
// The last line is `N invariants, N named by a test, N not named`.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { scriptOptions } from '../deploy/script-options.ts';
import { type Imports, readImports } from './imports.ts';

const USAGE = `Usage: npm run invariants -- [options]

Prints the numbered invariants of the sources, each with the tests that name it.

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
  readonly elsewhere: boolean;
}

export interface Invariant {
  readonly file: string;
  readonly code: string;
  readonly sentence: string;
  readonly tests: readonly Naming[];
}

export interface Report {
  readonly invariants: readonly Invariant[];
  /** Codes that a test names and that none of the definitions can be told to be. */
  readonly unresolved: readonly { readonly file: string; readonly code: string; readonly title: string }[];
}

type Definition = Omit<Invariant, 'tests'>;

interface Citation {
  readonly code: string;
  readonly title: string;
}

/** Rules that no file of the tree defines, and many cite. */
export const PROTOCOL = 'protocol';
const RULES: Readonly<Record<string, string>> = {
  P1: 'A dependent that has built nothing withdraws its claim on a dependency that is being deleted.',
  P2: 'An answer counts only for the incarnation that it names.',
  P3: 'A guard finalizer is removed only from an object that is being deleted.',
  P4: 'Claims of one claimant are ordered by incarnation; an older one never replaces a newer one.',
  P5: 'The messages of a deleted object are removed; live claims on its name stay.',
  P6: 'An older view of an object never replaces a newer one.',
  P7: 'A deleted object that waits asks the API server whether its claimants are still there.',
  P8: 'An incomplete table of claims releases a finalizer only after the API server confirmed it.',
  P9: 'Every publication names the sequence that it replaces, and none is made without the lease.',
  P10: 'No external call begins unless its deadline is before the end of the lease.',
  P11: 'A lost or rolled-back stream is detected before any of its values is used.',
  P12: 'The own finalizer is stored before anything is made and removed after the acknowledged tombstones.',
  P13: 'A request that must not be repeated is listed, acknowledged, before it is sent.',
  I1: 'Nothing is created before every dependency is ready and guarded.',
  I2: 'Nothing external is deleted while it is claimed.',
  I3: 'A guard finalizer is removed with the last claim, not before, and is never left behind.',
  I4: 'A managed object has exactly one external resource; a deleted one has none.',
  I5: 'No secret is on the bus, in a log, an event, a status or the visualizer.',
  I6: 'Waiting is never an error.',
  I7: 'The reaction to readiness uses no timer.',
  I8: 'Status is written only when it changes.',
  I9: 'The last values alone lead to the same end state, after any crash.',
  I10: 'What the cloud returns is stored in status unchanged.',
  I11: 'A failing object never affects another one.',
};

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

/** Where a file stands, whichever of the trees it is in. */
const placeOf = (file: string): string => file.replace(/^test\/(real\/)?/, '').replace(/(\.(test|suite))?\.ts$/, '');

/** What a file is about, in lower-case words and without the `s` of a plural: its name, or that of its folder. */
function subjectOf(file: string): string {
  const stem = basename(file, '.ts');
  return (['machine', 'mod'].includes(stem) ? basename(dirname(file)) : stem).replaceAll('-', ' ').replace(/s$/, '');
}

const speaksOf = (text: string, subject: string): boolean =>
  text
    .toLowerCase()
    .replaceAll(/[-\s/]+/g, ' ')
    .includes(subject);

/** The top-level folder of the sources that a file belongs to. */
const roomOf = (file: string): string | undefined => placeOf(file).split('/')[0];

interface Owners {
  readonly files: readonly string[];
  readonly elsewhere: boolean;
}

interface Namer {
  readonly file: string;
  /** Words of the file, as a reader would look for them. */
  readonly text: string;
  readonly imports: readonly string[];
}

/** Whose code it is that a test names, and whether that is known from the tree alone. */
function ownersOf({ file, text, imports }: Namer, definers: readonly string[]): Owners {
  const place = placeOf(file);
  const isSpokenOf = (source: string): boolean => speaksOf(text, subjectOf(source));
  const isIn = (folder: string) => (source: string) => dirname(placeOf(source)) === folder;
  const ofItsRoom = definers.filter((source) => roomOf(source) === roomOf(file));
  const below = definers.filter((source) => placeOf(source).startsWith(`${dirname(place)}/`));
  const ofItsName = below.filter((source) => basename(placeOf(source)) === basename(place));
  const spokenOf = below.filter(isSpokenOf);
  const tiers = [
    definers.filter((source) => placeOf(source) === place),
    ofItsRoom.filter((source) => imports.includes(source)),
    definers.filter((source) => imports.includes(source)),
    definers.filter((source) => isIn(place)(source) || isIn(dirname(place))(source)),
    ofItsName.length === 1 ? ofItsName : spokenOf.length === 1 ? spokenOf : [],
    ofItsRoom.length > 0 ? [] : definers.filter((source) => imports.includes(`${dirname(source)}/mod.ts`)),
    definers.filter((source) => source === PROTOCOL),
  ];
  const those = tiers.find((some) => some.length > 0);
  if (those === undefined) return { files: definers.length === 1 ? definers.filter(isSpokenOf) : [], elsewhere: true };
  const preferred = those.filter(isSpokenOf);
  return { files: preferred.length > 0 ? preferred : those, elsewhere: false };
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

/** @param read  the text of a file of the tree */
export function reportOn(imports: Imports, read: (file: string) => string): Report {
  const files = [...imports.keys()].sort();
  const protocol = Object.entries(RULES).map(([code, sentence]) => ({ file: PROTOCOL, code, sentence }));
  const sources = files.filter((file) => file.endsWith('.ts') && !TEST.test(file));
  const definitions = [...protocol, ...sources.flatMap((file) => definitionsIn(file, read(file)))];
  const definers = Map.groupBy(definitions, ({ code }) => code);
  const run = runBy(imports);
  const tests = new Map<string, Naming[]>();
  const unresolved: Report['unresolved'][number][] = [];
  for (const file of files.filter((name) => run.has(name) && isNamer(name))) {
    const text = read(file);
    const namer = { file, text, imports: imports.get(file) ?? [] };
    for (const { code, title } of citationsIn(file, text)) {
      const those = definers.get(code)?.map((definition) => definition.file);
      if (those === undefined) continue;
      const owners = ownersOf(namer, those);
      if (owners.files.length === 0) unresolved.push({ file, code, title });
      for (const owner of owners.files) {
        const naming = { file, title, real: run.get(file) === false, elsewhere: owners.elsewhere };
        tests.set(`${owner} ${code}`, [...(tests.get(`${owner} ${code}`) ?? []), naming]);
      }
    }
  }
  return {
    invariants: definitions.map((one) => ({ ...one, tests: tests.get(`${one.file} ${one.code}`) ?? [] })),
    unresolved,
  };
}

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
export function linesOf({ invariants, unresolved }: Report): readonly string[] {
  const table = [...Map.groupBy(invariants, ({ file }) => file)].flatMap(([file, those]) => [
    file,
    ...those.flatMap(({ code, sentence, tests }) => [
      `  ${code.padEnd(4)} ${sentence}`,
      ...tests.map((naming) => {
        const how = [naming.elsewhere ? 'elsewhere' : '', naming.real ? 'test/real alone' : ''].filter(Boolean);
        return `         ${naming.file}: ${naming.title}${how.length > 0 ? ` [${how.join(', ')}]` : ''}`;
      }),
      ...(tests.length === 0 ? ['         no test names it'] : []),
    ]),
  ]);
  const lost = unresolved.map(({ file, code, title }) => `  ${code.padEnd(4)} ${file}: ${title}`);
  const named = invariants.filter(({ tests }) => tests.length > 0).length;
  return [
    ...table,
    ...(lost.length > 0 ? ['named by tests, and of several files or of none that the test speaks of', ...lost] : []),
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
    options: { json: { type: 'boolean', default: false }, compare: { type: 'string' } },
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
