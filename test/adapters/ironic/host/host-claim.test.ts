// HostClaim: candidates, choice, what is done next, and conditions.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Condition } from '../../../../adapters/ironic/host/condition.ts';
import {
  type Choice,
  type ClaimableHost,
  ClaimReason,
  type ClaimVerdict,
  candidateHosts,
  chooseHost,
  consumerRefOf,
  type HostClaim,
  heldHosts,
  hostClaimConditions,
  hostClaimStep,
  isClaimable,
  isHeldBy,
} from '../../../../adapters/ironic/host/host-claim.ts';

const test = suite('host claim');

const TIME = '2026-01-02T03:04:05Z';
const NOW = Date.parse(TIME);
const DOMAIN = 'infrastructure.cluster.x-k8s.io/failure-domain';

const claim: HostClaim = {
  metadata: { name: 'c', namespace: 'users', generation: 2, finalizers: ['metal3.io/hostclaim'] },
  spec: {},
};
const withSpec = (spec: object): HostClaim => ({ ...claim, spec });

const free = { errorMessage: '', provisioning: { state: 'available' } };
const hostNamed = (name: string, parts: object = {}, metadata: object = {}): ClaimableHost => ({
  metadata: { name, namespace: 'hosts', ...metadata },
  spec: {},
  status: free,
  ...parts,
});
const h1 = hostNamed('h1');
const ours = { apiVersion: 'metal3.io/v1alpha1', kind: 'HostClaim', name: 'c', namespace: 'users' };

const policies = [{ metadata: { namespace: 'hosts' }, spec: { hostClaimNamespaces: { names: ['users'] } } }];
const choice = (
  hosts: readonly ClaimableHost[],
  parts: Partial<Choice> = {},
): Choice & { readonly random: number } => ({
  claim,
  namespace: { name: 'users' },
  hosts,
  policies,
  random: 0,
  ...parts,
});

const hosts: readonly (readonly [string, ClaimableHost, boolean])[] = [
  ['available', h1, true],
  ['ready', hostNamed('h', { status: { provisioning: { state: 'ready' } } }), true],
  ['null for a consumer', hostNamed('h', { spec: { consumerRef: null } }), true],
  ['without a spec', hostNamed('h', { spec: null }), true],
  ['used', hostNamed('h', { spec: { consumerRef: { kind: 'Machine', name: 'm' } } }), false],
  ['used by somebody without a name', hostNamed('h', { spec: { consumerRef: {} } }), false],
  ['deleted', hostNamed('h', {}, { deletionTimestamp: TIME }), false],
  ['paused', hostNamed('h', {}, { annotations: { 'baremetalhost.metal3.io/paused': '' } }), false],
  ['provisioned', hostNamed('h', { status: { provisioning: { state: 'provisioned' } } }), false],
  ['without a state', hostNamed('h', { status: { provisioning: null } }), false],
  ['without a status', hostNamed('h', { status: null }), false],
  ['with an error', hostNamed('h', { status: { ...free, errorMessage: 'e' } }), false],
];

for (const [title, host, isFree] of hosts) {
  test(`a host ${title} is ${isFree ? '' : 'not '}claimable`, () => {
    assert.is(isClaimable(host), isFree);
    assert.equal(candidateHosts(choice([host])), isFree ? [host] : []);
  });
}

test('candidates are in a namespace with a policy that accepts the claim', () => {
  const elsewhere = hostNamed('h', {}, { namespace: 'other' });
  assert.equal(candidateHosts(choice([elsewhere])), []);
  assert.equal(candidateHosts(choice([h1], { policies: [] })), []);
  assert.equal(candidateHosts(choice([h1], { namespace: { name: 'strangers' } })), []);
  // The same namespace is no exception.
  const near = hostNamed('h', {}, { namespace: 'users' });
  assert.equal(candidateHosts(choice([near])), []);
});

test('candidates are in the namespace that the claim names', () => {
  const open = ['hosts', 'other'].map((namespace) => ({
    metadata: { namespace },
    spec: { hostClaimNamespaces: { names: ['users'] } },
  }));
  const elsewhere = hostNamed('h0', {}, { namespace: 'other' });
  const named = (hostSelector: object | null): readonly string[] =>
    candidateHosts(choice([elsewhere, h1], { policies: open, claim: withSpec({ hostSelector }) })).map(
      ({ metadata }) => metadata.name,
    );
  assert.equal(named(null), ['h1', 'h0']);
  assert.equal(named({ inNamespace: '' }), ['h1', 'h0']);
  assert.equal(named({ inNamespace: 'other' }), ['h0']);
  assert.equal(named({ inNamespace: 'third' }), []);
});

