// Rules of schemas: what is said of them before they are stored, what they may cost, and what they evaluate to. All of it
// was asked of a real API server, where test/real/kubernetes/schemas.test.ts asks more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schemaProblems } from '../../../../adapters/simulated/kubernetes/schemas/definition-schema.ts';
import { validateRules } from '../../../../adapters/simulated/kubernetes/schemas/rules.ts';
import { compileSchema } from '../../../../adapters/simulated/kubernetes/schemas/schema.ts';

const test = suite('embedded api server: rules');

const text = { type: 'string', maxLength: 20 };

const PROPERTIES = {
  s: text,
  free: { type: 'string' },
  n: { type: 'integer' },
  l: { type: 'array', maxItems: 10, items: text },
  all: { type: 'array', items: { type: 'string' } },
  m: { type: 'object', maxProperties: 5, additionalProperties: text },
  du: { type: 'string', format: 'duration' },
  any: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
};

const schemaWith = (rule: string): Record<string, unknown> => ({
  type: 'object',
  properties: PROPERTIES,
  'x-kubernetes-validations': [{ rule }],
});

/** What is wrong with a rule, without the place and the rule itself. */
function problemMessage(rule: string): string {
  const problems = schemaProblems({ type: 'object', properties: { spec: schemaWith(rule) } }, 'schema');
  return problems.map(({ body }) => body.replace(/^.*?"OptionalOldSelf":null\}: /, '')).join('\n');
}

/** Rules that are refused, with where and why; the line and the mark beneath it follow from them. */
const REFUSED: readonly (readonly [string, number, string])[] = [
  ['self.zz == 1', 4, "undefined field 'zz'"],
  ["self.n == 'a'", 7, "found no matching overload for '_==_' applied to '(int, string)'"],
  ['self.s.startsWith(1)', 17, "found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ['foo == 1', 0, "undeclared reference to 'foo' (in container '')"],
  ['self.n && true', 4, "expected type 'bool' but found 'int'"],
  [
    'self.n.all(x, true)',
    4,
    "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['self.n in self.l', 7, "found no matching overload for '@in' applied to '(int, list(string))'"],
  ["[1, 'a'].size() == 2", 4, "expected type 'int' but found 'string'"],
  ["self.s.matches('(')", 15, 'invalid matches argument'],
];

test('rules that do not fit their types are refused where they do not', () => {
  for (const [rule, at, why] of REFUSED) {
    const words = `compilation failed: ERROR: <input>:1:${at + 1}: ${why}\n | ${rule}\n | ${'.'.repeat(at)}^`;
    assert.is(problemMessage(rule), words);
  }
  assert.is(problemMessage('self.n'), 'cel expression must evaluate to a bool');
  assert.is(
    problemMessage("int('x') == 1"),
    "program instantiation failed: type conversion error from 'string' to 'int'",
  );
});

test('rules that may cost too much are refused with the factor, and a bound helps', () => {
  assert.match(
    problemMessage('self.all.all(x, self.all.all(y, x != y))'),
    'estimated rule cost exceeds budget by factor of more than 100x',
  );
  assert.match(
    problemMessage('self.all.all(x, self.all.all(y, x != y))'),
    'adding maxItems, maxProperties, and maxLength',
  );
  assert.is(problemMessage('self.l.all(x, self.l.all(y, x != y))'), '');
});

/** Of the value that follows, true. */
const TRUE: readonly string[] = [
  "self.s.size() == 4 && self.s.substring(1, 3) == 'é😀' && self.s.indexOf('b') == 3",
  "self.s.upperAscii() == 'Aé😀B' && self.s.split('').size() == 4",
  "self.s.matches(r'^a\\pL') && self.s.find('[b-c]') == 'b'",
  "self.m.all(k, v, k != v) && self.m.transformList(k, v, v) == ['1']",
  'self.?s.optMap(x, x.size()).orValue(0) == 4 && !self.?free.hasValue()',
  "self.du == duration('90m') && string(self.du) == '5400s'",
  "cidr('10.0.0.0/8').containsIP('10.2.3.4') && ip('::1').isLoopback()",
  "quantity('1Ki').isGreaterThan(quantity('1k')) && quantity('50k').add(quantity('20k')) == quantity('70k')",
  "semver('1.2.3-a.1').isLessThan(semver('1.2.3')) && isSemver('v1.2', true)",
  "url('https://example.com:8080/p?a=1&a=2').getQuery() == {'a': ['1', '2']}",
  "sets.equivalent(self.l, ['y', 'x']) && self.l.sort() == ['x', 'y'] && self.l.max() == 'y'",
  "format.dns1123Label().validate('a_b').hasValue() && !format.named('nothing').hasValue()",
  "'%s has %d, %.1f and %s'.format([self.s, self.n, 2.5, ['q']]) == 'aé😀b has 3, 2.5 and [\"q\"]'",
  'lists.range(3).reverse() == [2, 1, 0] && [[1], [2]].flatten() == [1, 2]',
];

/** Rules that fail to be evaluated, and why. */
const FAILING: readonly (readonly [string, string])[] = [
  ["self.l[5] == 'x'", 'index out of bounds: 5'],
  ["self.m['zz'] == 'x'", 'no such key: zz'],
  ['self.n / (self.n - 3) == 1', 'division by zero'],
  ["self.s.charAt(9) == 'x'", 'index out of range: 9'],
  ['9223372036854775807 + self.n == 1', 'integer overflow'],
];

const VALUE = { s: 'aé😀b', n: 3, l: ['x', 'y'], m: { a: '1' }, du: '1h30m', any: '5%' };

const verdict = (rule: string): string =>
  validateRules(compileSchema(schemaWith(rule)), VALUE, undefined)
    .map(({ body }) => body)
    .join();

test('the functions of the API server are there', () => {
  for (const rule of TRUE) {
    assert.is(problemMessage(rule), '', rule);
    assert.is(verdict(rule), '', rule);
  }
});

test('evaluations fail in the words of the API server', () => {
  for (const [rule, why] of FAILING)
    assert.is(verdict(rule), `Invalid value: "object": ${why} evaluating rule: ${rule}`);
  assert.is(
    verdict('self.any > 5'),
    `Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.any > 5`,
  );
});

test.run();
