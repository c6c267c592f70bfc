// What dashboard and alerts ask for is what pods tell, and each alert is explained.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROWS } from '../../deploy/panels.ts';
import { namesIn } from './promql.ts';
import { ALERTS } from './rules.ts';
import { toldMetrics } from './told-metrics.ts';

const test = suite('dashboard and alerts');
/** Of the target that a sample was read from, as Prometheus' operator has them. */
const TARGET = ['job', 'instance', 'namespace', 'pod'];
const queries = [
  ...ALERTS.map(({ expr }) => expr),
  ...ROWS.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))),
];

test('names in queries are found', () => {
  const query =
    'histogram_quantile(0.9, sum by (namespace, le) (rate(a_bucket{x="1,y=2",z=~"b"}[5m]))) > 5 and on (job) c unless d';
  assert.equal(namesIn(query), {
    selected: [
      { metric: 'a_bucket', labels: ['x', 'z'] },
      { metric: 'c', labels: [] },
      { metric: 'd', labels: [] },
    ],
    grouped: ['namespace', 'le', 'job'],
  });
});

test('what is asked for, pods tell, with the labels that it is asked by', async () => {
  const names = await toldMetrics();
  for (const query of queries) {
    const { selected, grouped } = namesIn(query);
    assert.ok(selected.length > 0, query);
    for (const { metric, labels } of selected) {
      const known = names.get(metric);
      if (known === undefined) throw new Error(`no pod tells '${metric}', which is asked for by '${query}'`);
      for (const label of labels)
        assert.ok(known.has(label) || TARGET.includes(label), `'${metric}' has no label '${label}': ${query}`);
    }
    const all = new Set([...TARGET, ...selected.flatMap(({ metric }) => [...(names.get(metric) ?? [])])]);
    for (const label of grouped) assert.ok(all.has(label), `nothing has the label '${label}': ${query}`);
  }
});

test('names are as Prometheus wants them, and no label names an object', async () => {
  for (const [name, labels] of await toldMetrics()) {
    if (!name.startsWith('troupe_')) continue;
    assert.not.match(name, /_(ms|milliseconds|minutes|kb|mb)(_|$)/);
    for (const label of labels) assert.not.ok(['name', 'namespace', 'uid', 'object', 'shard'].includes(label), name);
  }
});

test('each alert says for how long, how bad, what is so, and has a section', () => {
  const page = readFileSync(new URL('../../deploy/operating.md', import.meta.url), 'utf8');
  const sections = [...page.matchAll(/^#+ (Troupe\w+)$/gm)].map(([, name]) => name);
  assert.equal([...sections].sort(), ALERTS.map(({ alert }) => alert).sort());
  for (const { alert, for: least, labels, annotations } of ALERTS) {
    const { summary, description } = annotations;
    assert.match(least, /^\d+[smh]$/, alert);
    assert.ok(['critical', 'warning', 'info'].includes(labels.severity), alert);
    assert.ok(summary.endsWith('.') && description.length > summary.length / 2, alert);
    assert.equal(
      Object.keys(annotations),
      ['summary', 'description'],
      'an address of the section is known to the chart only',
    );
  }
});

test.run();
