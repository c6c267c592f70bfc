// Rules get the verdicts of a real API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schemaProblems } from '../../../adapters/simulated/kubernetes/schemas/definition-schema.ts';
import { validateRules } from '../../../adapters/simulated/kubernetes/schemas/rules.ts';
import { compileSchema } from '../../../adapters/simulated/kubernetes/schemas/schema.ts';
import { VALUE, verdicts, withRule } from './verdicts.ts';

const test = suite('verdicts of CEL rules');

/** Verdict of the embedded API server, as verdicts.txt spells it. */
function verdictOf(rule: string): string {
  const schema = withRule(rule);
  const problems = schemaProblems({ type: 'object', properties: { spec: schema } }, 'schema');
  const [refusal] = problems.map(({ body }) => /OptionalOldSelf":null\}: ([^\n]*)/.exec(body)?.[1] ?? body);
  if (refusal !== undefined) {
    return `refused: ${refusal.replace(/^(compilation failed: ERROR: \S+ |program instantiation failed: )/, '')}`;
  }
  const [failure] = validateRules(compileSchema(schema), VALUE, undefined).map(({ body }) => body);
  if (failure === undefined) return 'true';
  if (failure.includes(`failed rule: ${rule}`)) return 'false';
  return failure.replace(/^Invalid value: "object": '?(.*?)(?:': call arguments| evaluating rule: ).*$/s, 'error: $1');
}

for (const [heading, rules] of verdicts()) {
  test(heading.toLowerCase(), () => {
    assert.ok(rules.length > 0);
    const wrong = rules.flatMap(({ rule, verdict }) => {
      const found = verdictOf(rule);
      return found === verdict ? [] : [`${rule}: ${found} instead of ${verdict}`];
    });
    assert.is(wrong.join('\n'), '');
  });
}

test('rules that read oldSelf compare lists of type set and map without their order', () => {
  const holds = (rule: string, old: object): boolean =>
    validateRules(compileSchema(withRule(rule)), VALUE, { ...VALUE, ...old }).length === 0;
  assert.ok(holds('self.s == oldSelf.s && self.s[0] != oldSelf.s[0]', { s: VALUE.s.toReversed() }));
  assert.ok(holds('self.m == oldSelf.m && self.m[0] != oldSelf.m[0]', { m: VALUE.m.toReversed() }));
  assert.ok(holds('self.n != oldSelf.n', { n: VALUE.n.toReversed() }));
});

test.run();
