// What is generated into deploy/ fits together, and goes on being what its sources say.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
import { aggregatedRoles } from '../../deploy/manifests.ts';
import { nodeRoles } from '../../deploy/node-pods.ts';
import { identityOf, type Manifest, parseManifests } from '../../deploy/render/kustomize.ts';
import { changedSince } from '../../deploy/render/sums.ts';

const test = suite('generated files of deploy/');
const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

function read(name: string): readonly Manifest[] {
  return parseManifests(readFileSync(join(DEPLOY, name), 'utf8'));
}

const installed = read('install.yaml');

interface Rules {
  readonly rules: readonly { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }[];
}

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
  const split = rolesWith(BUILT_IN).flatMap((role) => read(`roles/${role}-pods.yaml`));
  const withoutActors = installed.filter(({ kind }) => kind !== 'Deployment');
  for (const objects of [installed, [...withoutActors, ...split]]) {
    const pods = podLabels(objects);
    for (const manifest of objects) {
      const spec = (manifest['spec'] ?? {}) as JsonObject;
      const selector = spec['selector'] ?? spec['podSelector'];
      if (selector === undefined) continue;
      const labels = ((selector as JsonObject)['matchLabels'] ?? selector) as Readonly<Record<string, string>>;
      const selected = pods.filter((pod) => Object.entries(labels).every(([key, value]) => pod[key] === value));
      assert.ok(selected.length > 0, identityOf(manifest));
    }
  }
});

test('pods that show the others are selected by their own objects alone, and have what these name', () => {
  const shown = ['pods.yaml', 'service.yaml'].flatMap((name) => read(`visualizer/${name}`));
  const [pod] = podLabels(shown);
  if (pod === undefined) throw new Error('there are no pods');
  const isSelected = ({ spec }: Manifest): boolean => {
    const { selector } = (spec ?? {}) as { selector?: { matchLabels?: Record<string, string> } };
    if (selector === undefined) return false;
    return Object.entries(selector.matchLabels ?? selector).every(([key, value]) => pod[key] === value);
  };
  assert.equal(
    shown.filter(isSelected).map(({ kind }) => kind),
    ['Deployment', 'Service'],
  );
  assert.equal(installed.filter(isSelected).map(identityOf), []);
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
  const [account, binding, pods] = read('windows/pods.yaml');
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
  const [service] = read('windows/service.yaml');
  const reported = `${service?.metadata.name.replaceAll('-', '_').toUpperCase()}_SERVICE_HOST`;
  assert.is(variable('NATS_URL'), `tls://$(${reported}):4222`);
  assert.is(specOf(service)['clusterIP'], undefined, 'it has an address');
  const nats = installed.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'troupe-nats');
  assert.is(variable('NATS_SERVER_NAME'), nats?.metadata.name);
  assert.equal(specOf(service)['selector'], specOf(nats)['selector']);
  assert.is(volumes[0]?.secret?.secretName, 'troupe-bus-csi-proxy');
  const [rules, ofSecrets] = parseManifests(nodeRoles(BUILT_IN, ROLE));
  assert.is((binding?.['roleRef'] as JsonObject | undefined)?.['name'], rules?.metadata.name);
  assert.is(serviceAccountName, account?.metadata.name);
  const written = (rules as unknown as Rules).rules.filter(({ verbs }) => verbs.some((verb) => verb !== 'get'));
  assert.equal(
    written.map(({ resources, verbs }) => [resources, verbs]),
    [
      [['iscsitargets', 'smbmappings', 'windowsmounts', 'windowsstoragenodes'], ['list']],
      [['tokenreviews'], ['create']],
      [['subjectaccessreviews'], ['create']],
    ],
  );
  // Secrets are read where somebody says so, and nowhere else.
  assert.not.match(JSON.stringify(rules), 'secrets');
  assert.equal((ofSecrets as unknown as Rules).rules, [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]);
  const bindings = read('windows/pods.yaml').filter(({ kind }) => kind.endsWith('RoleBinding'));
  assert.is(bindings.length, 1, 'of the first');
});

test('NATS lets everybody in who is told where it is', () => {
  const files = ['base/deployment.yaml', 'visualizer/pods.yaml', 'webhooks/pods.yaml', 'windows/pods.yaml'];
  const all = [...files, ...rolesWith(BUILT_IN).map((role) => `roles/${role}-pods.yaml`)].flatMap(read);
  const selectors = installed.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'NetworkPolicy' || metadata.name !== 'troupe-nats') return [];
    const { ingress } = spec as unknown as { ingress: { from: { podSelector: { matchLabels: object } }[] }[] };
    return ingress.flatMap(({ from }) => from.map(({ podSelector }) => podSelector.matchLabels));
  });
  const speaking = all.filter((manifest) => JSON.stringify(manifest).includes('"NATS_URL"'));
  assert.is(speaking.length, all.filter((manifest) => podLabels([manifest]).length > 0).length - 1, 'all but webhooks');
  for (const manifest of speaking) {
    const { template } = specOf(manifest) as unknown as { template: { spec: { hostNetwork?: boolean } } };
    const [pod = {}] = podLabels([manifest]);
    const isLetIn = selectors.some((labels) => Object.entries(labels).every(([key, value]) => pod[key] === value));
    assert.is(isLetIn, template.spec.hostNetwork !== true, identityOf(manifest));
  }
  const [more] = read('windows/network-policy.yaml');
  const { podSelector, ingress } = specOf(more);
  const own = installed.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'troupe-nats');
  assert.equal(podSelector, specOf(own)['podSelector']);
  assert.equal(ingress, [{ ports: [{ port: 'client' }] }], 'from wherever, as nodes have addresses of their own');
});

