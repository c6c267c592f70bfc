// What dashboard and alerts ask for is what pods tell, and each alert is explained.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../actors/clock.ts';
import { metrics } from '../../actors/telling/metrics.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Address, type Bus, memoryBroker, TransientError } from '../../bus/mod.ts';
import { ALERT_GROUPS, runbookUrl } from '../../deploy/alerts.ts';
import { ROWS } from '../../deploy/panels.ts';
import type { Kind } from '../../machines/kind.ts';
import { namesIn } from './promql.ts';

const test = suite('dashboard and alerts');
/** Of the target that a sample was read from, as Prometheus' operator has them. */
const TARGET = ['job', 'instance', 'namespace', 'pod'];
const alerts = ALERT_GROUPS.flatMap((group) => group.alerts);
const queries = [
  ...alerts.map(({ expr }) => expr),
  ...ROWS.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))),
];

/** The page of a pod in which everything has happened once: labels by the name of the metric. */
async function told(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const clock = systemClock();
  const figures = metrics({ clock });
  const address: Address = { realm: 'r', plural: 'p', namespace: 'n', name: 'x' };
  const bus: Bus = memoryBroker({ clock }).connect();
  const { trace } = figures.countedBus(bus);
  trace.emit({ actor: address, type: 'transition', data: { from: '', to: 'a', tags: ['failing'], failure: 'quota' } });
  trace.emit({ actor: address, type: 'transition', data: { from: 'a', to: 'b', tags: ['settled'] } });
  figures.onCall({ service: 's', method: 'GET', path: '/', status: 200, durationMs: 1, traceparent: '' });
  figures.onNews('Kind', 'Reason');
  figures.onRefused({ realm: 'r', operation: 'create', reason: 'unknown' } as never);
  figures.onDropped('failed');
  figures.onInterrupted(address);
  const away = new TransientError('away');
  const operations = { create: () => Promise.reject(away) };
  const [kind] = figures.timed([{ ...address, operations } as unknown as Kind]);
  await kind?.operations['create']?.({} as never).catch(() => undefined);
  const client = { call: () => Promise.reject(away) } as unknown as KubeClient;
  await figures
    .counted(client)
    .call({ method: 'GET', path: '/' })
    .catch(() => undefined);
  figures.follow({
    census: () => new Map([['a', 1]]),
    inhabitants: () => [{ address, state: 'a', tags: new Set(['failing']) }],
    load: () => ({
      shards: { live: 1, opening: 0, closing: 0, all: 1 },
      queues: { mail: 0, answers: 0, statuses: 0 },
      calls: new Map([['r', { underWay: 1, waiting: 0, limit: 2 }]]),
    }),
    refusedMail: 0,
  });
  const { body } = await figures.text();
  await bus.close();
  const names = new Map<string, Set<string>>();
  for (const [, name = '', type] of body.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const all = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name];
    for (const each of all) names.set(each, new Set());
  }
  for (const [, name = '', labels = ''] of body.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) names.get(name)?.add(label);
  }
  // Mail has no lag where nobody says when it was stored.
  for (const part of ['_bucket', '_sum', '_count']) names.get(`troupe_mail_lag_seconds${part}`)?.add('topic');
  names.get('troupe_mail_lag_seconds_bucket')?.add('le');
  return names;
}

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
  const names = await told();
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
  for (const [name, labels] of await told()) {
    if (!name.startsWith('troupe_')) continue;
    assert.not.match(name, /_(ms|milliseconds|minutes|kb|mb)(_|$)/);
    for (const label of labels) assert.not.ok(['name', 'namespace', 'uid', 'object', 'shard'].includes(label), name);
  }
});

test('each alert says for how long, how bad, what is so, and has a section', () => {
  const page = readFileSync(new URL('../../deploy/operating.md', import.meta.url), 'utf8');
  const sections = [...page.matchAll(/^#+ (Troupe\w+)$/gm)].map(([, name]) => name);
  assert.equal([...sections].sort(), alerts.map(({ name }) => name).sort());
  for (const { name, for: least, summary, description } of alerts) {
    assert.match(least, /^\d+[smh]$/, name);
    assert.ok(summary.endsWith('.') && description.length > summary.length / 2, name);
    assert.is(runbookUrl(name), `deploy/operating.md#${name.toLowerCase()}`);
  }
});

test.run();
