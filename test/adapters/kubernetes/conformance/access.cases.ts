// Who asks, and may they: users, tokens, roles, reviews. Other users are those that the administrator acts as, and
// service accounts with tokens of their own.
import {
  type Answer,
  APPLY,
  type Case,
  CONFIG_MAPS,
  CORE,
  configMap,
  del,
  get,
  JSON_PATCH,
  MERGE,
  patch,
  post,
  put,
  type Request,
  STRATEGIC,
} from './case.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/{ns}/roles`;
const BINDINGS = `${RBAC}/namespaces/{ns}/rolebindings`;
const CLUSTER_ROLES = `${RBAC}/clusterroles`;
const CLUSTER_BINDINGS = `${RBAC}/clusterrolebindings`;
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const WHOAMI = `${AUTHENTICATION}/selfsubjectreviews`;
const TOKEN_REVIEWS = `${AUTHENTICATION}/tokenreviews`;
const ACCOUNTS = `${CORE}/serviceaccounts`;
const SECRETS = `${CORE}/secrets`;

type Headers = Readonly<Record<string, string>>;

const asUser = (user: string, more: Headers = {}): { readonly headers: Headers } => ({
  headers: { 'impersonate-user': user, ...more },
});
const withToken = (token: string): { readonly headers: Headers } => ({ headers: { authorization: `Bearer ${token}` } });
const ANONYMOUS = { headers: { authorization: '' } };
const NOBODY = asUser('{ns}-nobody');

const rule = (apiGroups: readonly string[], resources: readonly string[], verbs: readonly string[]): unknown => ({
  apiGroups,
  resources,
  verbs,
});
const role = (name: string, rules: unknown, more: Readonly<Record<string, unknown>> = {}): unknown => ({
  metadata: { name },
  ...(rules === undefined ? {} : { rules }),
  ...more,
});
const binding = (name: string, kind: string, to: string, subjects: readonly unknown[]): unknown => ({
  metadata: { name },
  roleRef: { kind, name: to },
  subjects,
});
const user = (name: string): unknown => ({ kind: 'User', name });

const applied = (kind: string, name: string, more: Readonly<Record<string, unknown>>): unknown => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  ...more,
});

const mayOf = (attributes: unknown): unknown => ({ spec: attributes });
const resource = (verb: string, plural: string, more: Headers = {}): unknown => ({
  resourceAttributes: { verb, resource: plural, namespace: '{ns}', ...more },
});

const isAllowed = ({ body }: Answer): boolean => (body as { status?: { allowed?: unknown } }).status?.allowed === true;

/** Waits until a new binding is known everywhere. */
const awaitRight = (name: string, verb: string, plural: string, more: Headers = {}): Request =>
  post(
    `${AUTHORIZATION}/subjectaccessreviews`,
    { spec: { user: name, ...(resource(verb, plural, more) as object) } },
    {
      until: isAllowed,
    },
  );

const token = (account: string, name: string, spec: unknown = {}): Request =>
  post(`${ACCOUNTS}/${account}/token`, { spec }, { save: { [name]: 'status.token' } });

