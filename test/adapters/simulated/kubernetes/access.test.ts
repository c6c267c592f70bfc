// Roles and bindings: what they give, what they do not, and who may give it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attributesOf } from '../../../../adapters/simulated/kubernetes/access/attributes.ts';
import { uncovered } from '../../../../adapters/simulated/kubernetes/access/rules.ts';
import { type Harness, serverChecks } from '../../../world/api-calls.ts';
import { widgetChecks } from './widgets.ts';

const test = suite('embedded api server: access');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const NAMESPACED = `${RBAC}/namespaces/default`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const as = (user: string): { headers: Record<string, string> } => ({ headers: { 'impersonate-user': user } });

async function made({ call }: Harness, path: string, body: unknown): Promise<void> {
  const { code, text } = await call('POST', path, { body });
  assert.is(code, 201, text);
}

/** Gives rules of the namespace `default` to jane. */
async function give(harness: Harness, rules: readonly unknown[]): Promise<void> {
  await made(harness, `${NAMESPACED}/roles`, { metadata: { name: 'given' }, rules });
  await made(harness, `${NAMESPACED}/rolebindings`, {
    metadata: { name: 'given' },
    roleRef: { kind: 'Role', name: 'given' },
    subjects: [{ kind: 'User', name: 'jane' }],
  });
}

onWidgets('what no rule allows is refused, and what one allows is not (KSIM-RBAC-1)', async (harness) => {
  const { call } = harness;
  await give(harness, [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['known'], verbs: ['get'] },
    { apiGroups: ['example.org'], resources: ['*/status'], verbs: ['get'] },
  ]);
  const widgets = '/apis/example.org/v1/namespaces/default/widgets';
  const expected: [string, string, number][] = [
    ['GET', CONFIG_MAPS, 200],
    ['GET', `${CONFIG_MAPS}/none`, 404],
    ['GET', `${CONFIG_MAPS}?watch=1`, 403],
    ['DELETE', CONFIG_MAPS, 403],
    ['GET', '/api/v1/configmaps', 403],
    ['GET', '/api/v1/namespaces/kube-system/configmaps', 403],
    ['GET', '/api/v1/namespaces/default/secrets/known', 404],
    ['GET', '/api/v1/namespaces/default/secrets/other', 403],
    ['GET', '/api/v1/namespaces/default/secrets', 403],
    ['GET', `${widgets}/w/status`, 404],
    ['GET', `${widgets}/w`, 403],
  ];
  for (const [method, path, code] of expected) {
    assert.is((await call(method, path, as('jane'))).code, code, `${method} ${path}`);
  }
  assert.is((await call('GET', CONFIG_MAPS, as('joe'))).code, 403);
});

onServer('a right ends with its binding, its role and its rule, and begins with them', async (harness) => {
  const { call } = harness;
  const code = async (): Promise<number> => (await call('GET', CONFIG_MAPS, as('jane'))).code;
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  await give(harness, rules);
  assert.is(await code(), 200);
  await call('PUT', `${NAMESPACED}/roles/given`, { body: { metadata: { name: 'given' }, rules: [] } });
  assert.is(await code(), 403);
  await call('PUT', `${NAMESPACED}/roles/given`, { body: { metadata: { name: 'given' }, rules } });
  assert.is(await code(), 200);
  await call('DELETE', `${NAMESPACED}/roles/given`);
  const refused = await call('GET', CONFIG_MAPS, as('jane'));
  assert.match(String(refused.body['message']), /: RBAC: role\.rbac\.authorization\.k8s\.io "given" not found$/);
  await made(harness, `${NAMESPACED}/roles`, { metadata: { name: 'given' }, rules });
  assert.is(await code(), 200);
  await call('PATCH', `${NAMESPACED}/rolebindings/given`, {
    type: 'application/merge-patch+json',
    body: { subjects: [{ kind: 'User', name: 'joe' }] },
  });
  assert.is(await code(), 403);
  assert.is((await call('GET', CONFIG_MAPS, as('joe'))).code, 200);
  await call('DELETE', `${NAMESPACED}/rolebindings/given`);
  assert.is((await call('GET', CONFIG_MAPS, as('joe'))).code, 403);
});

