// What is wrong with a text, in the words of the real API server; the conformance suite compares many more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonProblem, repeatedKeys } from '../../../../adapters/simulated/kubernetes/base/json-text.ts';
import { timeProblem } from '../../../../adapters/simulated/kubernetes/base/time-text.ts';
import { labelRequirements } from '../../../../adapters/simulated/kubernetes/wire/label-selectors.ts';

const test = suite('embedded api server: wording');

const problem = (text: string): string => jsonProblem(Buffer.from(text));
const repeated = (text: string): string[] => repeatedKeys(text, JSON.parse(text));

test('broken JSON is placed and explained', () => {
  assert.is(problem('{"a":'), 'unexpected end of JSON input');
  assert.is(problem('{"a":1,}'), "invalid character '}' looking for beginning of object key string");
  assert.is(problem('{"a":nul}'), "invalid character '}' in literal null (expecting 'l')");
  assert.is(problem('{"a":01}'), "invalid character '1' after object key:value pair");
  assert.is(problem('[1 2]'), "invalid character '2' after array element");
  assert.is(problem('"a\n"'), "invalid character '\\n' in string literal");
  assert.is(problem('{} x'), "invalid character 'x' after top-level value");
});

test('keys that come twice are found at any depth, and spaces mislead nobody', () => {
  assert.equal(repeated('{ "a": { "b": 1, "c": [ {"d": 1, "d": 2} ], "b": 2 } }'), [
    'duplicate field "a.c[0].d"',
    'duplicate field "a.b"',
  ]);
  assert.equal(repeated('{ "a" : "x\\"}", "b": [] , "c": { } }'), []);
});

test('label selectors are read, or refused where they go wrong', () => {
  const wants = (text: string, value: string | undefined): boolean =>
    labelRequirements(text).every((one) => one.test(value));
  assert.ok(wants('a in (x, y)', 'y') && !wants('a in (x, y)', undefined) && wants('a notin (x)', undefined));
  assert.ok(wants('a>1', '2') && !wants('a>1', 'x') && wants('!a', undefined) && wants('a', ''));
  assert.throws(() => labelRequirements('a,'), "found '', expected: identifier after ','");
  assert.throws(() => labelRequirements('a===b'), "unable to parse requirement: found '=', expected: identifier");
  assert.throws(() => labelRequirements('a in x'), "unable to parse requirement: found 'x' expected: '('");
});

test('instants are whole', () => {
  assert.is(timeProblem('2020-02-29T00:00:00Z'), undefined);
  assert.is(timeProblem('2021-02-29T00:00:00Z'), 'parsing time "2021-02-29T00:00:00Z": day out of range');
  assert.match(timeProblem('2020-01-01T00:00:00.5Z', 'microseconds') ?? '', 'cannot parse ".5Z" as ".000000"');
});

test.run();
