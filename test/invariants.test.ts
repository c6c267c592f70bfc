// The list of invariants, on trees that are made up.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importsIn } from './imports.ts';
import {
  citationsIn,
  definitionsIn,
  linesOf,
  lostSince,
  PROTOCOL,
  type Report,
  RULES_PAGE,
  reportOn,
  rulesIn,
} from './invariants.ts';

const test = suite('invariants');

/** The report on a tree of these files; imports are those that the texts say, as paths from the root. */
function report(tree: Readonly<Record<string, string>>): Report {
  const imports = new Map(
    Object.entries(tree)
      .filter(([file]) => file.endsWith('.ts'))
      .map(([file, text]) => [file, importsIn(text)]),
  );
  return reportOn(imports, (file) => tree[file] ?? '');
}

const namersOf = ({ invariants }: Report, file: string, code: string): readonly string[] | undefined =>
  invariants.find((one) => one.file === file && one.code === code)?.tests.map((naming) => naming.file);

const OUTBOX = '// Mail.\n//\n// Invariants:\n//   OUTBOX-4. What stands is not said again.\n';

const PAGE =
  '| | rule | without it |\n| --- | --- | --- |\n| P1 withdraw | It withdraws. It is so. | It waits. |\n| I10 | It is kept. |\n';

test('the rules of the protocol are rows of a page', () => {
  assert.equal(rulesIn(PAGE), [
    { file: PROTOCOL, code: 'P1', sentence: 'It withdraws. It is so.' },
    { file: PROTOCOL, code: 'I10', sentence: 'It is kept.' },
  ]);
  const all = rulesIn(readFileSync(new URL(`../${RULES_PAGE}`, import.meta.url), 'utf8')).map(({ code }) => code);
  assert.equal(all, [...codes('P', 13), ...codes('I', 11)]);
});

const codes = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

test('a definition is a numbered line of a comment, with its first sentence', () => {
  const text = `// Mail.
//
//   O1. One at a time (P9): a.b of it
//       goes on here. And this is not told.
//   LATER-CALLS-12. No full stop
//
//       an example, which belongs to nothing
// O3. No definition: not indented.
/** O4. None either. */
`;
  assert.equal(definitionsIn('a.ts', text), [
    { file: 'a.ts', code: 'O1', sentence: 'One at a time (P9): a.b of it goes on here.' },
    { file: 'a.ts', code: 'LATER-CALLS-12', sentence: 'No full stop' },
  ]);
});

test('a test names codes in titles, in messages, in its head, and in comments that say so', () => {
  const text = `// What becomes of mail, by O7.
import 'uvu';
test('says it once (O1, P9)', () => assert.ok(true, 'closed (O2)'));
test(\`\${what} is so (B1 to B3, seed \${seed})\`, () => call('O8', 'GET N1', 'x (y)'));
// U1: a section
// not O9, which is in passing
const value = f(O5);
`;
  const found = citationsIn('test/a.test.ts', text);
  assert.equal(
    found.map(({ code }) => code),
    ['O1', 'P9', 'O2', 'B1', 'B2', 'B3', 'O7', 'U1'],
  );
  assert.is(found[0]?.title, 'says it once (O1, P9)');
});

test('a checker names what it reports', () => {
  const text = "violate('I1', 'x (I2)'); violate(`I4: ` + what); violate(\"I6: it\"); log('I5 is not reported');";
  assert.equal(
    citationsIn('test/chaos/a.ts', text).map(({ code }) => code),
    ['I1', 'I4', 'I6'],
  );
});

test('a code is defined once, and what is cited is defined', () => {
  const tree = { 'bus/a.ts': OUTBOX, 'test/bus/a.test.ts': "test('a (OUTBOX-4), b (OUTBOX-5), V8, (X-1)', run);" };
  assert.equal(report(tree).faults, ['test/bus/a.test.ts cites OUTBOX-5, which is defined nowhere']);
  assert.equal(report({ 'bus/a.ts': OUTBOX, 'bus/b.ts': OUTBOX }).faults, [
    'OUTBOX-4 is defined in bus/a.ts and bus/b.ts',
  ]);
  assert.ok(linesOf(report(tree)).includes('test/bus/a.test.ts cites OUTBOX-5, which is defined nowhere'));
});

test('a rule of the protocol is named from everywhere, and chaos says what it is there', () => {
  const found = report({
    [RULES_PAGE]: PAGE,
    'test/actors/claims.test.ts': "test('b (P1)', run);",
    'test/chaos/log.ts': '//   I10. It is kept there.\n',
  });
  assert.equal(namersOf(found, PROTOCOL, 'P1'), ['test/actors/claims.test.ts']);
  assert.equal([found.invariants.length, found.faults], [2, []]);
});

test('a suite that nothing runs names nothing, and one that test/real alone runs is told apart', () => {
  const tree = { 'bus/lease.ts': OUTBOX, 'test/bus/lease.suite.ts': "called('a (OUTBOX-4)');" };
  const real = { ...tree, 'test/real/bus/lease.test.ts': "import 'test/bus/lease.suite.ts';" };
  const here = { ...real, 'test/bus/lease.test.ts': "import 'test/bus/lease.suite.ts';" };
  assert.equal(namersOf(report(tree), 'bus/lease.ts', 'OUTBOX-4'), []);
  assert.ok(linesOf(report(tree)).includes('         no test names it'));
  assert.ok(linesOf(report(real)).includes('         test/bus/lease.suite.ts: a (OUTBOX-4) [test/real alone]'));
  assert.ok(linesOf(report(here)).includes('         test/bus/lease.suite.ts: a (OUTBOX-4)'));
  assert.is(linesOf(report(here)).at(-1), '1 invariants, 1 named by a test, 0 not named');
});

test('lost is what is gone, what is not named any more, and what test/real alone names', () => {
  const named = "test('a (OUTBOX-4)', run);";
  const before = report({ 'bus/lease.ts': OUTBOX, 'test/bus/lease.test.ts': named });
  const what = 'bus/lease.ts OUTBOX-4: What stands is not said again.';
  assert.equal(lostSince(before, before), []);
  assert.equal(lostSince(before, report({})), [`gone: ${what}`]);
  assert.equal(lostSince(before, report({ 'bus/lease.ts': OUTBOX })), [`not named any more: ${what}`]);
  assert.equal(lostSince(before, report({ 'bus/lease.ts': OUTBOX, 'test/real/bus/lease.test.ts': named })), [
    `named by test/real alone: ${what}`,
  ]);
  const renamed = {
    'bus/leases.ts': OUTBOX.replace('OUTBOX-4', 'BUS-LEASES-4'),
    'test/bus/leases.test.ts': "test('(BUS-LEASES-4)', run);",
  };
  assert.equal(lostSince(before, report(renamed)), []);
});

test('the command explains itself, and exits with 2 when it is asked for what it does not have', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [fileURLToPath(new URL('invariants.ts', import.meta.url)), ...args], {
      encoding: 'utf8',
    });
  const help = run('--help');
  assert.is(help.status, 0);
  assert.match(help.stdout, /^ {2}--compare FILE/m);
  assert.not.match(help.stdout, /^import/m);
  for (const [args, message] of [
    [['--jsn'], /--jsn/],
    [['FILE'], /FILE/],
    [['--compare'], /--compare/],
    [['--compare', '/nowhere/report.json'], /nowhere/],
    [['--compare', fileURLToPath(new URL('../package.json', import.meta.url))], /is not a report of --json/],
  ] as const) {
    const { status, stdout, stderr } = run(...args);
    assert.equal([status, stdout], [2, ''], String(args));
    assert.match(stderr, message);
  }
});

test.run();