onServer('view, edit and admin add up what is labeled for them, and go on doing so', async (harness) => {
  const { call } = harness;
  const rulesOf = async (name: string): Promise<string> =>
    JSON.stringify((await call('GET', `${RBAC}/clusterroles/${name}`)).body['rules']);
  assert.match(await rulesOf('view'), '"configmaps"');
  assert.not.match(await rulesOf('view'), '"secrets"');
  assert.match(await rulesOf('edit'), '"secrets"');
  assert.match(await rulesOf('admin'), '"rolebindings"');
  await made(harness, `${RBAC}/clusterroles`, {
    metadata: { name: 'widgets', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['example.org'], resources: ['widgets'], verbs: ['get'] }],
  });
  for (const name of ['view', 'edit', 'admin']) assert.match(await rulesOf(name), '"widgets"', name);
  await call('DELETE', `${RBAC}/clusterroles/widgets`);
  for (const name of ['view', 'edit', 'admin']) assert.not.match(await rulesOf(name), '"widgets"', name);
});

onServer('a role is not given by who does not have it, unless they may bind or escalate', async (harness) => {
  const { call } = harness;
  const group = ['rbac.authorization.k8s.io'];
  await give(harness, [{ apiGroups: group, resources: ['roles', 'rolebindings'], verbs: ['create', 'update'] }]);
  const role = { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
  const refused = await call('POST', `${NAMESPACED}/roles`, { body: role, ...as('jane') });
  assert.is(
    refused.body['message'],
    'roles.rbac.authorization.k8s.io "r" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
  );
  const binding = {
    metadata: { name: 'b' },
    roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', name: 'jane' }],
  };
  assert.is((await call('POST', `${NAMESPACED}/rolebindings`, { body: binding, ...as('jane') })).code, 403);
  assert.is((await call('GET', `${NAMESPACED}/rolebindings/b`)).code, 404, 'nothing was stored');
  const rules = [
    { apiGroups: group, resources: ['roles', 'rolebindings'], verbs: ['create', 'update', 'escalate'] },
    { apiGroups: group, resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] },
  ];
  await call('PUT', `${NAMESPACED}/roles/given`, { body: { metadata: { name: 'given' }, rules } });
  assert.is((await call('POST', `${NAMESPACED}/roles`, { body: role, ...as('jane') })).code, 201);
  assert.is((await call('POST', `${NAMESPACED}/rolebindings`, { body: binding, ...as('jane') })).code, 403);
  const view = { ...binding, roleRef: { kind: 'ClusterRole', name: 'view' } };
  assert.is((await call('POST', `${NAMESPACED}/rolebindings`, { body: view, ...as('jane') })).code, 201);
});

onServer('an apply that creates needs the right to create', async (harness) => {
  const { call } = harness;
  await give(harness, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]);
  const options = {
    type: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    ...as('jane'),
  };
  const refused = await call('PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, options);
  assert.match(String(refused.body['message']), /^configmaps "a" is forbidden: User "jane" cannot create/);
  await made(harness, CONFIG_MAPS, { metadata: { name: 'a' } });
  assert.is((await call('PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, options)).code, 200);
});

onServer('what is judged is what is answered: no empty segments, no watch of one object', async (harness) => {
  const { call, watch } = harness;
  await made(harness, `${RBAC}/clusterroles`, {
    metadata: { name: 'getter' },
    rules: [{ apiGroups: [''], resources: ['*'], verbs: ['get'] }],
  });
  const roleRef = { kind: 'ClusterRole', name: 'getter' };
  const subjects = [{ kind: 'User', name: 'jane' }];
  await made(harness, `${RBAC}/clusterrolebindings`, { metadata: { name: 'getter' }, roleRef, subjects });
  await made(harness, CONFIG_MAPS, { metadata: { name: 'a' } });
  const odd = ['/api//v1/secrets', '/api/v1//secrets', '/api/v1/namespaces//default/secrets'];
  for (const path of odd) assert.is((await call('GET', path, as('jane'))).code, 404, path);
  for (const path of odd) assert.is((await call('GET', path)).code, 404, path);
  assert.is((await call('GET', CONFIG_MAPS, as('jane'))).code, 403);
  const one = await call('GET', `${CONFIG_MAPS}/a?watch=1`, as('jane'));
  assert.is(one.body['metadata']?.['name'], 'a');
  assert.is((await call('GET', '/apis/rbac.authorization.k8s.io/v1//roles')).code, 404);
  const events = await watch(`${CONFIG_MAPS}?watch=1`);
  assert.is((await events.next())?.type, 'ADDED');
  events.stop();
});

onServer('one subject among thousands of bindings is found at once (KSIM-RBAC-2)', async (harness) => {
  const { call } = harness;
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      made(harness, `${RBAC}/clusterrolebindings`, {
        metadata: { name: `b${index}` },
        roleRef: { kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'User', name: `user${index}` }],
      }),
    ),
  );
  const review = await call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: { spec: { user: 'user299', resourceAttributes: { verb: 'list', resource: 'pods' } } },
  });
  assert.equal(review.body['status'], {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "b299" of ClusterRole "view" to User "user299"',
  });
});