test('candidates have the labels', () => {
  const big = hostNamed('h2', {}, { labels: { size: 'big' } });
  const selecting = withSpec({ hostSelector: { matchLabels: { size: 'big' } } });
  assert.equal(candidateHosts(choice([h1, big], { claim: selecting })), [big]);
});

test('the number chooses among candidates in the order of names, however they come', () => {
  const h2 = hostNamed('h2');
  const h3 = hostNamed('h3');
  const chosen = (random: number): string | undefined => chooseHost({ ...choice([h3, h1, h2]), random })?.metadata.name;
  assert.equal([0, 0.33, 0.34, 0.66, 0.67, 0.999].map(chosen), ['h1', 'h1', 'h2', 'h2', 'h3', 'h3']);
  assert.is(chooseHost(choice([])), undefined);
});

test('a host in the failure domain is preferred; without one any is taken', () => {
  const near = hostNamed('h9', {}, { labels: { [DOMAIN]: 'east' } });
  const far = hostNamed('h0', {}, { labels: { [DOMAIN]: 'west' } });
  const eastern = { claim: withSpec({ failureDomain: 'east' }) };
  for (const random of [0, 0.5, 0.99]) {
    assert.is(chooseHost({ ...choice([far, h1, near], eastern), random }), near);
  }
  assert.is(chooseHost(choice([h1, far], eastern)), far);
  assert.is(chooseHost(choice([near, far], { claim: withSpec({ failureDomain: '' }) })), far);
});

const references: readonly (readonly [object | null | undefined, boolean])[] = [
  [ours, true],
  [{ ...ours, apiVersion: 'metal3.io/v1beta1' }, true],
  [{ ...ours, uid: 'u' }, true],
  [{ ...ours, apiVersion: 'cluster.x-k8s.io/v1' }, false],
  [{ ...ours, apiVersion: undefined }, false],
  [{ ...ours, kind: 'Machine' }, false],
  [{ ...ours, name: 'd' }, false],
  [{ ...ours, namespace: 'other' }, false],
  [{}, false],
  [null, false],
  [undefined, false],
];

for (const [consumerRef, isOurs] of references) {
  test(`${JSON.stringify(consumerRef)} is ${isOurs ? '' : 'not '}the claim's`, () => {
    assert.is(isHeldBy(hostNamed('h', { spec: { consumerRef } }), claim), isOurs);
  });
}

test('what a claim writes on a host is what it knows it by', () => {
  assert.equal(consumerRefOf(claim), ours);
  assert.ok(isHeldBy(hostNamed('h', { spec: { consumerRef: consumerRefOf(claim) } }), claim));
});

test('a host that is held is taken again, whatever became of it since (IRONIC-HOST-HOST-CLAIM-1)', () => {
  const held = hostNamed(
    'h5',
    { spec: { consumerRef: ours }, status: { errorMessage: 'e', provisioning: { state: 'provisioned' } } },
    { namespace: 'gone', annotations: { 'baremetalhost.metal3.io/paused': '' } },
  );
  assert.is(chooseHost(choice([h1, held], { policies: [] })), held);
  assert.equal(heldHosts(claim, [h1, held]), [held]);
});

const bound = hostNamed('h1', { spec: { consumerRef: ours } });
const also = hostNamed('h0', { spec: { consumerRef: ours } });
const at = { name: 'h1', namespace: 'hosts' };
const meta = (parts: object): Partial<Choice> => ({ claim: { ...claim, metadata: { ...claim.metadata, ...parts } } });

const steps: readonly (readonly [string, readonly ClaimableHost[], Partial<Choice>, object])[] = [
  ['new', [h1], meta({ finalizers: null }), { next: 'addFinalizer' }],
  ['no host', [], {}, { next: 'wait', delayMs: 30_000 }],
  ['a host', [h1], {}, { next: 'bind', host: at, consumerRef: ours }],
  ['held', [bound], {}, { next: 'keep', host: at }],
  ['deleted, held', [bound], meta({ deletionTimestamp: TIME }), { next: 'release', hosts: [at] }],
  [
    'deleted, two held',
    [bound, also],
    meta({ deletionTimestamp: TIME }),
    { next: 'release', hosts: [{ name: 'h0', namespace: 'hosts' }, at] },
  ],
  ['deleted, nothing held', [h1], meta({ deletionTimestamp: TIME }), { next: 'dropFinalizer' }],
  ['deleted, not finalized', [bound], meta({ deletionTimestamp: TIME, finalizers: [] }), { next: 'rest' }],
];

