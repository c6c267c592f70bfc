// Roles and bindings: what they must be like, which are there from the start, and who may grant them.
import {
  aggregationOf,
  applied,
  asUser,
  awaitRight,
  BINDINGS,
  binding,
  CLUSTER_BINDINGS,
  CLUSTER_ROLES,
  ROLES,
  role,
  rowsOf,
  rule,
  user,
  withoutManagers,
} from './access-steps.ts';
import { APPLY, type Case, del, get, JSON_PATCH, MERGE, patch, post, put, STRATEGIC } from './case.ts';

export const ROLE_CASES: readonly Case[] = [
  {
    name: 'access: what roles must be like',
    steps: [
      post(ROLES, role('a b', [{ verbs: [] }, { verbs: ['get'] }, { apiGroups: [''], verbs: ['get'] }])),
      post(ROLES, role('r', [{ ...(rule([''], ['a'], ['get']) as object), nonResourceURLs: ['/x'] }])),
      post(ROLES, role('r', [{ nonResourceURLs: ['/x'], verbs: ['get'] }])),
      post(CLUSTER_ROLES, role('{ns}', [{ nonResourceURLs: ['/x'], verbs: ['get'], resourceNames: ['a'] }])),
      post(CLUSTER_ROLES, role('a/b', [])),
      post(CLUSTER_ROLES, role('a%b', [])),
      post(CLUSTER_ROLES, role('..', [])),
      post(CLUSTER_ROLES, role('{ns}', undefined, { aggregationRule: {} })),
      post(
        CLUSTER_ROLES,
        role('{ns}', undefined, {
          aggregationRule: {
            clusterRoleSelectors: [
              { matchLabels: { 'a b': 'c d' } },
              {
                matchExpressions: [
                  { key: 'k', operator: 'Foo' },
                  { key: 'k', operator: 'In' },
                  { key: 'k', operator: 'Exists', values: ['a'] },
                ],
              },
            ],
          },
        }),
      ),
      post(ROLES, role('empty', [])),
      post(ROLES, role('none', undefined)),
      get(`${ROLES}/none`),
      put(`${ROLES}/none`, role('none', [rule([''], ['configmaps'], ['get'])])),
      patch(`${ROLES}/none`, MERGE, { rules: [{ verbs: [] }] }),
      put(`${ROLES}/new`, role('new', [rule([''], ['configmaps'], ['get'])])),
      get(ROLES, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', pick: rowsOf }),
      patch(`${ROLES}/applied?fieldManager=me`, APPLY, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'applied' },
        rules: [rule([''], ['configmaps'], ['get'])],
      }),
      patch(`${ROLES}/empty?fieldManager=me`, APPLY, applied('Role', 'empty', { rules: [] })),
      patch(
        `${ROLES}/empty?fieldManager=me&force=true`,
        APPLY,
        applied('Role', 'empty', { rules: [rule([''], ['configmaps'], ['get'])] }),
      ),
      patch(
        `${ROLES}/empty?fieldManager=you`,
        APPLY,
        applied('Role', 'empty', { rules: [rule([''], ['configmaps'], ['list'])] }),
      ),
      patch(`${ROLES}/empty?fieldManager=me`, APPLY, applied('Role', 'empty', {})),
      get(`${ROLES}/empty`),
      del(`${ROLES}/applied`),
      del(ROLES, undefined, { pick: ({ status }) => status }),
      post(
        CLUSTER_ROLES,
        role('{ns}', undefined, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { '{ns}': 'b' } }] } }),
      ),
      patch(`${CLUSTER_ROLES}/{ns}`, MERGE, { aggregationRule: null, rules: [rule([''], ['configmaps'], ['get'])] }),
      patch(`${CLUSTER_ROLES}/{ns}`, JSON_PATCH, [{ op: 'add', path: '/rules/0/verbs/-', value: 'list' }]),
      patch(`${CLUSTER_ROLES}/{ns}`, STRATEGIC, { metadata: { labels: { a: 'b' } } }),
      post(`${CLUSTER_ROLES}?dryRun=All`, role('{ns}-dry', [])),
      get(`${CLUSTER_ROLES}/{ns}-dry`),
      post(`${CLUSTER_ROLES}?fieldValidation=Strict`, role('{ns}-strict', [{ verbs: ['get'], nonsense: 1 }])),
      post(CLUSTER_ROLES, {
        ...(role('{ns}-where', []) as object),
        metadata: { name: '{ns}-where', namespace: '{ns}' },
      }),
      del(`${CLUSTER_ROLES}/{ns}`),
      del(`${CLUSTER_ROLES}/{ns}-where`),
    ],
  },
  {
    name: 'access: what bindings must be like',
    steps: [
      post(BINDINGS, { metadata: { name: 'b' } }),
      post(BINDINGS, { metadata: { name: 'b' }, roleRef: { apiGroup: 'x', kind: 'Foo', name: '' }, subjects: [{}] }),
      post(
        BINDINGS,
        binding('b', 'ClusterRole', 'view', [
          { kind: 'User', apiGroup: 'x', name: 'a' },
          { kind: 'ServiceAccount', name: 'x y' },
          { kind: 'ServiceAccount', apiGroup: 'g', name: 'x', namespace: 'n' },
          { kind: 'Foo', name: 'g' },
        ]),
      ),
      post(CLUSTER_BINDINGS, binding('{ns}', 'Role', 'view', [{ kind: 'ServiceAccount', name: 'zz' }])),
      post(CLUSTER_BINDINGS, binding('{ns}', 'ClusterRole', 'a/b', [])),
      post(
        BINDINGS,
        binding('b', 'ClusterRole', 'view', [
          user('a'),
          { kind: 'Group', name: 'g' },
          { kind: 'ServiceAccount', name: 'x' },
        ]),
      ),
      post(BINDINGS, binding('b', 'ClusterRole', 'view', [])),
      put(`${BINDINGS}/b`, binding('b', 'ClusterRole', 'edit', [])),
      put(`${BINDINGS}/b`, binding('b', 'ClusterRole', 'view', [])),
      patch(`${BINDINGS}/b`, MERGE, { roleRef: { name: 'edit' } }),
      get(BINDINGS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', pick: rowsOf }),
      del(`${BINDINGS}/b`),
      ...[1, 2].map(() =>
        patch(
          `${BINDINGS}/applied?fieldManager=me`,
          APPLY,
          applied('RoleBinding', 'applied', {
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
            subjects: [user('a')],
          }),
        ),
      ),
      patch(
        `${BINDINGS}/applied?fieldManager=me`,
        APPLY,
        applied('RoleBinding', 'applied', {
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
        }),
      ),
      patch(`${BINDINGS}/applied`, STRATEGIC, { subjects: [user('b')] }),
    ],
  },
  {
    name: 'access: nobody grants what they do not have',
    steps: [
      post(
        CLUSTER_ROLES,
        role('{ns}-eve', [
          rule(['rbac.authorization.k8s.io'], ['*'], ['create', 'update', 'patch', 'get']),
          rule([''], ['configmaps'], ['get', 'list']),
          { ...(rule([''], ['secrets'], ['get']) as object), resourceNames: ['a', 'b'] },
        ]),
      ),
      post(CLUSTER_BINDINGS, binding('{ns}-eve', 'ClusterRole', '{ns}-eve', [user('{ns}-eve')])),
      awaitRight('{ns}-eve', 'list', 'configmaps'),
      ...[
        post(ROLES, role('held', [rule([''], ['configmaps'], ['get'])]), asUser('{ns}-eve')),
        post(
          ROLES,
          role('more', [
            rule([''], ['configmaps', 'secrets'], ['get', 'delete']),
            rule(['apps', 'x'], ['deployments'], ['*']),
          ]),
          asUser('{ns}-eve'),
        ),
        post(
          CLUSTER_ROLES,
          role('{ns}-more', [{ nonResourceURLs: ['/foo', '/bar'], verbs: ['get', 'post'] }]),
          asUser('{ns}-eve'),
        ),
        post(
          ROLES,
          role('named', [{ ...(rule([''], ['secrets'], ['get']) as object), resourceNames: ['a', 'c'] }]),
          asUser('{ns}-eve'),
        ),
        post(CLUSTER_ROLES, role('{ns}-all', [rule(['*'], ['*'], ['*'])]), asUser('{ns}-eve')),
        post(
          CLUSTER_ROLES,
          role('{ns}-sum', undefined, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] } }),
          asUser('{ns}-eve'),
        ),
        post(ROLES, role('held', [rule([''], ['configmaps/status'], ['get'])]), asUser('{ns}-eve')),
        put(`${ROLES}/held`, role('held', [rule([''], ['configmaps'], ['get', 'watch'])]), asUser('{ns}-eve')),
        put(`${ROLES}/held`, role('held', [rule([''], ['configmaps'], ['list'])]), asUser('{ns}-eve')),
        patch(`${ROLES}/held`, MERGE, { metadata: { labels: { a: 'b' } } }, asUser('{ns}-eve')),
        patch(`${ROLES}/held`, MERGE, { rules: [rule([''], ['pods'], ['get'])] }, asUser('{ns}-eve')),
        post(BINDINGS, binding('held', 'Role', 'held', [user('x')]), asUser('{ns}-eve')),
        post(BINDINGS, binding('all', 'ClusterRole', 'cluster-admin', [user('x')]), asUser('{ns}-eve')),
        post(BINDINGS, binding('admin', 'ClusterRole', 'system:aggregate-to-admin', [user('x')]), asUser('{ns}-eve')),
        post(BINDINGS, binding('lost', 'Role', 'nonsense', [user('x')]), asUser('{ns}-eve')),
        post(CLUSTER_BINDINGS, binding('{ns}-lost', 'ClusterRole', '{ns}-nonsense', [user('x')]), asUser('{ns}-eve')),
        post(
          ROLES,
          role('two', [
            rule([''], ['configmaps', 'configmaps'], ['delete', 'delete']),
            rule([''], ['configmaps'], ['watch']),
          ]),
          asUser('{ns}-eve', { 'impersonate-group': 'g' }),
        ),
      ],
      post(
        ROLES,
        role('binder', [rule(['rbac.authorization.k8s.io'], ['roles', 'clusterroles'], ['bind', 'escalate'])]),
      ),
      post(BINDINGS, binding('binder', 'Role', 'binder', [user('{ns}-eve')])),
      awaitRight('{ns}-eve', 'bind', 'roles', { group: 'rbac.authorization.k8s.io', name: 'x' }),
      post(ROLES, role('more', [rule([''], ['pods'], ['get'])]), asUser('{ns}-eve')),
      post(BINDINGS, binding('all', 'ClusterRole', 'cluster-admin', [user('x')]), asUser('{ns}-eve')),
      del(`${CLUSTER_BINDINGS}/{ns}-eve`),
      del(`${CLUSTER_ROLES}/{ns}-eve`),
    ],
  },
  {
    name: 'access: roles that are there from the start',
    steps: [
      ...[
        'cluster-admin',
        'system:aggregate-to-admin',
        'system:aggregate-to-edit',
        'system:aggregate-to-view',
        'system:auth-delegator',
        'system:basic-user',
        'system:discovery',
        'system:monitoring',
        'system:public-info-viewer',
        'system:service-account-issuer-discovery',
      ].map((name) => get(`${CLUSTER_ROLES}/${name}`, { pick: withoutManagers })),
      ...[
        'cluster-admin',
        'system:basic-user',
        'system:discovery',
        'system:monitoring',
        'system:public-info-viewer',
        'system:service-account-issuer-discovery',
      ].map((name) => get(`${CLUSTER_BINDINGS}/${name}`, { pick: withoutManagers })),
      // The rules of these are added up by a controller.
      ...['admin', 'edit', 'view'].map((name) => get(`${CLUSTER_ROLES}/${name}`, { pick: aggregationOf })),
    ],
  },
];
