// What is chosen for a HostClaim, of what there is in the cluster.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ChosenStep, hostClaimOperations } from '../../../../adapters/ironic/steps/host-claims.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { objectOf } from '../../../world/ironic.ts';

const test = suite('operations on HostClaims');

const REFERENCE = { apiVersion: 'metal3.io/v1alpha1', kind: 'HostClaim', name: 'h', namespace: 'ns' };

function hostOf(name: string, consumerRef?: JsonObject): KubeObject {
  return {
    ...objectOf('BareMetalHost', consumerRef === undefined ? {} : { consumerRef }),
    metadata: { name, namespace: 'metal', uid: `uid of ${name}`, resourceVersion: '5', labels: { rack: 'a' } },
    status: { provisioning: { state: 'available' }, errorMessage: '', conditions: [] },
  };
}
const policy = { ...objectOf('HostDeployPolicy', { hostClaimNamespaces: { hasLabels: [{ name: 'team' }] } }) };
const POLICY = { ...policy, metadata: { ...policy.metadata, namespace: 'metal' } };

interface Cluster {
  readonly hosts: readonly KubeObject[];
  readonly policies?: readonly KubeObject[];
  readonly labels?: Readonly<Record<string, string>>;
}

async function choose(claim: KubeObject, { hosts, policies = [POLICY], labels = { team: 'x' } }: Cluster) {
  const asked: string[] = [];
  const { choose: chosen } = hostClaimOperations({
    clock: simulatedClock(),
    async readObject({ plural }, namespace, name) {
      asked.push(`${plural} ${namespace}/${name}`);
      if (plural === 'namespaces') return { metadata: { name, labels } } as unknown as KubeObject;
      return hosts.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    },
    async listObjects({ plural }) {
      asked.push(plural);
      return plural === 'baremetalhosts' ? hosts : policies;
    },
  });
  const request = { object: claim, dependencies: {}, deadlineAt: Number.POSITIVE_INFINITY, traceparent: '' };
  const answer: ChosenStep = await chosen(request);
  return { ...answer, asked };
}

function claimOf(more: object = {}, status?: JsonObject): KubeObject {
  const claim = objectOf('HostClaim', { hostSelector: { matchLabels: { rack: 'a' } } });
  const metadata = { ...claim.metadata, finalizers: ['metal3.io/hostclaim'], ...more };
  return { ...claim, metadata, ...(status !== undefined && { status }) };
}
const BOUND = { bareMetalHost: { name: 'one', namespace: 'metal' } };

test('a free host where a policy lets the namespace, by its labels', async () => {
  const { step, hosts } = await choose(claimOf(), { hosts: [hostOf('one')] });
  assert.equal(step, { next: 'bind', host: BOUND.bareMetalHost, consumerRef: REFERENCE });
  assert.equal(hosts, [
    { ...BOUND.bareMetalHost, uid: 'uid of one', resourceVersion: '5', status: { conditions: [] } },
  ]);
  const refused = await choose(claimOf(), { hosts: [hostOf('one')], labels: {} });
  assert.equal([refused.step.next, refused.hosts], ['wait', []]);
});

test('one that has its host looks at that alone', async () => {
  const { step, asked } = await choose(claimOf({}, BOUND), { hosts: [hostOf('one', REFERENCE), hostOf('two')] });
  assert.equal([step.next, asked], ['keep', ['baremetalhosts metal/one']]);
});

test('one whose host is another’s by now gets another one', async () => {
  const taken = hostOf('one', { ...REFERENCE, name: 'other' });
  const { step } = await choose(claimOf({}, BOUND), { hosts: [taken, hostOf('two')] });
  assert.equal(step.next === 'bind' && step.host.name, 'two');
});

test('a deleted claim lets go of all hosts that carry its reference', async () => {
  const hosts = [hostOf('one', REFERENCE), hostOf('two', REFERENCE), hostOf('three')];
  const deleted = claimOf({ deletionTimestamp: '2026-01-02T03:04:05Z' }, BOUND);
  const released = await choose(deleted, { hosts });
  assert.equal([released.step.next, released.hosts.map(({ name }) => name)], ['release', ['one', 'two']]);
  assert.is((await choose(deleted, { hosts: [hostOf('three')] })).step.next, 'dropFinalizer');
});

test.run();
