// limit: 600 s
// Mutated model files: nothing crashes or hangs, every complaint has a place that exists, and what is still valid keeps its
// meaning when it is laid out anew. CASES says how many, SEED which.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/clock.ts';
import { format, parse, renderDiagnostic, Workspace } from '../../../adapters/ocm/model/mod.ts';
import { corpus } from './corpus.ts';
import { meaning, noteTexts } from './layout.ts';

const test = suite('fuzz');

const CASES = Number(process.env['CASES'] ?? 3_000);
const SEED = Number(process.env['SEED'] ?? Math.trunc(performance.timeOrigin % 2 ** 31));
/** Far more than a file of this size may take. */
const LIMIT_MS = 2_000;
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

/** One workspace for all, as an editor has: a version that is valid but for one file. */
const workspace = new Workspace();
for (const [path, text] of texts) if (path.startsWith('l')) workspace.set(path, text);

/** @returns whether the file is valid in itself */
function examine(file: string, text: string): boolean {
  const start = performance.now();
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
  assert.ok(performance.now() - start < LIMIT_MS, `took ${performance.now() - start} ms`);
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
