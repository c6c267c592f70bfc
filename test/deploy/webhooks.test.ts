// Who reaches the webhooks: the policy of their pods.
import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';

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

async function read(path: string): Promise<string> {
  return readFile(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
}

test('33.C4d: it is of their pods, and names every port of theirs; that of the webhooks to addresses and to no pods', async () => {
  const { spec, metadata } = parse(await read('webhooks/network-policy.yaml')) as Policy;
  const pods = parseAllDocuments(await read('webhooks/pods.yaml'))
    .map((document) => document.toJS() as Pods)
    .find(({ kind }) => kind === 'Deployment');
  const { labels } = pods?.spec.template.metadata ?? { labels: {} };
  for (const [name, value] of Object.entries(spec.podSelector.matchLabels)) assert.is(labels[name], value);
  assert.equal(spec.policyTypes, ['Ingress']);
  assert.is(metadata.namespace, 'troupe-system');
  const named = spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
  const theirs = pods?.spec.template.spec.containers.flatMap(({ ports }) => ports.map(({ name }) => name));
  assert.equal([...named].sort(), [...(theirs ?? [])].sort());
  const asked = spec.ingress.filter(({ ports }) => ports.some(({ port }) => port === 'webhooks'));
  assert.ok(asked.length > 0 && asked.every(({ from = [{}] }) => from.every((each) => 'ipBlock' in each)));
  const { resources } = parse(await read('webhooks/kustomization.yaml')) as { resources: string[] };
  assert.ok(resources.includes('network-policy.yaml'));
});

test.run();