const NOBODYS_REQUESTS: readonly Request[] = [
  get('/api/v1/namespaces', NOBODY),
  get('/api/v1/namespaces?watch=true', NOBODY),
  get('/api/v1/namespaces/{ns}', NOBODY),
  get('/api/v1/namespaces/{ns}/status', NOBODY),
  put('/api/v1/namespaces/{ns}/finalize', {}, NOBODY),
  get(CONFIG_MAPS, NOBODY),
  get(`${CONFIG_MAPS}?watch=1`, NOBODY),
  get(`${CONFIG_MAPS}?watch=false`, NOBODY),
  get('/api/v1/configmaps?fieldSelector=metadata.name%3Dfoo', NOBODY),
  get(`${CONFIG_MAPS}/a`, NOBODY),
  post(CONFIG_MAPS, configMap('a'), NOBODY),
  put(`${CONFIG_MAPS}/a`, configMap('a'), NOBODY),
  patch(`${CONFIG_MAPS}/a`, MERGE, {}, NOBODY),
  patch(`${CONFIG_MAPS}/a`, APPLY, configMap('a'), NOBODY),
  del(`${CONFIG_MAPS}/a`, undefined, NOBODY),
  del(CONFIG_MAPS, undefined, NOBODY),
  get('/apis/{group}/v1/namespaces/{ns}/things', NOBODY),
  get('/apis/{group}/v1/namespaces/{ns}/things/x/status', NOBODY),
  get('/apis/{group}/v1/globes/x', NOBODY),
  get('/apis/{group}/v1/nonsense', NOBODY),
  get('/apis/nonsense.example.org/v1/things', NOBODY),
  get('/apis/nonsense.example.org/v1', { ...NOBODY, pick: ({ status }) => status }),
  get('/nonsense', NOBODY),
  post('/nonsense', {}, NOBODY),
  del('/api', undefined, NOBODY),
  get('/metrics', NOBODY),
  get('/', NOBODY),
  get('/readyz/ping', NOBODY),
  get('/api', { ...NOBODY, pick: ({ status }) => status }),
  get('/apis', { ...NOBODY, pick: ({ status }) => status }),
  get('/openapi/v3', { ...NOBODY, pick: ({ status }) => status }),
  get('/healthz', NOBODY),
  get('/version', { ...NOBODY, pick: ({ status }) => status }),
  get('/openid/v1/jwks', NOBODY),
  get('/.well-known/openid-configuration', NOBODY),
  post(`${ACCOUNTS}/default/token`, {}, NOBODY),
  post(`${AUTHORIZATION}/subjectaccessreviews`, {}, NOBODY),
  post(`${AUTHORIZATION}/namespaces/{ns}/localsubjectaccessreviews`, {}, NOBODY),
  post(TOKEN_REVIEWS, {}, NOBODY),
  get(WHOAMI, NOBODY),
  get(`${CORE}/pods/x/log`, NOBODY),
  get(`${CORE}/pods/x/proxy/a/b`, NOBODY),
  get('/api/v1/watch/namespaces/{ns}/pods/x', NOBODY),
  get('/apis/a/b/c/d/e/f/g', NOBODY),
  get('/apis/a/b/namespaces/x', NOBODY),
  { method: 'OPTIONS', path: CONFIG_MAPS, ...NOBODY },
  { method: 'TRACE', path: `${CONFIG_MAPS}/a`, ...NOBODY },
  { method: 'HEAD', path: `${CONFIG_MAPS}/a`, ...NOBODY },
];

