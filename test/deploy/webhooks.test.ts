// Who reaches the webhooks: the policy of their pods.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { everything, one } from './manifests.ts';

const test = suite('the policy of the webhooks');

interface Policy {
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly podSelector: { readonly matchLabels: object };
    readonly policyTypes: readonly string[];
    readonly ingress: readonly { readonly from?: readonly object[]; readonly ports: readonly { port: string }[] }[];
  };
}
interface Pods {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly ports: readonly { readonly name: string }[] }[] };
    };
  };
}

const objects = everything();

test('33.C4d: it is of their pods, and names every port of theirs; that of the webhooks to addresses and to no pods', () => {
  const { spec, metadata } = one<Policy>(objects, 'NetworkPolicy', 'troupe-webhooks');
  const pods = one<Pods>(objects, 'Deployment', 'troupe-webhooks');
  const { labels } = pods.spec.template.metadata;
  for (const [name, value] of Object.entries(spec.podSelector.matchLabels)) assert.is(labels[name], value);
  assert.equal(spec.policyTypes, ['Ingress']);
  assert.is(metadata.namespace, 'troupe-system');
  const named = spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
  const theirs = pods.spec.template.spec.containers.flatMap(({ ports }) => ports.map(({ name }) => name));
  assert.equal([...named].sort(), [...theirs].sort());
  const asked = spec.ingress.filter(({ ports }) => ports.some(({ port }) => port === 'webhooks'));
  assert.ok(asked.length > 0 && asked.every(({ from = [{}] }) => from.every((each) => 'ipBlock' in each)));
});

test.run();
