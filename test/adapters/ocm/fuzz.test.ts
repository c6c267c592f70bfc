// long
// Mutated model files: nothing crashes or hangs, every complaint has a place that exists, and what is still valid keeps its
// meaning when it is laid out anew. CASES says how many, SEED which.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { format, parse, renderDiagnostic, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { corpus } from './corpus.ts';
import { meaning, noteTexts } from './layout.ts';

const test = suite('fuzz');

const CASES = Number(process.env['CASES'] ?? 2_000);
const SEED = Number(process.env['SEED'] ?? 20_261_121);
/** Far more than a file of this size may take. */
const LIMIT_MS = 2_000;
const HOSTILE_LIMIT_MS = 5_000;
const TOKENS =
  '@ { } [ ] ( ) = class struct enum error resource method locator in out link attribute value parameter code target variable true false Name ID String Book Root List Get 1 100 99999999999999999999 "x" "y `raw` `z // /* */ # ; é 😀 \\ @ref(path="/library_mgmt/v1/book") @json(name="kind")'.split(
    ' ',
  );
const BLANKS = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\n\n',
  ' // note\n',
  '\n// note\n',
  ' /* block */ ',
  '\n/* block\n */\n',
  '/* b */',
];

const texts = [...corpus()];
const words = texts.flatMap(([, text]) => text.match(/\w+/g)?.slice(0, 40) ?? []);

type Random = () => number;

test(`${CASES} files with mutations (SEED=${SEED})`, () => {
  let valid = 0;
  for (let index = 0; index < CASES; index++) {
    const seed = SEED + index;
    const random = mulberry32(seed);
    const [file, text] = pick(texts, random);
    const mutated = random() < 0.4 ? shaken(text, random) : mutate(text, random);
    try {
      if (examine(file, mutated)) valid++;
    } catch (error) {
      process.stdout.write(`SEED=${seed} CASES=1, ${file}:\n${mutated}\n`);
      throw error;
    }
  }
  assert.ok(valid > CASES / 20, `only ${valid} of ${CASES} stayed valid, so little was laid out`);
});

/** Large inputs whose parts ask for as much work each as they can. */
const HOSTILE: Readonly<Record<string, string>> = {
  'declarations without braces on one line': 'class A '.repeat(8_000),
  'marks without end': '@a('.repeat(12_000),
  'nothing but braces': '{'.repeat(25_000),
  'nothing but closing braces': '}'.repeat(25_000),
  'characters that start nothing': '# '.repeat(25_000),
  'emoji on one line': `class A { ${'B C /* 😀 */ '.repeat(8_000)} }`,
  'strings that are not closed': '"a\n'.repeat(12_000),
  'a name that cannot be split': `class ${'a_'.repeat(8_000)} { ${'b_'.repeat(8_000)} c_c }`,
  'types that do not exist': `class A { ${Array.from({ length: 3_000 }, (_, index) => `B${index} Type${index}`).join(' ')} }`,
  'a long way, and a way back from everywhere': Array.from(
    { length: 2_000 },
    (_, index) => `resource R${index} { locator A { target R${index + 1} } locator B { target R0 } }`,
  ).join('\n'),
  'structs in structs': `resource Root { } @ref(path = "/hostile/v1/s0") class X { } ${Array.from({ length: 3_000 }, (_, index) => `struct S${index} { A S${index + 1} }`).join('\n')}`,
  'notes without end': `${'// a\n'.repeat(12_000)}class A { ${'B C // d\n'.repeat(8_000)} }`,
};

/** Of this process, in milliseconds: what others do on the machine does not count. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

for (const [title, text] of Object.entries(HOSTILE)) {
  test(`takes time in proportion: ${title}`, () => {
    const hostile = new Workspace();
    const start = processorMs();
    hostile.set('hostile/v1/a.model', text);
    const diagnostics = hostile.diagnostics();
    for (const diagnostic of diagnostics) renderDiagnostic(diagnostic, text);
    const syntax = parse('x', text);
    if (syntax.diagnostics.length === 0) format(syntax);
    assert.ok(processorMs() - start < HOSTILE_LIMIT_MS, `took ${processorMs() - start} ms`);
  });
}

/** One workspace for all, as an editor has: a version that is valid but for one file. */
const workspace = new Workspace();
for (const [path, text] of texts) if (path.startsWith('l')) workspace.set(path, text);

/** @returns whether the file is valid in itself */
function examine(file: string, text: string): boolean {
  const start = processorMs();
  const path = file.startsWith('l') ? file : 'library_mgmt/v1/fuzz.model';
  const before = workspace.syntax(path)?.text;
  workspace.set(path, text);
  const lines = text.split('\n');
  for (const diagnostic of workspace.diagnostics()) {
    const { place } = diagnostic;
    if (place.file !== path) continue;
    const line = lines[place.line - 1];
    assert.ok(line !== undefined && place.column >= 1 && place.column <= line.length + 1, JSON.stringify(place));
    renderDiagnostic(diagnostic, text);
  }
  workspace.model();
  const syntax = parse(path, text);
  if (syntax.diagnostics.length === 0) {
    const formatted = format(syntax);
    const again = parse(path, formatted);
    assert.equal(again.diagnostics, []);
    assert.is(meaning(again), meaning(syntax));
    assert.equal(noteTexts(again), noteTexts(syntax));
    assert.is(format(again), formatted);
  }
  if (before === undefined) workspace.remove(path);
  else workspace.set(path, before);
  assert.ok(processorMs() - start < LIMIT_MS, `took ${processorMs() - start} ms`);
  return syntax.diagnostics.length === 0;
}

/** The same tokens, with other blanks and notes between them: as a rule it stays valid. */
function shaken(text: string, random: Random): string {
  const { tokens } = parse('x', text);
  const often = random();
  return tokens.map((token) => (random() < often ? pick(BLANKS, random) : ' ') + token.text).join('');
}

function mutate(text: string, random: Random): string {
  let mutated = text;
  for (let count = 1 + Math.floor(4 * random()); count > 0; count--) {
    const [from, to] = [at(mutated, random), at(mutated, random)].sort((a, b) => a - b) as [number, number];
    const near = Math.min(to, from + 1 + Math.floor(30 * random()));
    const [head, middle, tail] = [mutated.slice(0, from), mutated.slice(from, near), mutated.slice(near)];
    const [, other] = pick(texts, random);
    mutated = pick(
      [
        () => head + tail,
        () => head + middle + middle + tail,
        () => `${head} ${pick(TOKENS, random)} ${middle}${tail}`,
        () => `${head} ${pick(words, random)} ${tail}`,
        () => head + String.fromCharCode(Math.floor(0x250 * random())) + middle + tail,
        () => head + middle.replace(/\s+/, pick(BLANKS, random)) + tail,
        () => head + other.slice(at(other, random)).slice(0, 200) + tail,
        () => mutated.slice(0, to),
      ],
      random,
    )();
  }
  return mutated;
}

function at(text: string, random: Random): number {
  return Math.floor(random() * (text.length + 1));
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T;
}

test.run();
