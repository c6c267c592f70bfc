// What the effects of the statecharts do at the API server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyActorLogic, createActor, toPromise } from 'xstate';
import { systemClock } from '../../../actors/clock.ts';
import { provideEffects } from '../../../actors/effects/effects.ts';
import { ClaimsTable, claimOf } from '../../../actors/object/claims-table.ts';
import type { ObjectActor } from '../../../actors/object/object-actor.ts';
import { registry } from '../../../actors/object/registry.ts';
import type { Objects } from '../../../adapters/kubernetes/mod.ts';
import { addressKey, type ErrorData, TransientError } from '../../../bus/mod.ts';
import type { GuardInput } from '../../../machines/guard.ts';
import type { KubeObject } from '../../../machines/object.ts';

const test = suite('effects');

test('guards of which one could not be stored are stored again when the others have been', async () => {
  const claims = new ClaimsTable();
  for (const name of ['one', 'two']) {
    const from = { realm: 'test', plural: 'things', namespace: 'ns', name };
    const mail = { uid: `uid-${name}`, resourceVersion: '1', generation: 1, notOn: [], ended: false };
    claims.take(addressKey(from), claimOf(from, { ...mail, finalizers: [`guard/${name}`], manager: name }));
  }
  let object: KubeObject = {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    metadata: { name: 'base', namespace: 'ns', uid: 'uid', resourceVersion: '2', generation: 1 },
  };
  const slow = Promise.withResolvers<void>();
  const objects = {
    async addFinalizers(_resource: unknown, _reference: unknown, manager: string, finalizers: readonly string[]) {
      if (manager === 'two') throw new TransientError('no answer');
      await slow.promise;
      return { ...object, metadata: { ...object.metadata, finalizers } };
    },
  } as unknown as Objects;
  const actor = {
    address: { realm: 'test', plural: 'things', namespace: 'ns', name: 'base' },
    claims,
    incarnation: () => ({ uid: 'uid', object }),
    accept(now: KubeObject) {
      object = now;
    },
  } as unknown as ObjectActor;
  const clock = systemClock();
  const { guard } = provideEffects({
    objects,
    registry: registry([], []),
    clock,
    callMs: 1_000,
    lateMs: 30_000,
    underway: () => undefined,
    actor: () => actor,
    leaseEndsAt: () => Number.POSITIVE_INFINITY,
    leaseSignal: () => new AbortController().signal,
    track: () => undefined,
    trackWrite: () => undefined,
  });
  const logic = guard.implementations.actors.storeGuards as AnyActorLogic;
  const input: GuardInput = { key: 'base', finalizers: ['guard/one', 'guard/two'] };
  const effect = createActor(logic, { input });
  let code: string | undefined;
  const ended = toPromise(effect.start()).catch((error: ErrorData) => {
    code = error.code;
  });
  await clock.sleep(5);
  assert.is(code, undefined, 'what is still under way would be written once more');
  slow.resolve();
  await ended;
  assert.is(code, 'transient');
  assert.equal(object.metadata.finalizers, ['guard/one']);
});

test.run();
