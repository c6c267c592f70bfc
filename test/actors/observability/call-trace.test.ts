import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeTraceparent, stepTraceparent } from '../../../actors/base/change-trace.ts';
import { callTrace } from '../../../actors/observability/call-trace.ts';
import type { Trace, TraceEvent } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import type { OperationRequest } from '../../../machines/request.ts';

const test = suite('call trace');
const UIDS = ['11111111-2222-4333-8444-555555555555', '22222222-2222-4333-8444-555555555555'] as const;
const record = { service: 'network', method: 'POST', path: '/things', status: 201, durationMs: 3 };

test('a call is an event of the object that it was made for, also of two in one trace', async () => {
  const events: TraceEvent[] = [];
  const calls = callTrace({ emit: (event) => void events.push(event) } as Trace);
  const requests = UIDS.map((uid) => {
    const metadata = { name: uid.slice(0, 1), namespace: 'ns', uid, resourceVersion: '1', generation: 1 };
    const object: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata };
    const cause = changeTraceparent({ ...object, metadata: { ...metadata, uid: UIDS[0] } });
    return { object, traceparent: stepTraceparent(cause, uid) } as OperationRequest;
  });
  const requestId = 'req-33333333-2222-4333-8444-555555555555';
  const create = async ({ traceparent }: OperationRequest): Promise<void> =>
    calls.onCall({ ...record, traceparent, requestId });
  const { things = {} } = calls.follow('test', { things: { create } });
  await Promise.all(requests.map((request) => things['create']?.(request as never)));
  calls.onCall({ ...record, traceparent: requests[0]?.traceparent ?? '' });
  assert.equal(
    events.map(({ actor, traceparent, data }) => [actor.name, traceparent, data['requestId']]),
    requests.map(({ object, traceparent }) => [object.metadata.name, traceparent, requestId]),
  );
});

test.run();
