import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MUTATIONS } from '../simulation/mutations.ts';
import { suiteFiles } from './change.ts';
import { CHANGES } from './list.ts';
import { marksIn, mutated } from './marks.ts';
import { inTree } from './tree.ts';

const test = suite('mutation');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What becomes of `source` with this mark above it. */
function marked(mark: string, source: string): string {
  const above = `// mutant: some-id ${mark}\n`;
  return inTree({ 'some.ts': above + source }, (root) => {
    const texts = mutated(root, marksIn(root), ['some-id']);
    return texts.get('some.ts')?.slice(above.length) ?? '';
  });
}

function fault(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test('each mark is listed, each listed mutant has a mark, and its tests are there', () => {
  const listed = CHANGES.map(({ id }) => id);
  assert.equal(
    listed.filter((id, index) => listed.indexOf(id) !== index),
    [],
    'listed twice',
  );
  const all = new Set([...listed, ...MUTATIONS.flatMap(({ mutants }) => mutants)]);
  const found = new Set(marksIn(ROOT).map(({ id }) => id));
  assert.equal([...all.difference(found)], [], 'without a mark');
  assert.equal([...found.difference(all)], [], 'not listed');
  const tests = CHANGES.flatMap((change) => change.tests);
  assert.not.throws(() => suiteFiles(ROOT, tests));
});

test('each mark can be applied, and changes the program', () => {
  const marks = marksIn(ROOT);
  for (const { id } of marks) assert.not.throws(() => mutated(ROOT, marks, [id]), id);
});

test('a mark changes what follows it', () => {
  assert.is(marked('drop', 'a();\nb();\n'), ';\nb();\n');
  assert.is(marked('-> if ($1) a();', 'if (a) throw c;\n'), 'if (a) a();\n');
  assert.is(marked('if -> !$', 'if (a && b) c();\n'), 'if ((!(a && b))) c();\n');
  assert.is(marked('&&.2 drop', 'x = a && b && c;\n'), 'x = a && c;\n');
  assert.is(marked('&&.3 drop', 'x = a && b && (c || d);\n'), 'x = a && b;\n');
  assert.is(marked('&&#2.1 drop', 'x = a && (b || (c && d));\n'), 'x = a && (b || (d));\n');
  assert.is(marked('().1 drop', 'a(b, c);\n'), 'a(c);\n');
  assert.is(marked('[].1 drop', 'a = [b,];\n'), 'a = [];\n');
  assert.is(marked('().0.1 -> [$]', 'a.b(c);\n'), '([a]).b(c);\n');
  assert.is(marked('{}.2 -> $: 0', 'a = { b, c };\n'), 'a = { b, c: 0 };\n');
  assert.is(marked(': -> []', "a = { b: 'c' };\n"), 'a = { b: ([]) };\n');
  assert.is(marked('?: -> $3', 'const a = b ? c : d || e;\n'), 'const a = ((d || e));\n');
  assert.is(marked('await -> void $1', 'await a();\n'), '(void a());\n');
});

test('a mark that is none, finds nothing, changes nothing or names what is not there is refused, and so are two of one node', () => {
  assert.match(
    fault(() => marked('if true', 'if (a) b();\n')),
    'some.ts:1: this is no mark',
  );
  assert.match(
    fault(() => marked('&&#2 drop', 'a && b;\n')),
    'there is no &&#2',
  );
  assert.match(
    fault(() => marked('&&.3 drop', 'a && b;\n')),
    'has no part 3',
  );
  assert.match(
    fault(() => marked('if drop', 'if (a) b();\n')),
    'cannot be dropped',
  );
  assert.match(
    fault(() => marked('if -> ($)', 'if (a) b();\n')),
    'changes nothing',
  );
  assert.match(
    fault(() => marked('if -> c', 'if (a) b();\n')),
    "'c' is nowhere else in the source",
  );
  assert.match(
    fault(() => marked("if -> $ === 'old'", 'if (a) b();\n')),
    "'old' is nowhere else in the source",
  );
  assert.match(
    fault(() => marked('drop', '// mutant: some-id if -> true\nif (a) b();\n')),
    'change the same code',
  );
});

test('a suite that no test file has, or two have, is refused', () => {
  const files = { 'test/a.test.ts': "suite('one'); suite('two');", 'test/b/b.test.ts': "suite('two')" };
  inTree(files, (root) => {
    assert.equal([...suiteFiles(root, ['one'])], [['one', join('test', 'a.test.ts')]]);
    assert.match(
      fault(() => suiteFiles(root, ['two'])),
      "both have the suite 'two'",
    );
    assert.match(
      fault(() => suiteFiles(root, ['three'])),
      "no test file has the suite 'three'",
    );
  });
});

test.run();
