// The rules of the built-in kinds: what they must hold, what is filled in, and what must not change.
import {
  type Case,
  CONFIG_MAPS,
  CORE,
  configMap,
  del,
  get,
  MERGE,
  patch,
  post,
  put,
  type Request,
  SECRETS,
} from './case.ts';
import { unordered } from './gadgets.ts';

type Fields = Readonly<Record<string, unknown>>;

const kase = (name: string, ...steps: readonly Request[]): Case => ({
  name: `builtins: ${name}`,
  steps: unordered(steps),
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const zeros = (bytes: number): string => Buffer.alloc(bytes).toString('base64');

const configMaps = (...all: readonly Fields[]): Request[] =>
  all.map((more, index) => post(CONFIG_MAPS, configMap(`c${index}`, more)));

const secret = (name: string, more: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...metadata },
  ...more,
});
const secrets = (...all: readonly Fields[]): Request[] =>
  all.map((more, index) => post(SECRETS, secret(`s${index}`, more)));

const ACCOUNTS = `${CORE}/serviceaccounts`;
const account = (name: string, more: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name },
  ...more,
});

const merging =
  (path: string) =>
  (body: unknown): Request =>
    patch(path, MERGE, body);
const ofConfigMap = merging(`${CONFIG_MAPS}/a`);
const ofSecret = merging(`${SECRETS}/a`);
const ofAccount = merging(`${ACCOUNTS}/b`);
const ofNamespace = merging('/api/v1/namespaces/{ns}');
const ofNamespaceStatus = merging('/api/v1/namespaces/{ns}/status');

const replaceNamespace = (subresource: string, body: Fields): Request =>
  put(`/api/v1/namespaces/{ns}/${subresource}`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: '{ns}' },
    ...body,
  });

/** A namespace that is made, and deleted with nothing that holds it. */
const namespaces = (...all: readonly { readonly more?: Fields; readonly metadata?: Fields }[]): Request[] =>
  all.flatMap(({ more = {}, metadata = {} }, index) => {
    const name = `{ns}-${index}`;
    return [
      post('/api/v1/namespaces', { metadata: { name, ...metadata }, ...more }),
      put(`/api/v1/namespaces/${name}/finalize`, { metadata: { name }, spec: { finalizers: ['kubernetes'] } }),
      del(`/api/v1/namespaces/${name}`, undefined, { pick: ({ status }) => status }),
    ];
  });

const EVENTS = `${CORE}/events`;
const NEW_EVENTS = '/apis/events.k8s.io/v1/namespaces/{ns}/events';
const involved = { kind: 'X', name: 'x', namespace: '{ns}' };
const AT = '2020-01-01T00:00:00.000000Z';

const events = (...all: readonly Fields[]): Request[] =>
  all.map((more, index) =>
    post(EVENTS, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `e${index}` },
      involvedObject: involved,
      ...more,
    }),
  );
const reported = { eventTime: AT, reportingInstance: 'i', action: 'A', reason: 'R', type: 'Normal' };
const newEvents = (...all: readonly Fields[]): Request[] =>
  all.map((more, index) =>
    post(NEW_EVENTS, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `n${index}` },
      regarding: involved,
      ...reported,
      reportingController: 'a.b/c',
      note: 'n',
      ...more,
    }),
  );
const ofEvent = merging(`${NEW_EVENTS}/n0`);

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases';
const leases = (...all: readonly unknown[]): Request[] =>
  all.map((spec, index) =>
    post(LEASES, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: `l${index}` }, spec }),
  );
const ofLease = merging(`${LEASES}/l2`);

