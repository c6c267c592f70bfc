// A retired name is found where it is one, and nowhere else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { retiredIn, retiredName, wordsIn } from './words.ts';

const test = suite('retired words');

const WORDS = wordsIn(
  '# Names.\nSharers ReplicaCount\nsharers replicaCount\n\n# spellings\ncolour color\n# names of others\n/colour`\n',
);
const found = (text: string, file = 'actors/a.ts'): readonly string[] => retiredIn(file, text, WORDS);

test('a retired name is found as an identifier, a property and a private name', () => {
  const code = 'import type { Sharers } from "./a.ts";\nconst { sharers: b } = c;\nclass D { #sharers = 1; }\n';
  assert.equal(found(code), [
    "actors/a.ts:1: 'Sharers' is retired: write 'ReplicaCount'",
    "actors/a.ts:2: 'sharers' is retired: write 'replicaCount'",
    "actors/a.ts:3: 'sharers' is retired: write 'replicaCount'",
  ]);
});

test('comments, strings, longer names and other files may say it', () => {
  assert.equal(found("// Sharers\nconst a = 'sharers';\nconst sharersOf = `sharers`;\n"), []);
  assert.equal(found('Sharers', 'README.md'), []);
});

test('a spelling is found in all text, in each case', () => {
  assert.equal(found('Colours, COLOUR', 'README.md'), [
    "README.md:1: 'colour' is retired: write 'color'",
    "README.md:1: 'colour' is retired: write 'color'",
  ]);
});

test('what others call so is left', () => {
  assert.equal(found('`/colour`, `/color`', 'README.md'), []);
});

test('a file is not called by a retired name', () => {
  assert.is(retiredName('test/actors/sharers.test.ts', WORDS).length, 1);
  assert.is(retiredName('actors/colours.ts', WORDS).length, 1);
  assert.equal(retiredName('actors/replica-count.ts', WORDS), []);
});

test.run();