export const ACCESS: readonly Case[] = [
  { name: 'access: whoever has no rights', steps: NOBODYS_REQUESTS },
  {
    name: 'access: whoever shows nothing',
    steps: [
      ...['/healthz', '/livez', '/readyz'].map((path) => get(path, ANONYMOUS)),
      get('/version', { ...ANONYMOUS, pick: ({ status }) => status }),
      get('/version/', { ...ANONYMOUS, pick: ({ status }) => status }),
      ...['/readyz/ping', '/api', '/apis', '/api/v1', '/openapi/v3', '/nonsense', '/'].map((path) =>
        get(path, ANONYMOUS),
      ),
      get(CONFIG_MAPS, ANONYMOUS),
      post(CONFIG_MAPS, configMap('a'), ANONYMOUS),
      post(WHOAMI, {}, ANONYMOUS),
      post(`${AUTHORIZATION}/selfsubjectaccessreviews`, {}, ANONYMOUS),
    ],
  },
  {
    name: 'access: headers that prove nothing',
    steps: [
      get(CONFIG_MAPS, withToken('nonsense')),
      get('/healthz', withToken('nonsense')),
      get(CONFIG_MAPS, withToken(' two-spaces')),
      get(CONFIG_MAPS, withToken('a.b.c')),
      get(CONFIG_MAPS, { headers: { authorization: 'Bearer' } }),
      get(CONFIG_MAPS, { headers: { authorization: 'Basic YTpi' } }),
    ],
  },
  {
    name: 'access: who am I',
    steps: [
      post(WHOAMI, {}, asUser('{ns}-jane')),
      post(WHOAMI, {}, asUser('{ns}-jane', { 'impersonate-group': 'devs', 'impersonate-uid': 'u1' })),
      post(WHOAMI, {}, asUser('{ns}-jane', { 'impersonate-extra-scopes': 'a', 'impersonate-extra-a.b%2fC': 'c' })),
      post(WHOAMI, {}, asUser('{ns}-jane', { 'impersonate-group': 'system:masters' })),
      post(WHOAMI, {}, asUser('{ns}-jane', { 'impersonate-group': 'system:authenticated' })),
      post(WHOAMI, {}, asUser('{ns}-jane', { 'impersonate-group': 'system:unauthenticated' })),
      post(WHOAMI, {}, asUser('system:anonymous')),
      post(WHOAMI, {}, asUser('system:serviceaccount:{ns}:default')),
      post(WHOAMI, { metadata: { name: 'x' } }, asUser('{ns}-jane')),
      post(`${WHOAMI}?dryRun=All`, {}, asUser('{ns}-jane')),
      post(`${WHOAMI}?dryRun=Some`, {}, asUser('{ns}-jane')),
      post(WHOAMI, {}, { ...asUser('{ns}-jane'), accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
      get(WHOAMI),
      del(WHOAMI),
      get(`${WHOAMI}/x`),
      get(`${WHOAMI}?watch=1`),
      post(`${WHOAMI}/x`, {}),
    ],
  },
  {
    name: 'access: acting as somebody else',
    steps: [
      get('/api', { headers: { 'impersonate-group': 'devs' } }),
      get('/api', { headers: { 'impersonate-uid': 'u' } }),
      get('/api', { headers: { 'impersonate-extra-scopes': 'a', 'impersonate-uid': 'u', 'impersonate-group': 'g' } }),
      get('/api', { headers: { authorization: '', 'impersonate-user': 'jane' } }),
      post(ACCOUNTS, { metadata: { name: 'actor' } }),
      token('actor', 'actor'),
      get(CONFIG_MAPS, { headers: { ...withToken('{actor}').headers, 'impersonate-user': 'jane' } }),
      get(CONFIG_MAPS, {
        headers: { ...withToken('{actor}').headers, 'impersonate-user': 'system:serviceaccount:{ns}:default' },
      }),
      get(CONFIG_MAPS, { headers: { ...withToken('{actor}').headers, 'impersonate-user': 'system:serviceaccount:x' } }),
      post(
        CLUSTER_ROLES,
        role('{ns}-actor', [{ ...(rule([''], ['users'], ['impersonate']) as object), resourceNames: ['{ns}-jane'] }]),
      ),
      post(
        CLUSTER_BINDINGS,
        binding('{ns}-actor', 'ClusterRole', '{ns}-actor', [
          { kind: 'ServiceAccount', name: 'actor', namespace: '{ns}' },
        ]),
      ),
      awaitRight('system:serviceaccount:{ns}:actor', 'impersonate', 'users', { name: '{ns}-jane' }),
      ...[
        {},
        { 'impersonate-user': '{ns}-joe' },
        { 'impersonate-group': 'g' },
        { 'impersonate-uid': 'u' },
        { 'impersonate-extra-scopes': 's' },
      ].map((more) =>
        post(WHOAMI, {}, { headers: { ...withToken('{actor}').headers, 'impersonate-user': '{ns}-jane', ...more } }),
      ),
      del(`${CLUSTER_BINDINGS}/{ns}-actor`),
      del(`${CLUSTER_ROLES}/{ns}-actor`),
    ],
  },
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
    name: 'access: what a role gives',
    steps: [
      post(
        ROLES,
        role('reader', [
          rule([''], ['configmaps'], ['get', 'list']),
          { ...(rule([''], ['secrets'], ['get', 'update']) as object), resourceNames: ['known'] },
          rule(['{group}'], ['*/status'], ['get']),
          rule(['{group}'], ['plains'], ['*']),
        ]),
      ),
      post(
        BINDINGS,
        binding('reader', 'Role', 'reader', [
          user('{ns}-reader'),
          { kind: 'Group', name: '{ns}-readers' },
          { kind: 'ServiceAccount', name: 'default' },
        ]),
      ),
      awaitRight('{ns}-reader', 'list', 'configmaps'),
      awaitRight('system:serviceaccount:{ns}:default', 'list', 'configmaps'),
      ...[
        get(`${CONFIG_MAPS}/a`, asUser('{ns}-reader')),
        get(`${CONFIG_MAPS}/a`, asUser('{ns}-other', { 'impersonate-group': '{ns}-readers' })),
        get(`${CONFIG_MAPS}?watch=1`, asUser('{ns}-reader')),
        get('/api/v1/configmaps', asUser('{ns}-reader')),
        post(CONFIG_MAPS, configMap('a'), asUser('{ns}-reader')),
        get(`${SECRETS}/known`, asUser('{ns}-reader')),
        get(`${SECRETS}/other`, asUser('{ns}-reader')),
        get(SECRETS, asUser('{ns}-reader')),
        get(`${SECRETS}?fieldSelector=metadata.name%3Dknown`, asUser('{ns}-reader')),
        get('/apis/{group}/v1/namespaces/{ns}/things/x/status', asUser('{ns}-reader')),
        get('/apis/{group}/v1/namespaces/{ns}/things/x', asUser('{ns}-reader')),
        get('/apis/{group}/v1/namespaces/{ns}/plains/x', asUser('{ns}-reader')),
        post('/apis/{group}/v1/namespaces/{ns}/plains', {}, asUser('{ns}-reader')),
        get('/apis/{group}/v1/plains', asUser('{ns}-reader')),
      ],
      post(
        `${AUTHORIZATION}/selfsubjectrulesreviews`,
        { spec: { namespace: '{ns}' } },
        { ...asUser('{ns}-reader'), pick: resourceRulesOf },
      ),
      del(`${BINDINGS}/reader`),
    ],
  },
  {
    name: 'access: what is given to the accounts of a namespace',
    steps: [
      post(
        BINDINGS,
        binding('all', 'ClusterRole', 'system:aggregate-to-view', [
          { kind: 'Group', name: 'system:serviceaccounts:{ns}' },
        ]),
      ),
      post(ACCOUNTS, { metadata: { name: 'reader' } }),
      token('reader', 'reader'),
      get(CONFIG_MAPS, {
        ...withToken('{reader}'),
        until: ({ status }) => status === 200,
        pick: ({ status }) => status,
      }),
      get(`${CONFIG_MAPS}/none`, withToken('{reader}')),
      get(SECRETS, withToken('{reader}')),
      post(CONFIG_MAPS, configMap('a'), withToken('{reader}')),
      get('/api/v1/namespaces/default/configmaps', withToken('{reader}')),
      post(
        `${AUTHORIZATION}/selfsubjectaccessreviews`,
        { spec: resource('list', 'configmaps') },
        withToken('{reader}'),
      ),
    ],
  },
  {
    name: 'access: roles that are not there',
    steps: [
      post(BINDINGS, binding('lost', 'Role', 'nonsense', [user('{ns}-lost')])),
      post(CLUSTER_BINDINGS, binding('{ns}-lost', 'ClusterRole', '{ns}-nonsense', [user('{ns}-lost')])),
      post(
        `${AUTHORIZATION}/subjectaccessreviews`,
        { spec: { user: '{ns}-lost', ...(resource('get', 'pods') as object) } },
        {
          until: ({ body }) => JSON.stringify(body).includes(', role.'),
        },
      ),
      get(CONFIG_MAPS, asUser('{ns}-lost')),
      get('/nonsense', asUser('{ns}-lost')),
      post(
        `${AUTHORIZATION}/selfsubjectrulesreviews`,
        { spec: { namespace: '{ns}' } },
        {
          ...asUser('{ns}-lost'),
          pick: ({ body }) => (body as { status: { evaluationError: unknown } }).status.evaluationError,
        },
      ),
      del(`${CLUSTER_BINDINGS}/{ns}-lost`),
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
    name: 'access: a change that creates needs both rights',
    steps: [
      post(
        ROLES,
        role('patcher', [
          rule([''], ['configmaps'], ['patch', 'update']),
          rule(['coordination.k8s.io'], ['leases'], ['update']),
        ]),
      ),
      post(BINDINGS, binding('patcher', 'Role', 'patcher', [user('{ns}-patcher')])),
      awaitRight('{ns}-patcher', 'patch', 'configmaps'),
      patch(`${CONFIG_MAPS}/a?fieldManager=m`, APPLY, configMap('a'), asUser('{ns}-patcher')),
      patch(`${CONFIG_MAPS}/a`, MERGE, {}, asUser('{ns}-patcher')),
      put(`${CONFIG_MAPS}/a`, configMap('a'), asUser('{ns}-patcher')),
      put('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a', { metadata: { name: 'a' } }, asUser('{ns}-patcher')),
      put('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases/a', { metadata: { name: 'a' } }),
      post(CONFIG_MAPS, configMap('a')),
      patch(`${CONFIG_MAPS}/a?fieldManager=m`, APPLY, configMap('a', { data: { b: 'c' } }), asUser('{ns}-patcher')),
    ],
  },
  {
    name: 'access: may I, may somebody',
    steps: [
      ...[
        resource('list', 'pods'),
        { nonResourceAttributes: { verb: 'get', path: '/api' } },
        {},
        { nonResourceAttributes: { verb: 'get', path: '/api' }, resourceAttributes: { verb: 'get' } },
        { resourceAttributes: { verb: 'create', resource: 'selfsubjectreviews', group: 'authentication.k8s.io' } },
      ].map((spec) =>
        post(`${AUTHORIZATION}/selfsubjectaccessreviews`, mayOf(spec), {
          ...asUser('{ns}-jane'),
        }),
      ),
      post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { metadata: { name: 'x' }, spec: resource('list', 'pods') }),
      ...[
        { user: '{ns}-jane', ...(resource('list', 'pods') as object) },
        { user: 'x', groups: ['system:masters'], ...(resource('list', 'pods') as object) },
        resource('list', 'pods'),
        { groups: ['system:unauthenticated'], nonResourceAttributes: { verb: 'get', path: '/version' } },
        { groups: ['system:unauthenticated'], nonResourceAttributes: { verb: 'get', path: '/api' } },
        { user: '{ns}-jane' },
      ].map((spec) => post(`${AUTHORIZATION}/subjectaccessreviews`, mayOf(spec))),
      ...[
        { user: '{ns}-jane', ...(resource('list', 'pods') as object) },
        { user: '{ns}-jane', resourceAttributes: { verb: 'list', resource: 'pods' } },
        { user: '{ns}-jane', resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } },
        { user: '{ns}-jane', nonResourceAttributes: { verb: 'get', path: '/version' } },
      ].map((spec) => post(`${AUTHORIZATION}/namespaces/{ns}/localsubjectaccessreviews`, mayOf(spec))),
      post(`${AUTHORIZATION}/localsubjectaccessreviews`, {}),
      post(
        `${AUTHORIZATION}/selfsubjectrulesreviews`,
        { spec: { namespace: '{ns}' } },
        { ...asUser('{ns}-jane'), pick: resourceRulesOf },
      ),
      post(`${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: {} }, asUser('{ns}-jane')),
    ],
  },
  {
    name: 'access: tokens of service accounts',
    steps: [
      post(ACCOUNTS, { metadata: { name: 'bot' } }),
      token('bot', 'plain'),
      token('bot', 'other', { audiences: ['one', 'two'] }),
      ...[
        { expirationSeconds: 599 },
        { expirationSeconds: 4294967297 },
        { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'nonsense' } },
        { boundObjectRef: { kind: 'Foo', apiVersion: 'v1', name: 'nonsense' } },
        { boundObjectRef: { kind: 'Secret', apiVersion: 'v1' } },
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } },
        { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'n' } },
        { expirationSeconds: 600, foo: 1 },
      ].map((spec) => post(`${ACCOUNTS}/bot/token`, { spec })),
      post(`${ACCOUNTS}/bot/token`, { metadata: { name: 'other' } }),
      post(`${ACCOUNTS}/bot/token`, { metadata: { namespace: 'other' } }),
      post(`${ACCOUNTS}/bot/token?dryRun=All`, {}),
      post(`${ACCOUNTS}/nonsense/token`, {}),
      get(`${ACCOUNTS}/bot/token`),
      put(`${ACCOUNTS}/bot/token`, {}),
      post(WHOAMI, {}, withToken('{plain}')),
      get(CONFIG_MAPS, withToken('{plain}')),
      get('/api', withToken('{other}')),
      post(TOKEN_REVIEWS, { spec: { token: '{plain}' } }),
      post(TOKEN_REVIEWS, { spec: { token: '{other}' } }),
      post(TOKEN_REVIEWS, { spec: { token: '{other}', audiences: ['two', 'three'] } }),
      post(TOKEN_REVIEWS, { spec: { token: '{other}', audiences: ['three'] } }),
      post(TOKEN_REVIEWS, { spec: { token: '{plain}x' } }),
      post(TOKEN_REVIEWS, { spec: { token: 'nonsense' } }),
      post(TOKEN_REVIEWS, { spec: {} }),
      post(SECRETS, { metadata: { name: 'life' } }, { save: { life: 'metadata.uid' } }),
      post(`${ACCOUNTS}/bot/token`, {
        spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'life', uid: 'x' } },
      }),
      token('bot', 'bound', { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'life' } }),
      del(`${SECRETS}/life`),
      get('/api', { ...withToken('{bound}'), until: ({ status }) => status === 401 }),
      post(TOKEN_REVIEWS, { spec: { token: '{bound}' } }),
      del(`${ACCOUNTS}/bot`, undefined, { pick: ({ status }) => status }),
      get('/api', { ...withToken('{plain}'), until: ({ status }) => status === 401 }),
      post(TOKEN_REVIEWS, { spec: { token: '{plain}' } }),
      post(SECRETS, { metadata: { name: 'ownerless' }, type: 'kubernetes.io/service-account-token' }),
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

interface ObjectBody {
  readonly metadata: { readonly labels?: unknown; readonly annotations?: unknown; readonly name: unknown };
  readonly [field: string]: unknown;
}

function withoutManagers({ body }: Answer): unknown {
  const { metadata, ...rest } = body as ObjectBody;
  return { ...rest, name: metadata.name, labels: metadata.labels, annotations: metadata.annotations };
}

function aggregationOf({ body }: Answer): unknown {
  const { metadata, aggregationRule } = body as ObjectBody;
  return { aggregationRule, name: metadata.name, labels: metadata.labels };
}

function rowsOf({ body }: Answer): unknown {
  const { columnDefinitions, rows } = body as {
    columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
    rows: readonly { readonly cells: readonly unknown[] }[];
  };
  return {
    columns: columnDefinitions.map(({ name, type, priority }) => `${name} ${type} ${priority}`),
    rows: rows.map(({ cells }) => cells.map((cell) => (/^\d+s$/.test(String(cell)) ? '<age>' : cell))),
  };
}

/** Bindings are looked at in no certain order. */
function resourceRulesOf({ body }: Answer): unknown {
  const { status } = body as { readonly status: { readonly resourceRules: readonly unknown[] } };
  return status.resourceRules.map((one) => JSON.stringify(Object.entries(one as object).sort())).sort();
}
