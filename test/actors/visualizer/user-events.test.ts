// Kubernetes Events about one object on the page: which are asked for, their order and limit, and fields of others that are anything.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { userEventsOf } from '../../../actors/visualizer/user-events.ts';
import type { KubeClient } from '../../../adapters/kubernetes/mod.ts';
import { type JsonObject, TransientError } from '../../../bus/mod.ts';

const test = suite('events of Kubernetes on the page');

const ADDRESS = { realm: 'openstack', plural: 'networks', namespace: 'shop', name: 'front' };

function answering(items: readonly JsonObject[], paths: string[] = []): Pick<KubeClient, 'call'> {
  const call = async ({ path }: { readonly path: string }) => {
    paths.push(path);
    return { body: { items }, serverTime: 0 };
  };
  return { call } as unknown as Pick<KubeClient, 'call'>;
}

test('those of the object are asked for in its namespace; those of cluster-scoped objects in the default one', async () => {
  const paths: string[] = [];
  await userEventsOf(answering([], paths), ADDRESS, 'Network');
  await userEventsOf(answering([], paths), { ...ADDRESS, namespace: '' }, 'Network');
  const selector = encodeURIComponent('involvedObject.kind=Network,involvedObject.name=front');
  assert.equal(paths, [
    `/api/v1/namespaces/shop/events?fieldSelector=${selector}`,
    `/api/v1/namespaces/default/events?fieldSelector=${selector}`,
  ]);
});

test('the newest come first, by the last time of each, then by when it was made', async () => {
  const items = [
    { reason: 'Old', type: 'Normal', message: 'm', count: 2, lastTimestamp: '2026-01-01T00:00:01Z' },
    { reason: 'New', type: 'Warning', message: 'n', lastTimestamp: null, eventTime: '2026-01-01T00:00:03Z' },
    { reason: 'Between', metadata: { creationTimestamp: '2026-01-01T00:00:02Z' } },
  ];
  const { events } = await userEventsOf(answering(items), ADDRESS, 'Network');
  assert.equal(
    events.map(({ reason, type, count }) => [reason, type, count]),
    [
      ['New', 'Warning', 1],
      ['Between', '', 1],
      ['Old', 'Normal', 2],
    ],
  );
});

test('at most fifty are shown, and fields that are no texts are none', async () => {
  const many = Array.from({ length: 60 }, (_, second) => ({
    reason: `r${second}`,
    lastTimestamp: new Date(second * 1_000).toISOString(),
  }));
  const { events } = await userEventsOf(answering(many), ADDRESS, 'Network');
  assert.is(events.length, 50);
  assert.is(events[0]?.reason, 'r59');
  const broken = { reason: 7, type: {}, message: ['x'], count: 'many', lastTimestamp: 'yesterday' };
  const { events: read } = await userEventsOf(answering([broken]), ADDRESS, 'Network');
  assert.equal(read, [{ at: 0, type: '', reason: '', message: '', count: 1 }]);
});

test('an answer that does not come is no event and says why', async () => {
  const call = async (): Promise<never> => {
    throw new TransientError('events cannot be listed');
  };
  const client = { call } as unknown as Pick<KubeClient, 'call'>;
  assert.equal(await userEventsOf(client, ADDRESS, 'Network'), {
    events: [],
    eventsTrouble: 'events cannot be listed',
  });
});

test.run();