test('requests are understood before anything is looked up', () => {
  const read = (method: string, path: string, query = '', watching = false): string => {
    const attributes = attributesOf(method, path, new URLSearchParams(query), watching);
    if (attributes.kind === 'path') return `${attributes.verb} ${attributes.path}`;
    const { verb, group, resource, subresource, namespace, name } = attributes;
    return [verb, group, resource, subresource, namespace, name].join('|');
  };
  const expected: [string, string][] = [
    [read('GET', '/api'), 'get /api'],
    [read('GET', '/api/v1'), 'get /api/v1'],
    [read('GET', '/apis/g/v1'), 'get /apis/g/v1'],
    [read('POST', '/nonsense'), 'post /nonsense'],
    [read('GET', '/api/v1/pods'), 'list||pods|||'],
    [read('GET', '/api/v1/pods', 'fieldSelector=metadata.name%3Dx,a%3Db'), 'list||pods|||x'],
    [read('GET', '/api/v1/pods', '', true), 'watch||pods|||'],
    [read('GET', '/api/v1/namespaces/n'), 'get||namespaces||n|n'],
    [read('PUT', '/api/v1/namespaces/n/finalize'), 'update||namespaces|finalize|n|n'],
    [read('DELETE', '/api/v1/namespaces/n/pods'), 'deletecollection||pods||n|'],
    [read('DELETE', '/api/v1/namespaces/n/pods/p'), 'delete||pods||n|p'],
    [read('PATCH', '/apis/g/v1/namespaces/n/things/t/status'), 'patch|g|things|status|n|t'],
    [read('GET', '/api/v1/namespaces/n/pods/p/proxy/a/b'), 'get||pods|proxy|n|p'],
    [read('HEAD', '/api/v1/namespaces/n/pods/p'), 'get||pods||n|p'],
    [read('GET', '/api/v1/watch/namespaces/n/pods/p'), 'watch||pods||n|p'],
    [read('GET', '/apis/g/v1/things/a%2Fb'), 'get|g|things|||a/b'],
  ];
  for (const [got, wanted] of expected) assert.is(got, wanted);
});

test('what is missing of rules is told one for each resource, in order', () => {
  const rule = (groups: string[], resources: string[], verbs: string[], resourceNames: string[] = []) => ({
    apiGroups: groups,
    resources,
    verbs,
    resourceNames,
    nonResourceURLs: [],
  });
  const paths = (nonResourceURLs: string[], verbs: string[]) => ({ ...rule([], [], verbs), nonResourceURLs });
  const held = [rule([''], ['a', '*/status'], ['get', 'list']), paths(['/x/*'], ['get'])];
  assert.equal(uncovered(held, [rule([''], ['a', 'b/status'], ['list']), paths(['/x/y'], ['get'])]), []);
  assert.equal(uncovered(held, [rule([''], ['b', 'a'], ['get', 'watch'])]), [
    '{APIGroups:[""], Resources:["a"], Verbs:["watch"]}',
    '{APIGroups:[""], Resources:["b"], Verbs:["get" "watch"]}',
  ]);
  assert.equal(uncovered(held, [rule([''], ['b'], ['get'], ['n'])]), [
    '{APIGroups:[""], Resources:["b"], ResourceNames:["n"], Verbs:["get"]}',
  ]);
  assert.equal(uncovered([rule([''], ['a'], ['get'], ['n'])], [rule([''], ['a'], ['get'])]).length, 1);
  assert.equal(uncovered(held, [paths(['/z'], ['get'])]), ['{NonResourceURLs:["/z"], Verbs:["get"]}']);
  assert.equal(uncovered([rule(['*'], ['*'], ['*'])], [rule(['x'], ['a/b'], ['c'], ['d'])]), []);
});

test.run();
