// The life of a BareMetalSwitch.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bareMetalSwitch, SWITCH_FINALIZER } from '../../../../adapters/ironic/kinds/bare-metal-switch.ts';
import { type DependencyAnswer, Readiness } from '../../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { type Lived, live } from './lived.ts';

const test = suite('bare metal switch');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const kind = bareMetalSwitch({ configs: 'configs', credentials: 'keys', credentialsPath: '/keys' });
const THERE: DependencyAnswer = { readiness: Readiness.Ready, uid: 'secret', version: '1' };
const GONE: DependencyAnswer = { readiness: Readiness.Absent, uid: '' };

function rendered(reason: 'Reconciled' | 'CredentialError', observedGeneration = 1): JsonObject {
  const status = reason === 'Reconciled' ? 'True' : 'False';
  const message = status === 'True' ? '' : "the Secret 'login' does not exist";
  const condition = { type: 'Valid', status, reason, message, observedGeneration };
  return { conditions: [condition], missing: [] };
}

function switchOf(rest: Partial<KubeObject> & { readonly more?: object } = {}): KubeObject {
  const { more = {}, ...parts } = rest;
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalSwitch',
    metadata: { name: 's', namespace: 'ns', uid: 'i', resourceVersion: '1', generation: 1, finalizers: [], ...more },
    spec: { address: '192.0.2.1', macAddress: '00:11:22:aa:bb:cc', deviceType: 'd', credentials: { name: 'login' } },
    ...parts,
  };
}

const begin = (object: KubeObject, render: unknown, other = THERE): Promise<Lived> =>
  live(kind, object, { at: NOW, answers: { render }, other });

test('33.D: a new one is held, marks its Secret, and is rendered', async () => {
  const life = await begin(switchOf(), rendered('Reconciled'));
  assert.equal(
    [life.done, life.phase()],
    [['addOwnFinalizer', 'labelReferenced', 'render', 'storeStatus'], 'active.available'],
  );
  assert.equal(life.object().metadata.finalizers, [SWITCH_FINALIZER]);
  assert.equal(kind.publicState(life.object()), { ready: true, id: 's' });
});

test('33.D: what it refers to are its Secret and the two that are written, each held by nobody', () => {
  const named = (spec: JsonObject) => kind.references(switchOf({ spec })).map(({ name }) => name);
  assert.equal(named({ credentials: { name: 'login', namespace: 'ns' } }), ['login', 'configs', 'keys']);
  assert.equal(named({ credentials: { name: 'login', namespace: 'other' } }), ['configs', 'keys']);
  assert.equal(named({}), ['configs', 'keys']);
  assert.ok(kind.references(switchOf()).every(({ finalizers }) => finalizers.length === 0));
});

test('33.D: one without its Secret says CredentialError, and is rendered when that comes, or 10 s later', async () => {
  const life = await begin(switchOf(), rendered('CredentialError'), GONE);
  assert.equal(
    [life.done, life.phase()],
    [['addOwnFinalizer', 'render', 'storeStatus'], 'active.awaitingDependencies'],
  );
  assert.is(kind.publicState(life.object()).ready, false);
  await life.pass(10_000);
  assert.is(life.done.filter((each) => each === 'render').length, 2);
  life.answer('render', rendered('Reconciled'));
  await life.hear(THERE);
  assert.equal([life.done.slice(-3), life.phase()], [['labelReferenced', 'render', 'storeStatus'], 'active.available']);
});

test('33.D: an edit, another content of a Secret, and a status that somebody changed are rendered anew', async () => {
  const life = await begin(switchOf(), rendered('Reconciled'));
  const count = (): number => life.done.filter((each) => each === 'render').length;
  life.answer('render', rendered('Reconciled', 2));
  await life.change({ metadata: { generation: 2 } });
  assert.is(count(), 2);
  await life.hear({ ...THERE, version: '2' });
  assert.is(count(), 3);
  await life.change({ status: {} });
  assert.equal([count(), life.phase()], [4, 'active.available']);
});

test('33.D: where the Secrets of Ironic are missing an Event says so once, and it is looked again', async () => {
  const life = await begin(switchOf(), { conditions: [], missing: ['configs'] });
  await life.pass(10_000);
  await life.pass(10_000);
  const reported = life.done.filter((each) => each.startsWith('tell'));
  assert.equal(reported, [
    "tell SwitchConfigFailed: nothing can be written for Ironic: there is no Secret 'configs' here",
  ]);
  assert.is(life.object().status, undefined);
  life.answer('render', rendered('Reconciled'));
  await life.pass(10_000);
  assert.is(life.phase(), 'active.available');
});

test('33.D: a deleted one goes after a rendering without it, and not before (IRONIC-BARE-METAL-SWITCH-1)', async () => {
  const more = { finalizers: [SWITCH_FINALIZER], deletionTimestamp: '2026-01-02T03:04:05Z' };
  const life = await begin(switchOf({ more }), { code: 'transient', message: 'the API server does not answer' });
  assert.not(life.done.includes('removeOwnFinalizer'));
  life.answer('render', { conditions: [], missing: [] });
  await life.pass(60_000);
  assert.equal(life.done.slice(-3), ['render', 'endClaims', 'removeOwnFinalizer']);
  assert.not(life.done.includes('labelReferenced'));
});

test.run();
