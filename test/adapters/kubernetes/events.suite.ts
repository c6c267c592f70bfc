// What writing Events must do on any API server.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EventRecord,
  EventType,
  events,
  ForbiddenError,
  type KubeClient,
} from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, ConflictError } from '../../../bus/mod.ts';
import { rejection } from '../../world/rejection.ts';
import type { Opened } from './objects.suite.ts';

const HELD = 'example.org/held';

interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly record: EventRecord;
}

async function inNamespace({ clock, ...opened }: Opened, run: (place: Place) => Promise<void>): Promise<void> {
  const client = opened.client();
  const namespace = `events-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const about = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    namespace,
    name: 'a',
    uid: 'uid-a',
    resourceVersion: '7',
  };
  const firstAt = Date.parse('2026-01-01T00:00:00.500Z');
  const reported = {
    type: EventType.Warning,
    reason: 'Drifted',
    message: 'Changed back',
    count: 1,
    firstAt,
    lastAt: firstAt,
  };
  try {
    await client.call({ method: 'POST', path: '/api/v1/namespaces', body });
    await run({ client, namespace, record: { name: 'a.1', about, ...reported } });
  } finally {
    await end(client, namespace);
    await client.close();
  }
}

/** A test may have deleted it already. */
async function end(client: KubeClient, namespace: string): Promise<void> {
  try {
    await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
  }
}

export function eventsSuite(test: Test, open: () => Promise<Opened>): void {
  const check = (title: string, run: (place: Place) => Promise<void>): void => {
    test(title, async () => {
      const opened = await open();
      await inNamespace(opened, run).finally(opened.close);
    });
  };

  check('an event is written once, and its repetition changes its count, message and time', async (at) => {
    const { client, namespace, record } = at;
    const written = events({ client, component: 'troupe', instance: 'pod-1' });
    await written.create(record);
    assert.instance(await rejection(written.create(record)), ConflictError);
    await written.repeat({ ...record, message: 'Changed back again', count: 3, lastAt: record.lastAt + 60_000 });
    const path = `/api/v1/namespaces/${namespace}/events/a.1`;
    const { apiVersion, kind, metadata, ...stored } = (await client.call({ method: 'GET', path })).body;
    assert.equal([apiVersion, kind], ['v1', 'Event']);
    assert.is((metadata as { namespace?: string }).namespace, namespace);
    assert.equal(stored, {
      involvedObject: record.about,
      type: 'Warning',
      reason: 'Drifted',
      message: 'Changed back again',
      count: 3,
      eventTime: null,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:00Z',
      source: { component: 'troupe' },
      reportingComponent: 'troupe',
      reportingInstance: 'pod-1',
    });
    await client.call({ method: 'DELETE', path });
    assert.instance(await rejection(written.repeat(record)), AbsentError);
  });

  check('a namespace that is being deleted refuses events, and says why', async ({ client, namespace, record }) => {
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', finalizers: [HELD] } };
    await client.call({ method: 'POST', path: secrets, body: secret });
    await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
    const error = await rejection(events({ client, component: 'troupe', instance: 'pod-1' }).create(record));
    const contentType = 'application/merge-patch+json';
    await client.call({ method: 'PATCH', path: `${secrets}/s`, contentType, body: { metadata: { finalizers: null } } });
    assert.instance(error, ForbiddenError);
    assert.is((error as ForbiddenError).isTerminating, true);
  });
}
