// What the chart makes fits together, and goes on being what its sources say.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { rolesWith } from '../../actors/base/config.ts';
import { TROUPE_VERSION } from '../../actors/base/version.ts';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { ROLE } from '../../adapters/windows/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { everything, identityOf, installed as installedManifests, type Manifest, one } from './manifests.ts';

const test = suite('what the chart makes');
const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

const installed = installedManifests();
const all = everything();

function labelsOf({ metadata }: Manifest): Readonly<Record<string, string>> {
  return (metadata['labels'] ?? {}) as Record<string, string>;
}

function specOf(manifest: Manifest | undefined): JsonObject {
  if (manifest === undefined) throw new Error('there is no such object');
  return (manifest['spec'] ?? {}) as JsonObject;
}

/** Labels of the pods that objects make. */
function podLabels(of: readonly Manifest[]): readonly Readonly<Record<string, string>>[] {
  return of.flatMap((manifest) => {
    const spec = manifest['spec'] as { template?: { metadata?: { labels?: Record<string, string> } } } | undefined;
    const labels = spec?.template?.metadata?.labels;
    return labels === undefined ? [] : [labels];
  });
}

test('the installation is one file, with every definition, and names no object twice', () => {
  const names = installed.map(identityOf);
  assert.is(new Set(names).size, names.length);
  const kinds = installed.filter(({ kind }) => kind === 'CustomResourceDefinition');
  assert.is(kinds.length, BUILT_IN.flatMap(({ contracts }) => contracts).length);
});

test('what selects pods selects some, whether roles are split or not', () => {
  for (const objects of [installed, all]) {
    const pods = podLabels(objects);
    for (const manifest of objects) {
      const spec = (manifest['spec'] ?? {}) as JsonObject;
      const selector = spec['selector'] ?? spec['podSelector'];
      // A monitor selects Services.
      if (selector === undefined || manifest.kind === 'ServiceMonitor') continue;
      const labels = ((selector as JsonObject)['matchLabels'] ?? selector) as Readonly<Record<string, string>>;
      const selected = pods.filter((pod) => Object.entries(labels).every(([key, value]) => pod[key] === value));
      assert.ok(selected.length > 0, identityOf(manifest));
    }
  }
});

test('pods that show the others are selected by their own objects alone, and have what these name', () => {
  const shown = all.filter(({ metadata }) => metadata.name === 'troupe-visualizer');
  const [pod] = podLabels(shown);
  if (pod === undefined) throw new Error('there are no pods');
  const isSelected = ({ spec, metadata }: Manifest): boolean => {
    if (metadata.name === 'troupe-metrics') return false; // it finds pods of all roles
    const { selector } = (spec ?? {}) as { selector?: { matchLabels?: Record<string, string> } };
    if (selector === undefined) return false;
    return Object.entries(selector.matchLabels ?? selector).every(([key, value]) => pod[key] === value);
  };
  assert.equal(
    all.filter(isSelected).map(identityOf).sort(),
    shown
      .filter(({ kind }) => ['Deployment', 'Service'].includes(kind))
      .map(identityOf)
      .sort(),
  );
  const users = JSON.stringify(installed.find(({ kind }) => kind === 'Job'));
  assert.match(users, '"--user=visualizer"');
  const secrets = JSON.stringify(
    installed.find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'troupe-bus'),
  );
  assert.match(secrets, '"troupe-bus-visualizer"');
});

interface PodSpec {
  readonly serviceAccountName: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly securityContext: JsonObject;
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: JsonObject }[];
    readonly securityContext?: JsonObject;
  }[];
  readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
}

test('pods of Windows nodes are HostProcess containers, one a node, which know their node and reach the bus from its network', () => {
  const pods = one(all, 'DaemonSet', `troupe-${ROLE}`);
  const { template } = specOf(pods) as unknown as { template: { spec: PodSpec } };
  const { containers, securityContext, nodeSelector, serviceAccountName, volumes } = template.spec;
  const [container] = containers;
  assert.equal([pods?.kind, nodeSelector], ['DaemonSet', { 'kubernetes.io/os': 'windows' }]);
  assert.equal(securityContext, { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } });
  assert.is(container?.securityContext, undefined, 'nothing that only Linux has');
  assert.is(container?.args.at(-1), '--roles=csi-proxy');
  const variable = (name: string): unknown => {
    const found = container?.env.find((each) => each.name === name);
    return found?.value ?? found?.valueFrom;
  };
  assert.equal(variable('NODE_NAME'), { fieldRef: { fieldPath: 'spec.nodeName' } });
  const service = one(all, 'Service', 'troupe-nats-windows');
  const reported = `${service?.metadata.name.replaceAll('-', '_').toUpperCase()}_SERVICE_HOST`;
  assert.is(variable('NATS_URL'), `tls://$(${reported}):4222`);
  assert.is(specOf(service)['clusterIP'], undefined, 'it has an address');
  const nats = installed.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'troupe-nats');
  assert.is(variable('NATS_SERVER_NAME'), nats?.metadata.name);
  assert.equal(specOf(service)['selector'], specOf(nats)['selector']);
  assert.is(volumes[0]?.secret?.secretName, 'troupe-bus-csi-proxy');
  assert.is(serviceAccountName, `troupe-${ROLE}`);
});

