// How objects look: by tags, and by their status where nobody told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toneNow, toneOfObject, toneOfTags } from '../../../actors/visualizer/tones.ts';
import { Tone } from '../../../actors/visualizer/wire.ts';
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
