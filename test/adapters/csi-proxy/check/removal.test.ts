// When what is deprecated may go: the calendar, the count of releases, and where the clock starts.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addMonths, parseDay } from '../../../../adapters/csi-proxy/check/dates.ts';
import { parseHistory } from '../../../../adapters/csi-proxy/check/history.ts';
import { RemovalPolicy } from '../../../../adapters/csi-proxy/check/removal.ts';
import { deprecatedMembers, statusText } from '../../../../adapters/csi-proxy/check/status.ts';
import { fc } from '../../../world/properties.ts';
import { history, type TreeOptions, tree, type Versions } from './trees.ts';

const test = suite('removal');

const FIELD = (mark: string): string =>
  `service G { rpc Do(Q) returns (R); } message Q { int32 a = 1${mark}; } message R {}`;
const marked = (version: string): Versions => ({ [version]: FIELD(' [deprecated = true]') });
const plain = (version: string): Versions => ({ [version]: FIELD('') });
const whole = (version: string): Versions => ({
  [version]: `syntax = "proto3";\n// Deprecated: old.\npackage ${version};\n${FIELD('')}`,
});

type Releases = NonNullable<TreeOptions['releases']>;

function judged(version: string, releases: Releases, today: string): string {
  const policy = new RemovalPolicy(history(releases), today);
  const { severity, permitted } = policy.judge({ group: 'g', version, element: 'Q.a' }, { isMarkedInBase: false });
  return permitted === undefined ? severity : `${severity} ${permitted.release} ${permitted.date}`;
}

/** Minor releases a month apart, beginning on 2024-01-31. */
const monthly = (...versions: readonly Versions[]): Releases =>
  versions.map((one, index) => ({ name: `1.${index}.0`, date: addMonths('2024-01-31', index), versions: one }));

test('a month later is the same day, or the last of the month', () => {
  assert.is(addMonths('2024-01-31', 1), '2024-02-29');
  assert.is(addMonths('2025-01-31', 1), '2025-02-28');
  assert.is(addMonths('2024-02-29', 12), '2025-02-28');
  assert.is(addMonths('2024-12-15', 9), '2025-09-15');
  assert.is(addMonths('2024-05-31', 0), '2024-05-31');
});

test('months later is never earlier, and lands in the right month whatever the day', () => {
  const days = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(days, fc.integer({ min: 0, max: 40 }), (day, months) => {
      const from = day.toISOString().slice(0, 10);
      const to = parseDay(addMonths(from, months));
      const monthOf = (text: string): number => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
      assert.is(monthOf(to) - monthOf(from), months);
      assert.ok(to.slice(8) <= from.slice(8));
    }),
    { numRuns: 200 },
  );
});

for (const day of ['2025-02-29', '2025-13-01', '25-01-01', '2025-1-1', '', '2025-01-01T00:00:00Z']) {
  test(`'${day}' is no date`, () => {
    assert.throws(() => parseDay(day), /a date is YYYY-MM-DD/);
  });
}

test('a stable member stays for 12 months and 3 releases, whichever ends later', () => {
  const [before, after] = [plain('v1'), marked('v1')];
  // Announced in number 2, on 2024-02-29.
  assert.is(judged('v1', monthly(before, after), '2024-03-15'), 'break 5 2025-02-28');
  assert.is(judged('v1', monthly(before, after), '2026-01-01'), 'break 5 2025-02-28');
  assert.is(judged('v1', monthly(before, after, after, after), '2024-12-01'), 'break 5 2025-02-28');
  assert.is(judged('v1', monthly(before, after, after, after), '2025-02-27'), 'break 5 2025-02-28');
  assert.is(judged('v1', monthly(before, after, after, after), '2025-02-28'), 'info');
});

test('a beta member stays for 9 months and 3 releases', () => {
  const releases = monthly(marked('v1beta1'), marked('v1beta1'), marked('v1beta1'));
  assert.is(judged('v1beta1', releases, '2024-10-30'), 'break 4 2024-10-31');
  assert.is(judged('v1beta1', releases, '2024-10-31'), 'info');
});

