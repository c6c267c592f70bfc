// The life of namespaces.
import {
  type Answer,
  type Case,
  configMap,
  del,
  get,
  isGone,
  MERGE,
  patch,
  post,
  put,
  type Request,
  thing,
} from './case.ts';

const PATH = '/api/v1/namespaces';
const INNER = `${PATH}/{ns}-x`;

const create = (more: object = {}): Request =>
  post(
    PATH,
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: '{ns}-x', ...more } },
    { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } },
  );

const condition =
  (type: string) =>
  ({ body }: Answer): boolean => {
    const { status } = body as { status?: { conditions?: readonly { type: string; status: string }[] } };
    return status?.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
  };

/** Conditions and phase: the rest has the versions of whoever wrote when. */
const pickStatus = ({ body, status }: Answer): unknown => ({ status, shown: (body as { status?: unknown }).status });

export const NAMESPACES: readonly Case[] = [
  {
    name: 'namespaces: life',
    steps: [
      create({ labels: { a: 'b' } }),
      get(INNER),
      get(`${INNER}/status`),
      put(INNER, {
        metadata: { name: '{ns}-x', labels: { c: 'd' } },
        status: { phase: 'Terminating' },
      }),
      patch(INNER, MERGE, { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } }),
      patch(INNER, MERGE, { metadata: { labels: { 'kubernetes.io/metadata.name': null } } }),
      put(`${INNER}/status`, { metadata: { name: '{ns}-x' }, status: { phase: 'Terminating' } }),
      patch(`${INNER}/status`, MERGE, {
        status: {
          conditions: [
            { type: 'Mine', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' },
          ],
        },
      }),
      put(`${INNER}/finalize`, { metadata: { name: '{ns}-y' }, spec: { finalizers: ['kubernetes'] } }),
      put(`${INNER}/finalize`, { metadata: { name: '{ns}-x' }, spec: { finalizers: ['bad finalizer'] } }),
      put(`${INNER}/finalize`, {
        metadata: { name: '{ns}-x' },
        spec: { finalizers: ['kubernetes', 'example.org/mine'] },
      }),
      put(`${INNER}/finalize`, { metadata: { name: '{ns}-x' }, spec: { finalizers: ['kubernetes'] } }),
      create(),
      del(INNER, undefined, { save: { gone: 'metadata.uid' } }),
      get(INNER, { until: isGone }),
      del(INNER),
    ],
  },
  {
    name: 'namespaces: creation in one that is going',
    steps: [
      create(),
      post(`${INNER}/configmaps`, configMap('held', {}, { finalizers: ['example.org/hold'] })),
      post(`${INNER}/configmaps`, configMap('free')),
      post('/apis/{group}/v1/namespaces/{ns}-x/things', thing('held', {}, { finalizers: ['example.org/hold'] })),
      del(INNER),
      post(`${INNER}/configmaps`, configMap('late')),
      post('/apis/{group}/v1/namespaces/{ns}-x/things', thing('late')),
      post(`${INNER}/configmaps?dryRun=All`, configMap('late')),
      post(`${INNER}/events`, { metadata: { name: 'late' }, involvedObject: { namespace: '{ns}-x' } }),
      post(`${INNER}/configmaps`, configMap('bad name')),
      get(`${INNER}/configmaps/free`, { until: isGone }),
      get(INNER, { until: condition('NamespaceFinalizersRemaining'), pick: pickStatus }),
      del(INNER, undefined, { pick: pickStatus }),
      create(),
      put(
        `${INNER}/configmaps/held`,
        configMap('held', { data: { still: 'writable' } }, { finalizers: ['example.org/hold'] }),
        { pick: ({ status }) => status },
      ),
      patch(`${INNER}/configmaps/held`, MERGE, { metadata: { finalizers: null } }, { pick: ({ status }) => status }),
      patch(
        '/apis/{group}/v1/namespaces/{ns}-x/things/held',
        MERGE,
        { metadata: { finalizers: null } },
        { pick: ({ status }) => status },
      ),
      get(INNER, { until: isGone }),
      create(),
      del(INNER),
    ],
  },
  {
    name: 'namespaces: with finalizers of their own',
    steps: [
      create({ finalizers: ['example.org/mine'] }),
      del(INNER),
      get(INNER, {
        until: ({ body }) => (body as { spec: { finalizers?: unknown } }).spec.finalizers === undefined,
        pick: ({ body }) => (body as { spec: unknown }).spec,
      }),
      patch(INNER, MERGE, { metadata: { finalizers: null } }, { pick: ({ status }) => status }),
      get(INNER, { until: isGone }),
    ],
  },
  {
    name: 'namespaces: those that must stay',
    steps: [
      ...['default', 'kube-system', 'kube-public'].map((name) => del(`${PATH}/${name}`)),
      del(`${PATH}/default?dryRun=All`),
      del(`${PATH}/{ns}-none`),
      ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) =>
        get(`${PATH}/${name}`, {
          pick: ({ status, body }) => ({
            status,
            spec: (body as { spec?: unknown }).spec,
            phase: (body as { status?: unknown }).status,
          }),
        }),
      ),
      del(`${PATH}/{ns}`, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { uid: '11111111-1111-4111-8111-111111111111' },
      }),
      del(`${PATH}/{ns}`, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] }),
    ],
  },
  {
    name: 'namespaces: the default service account comes back',
    steps: [
      get(`${PATH}/{ns}/serviceaccounts/default`, {
        until: ({ status }) => status === 200,
        save: { uid: 'metadata.uid' },
      }),
      del(`${PATH}/{ns}/serviceaccounts/default`),
      get(`${PATH}/{ns}/serviceaccounts/default`, { until: ({ status }) => status === 200 }),
    ],
  },
];
