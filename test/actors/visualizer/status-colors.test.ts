// How objects look: by tags, and by their status where nobody told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { configure } from '../../../actors/process/adapters.ts';
import { toneNow, toneOfObject, toneOfTags } from '../../../actors/visualizer/status-colors.ts';
import { StatusColor } from '../../../actors/visualizer/wire.ts';
import { metal3 } from '../../../adapters/ironic/mod.ts';
import { windows } from '../../../adapters/windows/mod.ts';
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
  const cases: readonly (readonly [string, StatusColor])[] = [
    ['settled failing terminal', StatusColor.Failed],
    ['waiting failing', StatusColor.Failing],
    ['deleting held', StatusColor.Held],
    ['deleting busy', StatusColor.Deleting],
    ['settled available', StatusColor.Available],
    ['settled', StatusColor.Unavailable],
    ['waiting available', StatusColor.Waiting],
    ['busy', StatusColor.Busy],
    ['', StatusColor.Busy],
  ];
  for (const [tags, tone] of cases) assert.is(toneOfTags(tags.split(' ')), tone, tags);
});

test('where nobody told the status says it', () => {
  const ask = (status: JsonObject | undefined, metadata?: Partial<KubeObject['metadata']>): StatusColor =>
    toneOfObject(object(status, metadata), kind, REGISTRY);
  assert.is(ask(undefined), StatusColor.Unseen);
  assert.is(ask(conditions({ status: 'False', reason: 'Success' }, 'True', 1)), StatusColor.Unseen);
  assert.is(ask(conditions({ status: 'False', reason: 'Success' }, 'True')), StatusColor.Available);
  assert.is(ask(conditions({ status: 'False', reason: 'Success' })), StatusColor.Unavailable);
  assert.is(ask(conditions({ status: 'False', reason: 'InvalidConfiguration' })), StatusColor.Failed);
  assert.is(ask(conditions({ status: 'True', reason: 'TransientError' })), StatusColor.Failing);
  assert.is(ask(conditions({ status: 'True', reason: 'Progressing' })), StatusColor.Waiting);
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  assert.is(ask(undefined, { deletionTimestamp, finalizers: [kind.finalizer] }), StatusColor.Deleting);
  assert.is(ask(undefined, { deletionTimestamp, finalizers: ['openstack.k-orc.cloud/subnet'] }), StatusColor.Held);
});

test('what is at rest, and has told nothing for as long as events are kept, looks as its status says, whatever its kind', () => {
  const metal = registryOf([configure(metal3, ENVIRONMENT)]);
  const asked = (plural: string, metadata: Partial<KubeObject['metadata']>, status?: JsonObject): StatusColor => {
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
  assert.is(asked('baremetalhosts', {}, host('provisioned')), StatusColor.Available);
  assert.is(asked('baremetalhosts', {}, host('available')), StatusColor.Available);
  assert.is(asked('baremetalhosts', {}, host('provisioned', 'detached')), StatusColor.Unavailable);
  assert.is(asked('baremetalhosts', {}, host('preparing', 'error')), StatusColor.Failing);
  assert.is(asked('baremetalhosts', {}, host('provisioned', 'OK', 1)), StatusColor.Unseen);
  assert.is(asked('baremetalhosts', {}), StatusColor.Unseen);
  assert.is(asked('hostfirmwaresettings', {}, observed('ChangeDetected', 'False')), StatusColor.Available);
  assert.is(asked('hostfirmwaresettings', {}, observed('ChangeDetected', 'False', 1)), StatusColor.Unseen);
  const claim = { finalizers: ['metal3.io/hostclaim'] };
  const bound = { ...observed('Associated', 'True'), bareMetalHost: { name: 'h', namespace: 'shop' } };
  assert.is(asked('hostclaims', claim, bound), StatusColor.Available);
  assert.is(asked('hostclaims', claim, observed('Associated', 'False')), StatusColor.Waiting);
  assert.is(asked('hostclaims', {}), StatusColor.Unseen);
  const subscription = { finalizers: ['bmceventsubscription.metal3.io'] };
  assert.is(asked('bmceventsubscriptions', subscription, { error: 'no such host' }), StatusColor.Failing);
  // Its life knows of no state in which others may use it; what it says of itself does.
  const kind = metal.kinds.find(({ plural }) => plural === 'hostclaims') as Kind;
  const reported = { tone: StatusColor.Unavailable, generation: undefined };
  assert.is(toneNow(reported, object(bound, claim), kind, metal), StatusColor.Available);
  assert.is(toneNow(reported, object(observed('Associated', 'False'), claim), kind, metal), StatusColor.Unavailable);
});

test('of an object that says all in one condition, Ready, that is it', () => {
  const ofWindows = registryOf([configure(windows, {})]);
  const disk = ofWindows.kinds.find((each) => each.kind === 'WindowsDisk') as Kind;
  const ask = (status: string, reason: string, observedGeneration = 2): StatusColor =>
    toneOfObject(
      object({ conditions: [{ type: 'Ready', status, reason, message: '', observedGeneration }] }),
      disk,
      ofWindows,
    );
  assert.is(ask('True', 'Success'), StatusColor.Available);
  assert.is(ask('True', 'Success', 1), StatusColor.Unseen);
  assert.is(ask('False', 'WaitingForDependency'), StatusColor.Waiting);
  assert.is(ask('False', 'TransientError'), StatusColor.Failing);
  assert.is(ask('False', 'InvalidConfiguration'), StatusColor.Failed);
  const both = [
    { type: 'Ready', status: 'True', reason: 'Success', observedGeneration: 2 },
    { type: 'Progressing', status: 'True', reason: 'Progressing', observedGeneration: 2 },
  ];
  assert.is(
    toneOfObject(object({ conditions: both }), kind, REGISTRY),
    StatusColor.Waiting,
    'who says more is believed',
  );
});

test('a state that was told long ago is not believed of what was changed or deleted since', () => {
  const status = conditions({ status: 'False', reason: 'Success' }, 'True', 1);
  const now = (tone: StatusColor, of: KubeObject, generation?: number): StatusColor =>
    toneNow({ tone, generation }, of, kind, REGISTRY);
  assert.is(now(StatusColor.Available, object(status)), StatusColor.Unseen);
  assert.is(now(StatusColor.Available, object(status), 2), StatusColor.Available, 'told of the change already');
  assert.is(now(StatusColor.Waiting, object(status)), StatusColor.Waiting);
  assert.is(now(StatusColor.Available, object(undefined)), StatusColor.Available);
  const deleted = object(status, { deletionTimestamp: '2030-01-01T00:00:00Z' });
  assert.is(now(StatusColor.Available, deleted), StatusColor.Deleting);
  assert.is(now(StatusColor.Held, deleted), StatusColor.Held);
});

test.run();