test('an alpha member may go, with a warning if it was never announced', () => {
  assert.is(judged('v1alpha1', [], '2024-01-01'), 'warn');
  assert.is(judged('v1alpha1', monthly(marked('v1alpha1')), '2024-01-01'), 'info');
});

test('without an announcement the clock would start with the next release', () => {
  assert.is(judged('v1', monthly(plain('v1')), '2024-06-30'), 'break 5 2025-06-30');
});

test('patches and pre-releases do not count, neither as announcement nor as one of the three', () => {
  const of = (name: string, date: string): Releases[number] => ({ name, date, versions: marked('v1') });
  const releases = [
    of('1.0.0-rc.1', '2024-01-01'),
    of('v1.0.0', '2024-02-01'),
    of('1.0.1', '2024-03-01'),
    of('1.1.0', '2024-04-01'),
  ];
  assert.is(judged('v1', releases, '2026-01-01'), 'break 4 2025-02-01');
  assert.is(judged('v1', [...releases, of('2.0.0', '2024-05-01')], '2026-01-01'), 'info');
});

test('the mark of the version counts if it is earlier', () => {
  assert.is(judged('v1', monthly(whole('v1'), whole('v1'), whole('v1')), '2025-01-31'), 'info');
});

test('who unmarks and marks again starts a new clock', () => {
  const releases = monthly(marked('v1'), plain('v1'), marked('v1'));
  assert.is(judged('v1', releases, '2024-04-15'), 'break 6 2025-03-31');
});

test('the status lists what is deprecated, and when it may go', () => {
  const releases = monthly(marked('v1'), marked('v1'));
  const current = tree({ ...marked('v1'), ...marked('v2alpha1'), ...whole('v1beta1') });
  const members = deprecatedMembers(current, { history: history(releases), today: '2024-03-15' });
  assert.is(
    statusText(members),
    `g/v1beta1: not announced by any release; may go with release number 6, not before 2024-12-15
g/v1 Q.a: deprecated since 1.0.0; may go with release number 4, not before 2025-01-31
g/v2alpha1 Q.a: not announced by any release; may go
`,
  );
  assert.is(statusText([]), 'nothing is deprecated\n');
});

test('a release history is read', () => {
  const entry = { name: '1.0.0', date: '2024-01-31', api: 'v1.0.0:api' };
  assert.equal(parseHistory(JSON.stringify({ releases: [entry] }), 'releases.json'), [entry]);
});

for (const [title, content, expected] of [
  ['no JSON', '{', /^'releases\.json' is not JSON: /],
  ['no list', '[]', /must be \{"releases": \[\.\.\.\]\}$/],
  ['nothing', 'null', /must be \{"releases": \[\.\.\.\]\}$/],
  ['a text', '"1.0.0"', /must be \{"releases": \[\.\.\.\]\}$/],
  ['no release', '{"releases": [null]}', /release 1: 'name' must be a version such as 1\.4\.0; got undefined$/],
  ['a name that is no version', '{"releases": [{"name": "first"}]}', /got "first"$/],
  ['no tree', '{"releases": [{"name": "1.0.0", "date": "2024-01-31"}]}', /release 1: 'api' must say where/],
  ['no date', '{"releases": [{"name": "1.0.0", "api": "a", "date": "soon"}]}', /a date is YYYY-MM-DD; got 'soon'$/],
  [
    'another order',
    '{"releases": [{"name": "1.0.0", "api": "a", "date": "2024-02-01"}, {"name": "1.1.0", "api": "a", "date": "2024-01-01"}]}',
    /'1\.1\.0' is older than '1\.0\.0'$/,
  ],
  [
    'the same twice',
    '{"releases": [{"name": "1.0.0", "api": "a", "date": "2024-02-01"}, {"name": "1.0.0", "api": "a", "date": "2024-02-01"}]}',
    /'1\.0\.0' is there twice$/,
  ],
] as const) {
  test(`a release history with ${title} is refused`, () => {
    assert.throws(
      () => parseHistory(content, 'releases.json'),
      (error: Error) => expected.test(error.message),
    );
  });
}

test.run();
