// What a BMCEventSubscription says, and what it is as an external resource.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bmcEventSubscription as kind } from '../../../../adapters/ironic/kinds/bmc-event-subscription.ts';
import type { ResourceView } from '../../../../machines/external-resource/context.ts';
import { externalResourceMachine } from '../../../../machines/external-resource/machine.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

const test = suite('BMC event subscription');

const OWN = 'bmceventsubscription.metal3.io';
const SPEC = { hostName: 'one', destination: 'https://x/', context: 'c', httpHeadersRef: { name: 'headers' } };

function objectOf(status?: JsonObject, spec: JsonObject = SPEC, finalizers: readonly string[] = [OWN]): KubeObject {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BMCEventSubscription',
    metadata: { name: 's', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1, finalizers },
    spec,
    ...(status !== undefined && { status }),
  };
}

const viewOf = (object: KubeObject): ResourceView => kind.life.view(object, 0) as ResourceView;

/** What it says that backs off with an error, of what is stored. */
function saidWith(error: string, stored?: JsonObject): JsonObject {
  const [part] = kind.life.failureStatus(objectOf(stored), { code: 'transient', message: error }, 0);
  assert.equal(part?.stored, stored ?? {});
  return part?.status ?? {};
}

test('it refers to its host, as a part of it, and to the Secret with its headers', () => {
  assert.equal(
    kind
      .references(objectOf())
      .map(({ kind: other, name, neededFor, isContainedIn = false }) => [other, name, neededFor, isContainedIn]),
    [
      ['BareMetalHost', 'one', 'always', true],
      ['Secret', 'headers', 'create', false],
    ],
  );
  const names = (spec: JsonObject): readonly string[] => kind.references(objectOf({}, spec)).map(({ name }) => name);
  assert.equal(names({ hostName: 'one' }), ['one']);
  assert.equal(names({ hostName: 'one', httpHeadersRef: { name: 's', namespace: 'ns' } }), ['one', 's']);
  // Of another namespace: refused by the operation, and never read.
  assert.equal(names({ hostName: 'one', httpHeadersRef: { name: 's', namespace: 'other' } }), ['one']);
  assert.equal(names({}), []);
});

test('one that is made, and says of no trouble, has nothing to do', () => {
  assert.is(viewOf(objectOf({ subscriptionID: '7' })).settled, 'available');
  assert.is(viewOf(objectOf({ subscriptionID: '7', error: '' })).settled, 'available');
  assert.is(viewOf(objectOf({ subscriptionID: '7', error: 'e' })).settled, 'no');
  assert.is(viewOf(objectOf({ subscriptionID: '7' }, SPEC, [])).settled, 'no');
  assert.is(viewOf(objectOf({ subscriptionID: '' })).externalId, undefined);
  assert.is(kind.life.recorded?.(objectOf({ subscriptionID: '7' })), 'ns/one/7');
  assert.ok(kind.life.mayHaveUnrecordedCreate(objectOf()));
  assert.not(kind.life.mayHaveUnrecordedCreate(objectOf({ subscriptionID: '7' })));
});

test('an error is said beside the id; what another hand said before is emptied, not left', () => {
  assert.equal(saidWith('e'), { error: 'e' });
  assert.equal(saidWith('e', { subscriptionID: '7', error: 'old' }), { subscriptionID: '7', error: 'e' });
  const machine = externalResourceMachine;
  const object = objectOf({ subscriptionID: '7', error: 'old' });
  const input = {
    key: 'k',
    object: viewOf(object),
    dependencies: [],
    at: 0,
    inDoubtUntil: 0,
    isOwnershipDisputed: false,
  };
  const snapshot = machine.resolveState({
    value: { lifecycle: { idle: 'available' }, availability: 'usable' },
    context: machine.getInitialSnapshot({} as never, input).context,
  });
  const said = (stored: JsonObject): JsonObject => kind.life.status(snapshot, objectOf(stored), 0)[0]?.status ?? {};
  assert.equal(said({ subscriptionID: '7', error: 'old' }), { subscriptionID: '7', error: '' });
  assert.equal(said({ subscriptionID: '7' }), { subscriptionID: '7' });
});

test.run();
