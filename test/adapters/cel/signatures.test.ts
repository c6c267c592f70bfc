// Every function that the type checker accepts can be evaluated: one call per signature is checked and evaluated.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { check } from '../../../adapters/cel/checker.ts';
import { evaluator, parseExpression } from '../../../adapters/cel/evaluator.ts';
import { failureOf } from '../../../adapters/cel/failures.ts';
import { SIGNATURES } from '../../../adapters/cel/functions.ts';
import { treeOf } from '../../../adapters/cel/tree.ts';

const test = suite('signatures of CEL functions');

/** An expression of each type. */
const VALUES: Readonly<Record<string, string>> = {
  A: "'a'",
  B: '1',
  int: '1',
  uint: '1u',
  double: '1.5',
  string: "'1'",
  bool: 'true',
  bytes: "b'a'",
  timestamp: "timestamp('2024-01-01T00:00:00Z')",
  duration: "duration('1s')",
  'net.IP': "ip('::1')",
  'net.CIDR': "cidr('::/0')",
  'kubernetes.URL': "url('https://a/')",
  'kubernetes.Quantity': "quantity('1')",
  'kubernetes.Semver': "semver('1.2.3')",
  'kubernetes.NamedFormat': 'format.uri()',
  dyn: 'dyn(1)',
};

/** Texts that functions accept, by the start of their signature; others accept `1`. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^bool\(/, 'true'],
  [/^timestamp\(/, '2024-01-01T00:00:00Z'],
  [/^duration\(/, '1s'],
  [/^timestamp\.get/, 'UTC'],
  [/^(ip[(.]|isIP|net\.CIDR\.containsIP)/, '::1'],
  [/^(cidr\(|net\.CIDR\.containsCIDR)/, '::/0'],
  [/^semver\(/, '1.2.3'],
  [/^url\(/, 'https://a/'],
  [/^string\.format\(/, '%d'],
];

/** An expression of a type; `text` is the value of strings. */
function sampleOf(type: string, text: string): string {
  const [, name, inner = ''] = /^([^<]+)<(.*)>$/.exec(type) ?? [];
  if (name === undefined) return type === 'string' ? `'${text}'` : (VALUES[type] ?? type);
  const parts = typesIn(inner).map((one) => sampleOf(one, text));
  if (name === 'list') return `[${parts[0]}]`;
  return name === 'map' ? `{${parts.join(': ')}}` : `optional.of(${parts[0]})`;
}

const typesIn = (text: string): string[] => (text === '' ? [] : text.split(/, (?![^<]*>)/));

/** A call of a function; undefined for functions that only macros call. */
function callOf(signature: string): string | undefined {
  const [declaration = ''] = signature.split(' #');
  const [, head = '', types = ''] = /^(_\[\??_\]|.*?)\(([^()]*)\): .*$/.exec(declaration) ?? [];
  if (head.includes('@') && head !== '@in') return undefined;
  const text = TEXTS.find(([start]) => start.test(declaration))?.[1] ?? '1';
  const values = typesIn(types).map((type) => sampleOf(type, text));
  const [first = '', second = '', third = ''] = values;
  const index = second === '1' ? '0' : second;
  if (head === '@in') return `${first} in ${second}`;
  if (head === '_?_:_') return `${first} ? ${second} : ${third}`;
  if (head === '!_' || head === '-_') return `${head[0]}(${first})`;
  if (head === '_[_]') return `${first}[${index}]`;
  if (head === '_[?_]') return `${first}[?${index}]`;
  if (head.startsWith('_')) return `${first} ${head.slice(1, -1)} ${second}`;
  const [, target, name] = /^(.*)\.(\w+)$/.exec(head) ?? [];
  const isNamespaced = target === undefined || !(target in VALUES || target.includes('<'));
  return isNamespaced ? `${head}(${values.join(', ')})` : `${sampleOf(target, text)}.${name}(${values.join(', ')})`;
}

test('a call of each passes the type checker and is evaluated', () => {
  const problems = SIGNATURES.flatMap((signature) => {
    const call = callOf(signature);
    if (call === undefined) return [];
    const parsed = parseExpression(call);
    if (!('ast' in parsed)) return [`${signature}: ${call}: ${parsed.problem}`];
    const refusals = check(treeOf(parsed.ast), new Map()).problems.map(({ message }) => `${call}: ${message}`);
    try {
      evaluator(call)({});
    } catch (error) {
      refusals.push(`${call}: ${failureOf(error)}`);
    }
    return refusals;
  });
  assert.ok(SIGNATURES.length > 100);
  assert.is(problems.join('\n'), '');
});

test.run();
