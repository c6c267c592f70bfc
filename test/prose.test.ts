// Patterns of hard English are found in text for people, and nowhere else; their number never grows (issue 34, part 6).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { growth, matchesIn, patternsIn, storedIn } from './prose.ts';

const test = suite('prose');

const PATTERNS = patternsIn('# Patterns.\n\\bis gone\\b => is deleted\n^// (Of|By) [a-z] => start with the noun\n');
const found = (text: string, file = 'actors/a.ts'): readonly string[] =>
  matchesIn(file, text, PATTERNS).map(({ line, found, instead }) => `${line}: ${found} -> ${instead}`);

test('34.6: a pattern is found in comments, strings and templates, with its line', () => {
  const code =
    '// The network is gone.\nconst a = "it is gone";\n/** The port\n * is gone. */\nconst b = `\n is gone`;\n';
  assert.equal(found(code), [
    '1: is gone -> is deleted',
    '4: is gone -> is deleted',
    '2: is gone -> is deleted',
    '6: is gone -> is deleted',
  ]);
});

test('34.6: code may say it', () => {
  assert.equal(found('const is = gone; is\ngone;\n'), []);
});

test('34.6: a pattern is found across the lines of a comment', () => {
  assert.equal(found('const a = 1;\n// The network\n// is gone.\n// The port is\n// gone.\n'), [
    '3: is gone -> is deleted',
    '4: is gone -> is deleted',
  ]);
});

test('34.6: the first word of a comment counts, and that of its other lines does not', () => {
  assert.equal(found('/** Of claims. */\nconst a = 1; // By name.\n// The list\n// Of others.\n'), [
    '1: Of c -> start with the noun',
    '2: By n -> start with the noun',
  ]);
});

test('34.6: a page counts but for its blocks of code', () => {
  assert.equal(found('# A\n\n```sh\nis gone\n```\n\nIt is gone.\n', 'README.md'), ['7: is gone -> is deleted']);
});

test('34.6: more matches than are stored are named, and what to write instead', () => {
  const matches = matchesIn('a.ts', '// It is gone.\n', PATTERNS);
  assert.equal(growth(matches, storedIn('# Counts.\n1 a.ts\n')), []);
  assert.equal(growth(matches, storedIn('1 b.ts\n')), [
    "a.ts:1: 'is gone': write: is deleted",
    'a.ts: 1 matches, 0 are stored',
  ]);
  assert.equal(growth([...matches, ...matches], storedIn('2 a.ts\n')), []);
  assert.is(growth([...matches, ...matches], storedIn('1 a.ts\n')).at(-1), '2 matches, 1 are stored');
});

test.run();
