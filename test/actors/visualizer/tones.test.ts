// How objects look: by tags, and by their status where nobody told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { configure } from '../../../actors/process/adapters.ts';
import { toneNow, toneOfObject, toneOfTags } from '../../../actors/visualizer/tones.ts';
import { Tone } from '../../../actors/visualizer/wire.ts';
import { windows } from '../../../adapters/csi-proxy/kinds/mod.ts';
import type { Kind } from '../../../machines/kind.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import { REGISTRY } from './follower.ts';

const test = suite('tones');
const kind = REGISTRY.kinds.find((each) => each.kind === 'Network') as Kind;

function object(status: JsonObject | undefined, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  const known = { name: 'n', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 2, ...metadata };
  return { apiVersion: 'x/v1', kind: 'Network', metadata: known, ...(status !== undefined && { status }) };
}

function conditions(progressing: JsonObject, available = 'False', observedGeneration = 2): JsonObject {
  return {
    id: 'id',
    conditions: [
      { type: 'Progressing', observedGeneration, message: '', ...progressing },
      { type: 'Available', status: available, observedGeneration },
    ],
  };
}

test('tags say how an object looks, the gravest first', () => {
  const cases: readonly (readonly [string, Tone])[] = [
    ['settled failing refused', Tone.Failed],
    ['waiting failing', Tone.Failing],
    ['deleting held', Tone.Held],
    ['deleting busy', Tone.Deleting],
    ['settled available', Tone.Available],
    ['settled', Tone.Unavailable],
    ['waiting available', Tone.Waiting],
    ['busy', Tone.Busy],
    ['', Tone.Busy],
  ];
  for (const [tags, tone] of cases) assert.is(toneOfTags(tags.split(' ')), tone, tags);
});

test('where nobody told the status says it', () => {
  const ask = (status: JsonObject | undefined, metadata?: Partial<KubeObject['metadata']>): Tone =>
    toneOfObject(object(status, metadata), kind, REGISTRY);
  assert.is(ask(undefined), Tone.Unseen);
  assert.is(ask(conditions({ status: 'False', reason: 'Success' }, 'True', 1)), Tone.Unseen);
  assert.is(ask(conditions({ status: 'False', reason: 'Success' }, 'True')), Tone.Available);
  assert.is(ask(conditions({ status: 'False', reason: 'Success' })), Tone.Unavailable);
  assert.is(ask(conditions({ status: 'False', reason: 'InvalidConfiguration' })), Tone.Failed);
  assert.is(ask(conditions({ status: 'True', reason: 'TransientError' })), Tone.Failing);
  assert.is(ask(conditions({ status: 'True', reason: 'Progressing' })), Tone.Waiting);
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  assert.is(ask(undefined, { deletionTimestamp, finalizers: [kind.finalizer] }), Tone.Deleting);
  assert.is(ask(undefined, { deletionTimestamp, finalizers: ['openstack.k-orc.cloud/subnet'] }), Tone.Held);
});

test('of an object that says all in one condition, Ready, that is it', () => {
  const ofWindows = registryOf([configure(windows, {})]);
  const disk = ofWindows.kinds.find((each) => each.kind === 'WindowsDisk') as Kind;
  const ask = (status: string, reason: string, observedGeneration = 2): Tone =>
    toneOfObject(
      object({ conditions: [{ type: 'Ready', status, reason, message: '', observedGeneration }] }),
      disk,
      ofWindows,
    );
  assert.is(ask('True', 'Success'), Tone.Available);
  assert.is(ask('True', 'Success', 1), Tone.Unseen);
  assert.is(ask('False', 'WaitingForDependency'), Tone.Waiting);
  assert.is(ask('False', 'TransientError'), Tone.Failing);
  assert.is(ask('False', 'InvalidConfiguration'), Tone.Failed);
  const both = [
    { type: 'Ready', status: 'True', reason: 'Success', observedGeneration: 2 },
    { type: 'Progressing', status: 'True', reason: 'Progressing', observedGeneration: 2 },
  ];
  assert.is(toneOfObject(object({ conditions: both }), kind, REGISTRY), Tone.Waiting, 'who says more is believed');
});

test('a state that was told long ago is not believed of what was changed or deleted since', () => {
  const status = conditions({ status: 'False', reason: 'Success' }, 'True', 1);
  assert.is(toneNow(Tone.Available, object(status), undefined), Tone.Unseen);
  assert.is(toneNow(Tone.Available, object(status), 2), Tone.Available, 'told of the change already');
  assert.is(toneNow(Tone.Waiting, object(status), undefined), Tone.Waiting);
  assert.is(toneNow(Tone.Available, object(undefined), undefined), Tone.Available);
  const deleted = object(status, { deletionTimestamp: '2030-01-01T00:00:00Z' });
  assert.is(toneNow(Tone.Available, deleted, undefined), Tone.Deleting);
  assert.is(toneNow(Tone.Held, deleted, undefined), Tone.Held);
});

test.run();
