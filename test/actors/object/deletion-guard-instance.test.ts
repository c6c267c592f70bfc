import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPromise } from 'xstate';
import { DeletionGuardInstance } from '../../../actors/object/machine-instance.ts';
import type { ObjectContext } from '../../../actors/object/object-context.ts';
import { type Claims, deletionGuardMachine, type GuardInput } from '../../../machines/deletion-guard.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('guard chart');
const GUARD = 'example.org/guard';

test('a guard ends when there is nothing left to do, and not before', async () => {
  const object = { uid: 'uid-1', deleting: true, finalizers: [GUARD], leaves: false };
  const claims: Claims = { held: [GUARD], guards: [GUARD], complete: true, revision: 1 };
  const clock = simulatedClock();
  let ends = 0;
  const guard = deletionGuardMachine.provide({
    actors: { releaseGuards: fromPromise<void, GuardInput>(async () => undefined) },
  });
  const context = { key: 'key', clock, host: { machines: { guard } } } as unknown as ObjectContext;
  const listener = {
    onGuardState: () => undefined,
    onGuardDone() {
      ends += 1;
    },
    onFault: (error: unknown) => assert.unreachable(String(error)),
  };
  const chart = new DeletionGuardInstance(context, listener, object, claims);
  chart.start();
  await clock.settle();
  assert.is(ends, 0);
  chart.report({ ...object, finalizers: [] }, { ...claims, held: [], revision: 2 });
  await clock.settle();
  assert.is(ends, 1);
});

test.run();