test('NATS lets everybody in who is told where it is', () => {
  const pods = [...installed, ...all].filter(({ kind }) => ['Deployment', 'DaemonSet'].includes(kind));
  const selectors = installed.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'NetworkPolicy' || metadata.name !== 'troupe-nats') return [];
    const { ingress } = spec as unknown as { ingress: { from: { podSelector: { matchLabels: object } }[] }[] };
    return ingress.flatMap(({ from }) => from.map(({ podSelector }) => podSelector.matchLabels));
  });
  const speaking = pods.filter((manifest) => JSON.stringify(manifest).includes('"NATS_URL"'));
  assert.is(speaking.length, pods.length - 2, 'all but webhooks, and who serves models');
  for (const manifest of speaking) {
    const { template } = specOf(manifest) as unknown as { template: { spec: { hostNetwork?: boolean } } };
    const [pod = {}] = podLabels([manifest]);
    const isLetIn = selectors.some((labels) => Object.entries(labels).every(([key, value]) => pod[key] === value));
    assert.is(isLetIn, template.spec.hostNetwork !== true, identityOf(manifest));
  }
  const more = one(all, 'NetworkPolicy', 'troupe-nats-windows');
  const { podSelector, ingress } = specOf(more);
  const own = installed.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'troupe-nats');
  assert.equal(podSelector, specOf(own)['podSelector']);
  assert.equal(ingress, [{ ports: [{ port: 'client' }] }], 'from wherever, as nodes have addresses of their own');
});

test('the monitor finds the Service and its port', () => {
  const monitor = one(all, 'ServiceMonitor', 'troupe');
  const service = installed.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'troupe-metrics');
  if (service === undefined) throw new Error('there is no Service');
  const { selector, endpoints } = monitor['spec'] as unknown as {
    selector: { matchLabels: Record<string, string> };
    endpoints: { port: string }[];
  };
  assert.is(service.metadata.namespace, monitor.metadata.namespace);
  const labels = labelsOf(service);
  for (const [key, value] of Object.entries(selector.matchLabels)) assert.is(labels[key], value);
  const { ports } = service['spec'] as unknown as { ports: { name: string }[] };
  assert.equal(
    endpoints.map(({ port }) => port),
    ports.map(({ name }) => name),
  );
});

test('the Service of the metrics finds every pod that serves them, and no other', () => {
  const selector = Object.entries(specOf(one(all, 'Service', 'troupe-metrics'))['selector'] as JsonObject);
  const workloads = all.filter(({ kind }) => ['Deployment', 'DaemonSet', 'StatefulSet'].includes(kind));
  const serving = (manifest: Manifest): boolean => JSON.stringify(manifest).includes('"name":"metrics"');
  assert.ok(workloads.filter(serving).length > 5, 'pods of several roles');
  for (const workload of workloads) {
    const { template } = specOf(workload) as { template: { metadata: { labels: Record<string, string> } } };
    const isFound = selector.every(([key, value]) => template.metadata.labels[key] === value);
    assert.is(isFound, serving(workload), identityOf(workload));
  }
});

test('pods of a role are those of all roles, told to play one', () => {
  const of = (manifest: Manifest) =>
    specOf(manifest) as unknown as {
      template: {
        spec: {
          serviceAccountName: string;
          containers: { args: string[]; env?: { name: string }[]; volumeMounts?: { name: string }[] }[];
        };
      };
    };
  const together = of(one(installed, 'Deployment', 'troupe')).template.spec;
  for (const role of rolesWith(BUILT_IN)) {
    const { serviceAccountName, containers } = of(one(all, 'Deployment', `troupe-${role}`)).template.spec;
    const [{ env = [], volumeMounts = [], ...container } = {}] = containers;
    const isOfModels = ({ name }: { name: string }): boolean => /models$/i.test(name);
    const without = {
      env: env.filter((each) => !isOfModels(each)),
      volumeMounts: volumeMounts.filter((each) => !isOfModels(each)),
    };
    assert.is(env.length - without.env.length, 1);
    assert.equal(
      { ...container, ...without },
      {
        ...together.containers[0],
        args: [...(together.containers[0]?.args ?? []), `--roles=${role}`],
      },
    );
    assert.is(serviceAccountName, `troupe-${role}`);
  }
});

test('the API server is told to ask as the adapters have it', () => {
  const service = { namespace: 'troupe-system', name: 'troupe-webhooks' };
  const wanted = BUILT_IN.flatMap(({ webhooks }) => webhooks?.admission?.manifests(service) ?? []);
  const made = all.filter(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  assert.equal(made, wanted);
});

test('each value of the chart is in its schema and in its table, with its default', () => {
  const read = (name: string): string => readFileSync(join(DEPLOY, 'chart', name), 'utf8');
  interface Schema {
    readonly properties?: Readonly<Record<string, Schema>>;
  }
  const leaves = (schema: Schema, value: unknown, path: readonly string[]): readonly [string, unknown][] =>
    schema.properties === undefined
      ? [[path.join('.'), value]]
      : Object.entries(schema.properties).flatMap(([key, below]) =>
          leaves(below, (value as JsonObject | undefined)?.[key], [...path, key]),
        );
  const { properties: { global: _, ...properties } = {} } = JSON.parse(read('values.schema.json')) as Schema;
  const values = parse(read('values.yaml')) as JsonObject;
  const known = leaves({ properties }, values, []);
  const rows = [...read('README.md').matchAll(/^\| `([\w.]+)` \| `(.*?)` \| .+ \|$/gm)];
  assert.equal(
    rows.map(([, path, value = '']) => [path, JSON.parse(value)]),
    known,
  );
  assert.equal(Object.keys(values), Object.keys(properties), 'and nothing else');
});

test('the chart and its images are of the version of the package', () => {
  const chart = parse(readFileSync(join(DEPLOY, 'chart/Chart.yaml'), 'utf8')) as Record<string, string>;
  assert.is(chart['version'], TROUPE_VERSION);
  assert.is(chart['appVersion'], TROUPE_VERSION);
  const values = readFileSync(join(DEPLOY, 'chart/values.yaml'), 'utf8');
  assert.match(values, `troupe-windows:${TROUPE_VERSION}\n`);
});

test.run();