for (const [title, given, parts, expected] of steps) {
  test(`next: ${title}`, () => assert.equal(hostClaimStep(choice(given, parts)), expected));
}

const reported = (conditions: readonly Condition[]): object =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));

const associated: ClaimVerdict = { status: 'True', reason: 'BareMetalHostAssociated' };
const synced: ClaimVerdict = { status: 'True', reason: 'ConfigurationSynced' };
const condition = (type: string, status: Condition['status'], reason: string, message = ''): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: TIME,
});
const inState = (...conditions: readonly Condition[]): ClaimableHost => hostNamed('h1', { status: { conditions } });
const provisioned = inState(
  condition('Provisioned', 'True', 'Provisioned'),
  condition('AvailableForProvisioning', 'False', 'NotAvailable'),
);
const available = inState(
  condition('Provisioned', 'False', 'NotProvisioned', 'm'),
  condition('AvailableForProvisioning', 'True', 'Available'),
);

const cases: readonly (readonly [string, Omit<Parameters<typeof hostClaimConditions>[1], 'now'>, object])[] = [
  [
    'no host',
    { association: { status: 'False', reason: 'NoBareMetalHost' } },
    {
      Associated: 'False NoBareMetalHost',
      Synchronized: 'False MissingBareMetalHost',
      Provisioned: 'False MissingBareMetalHost',
      AvailableForProvisioning: 'False MissingBareMetalHost',
      Ready: 'False NoBareMetalHost',
    },
  ],
  [
    'bound, nothing brought to the host',
    { association: associated, host: available },
    {
      Associated: 'True BareMetalHostAssociated',
      Synchronized: 'False BareMetalHostNotSynchronized',
      Provisioned: 'False NotProvisioned',
      AvailableForProvisioning: 'True Available',
      Ready: 'False BareMetalHostNotSynchronized',
    },
  ],
  [
    'synchronized, not provisioned',
    { association: associated, host: available, synchronization: synced },
    {
      Associated: 'True BareMetalHostAssociated',
      Synchronized: 'True ConfigurationSynced',
      Provisioned: 'False NotProvisioned',
      AvailableForProvisioning: 'True Available',
      Ready: 'False NotProvisioned',
    },
  ],
  [
    'all well',
    { association: associated, host: provisioned, synchronization: synced },
    {
      Associated: 'True BareMetalHostAssociated',
      Synchronized: 'True ConfigurationSynced',
      Provisioned: 'True Provisioned',
      AvailableForProvisioning: 'False NotAvailable',
      Ready: 'True Ready',
    },
  ],
  [
    'a host without conditions',
    { association: associated, host: inState(), synchronization: synced },
    {
      Associated: 'True BareMetalHostAssociated',
      Synchronized: 'True ConfigurationSynced',
      Provisioned: 'Unknown BadBareMetalHostStatus',
      AvailableForProvisioning: 'Unknown BadBareMetalHostStatus',
      Ready: 'Unknown BadBareMetalHostStatus',
    },
  ],
  [
    'deleting',
    {
      association: { status: 'False', reason: 'HostClaimDeleting' },
      host: provisioned,
      synchronization: { status: 'False', reason: 'UserDataSecretSyncFailure' },
    },
    {
      Associated: 'False HostClaimDeleting',
      Synchronized: 'False UserDataSecretSyncFailure',
      Provisioned: 'True Provisioned',
      AvailableForProvisioning: 'False NotAvailable',
      Ready: 'False HostClaimDeleting',
    },
  ],
];

for (const [title, given, expected] of cases) {
  test(`conditions: ${title}`, () =>
    assert.equal(reported(hostClaimConditions(claim, { ...given, now: NOW })), expected));
}

test('reasons are the names that the API has reserved', () => {
  for (const [name, reason] of Object.entries(ClaimReason)) assert.is(reason, name);
  assert.is(Object.keys(ClaimReason).length, 15);
});

test('a condition has the message of what it comes from, and the generation', () => {
  const conditions = hostClaimConditions(claim, {
    association: associated,
    host: available,
    synchronization: synced,
    now: NOW,
  });
  const ready = conditions.find(({ type }) => type === 'Ready');
  assert.equal(ready, { ...condition('Ready', 'False', 'NotProvisioned', 'm'), observedGeneration: 2 });
});

test.run();
