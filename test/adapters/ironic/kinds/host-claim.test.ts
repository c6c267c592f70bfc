// The life of a HostClaim, pass by pass.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bareMetalHost } from '../../../../adapters/ironic/kinds/bare-metal-host.ts';
import { hostClaim } from '../../../../adapters/ironic/kinds/host-claim.ts';
import type { IronicOptions } from '../../../../adapters/ironic/options.ts';
import type { ChosenStep, SeenHost } from '../../../../adapters/ironic/steps/host-claims.ts';
import { type DependencyAnswer, Readiness } from '../../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { type Lived, live } from './lived.ts';

const test = suite('host claim');

const NOW = Date.parse('2026-01-02T03:04:05Z');
const OWN = 'metal3.io/hostclaim';
const PLACE = { name: 'one', namespace: 'metal' };
const HOST: SeenHost = {
  ...PLACE,
  uid: 'host',
  resourceVersion: '5',
  status: { conditions: [{ type: 'Provisioned', status: 'False', reason: 'NotProvisioned', message: '' }] },
};
const REFERENCE = { apiVersion: 'metal3.io/v1alpha1', kind: 'HostClaim', name: 'c', namespace: 'ns' };
const BIND: ChosenStep = { step: { next: 'bind', host: PLACE, consumerRef: REFERENCE }, hosts: [HOST] };
const KEEP: ChosenStep = { step: { next: 'keep', host: PLACE }, hosts: [HOST] };
const WAIT: ChosenStep = { step: { next: 'wait', delayMs: 30_000 }, hosts: [] };
const RELEASE: ChosenStep = { step: { next: 'release', hosts: [PLACE] }, hosts: [HOST] };
const LEAVE: ChosenStep = { step: { next: 'dropFinalizer' }, hosts: [] };
const PUT = `patch metal/one ${JSON.stringify({ consumerRef: REFERENCE })}`;
const TAKE_OFF = 'patch metal/one {"consumerRef":null}';

const claimOf = (more: object = {}, status?: JsonObject): KubeObject => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'HostClaim',
  metadata: { name: 'c', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1, finalizers: [OWN], ...more },
  spec: { poweredOn: true },
  ...(status !== undefined && { status }),
});
const begin = (object: KubeObject, choose: unknown): Promise<Lived> =>
  live(hostClaim, object, { at: NOW, answers: { choose } });
const conditionsOf = ({ object }: Lived): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ((object().status?.['conditions'] ?? []) as readonly JsonObject[]).map(({ type, status, reason }) => [
      String(type),
      `${status} ${reason}`,
    ]),
  );

test('a host tells who has it, so that whoever is taken off hears of it', () => {
  const consumerOf = (consumerRef?: JsonObject): unknown =>
    bareMetalHost({ maxProvisioningRetries: 0, preprovisioningImages: 'none' } as IronicOptions).publicState({
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name: 'one', namespace: 'metal', uid: 'h', resourceVersion: '1' },
      spec: { online: true, ...(consumerRef && { consumerRef }) },
    }).attributes?.['consumer'];
  assert.is(consumerOf(REFERENCE), 'HostClaim/ns/c');
  assert.is(consumerOf({ ...REFERENCE, name: 'd' }), 'HostClaim/ns/d');
  assert.is(consumerOf(), '');
});

test('a host gets the reference first, then the claim says so (IRONIC-KINDS-HOST-CLAIM-2)', async () => {
  const unguarded: ChosenStep = { step: { next: 'addFinalizer' }, hosts: [] };
  const life = await begin(claimOf({ finalizers: [] }), ({ metadata: { finalizers = [] } }: KubeObject) =>
    finalizers.includes(OWN) ? BIND : unguarded,
  );
  assert.equal(life.done.slice(0, 4), ['choose', 'addOwnFinalizer', 'choose', PUT]);
  assert.is(life.object().status, undefined);
  const kept = await begin(claimOf(), KEEP);
  // It refers to the host from then on, and looks at it once more.
  assert.equal([kept.done, kept.phase()], [['choose', 'storeStatus', 'choose'], 'active.idle']);
  assert.equal(kept.object().status?.['bareMetalHost'], PLACE);
  assert.equal(conditionsOf(kept), {
    Associated: 'True BareMetalHostAssociated',
    Synchronized: 'False BareMetalHostNotSynchronized',
    Provisioned: 'False NotProvisioned',
    AvailableForProvisioning: 'Unknown BadBareMetalHostStatus',
    Ready: 'False BareMetalHostNotSynchronized',
  });
  assert.equal(hostClaim.references(kept.object()), [
    { kind: 'BareMetalHost', ...PLACE, finalizers: [], neededFor: 'never' },
  ]);
});

test('a host that somebody else was faster to change is chosen anew, soon (IRONIC-KINDS-HOST-CLAIM-1)', async () => {
  const life = await live(hostClaim, claimOf(), {
    at: NOW,
    answers: { choose: BIND, [PUT]: { code: 'conflict', message: 'it was changed' } },
  });
  assert.equal([life.done, life.phase()], [['choose', PUT], 'active.requeued']);
  life.answer('choose', KEEP);
  await life.pass(100);
  assert.is(life.object().status?.['bareMetalHost'] !== undefined, true);
});

test('without a host it says so, and looks again every half minute', async () => {
  const life = await begin(claimOf(), WAIT);
  assert.is(conditionsOf(life)['Associated'], 'False NoBareMetalHost');
  await life.pass(30_000);
  assert.equal(life.done, ['choose', 'storeStatus', 'choose']);
});

test('the status follows the host, and nothing is written while it says the same', async () => {
  const first = await begin(claimOf(), KEEP);
  const life = await begin(first.object(), KEEP);
  assert.equal([life.done, life.phase()], [[], 'active.idle']);
  const on: DependencyAnswer = { readiness: Readiness.Ready, uid: 'host', attributes: { state: 'available' } };
  await life.hear(on);
  assert.equal(life.done, ['choose']);
  const provisioned = { conditions: [{ type: 'Provisioned', status: 'True', reason: 'Provisioned', message: '' }] };
  life.answer('choose', { ...KEEP, hosts: [{ ...HOST, status: provisioned }] });
  await life.hear({ ...on, attributes: { state: 'provisioned' } });
  assert.is(conditionsOf(life)['Provisioned'], 'True Provisioned');
  assert.ok(hostClaim.life.wakesOn?.(on, { ...on, attributes: {} }));
  assert.not(hostClaim.life.wakesOn?.(on, { ...on }));
});

test('a deleted claim lets go of its hosts before it goes', async () => {
  const life = await begin(claimOf({ deletionTimestamp: '2026-01-02T03:04:05Z' }), RELEASE);
  assert.equal(life.done.slice(0, 3), ['choose', 'storeStatus', TAKE_OFF]);
  assert.is(conditionsOf(life)['Associated'], 'False HostClaimDeleting');
  const gone = await begin(claimOf({ deletionTimestamp: '2026-01-02T03:04:05Z' }), LEAVE);
  assert.equal(gone.done, ['choose', 'endClaims', 'removeOwnFinalizer']);
});

test('a deletion that fails says why', async () => {
  const life = await live(hostClaim, claimOf({ deletionTimestamp: '2026-01-02T03:04:05Z' }), {
    at: NOW,
    answers: { choose: RELEASE, [TAKE_OFF]: { code: 'transient', message: 'no answer' } },
  });
  assert.is(conditionsOf(life)['Associated'], 'False HostClaimDeletionFailed');
  assert.is(life.phase(), 'deleting.backingOff');
});

test.run();
