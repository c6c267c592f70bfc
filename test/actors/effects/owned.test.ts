// The object that an object makes for itself: when the one that made it may stop waiting.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ensureOwned, type OwnedDeps } from '../../../actors/effects/owned.ts';
import type { ObjectActor } from '../../../actors/object/object-actor.ts';
import { ConflictError } from '../../../bus/mod.ts';
import type { DependencyAnswer } from '../../../machines/life.ts';
import { Readiness } from '../../../machines/life.ts';

const test = suite('owned objects');

const SPEC = { type: 'Subnet', routerRef: 'r', subnetRef: 's' };
const OBJECT = {
  apiVersion: 'example.org/v1',
  kind: 'Subnet',
  metadata: { name: 's', namespace: 'ns', uid: 'owner', resourceVersion: '1' },
};

/** One pass over an own object that is stored without any condition. `answer`: what it said of itself. */
function pass(answer: DependencyAnswer | undefined): Promise<readonly string[]> {
  const present = { ...OBJECT, kind: 'RouterInterface', metadata: { ...OBJECT.metadata, uid: 'own' }, spec: SPEC };
  const deps = {
    objects: {
      get: async () => present,
      create: async () => {
        throw new ConflictError('it already exists');
      },
    },
    registry: { target: () => ({}), resource: () => ({}), kind: () => ({ isAvailable: () => false }) },
  } as unknown as OwnedDeps;
  const actor = {
    address: {},
    dependencies: () => [{ kind: 'RouterInterface', name: 's-subnet', finalizers: [], neededFor: 'never', answer }],
  } as unknown as ObjectActor;
  const kind = { owned: () => ({ kind: 'RouterInterface', name: 's-subnet', spec: SPEC }), fieldManagers: {} };
  return ensureOwned(deps, { actor, life: { object: OBJECT }, kind } as unknown as Parameters<typeof ensureOwned>[1]);
}

test('one that said that it is ready is not waited for, though its status is still to be written', async () => {
  const waiting = ['Waiting for routerinterface/s-subnet to be ready'];
  assert.equal(await pass({ readiness: Readiness.Ready, uid: 'own' }), []);
  assert.equal(await pass({ readiness: Readiness.Ready, uid: 'its predecessor' }), waiting);
  assert.equal(await pass({ readiness: Readiness.Pending, uid: 'own' }), waiting);
  assert.equal(await pass(undefined), waiting);
});

// Two passes in a row, or two hosts, make it while its mail is on its way.
test('one that was made a moment ago is no error (I6)', async () => {
  const waiting = ['Waiting for routerinterface/s-subnet to be ready'];
  assert.equal(await pass({ readiness: Readiness.Absent, uid: '' }), waiting);
});

test.run();
