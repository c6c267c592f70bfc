// Requests that had no turn: they stay known as such on their way from the gate to the chart of an object, whichever process is between.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConcurrencyLimiter } from '../../../adapters/http/concurrency-limiter.ts';
import { joined } from '../../../adapters/openstack/client/call-errors.ts';
import { checkedOperations, type WatchingOperations } from '../../../adapters/openstack/client/checked-operations.ts';
import { fromErrorData, TransientError, toAnswerData, toErrorData, UnsentError } from '../../../bus/errors.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { simulatedClock } from '../../world/clock.ts';
import { rejection } from '../../world/rejection.ts';

const test = suite('unsent requests');

test('33.F4: whom the gate lets in too late, or not at all, has sent nothing, also in another process', async () => {
  const clock = simulatedClock();
  const gate = new ConcurrencyLimiter({ clock, slots: 1, name: 'the cloud' });
  const entrant = { namespace: 'a', object: 'one', kind: 'GET', deadlineAt: clock.now() + 1_000 };
  await gate.enter(entrant);
  const late = await rejection(gate.enter({ ...entrant, object: 'two' }));
  gate.pause(5_000, 'a');
  const paused = await rejection(gate.enter({ ...entrant, deadlineAt: clock.now() + 1_000 }));
  gate.close();
  for (const error of [late, paused]) {
    assert.instance(error, UnsentError);
    for (const data of [toErrorData(error), toAnswerData(error)]) {
      assert.is(data.unsent, true);
      assert.is(data.outcomeUnknown, undefined);
      assert.equal(toErrorData(fromErrorData(data)), toErrorData(error));
    }
  }
  assert.ok((toErrorData(paused).retryAfterMs ?? 0) > 0);
});

test('33.F4: several failures had no turn if none of them had one', () => {
  const unsent = new UnsentError('no turn');
  assert.is(toErrorData(joined([unsent, new UnsentError('nor here')])).unsent, true);
  assert.is(toErrorData(joined([unsent, new TransientError('GET /networks answered 503')])).unsent, undefined);
});

test('33.F4: an operation hands it on as it is, whatever its message looks like', async () => {
  const throwing = async (): Promise<never> => {
    throw new UnsentError('Unauthorized, connection refused: no turn');
  };
  const names = ['find', 'identify', 'import', 'create', 'observe', 'update', 'remove', 'watch'];
  const given = Object.fromEntries(names.map((name) => [name, throwing])) as unknown as WatchingOperations;
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one', uid: 'uid', resourceVersion: '1' } };
  const request = { object, id: 'id', dependencies: [], deadlineAt: 0 } as unknown as OperationRequest & { id: string };
  assert.is(toErrorData(await rejection(checkedOperations(given).observe(request))).unsent, true);
  assert.is(toErrorData(await rejection(checkedOperations(given).find(request))).unsent, true);
});

test.run();