export const BUILTINS: readonly Case[] = [
  kase(
    'keys of ConfigMaps',
    ...configMaps(
      ...['a b', '.', '..', '..a', '', 'x'.repeat(254), 'x'.repeat(253), '.a', 'A_b-c.d'].map((key) => ({
        data: { [key]: '' },
      })),
    ),
  ),
  kase(
    'data of ConfigMaps',
    ...configMaps(
      { binaryData: { x: 'AAE=' } },
      { binaryData: { x: 'AAE' } },
      { binaryData: { x: 'A*E=' } },
      { data: { x: '1' }, binaryData: { x: 'AAE=' } },
      { binaryData: { 'a b': 'AAE=' } },
      { binaryData: { x: null, y: '' }, data: { z: null } },
      { data: null },
      { immutable: null },
      { data: {}, binaryData: {} },
      { data: { x: 'x'.repeat(1_048_576) } },
      { data: { x: 'x'.repeat(1_048_577) } },
      { data: { x: 'x'.repeat(1_048_570) }, binaryData: { y: zeros(7) } },
    ),
  ),
  kase(
    'an immutable ConfigMap',
    post(CONFIG_MAPS, configMap('a', { data: { x: '1' }, immutable: true })),
    ofConfigMap({ data: { x: '2' } }),
    ofConfigMap({ immutable: false }),
    ofConfigMap({ immutable: null }),
    ofConfigMap({ binaryData: { y: 'AAE=' } }),
    ofConfigMap({ data: { x: '2' }, binaryData: { y: 'AAE=' }, immutable: false }),
    ofConfigMap({ metadata: { labels: { a: 'b' } } }),
    put(`${CONFIG_MAPS}/a`, configMap('a', { data: { x: '1' } })),
    put(`${CONFIG_MAPS}/a`, configMap('a', { data: { x: '1' }, immutable: true })),
    post(CONFIG_MAPS, configMap('b', { immutable: false })),
    patch(`${CONFIG_MAPS}/b`, MERGE, { immutable: true }),
  ),
  kase(
    'metadata',
    post(CONFIG_MAPS, configMap('A')),
    post(CONFIG_MAPS, configMap('b', {}, { labels: { 'a b': 'c d' } })),
    post(CONFIG_MAPS, configMap('c', {}, { annotations: { a: 'x'.repeat(262_144) } })),
    post(CONFIG_MAPS, configMap('d', {}, { annotations: { a: 'x'.repeat(262_143) } })),
    post(
      CONFIG_MAPS,
      configMap(
        'a',
        {},
        { labels: {}, annotations: {}, finalizers: [], ownerReferences: [], generateName: '', uid: '' },
      ),
    ),
    post(
      CONFIG_MAPS,
      configMap('e', {}, { generation: 3, selfLink: 'x', uid: 'x', creationTimestamp: '2020-01-01T00:00:00Z' }),
    ),
    ofConfigMap({ metadata: { labels: { 'a b': 'c d' } } }),
    ofConfigMap({ metadata: { annotations: { 'a b': 'c d' } } }),
    ofConfigMap({ metadata: { annotations: { a: 'x'.repeat(262_144) } } }),
    ofConfigMap({ metadata: { finalizers: ['a b'] } }),
    ofConfigMap({ metadata: { ownerReferences: [{ apiVersion: 'v1', kind: '', name: 'x', uid: 'y' }] } }),
    ofConfigMap({ metadata: { name: 'b' } }),
    ofConfigMap({ metadata: { uid: 'b' } }),
    ofConfigMap({ metadata: { namespace: 'b' } }),
    ofConfigMap({ metadata: { resourceVersion: '1' } }),
    ofConfigMap({ metadata: { generation: 3 } }),
    ofConfigMap({ metadata: { generateName: 'x-' } }),
    ofConfigMap({ metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
    ofConfigMap({ metadata: { creationTimestamp: '2020-01-01T00:00:00Z' } }),
    ofConfigMap({ foo: 1 }),
  ),
  kase(
    'types of Secrets',
    ...secrets(
      { type: 'kubernetes.io/tls' },
      { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } },
      { type: 'kubernetes.io/tls', data: { 'tls.crt': base64('x') } },
      { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'x', 'tls.key': 'y' } },
      { type: 'kubernetes.io/dockercfg' },
      ...['x', '{}', '[]', ''].map((text) => ({
        type: 'kubernetes.io/dockercfg',
        data: { '.dockercfg': base64(text) },
      })),
      { type: 'kubernetes.io/dockerconfigjson' },
      ...['x', '{"auths":{}}'].map((text) => ({
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': base64(text) },
      })),
      { type: 'kubernetes.io/basic-auth' },
      ...['username', 'password', 'x'].map((key) => ({ type: 'kubernetes.io/basic-auth', data: { [key]: '' } })),
      { type: 'kubernetes.io/ssh-auth' },
      ...['', 'x'].map((text) => ({ type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': base64(text) } })),
      { type: 'kubernetes.io/service-account-token' },
      { type: 'bootstrap.kubernetes.io/token' },
      ...['my/type', '', 'a b', null].map((type) => ({ type })),
    ),
  ),
  kase(
    'data of Secrets',
    post(SECRETS, secret('a', { data: { x: base64('1') }, stringData: { x: '2', y: '3' } })),
    ofSecret({ stringData: { z: '4' } }),
    put(`${SECRETS}/a`, secret('a', { stringData: { q: '' } })),
    ofSecret({ stringData: { 'a b': '4' } }),
    ofSecret({ stringData: null }),
    ...secrets(
      { stringData: { x: null } },
      { data: { x: null, y: '' } },
      { data: { x: 'a*' } },
      { data: {} },
      { data: null, stringData: {} },
      { data: { x: zeros(1_048_576) } },
      { data: { x: zeros(1_048_577) } },
      { data: { x: zeros(1_048_570), y: base64('1234567') } },
    ),
  ),
  kase(
    'an immutable Secret',
    post(SECRETS, secret('a', { data: { x: base64('1') }, immutable: true })),
    ofSecret({ data: { x: base64('2') } }),
    ofSecret({ stringData: { x: '1' } }),
    ofSecret({ stringData: { y: '1' } }),
    ofSecret({ immutable: false }),
    ofSecret({ immutable: null, data: null }),
    ofSecret({ type: 'x' }),
    put(`${SECRETS}/a`, secret('a', { data: { x: base64('1') } })),
    put(`${SECRETS}/a`, secret('a', { immutable: true })),
  ),
  kase(
    'the type of a Secret stays',
    post(SECRETS, secret('a', { type: 'my/type' })),
    ...['other', '', null].map((type) => ofSecret({ type })),
    put(`${SECRETS}/a`, secret('a')),
    put(`${SECRETS}/a`, secret('a', { type: 'my/type' })),
  ),
  kase(
    'ServiceAccounts',
    post(ACCOUNTS, account('a')),
    post(
      ACCOUNTS,
      account('b', {
        secrets: [{ name: 'x', namespace: 'y', kind: 'Z' }],
        imagePullSecrets: [{ name: 'p' }, {}],
        automountServiceAccountToken: false,
      }),
    ),
    post(ACCOUNTS, account('d', { secrets: [{ name: 'x' }, { name: 'x' }] })),
    post(ACCOUNTS, account('A')),
    post(`${ACCOUNTS}?fieldValidation=Strict`, account('h', { imagePullSecrets: [{ foo: 1 }], foo: 1 })),
    ofAccount({ secrets: null }),
    ofAccount({ imagePullSecrets: [{ name: 'q' }] }),
    put(`${ACCOUNTS}/b`, account('b')),
    post(ACCOUNTS, account('x.y')),
    ofAccount({ metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } }),
  ),
  kase(
    'status and end of a Namespace',
    ofNamespace({ spec: { finalizers: ['x'] } }),
    ofNamespace({ status: { phase: 'Terminating' } }),
    ...['Terminating', 'Foo', null].map((phase) => ofNamespaceStatus({ status: { phase } })),
    ofNamespaceStatus({ status: null }),
    replaceNamespace('status', { status: { phase: 'Active', conditions: [{ type: 'A', status: 'True' }] } }),
    replaceNamespace('status', { status: { phase: 'Active' } }),
    ...[['a.b/c'], ['a b'], ['foo'], []].map((more) =>
      replaceNamespace('finalize', { spec: { finalizers: ['kubernetes', ...more] } }),
    ),
    replaceNamespace('finalize', {}),
    replaceNamespace('finalize', { spec: { finalizers: ['kubernetes'] } }),
    get('/api/v1/namespaces/{ns}/finalize'),
    get('/api/v1/namespaces/{ns}/status'),
    patch('/api/v1/namespaces/{ns}/finalize', MERGE, { spec: { finalizers: ['kubernetes'] } }),
    post('/api/v1/namespaces/{ns}/finalize', {}),
    del('/api/v1/namespaces/{ns}/finalize'),
    replaceNamespace('finalize', { metadata: { name: 'other' } }),
    replaceNamespace('finalize', { metadata: { name: '{ns}', resourceVersion: '1' } }),
    ofNamespace({ metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } }),
    ofNamespace({ metadata: { labels: null } }),
    ofNamespace({ metadata: { finalizers: ['kubernetes', 'x.y/z'] } }),
    ofNamespace({ metadata: { finalizers: null } }),
    ofNamespace({ spec: { foo: 1 } }),
  ),
  kase(
    'new Namespaces',
    ...namespaces(
      { more: { spec: { finalizers: ['a.b/c'] } } },
      { more: { spec: { finalizers: [] }, status: { phase: 'Terminating' } } },
      { more: { spec: { finalizers: ['kubernetes'] } } },
      { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } } },
      { more: { spec: { finalizers: ['foo'] } } },
    ),
    post('/api/v1/namespaces', { metadata: { name: 'A.b' } }),
  ),
  kase(
    'Events of the core group',
    ...events(
      {},
      {
        reason: 'R',
        message: 'm',
        type: 'Normal',
        count: 2,
        firstTimestamp: '2020-01-01T00:00:00Z',
        source: { component: 'c' },
      },
      { involvedObject: { kind: 'X', name: 'x', namespace: 'other' } },
      { involvedObject: { kind: 'X', name: 'x' } },
      { type: 'Foo' },
      { eventTime: AT },
      { ...reported, reportingComponent: 'a/b' },
      { series: { count: 1 } },
      { foo: 1 },
      { related: { kind: 'Y' }, series: { count: 2, lastObservedTime: AT } },
      { message: 'x'.repeat(2_000) },
    ),
    patch(`${EVENTS}/e0`, MERGE, { message: 'new', count: 3 }),
    patch(`${EVENTS}/e1`, MERGE, { involvedObject: { name: 'y' } }),
    patch(`${EVENTS}/e6`, MERGE, { series: { count: 3, lastObservedTime: AT } }),
    patch(`${EVENTS}/e6`, MERGE, { reason: 'other' }),
    patch(`${EVENTS}/e6`, MERGE, { note: 'other' }),
    get(`${NEW_EVENTS}/e6`),
    get(`${NEW_EVENTS}/e1`),
  ),
  kase(
    'Events of their own group',
    ...newEvents(
      {},
      { eventTime: null },
      { reportingController: '' },
      { reportingController: 'a b' },
      { reportingInstance: '' },
      { reportingInstance: 'x'.repeat(129) },
      { action: '' },
      { action: 'x'.repeat(129) },
      { reason: '' },
      { reason: 'x'.repeat(129) },
      { type: '' },
      { type: 'Foo' },
      { note: 'x'.repeat(1_025) },
      { note: '' },
      { deprecatedCount: 3 },
      { deprecatedSource: { component: 'x' } },
      { deprecatedFirstTimestamp: '2020-01-01T00:00:00Z' },
      { deprecatedLastTimestamp: '2020-01-01T00:00:00Z' },
      { series: { count: 1, lastObservedTime: AT } },
      { series: { count: 2 } },
      { series: { count: 2, lastObservedTime: AT } },
      { series: {} },
      { regarding: { namespace: 'other' } },
      { regarding: {} },
      { regarding: null },
      { message: 'x' },
    ),
    ofEvent({ note: 'x' }),
    ofEvent({ reason: 'x' }),
    ofEvent({ series: { count: 2, lastObservedTime: AT } }),
    ofEvent({ series: { count: 3, lastObservedTime: '2020-01-01T00:00:01.000000Z' } }),
    ofEvent({ series: null }),
    ofEvent({ action: 'x', type: 'Warning', regarding: { name: 'z' }, related: { name: 'q' }, reportingInstance: 'z' }),
    ofEvent({ deprecatedCount: 4 }),
    ofEvent({ metadata: { labels: { a: 'b' } } }),
    get(`${EVENTS}/n0`),
  ),
  kase(
    'Leases',
    ...leases(
      undefined,
      {},
      { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.123456Z', leaseTransitions: 0 },
      { holderIdentity: '' },
      { leaseDurationSeconds: 0 },
      { leaseDurationSeconds: -1 },
      { leaseTransitions: -1 },
      { renewTime: '2020-01-01T01:00:00.123456+01:00' },
      { renewTime: null },
      { strategy: 'OldestEmulationVersion' },
      { strategy: 'Foo' },
      { preferredHolder: 'x' },
      { foo: 1 },
      null,
    ),
    ofLease({ spec: { holderIdentity: null } }),
    ofLease({ spec: { renewTime: '2020-01-01T00:00:01.000000Z' } }),
    ofLease({ spec: null }),
    get(`${LEASES}/l2`),
  ),
];
