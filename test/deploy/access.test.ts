// What the chart lets pods and people do, against what the kinds ask for: no less, and no more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rolesWith, VISUALIZER, WEBHOOKS } from '../../actors/base/config.ts';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { kindsOf, migrationRules, rule, rulesOf } from '../../actors/process/cluster-rules.ts';
import type { Adapter, ClusterRule as Rule } from '../../adapters/api/adapter.ts';
import { ROLE as WINDOWS } from '../../adapters/windows/mod.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { everyAdapter, everything, installed, type Manifest, one } from './manifests.ts';

const test = suite('rules of the chart');
const all = everything();
const adapters = everyAdapter();
const alone = installed();

/** Each verb on each resource of a rule, by itself. */
function granted(rules: readonly Rule[]): readonly string[] {
  const single = rules.flatMap(({ apiGroups, resources, resourceNames = ['*'], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => [group, resource, name, verb].join(' '))),
      ),
    ),
  );
  return [...new Set(single)].sort();
}

function rulesIn(manifests: readonly Manifest[], name: string): readonly Rule[] {
  return one<{ readonly rules: readonly Rule[] }>(manifests, 'ClusterRole', name).rules;
}

function same(manifests: readonly Manifest[], name: string, wanted: readonly Rule[]): void {
  assert.equal(granted(rulesIn(manifests, name)), granted(wanted), name);
}

const labelsOf = ({ metadata }: Manifest): Readonly<Record<string, string>> =>
  (metadata['labels'] ?? {}) as Record<string, string>;

test('pods may what their roles and the kinds ask for, alone or apart', () => {
  same(alone, 'troupe', rulesOf(BUILT_IN, rolesWith(BUILT_IN)));
  for (const role of [...rolesWith(adapters), VISUALIZER, WEBHOOKS]) {
    same(all, `troupe-${role}`, rulesOf(adapters, [role]));
  }
  same(all, 'troupe-migrate', migrationRules(BUILT_IN));
});

test('pods of Windows nodes read Secrets where somebody says so, and nowhere else', () => {
  const rules = rulesOf(BUILT_IN, [WINDOWS]);
  const ofSecrets = rules.filter(({ resources }) => resources.includes('secrets'));
  assert.ok(ofSecrets.length > 0);
  same(all, `troupe-${WINDOWS}-secrets`, ofSecrets);
  const others = rules.filter((each) => !ofSecrets.includes(each));
  same(all, `troupe-${WINDOWS}`, others);
  assert.not.match(JSON.stringify(rulesIn(all, `troupe-${WINDOWS}`)), 'secrets');
  const bound = all.filter(
    ({ kind, ...rest }) =>
      kind.endsWith('RoleBinding') && (rest['roleRef'] as JsonObject)['name'] === `troupe-${WINDOWS}-secrets`,
  );
  assert.equal(bound, []);
  const writing = others.filter(({ verbs }) => verbs.some((verb) => !['get', 'list'].includes(verb)));
  assert.equal(
    writing.map(({ resources, verbs }) => [resources, verbs]),
    [
      [['tokenreviews'], ['create']],
      [['subjectaccessreviews'], ['create']],
    ],
  );
});

test('each account is bound to the rules that bear its name', () => {
  for (const manifests of [alone, all]) {
    const bindings = manifests.filter(({ kind }) => kind === 'ClusterRoleBinding');
    assert.ok(bindings.length > 0);
    for (const binding of bindings) {
      const { roleRef, subjects } = binding as unknown as { roleRef: JsonObject; subjects: readonly JsonObject[] };
      assert.is(roleRef['name'], binding.metadata.name);
      // What an account of some namespaces may beyond these is a ClusterRole of its own.
      const account = binding.metadata.name.replace(/-beyond$/, '');
      assert.equal(
        subjects.map(({ name }) => name),
        [account],
      );
      one(manifests, 'ClusterRole', binding.metadata.name);
      one(manifests, 'ServiceAccount', account);
    }
  }
});

test('36.7: who serves models may write for others or for itself, in its namespace alone', () => {
  const bound = all.filter(
    ({ kind, roleRef }) => kind === 'RoleBinding' && (roleRef as JsonObject)['name'] === 'troupe-ocm',
  );
  assert.equal(
    bound.map(({ metadata }) => metadata.namespace),
    ['default'],
  );
  const rules = rulesOf(adapters, ['ocm']);
  const isBeyond = ({ apiGroups, verbs }: Rule): boolean =>
    verbs.includes('impersonate') || apiGroups.some((group) => group.endsWith('.k8s.io'));
  same(all, 'troupe-ocm-beyond', rules.filter(isBeyond));
  const text = JSON.stringify(rulesIn(all, 'troupe-ocm'));
  assert.not.match(text, /secrets|create","delete|\*/);
});

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

test('who views, edits or administers a namespace does so with the kinds, and nobody writes their status', () => {
  const rules = (of: readonly Adapter[], verbs: readonly string[]): readonly Rule[] =>
    of.flatMap(kindsOf).map(({ group, plurals }) => rule(group, plurals, verbs));
  const own = (of: readonly Adapter[]): readonly Rule[] =>
    of.flatMap(kindsOf).map(({ group, plurals }) =>
      rule(
        group,
        plurals.map((plural) => `${plural}/finalizers`),
        ['update'],
      ),
    );
  const everybodys = BUILT_IN.filter(({ route }) => route === undefined);
  same(alone, 'troupe-view', rules(BUILT_IN, READ));
  same(alone, 'troupe-edit', rules(everybodys, [...READ, ...WRITE]));
  same(alone, 'troupe-admin', [...rules(everybodys, [...READ, ...WRITE]), ...own(everybodys)]);
  const withModels = adapters.filter(({ route }) => route === undefined);
  same(all, 'troupe-view', rules(adapters, READ));
  same(all, 'troupe-edit', rules(withModels, [...READ, ...WRITE]));
  same(all, 'troupe-admin', [...rules(withModels, [...READ, ...WRITE]), ...own(withModels)]);
  const aggregated: Record<string, string[]> = {};
  for (const manifest of alone.filter(({ kind }) => kind === 'ClusterRole')) {
    const to = Object.keys(labelsOf(manifest)).filter((label) => label.startsWith('rbac.authorization'));
    if (to.length > 0)
      aggregated[manifest.metadata.name] = to.map((label) => label.replace(/.*aggregate-to-/, '')).sort();
    const status = rulesIn(alone, manifest.metadata.name).some(({ resources = [] }) =>
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
  const onMachines = BUILT_IN.filter(({ route }) => route !== undefined);
  const plurals = onMachines.flatMap(({ contracts }) => contracts).map(({ plural }) => plural);
  assert.ok(plurals.includes('windowsmounts'));
  const roles = alone.filter(({ kind }) => kind === 'ClusterRole');
  for (const plural of plurals) {
    const writers = roles.filter(({ metadata }) =>
      rulesIn(alone, metadata.name).some(
        ({ resources = [], verbs }) => resources.includes(plural) && verbs.includes('create'),
      ),
    );
    assert.equal(
      writers.map(({ metadata }) => metadata.name),
      ['troupe-windows-edit'],
    );
    for (const writer of writers) assert.equal(Object.keys(labelsOf(writer)), ['app.kubernetes.io/name']);
  }
});

test.run();
