// The metrics that pods tell, those of adapters included.
import { systemClock } from '../../actors/base/clock.ts';
import { metrics } from '../../actors/observability/metrics.ts';
import { BUILT_IN as ADAPTERS } from '../../actors/process/adapters.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { type Address, type Bus, memoryBroker, TransientError } from '../../bus/mod.ts';

/** The page of a pod in which everything has happened once: labels by the name of the metric. */
export async function toldMetrics(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const clock = systemClock();
  const figures = metrics({ clock });
  figures.declare(ADAPTERS.flatMap(({ metrics: declared = [] }) => declared));
  const address: Address = { realm: 'r', plural: 'p', namespace: 'n', name: 'x' };
  const bus: Bus = memoryBroker({ clock }).connect();
  const { trace } = figures.countedBus(bus);
  trace.emit({ actor: address, type: 'transition', data: { from: '', to: 'a', tags: ['failing'], failure: 'quota' } });
  trace.emit({ actor: address, type: 'transition', data: { from: 'a', to: 'b', tags: ['settled'] } });
  figures.onCall({ service: 's', method: 'GET', path: '/', status: 200, durationMs: 1, traceparent: '' });
  figures.onUserEvent('Kind', 'Reason');
  figures.onRefused({ realm: 'r', operation: 'create', reason: 'unknown' } as never);
  figures.onDropped('failed');
  figures.onInterrupted(address);
  figures.onWebhook({ path: '/', code: 200, durationMs: 1, objects: 1 });
  const away = new TransientError('away');
  const create = figures.timed({ ...address, operation: 'create' }, () => Promise.reject(away));
  await create({} as never).catch(() => undefined);
  const client = { call: () => Promise.reject(away) } as unknown as KubeClient;
  await figures
    .counted(client)
    .call({ method: 'GET', path: '/' })
    .catch(() => undefined);
  figures.follow({
    countByState: () => new Map([['a', 1]]),
    hostedObjects: () => [{ address, state: 'a', tags: new Set(['failing']) }],
    load: () => ({
      shards: { live: 1, opening: 0, closing: 0, all: 1 },
      queues: { mail: 0, answers: 0, statuses: 0 },
      calls: new Map([['r', { underWay: 1, waiting: 0, limit: 2 }]]),
    }),
    rejectedMessages: 0,
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
