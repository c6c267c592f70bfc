// What an audit of the dependencies says, and when it fails.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judge } from './audit.ts';

const test = suite('audit of dependencies');
const report = (...severities: readonly string[]): string =>
  JSON.stringify({
    vulnerabilities: Object.fromEntries(severities.map((severity, index) => [`p${index}`, { severity, range: '<1' }])),
  });

test('grave vulnerabilities fail, others are told', () => {
  assert.equal(judge(report()), { passed: true, lines: ['no known vulnerability'] });
  assert.equal(judge(report('moderate')), { passed: true, lines: ['moderate: p0 <1'] });
  assert.equal(judge(report('low', 'high')), { passed: false, lines: ['high: p1 <1', 'low: p0 <1'] });
  assert.not.ok(judge(report('critical')).passed);
});

test('where nothing can be told, that is said', () => {
  const refused = JSON.stringify({ error: { code: 'ENOAUDIT', summary: 'the registry does not support audits' } });
  assert.equal(judge(refused), { passed: true, lines: ['not audited: the registry does not support audits'] });
  assert.equal(judge('{"message":"404 Not Found"}').lines, ['not audited: 404 Not Found']);
  assert.equal(judge('').lines, ['not audited: npm printed no report']);
});

test.run();