test('the monitor finds the Service and its port', () => {
  const [monitor] = read('monitoring/service-monitor.yaml');
  const service = installed.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'troupe-metrics');
  if (service === undefined || monitor === undefined) throw new Error('there is no Service, or no monitor');
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

test('who views, edits or administers a namespace does so with the kinds, and nobody writes their status', () => {
  const roles = parseManifests(aggregatedRoles(BUILT_IN));
  const verbs = (role: string): Readonly<Record<string, readonly string[]>> => {
    const manifest = roles.find(({ metadata }) => metadata.name === `troupe-${role}`);
    const { rules } = manifest as unknown as Rules;
    return Object.fromEntries(rules.flatMap((rule) => rule.resources.map((resource) => [resource, rule.verbs])));
  };
  const written = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  for (const { plural } of BUILT_IN.flatMap(({ contracts }) => contracts)) {
    assert.equal(verbs('view')[plural], ['get', 'list', 'watch']);
  }
  for (const { plural } of BUILT_IN.flatMap(({ contracts, route }) => (route === undefined ? contracts : []))) {
    assert.equal(verbs('edit')[plural], written);
    assert.equal(verbs('admin')[plural], written);
    assert.equal(verbs('admin')[`${plural}/finalizers`], ['update']);
  }
  const aggregated: Record<string, string[]> = {};
  for (const manifest of installed.filter(({ kind }) => kind === 'ClusterRole')) {
    const to = Object.keys(labelsOf(manifest)).filter((label) => label.startsWith('rbac.authorization'));
    if (to.length > 0)
      aggregated[manifest.metadata.name] = to.map((label) => label.replace(/.*aggregate-to-/, '')).sort();
    const status = (manifest as unknown as Rules).rules.some(({ resources = [] }) =>
      resources.some((each) => each.endsWith('/status')),
    );
    assert.not(status && to.length > 0, manifest.metadata.name);
  }
  assert.equal(aggregated, {
    'troupe-view': ['admin', 'edit', 'view'],
    'troupe-edit': ['admin', 'edit'],
    'troupe-admin': ['admin'],
  });
});

test('33.C3: what is done on machines of the cluster is written by whom somebody lets do it, not by every editor', () => {
  const roles = parseManifests(aggregatedRoles(BUILT_IN)) as unknown as readonly (Manifest & Rules)[];
  const plurals = BUILT_IN.flatMap(({ contracts, route }) => (route === undefined ? [] : contracts)).map(
    ({ plural }) => plural,
  );
  assert.ok(plurals.includes('windowsmounts'));
  const writes = (role: Rules, plural: string): boolean =>
    role.rules.some(({ resources, verbs }) => resources.includes(plural) && verbs.includes('create'));
  for (const plural of plurals) {
    const writers = roles.filter((role) => writes(role, plural));
    assert.equal(
      writers.map(({ metadata }) => metadata.name),
      ['troupe-windows-edit'],
    );
    for (const writer of writers) assert.equal(labelsOf(writer), {}, 'it is bound by name');
  }
  assert.ok(installed.some(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'troupe-windows-edit'));
});

test('pods of a role are those of all roles, told to play one', () => {
  const [base] = read('base/deployment.yaml');
  const all = base?.['spec'] as unknown as { template: { spec: { containers: { args: string[] }[] } } };
  for (const role of rolesWith(BUILT_IN)) {
    const [account, binding, pods] = read(`roles/${role}-pods.yaml`);
    const spec = pods?.['spec'] as unknown as typeof all & { template: { spec: { serviceAccountName: string } } };
    const [container] = spec.template.spec.containers;
    assert.equal(container, {
      ...all.template.spec.containers[0],
      args: [...(all.template.spec.containers[0]?.args ?? []), `--roles=${role}`],
    });
    assert.is(spec.template.spec.serviceAccountName, account?.metadata.name);
    const [rules] = read(`roles/${role}.yaml`);
    assert.is((binding?.['roleRef'] as JsonObject | undefined)?.['name'], rules?.metadata.name);
  }
});

test('sources, chart and image are of the version of the package', () => {
  const chart = parse(readFileSync(join(DEPLOY, 'chart/Chart.yaml'), 'utf8')) as Record<string, string>;
  assert.is(chart['version'], TROUPE_VERSION);
  assert.is(chart['appVersion'], TROUPE_VERSION);
  const { images } = parse(readFileSync(join(DEPLOY, 'base/kustomization.yaml'), 'utf8')) as {
    images: { newTag: string }[];
  };
  assert.equal(
    images.map(({ newTag }) => newTag),
    [TROUPE_VERSION],
  );
});

test('a source that changes, comes or goes, and a product that is edited, are seen without kubectl', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-sums-'));
  try {
    cpSync(DEPLOY, folder, { recursive: true });
    assert.equal(await changedSince(folder), []);
    writeFileSync(join(folder, 'nats/service.yaml'), 'changed');
    writeFileSync(join(folder, 'base/more.yaml'), 'new');
    writeFileSync(join(folder, 'chart/values.yaml'), 'edited');
    rmSync(join(folder, 'egress/network-policy.yaml'));
    writeFileSync(join(folder, 'README.md'), 'has no part in it');
    assert.equal(await changedSince(folder), [
      'base/more.yaml',
      'chart/values.yaml',
      'egress/network-policy.yaml',
      'nats/service.yaml',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
