// How objects look: by tags, and by their status where nobody told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { configure } from '../../../actors/process/adapters.ts';
import { toneNow, toneOfObject, toneOfTags } from '../../../actors/visualizer/tones.ts';
import { Tone } from '../../../actors/visualizer/wire.ts';
import { windows } from '../../../adapters/csi-proxy/kinds/mod.ts';
import { metal3 } from '../../../adapters/ironic/mod.ts';
import type { Kind } from '../../../machines/kind.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import { REGISTRY } from './follower.ts';

const test = suite('tones');
const kind = REGISTRY.kinds.find((each) => each.kind === 'Network') as Kind;
const ENVIRONMENT = { IRONIC_ENDPOINT: 'http://ironic.test', TROUPE_HOSTCLAIMS: 'true' };

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

test('what is at rest, and has told nothing for as long as events are kept, looks as its status says, whatever its kind', () => {
  const metal = registryOf([configure(metal3, ENVIRONMENT)]);
  const asked = (plural: string, metadata: Partial<KubeObject['metadata']>, status?: JsonObject): Tone => {
    const kind = metal.kinds.find((each) => each.plural === plural) as Kind;
    return toneOfObject({ ...object(status, metadata), kind: kind.kind }, kind, metal);
  };
  const observed = (type: string, value: 'True' | 'False', observedGeneration = 2): JsonObject => ({
    conditions: [{ type, status: value, reason: 'X', message: '', observedGeneration }],
  });
  const host = (state: string, operationalStatus = 'OK', observedGeneration = 2): JsonObject => ({
    ...observed('Progressing', 'False', observedGeneration),
    operationalStatus,
    provisioning: { state, ID: 'node' },
  });
  assert.is(asked('baremetalhosts', {}, host('provisioned')), Tone.Available);
  assert.is(asked('baremetalhosts', {}, host('available')), Tone.Available);
  assert.is(asked('baremetalhosts', {}, host('provisioned', 'detached')), Tone.Unavailable);
  assert.is(asked('baremetalhosts', {}, host('preparing', 'error')), Tone.Failing);
  assert.is(asked('baremetalhosts', {}, host('provisioned', 'OK', 1)), Tone.Unseen);
  assert.is(asked('baremetalhosts', {}), Tone.Unseen);
  assert.is(asked('hostfirmwaresettings', {}, observed('ChangeDetected', 'False')), Tone.Available);
  assert.is(asked('hostfirmwaresettings', {}, observed('ChangeDetected', 'False', 1)), Tone.Unseen);
  const claim = { finalizers: ['metal3.io/hostclaim'] };
  const bound = { ...observed('Associated', 'True'), bareMetalHost: { name: 'h', namespace: 'shop' } };
  assert.is(asked('hostclaims', claim, bound), Tone.Available);
  assert.is(asked('hostclaims', claim, observed('Associated', 'False')), Tone.Waiting);
  assert.is(asked('hostclaims', {}), Tone.Unseen);
  const subscription = { finalizers: ['bmceventsubscription.metal3.io'] };
  assert.is(asked('bmceventsubscriptions', subscription, { error: 'no such host' }), Tone.Failing);
  // Its life knows of no state in which others may use it; what it says of itself does.
  const kind = metal.kinds.find(({ plural }) => plural === 'hostclaims') as Kind;
  const told = { tone: Tone.Unavailable, generation: undefined };
  assert.is(toneNow(told, object(bound, claim), kind, metal), Tone.Available);
  assert.is(toneNow(told, object(observed('Associated', 'False'), claim), kind, metal), Tone.Unavailable);
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
  const now = (tone: Tone, of: KubeObject, generation?: number): Tone =>
    toneNow({ tone, generation }, of, kind, REGISTRY);
  assert.is(now(Tone.Available, object(status)), Tone.Unseen);
  assert.is(now(Tone.Available, object(status), 2), Tone.Available, 'told of the change already');
  assert.is(now(Tone.Waiting, object(status)), Tone.Waiting);
  assert.is(now(Tone.Available, object(undefined)), Tone.Available);
  const deleted = object(status, { deletionTimestamp: '2030-01-01T00:00:00Z' });
  assert.is(now(Tone.Available, deleted), Tone.Deleting);
  assert.is(now(Tone.Held, deleted), Tone.Held);
});

test.run();
