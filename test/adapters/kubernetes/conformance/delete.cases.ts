// Deletion: options, preconditions, finalizers, and what becomes of dependents.
import {
  type Case,
  CONFIG_MAPS,
  CORE,
  configMap,
  del,
  GLOBES,
  get,
  globe,
  isGone,
  MERGE,
  patch,
  post,
  put,
  type Request,
  SECRETS,
  THINGS,
  thing,
} from './case.ts';

const options = (more: object): object => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...more });

const owned = (name: string, more: object = {}): Request =>
  post(
    CONFIG_MAPS,
    configMap(
      name,
      {},
      { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{owner}', ...more }] },
    ),
  );

const owner = post(CONFIG_MAPS, configMap('owner'), { save: { owner: 'metadata.uid' } });
const ownedThing = (name: string): Request =>
  post(
    THINGS,
    thing(
      name,
      {},
      {
        ownerReferences: [
          {
            apiVersion: '{group}/v1',
            kind: 'Thing',
            name: 'owner',
            uid: '{owner}',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
    ),
  );

export const DELETIONS: readonly Case[] = [
  {
    name: 'delete: preconditions',
    steps: [
      post(CONFIG_MAPS, configMap('a'), { save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } }),
      put(`${CONFIG_MAPS}/a`, configMap('a', { data: { changed: 'yes' } }), {
        save: { newer: 'metadata.resourceVersion' },
      }),
      del(`${CONFIG_MAPS}/a`, options({ preconditions: { uid: '11111111-1111-4111-8111-111111111111' } })),
      del(`${CONFIG_MAPS}/a`, options({ preconditions: { resourceVersion: '{rv}' } })),
      del(`${CONFIG_MAPS}/a`, options({ preconditions: { uid: '{uid}', resourceVersion: '{rv}' } })),
      del(`${CONFIG_MAPS}/a`, options({ preconditions: 'x' })),
      del(`${CONFIG_MAPS}/a`, options({ preconditions: { uid: 5 } })),
      del(`${CONFIG_MAPS}/b`, options({ preconditions: { uid: '{uid}' } })),
      del(`${CONFIG_MAPS}/a`, options({ preconditions: { uid: '{uid}', resourceVersion: '{newer}' } })),
      get(`${CONFIG_MAPS}/a`),
    ],
  },
  {
    name: 'delete: preconditions of custom resources',
    steps: [
      post(THINGS, thing('a'), { save: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } }),
      del(`${THINGS}/a`, options({ preconditions: { uid: '11111111-1111-4111-8111-111111111111' } })),
      del(`${THINGS}/a`, options({ preconditions: { resourceVersion: '1' } })),
      del(`${THINGS}/a`, options({ preconditions: { uid: '{uid}', resourceVersion: '{rv}' } })),
      del(`${THINGS}/a`, options({ preconditions: { uid: '{uid}' } })),
    ],
  },
  {
    name: 'delete: options that are wrong',
    steps: [
      post(CONFIG_MAPS, configMap('a')),
      post(THINGS, thing('a')),
      ...[
        { kind: 'ConfigMap', apiVersion: 'v1' },
        { kind: 'DeleteOptions', apiVersion: 'v9' },
        { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
        { propagationPolicy: 'Nonsense' },
        options({ propagationPolicy: 'Nonsense' }),
        options({ propagationPolicy: 5 }),
        options({ propagationPolicy: 'Orphan', orphanDependents: true }),
        options({ dryRun: ['Nonsense'] }),
        options({ gracePeriodSeconds: 'x' }),
        options({ gracePeriodSeconds: -1, dryRun: ['All'] }),
        options({ unknown: true, dryRun: ['All'] }),
        [],
        'text',
      ].flatMap((body) => [del(`${CONFIG_MAPS}/a`, body), del(`${THINGS}/a`, body)]),
      { method: 'DELETE', path: `${CONFIG_MAPS}/a`, raw: '{', type: 'application/json' },
      {
        method: 'DELETE',
        path: `${CONFIG_MAPS}/a`,
        raw: 'kind: DeleteOptions\napiVersion: v1\ndryRun: [All]',
        type: 'application/yaml',
      },
      del(`${CONFIG_MAPS}/a?dryRun=All`),
      del(`${CONFIG_MAPS}/a?propagationPolicy=Background`, options({ propagationPolicy: 'Orphan', dryRun: ['All'] })),
      del(`${CONFIG_MAPS}/a?gracePeriodSeconds=5&dryRun=All`),
      get(`${CONFIG_MAPS}/a`),
      get(`${THINGS}/a`),
      del(`${CONFIG_MAPS}/a`, options({ gracePeriodSeconds: 30 })),
      del(`${THINGS}/a`, options({ gracePeriodSeconds: 0, propagationPolicy: 'Background' })),
    ],
  },
  {
    name: 'delete: finalizers',
    steps: [
      post(CONFIG_MAPS, configMap('a', {}, { finalizers: ['example.org/one', 'example.org/two'] })),
      del(`${CONFIG_MAPS}/a`),
      del(`${CONFIG_MAPS}/a`),
      post(CONFIG_MAPS, configMap('a')),
      get(`${CONFIG_MAPS}/a`),
      put(
        `${CONFIG_MAPS}/a`,
        configMap('a', { data: { still: 'writable' } }, { finalizers: ['example.org/one', 'example.org/two'] }),
      ),
      put(
        `${CONFIG_MAPS}/a`,
        configMap('a', {}, { finalizers: ['example.org/one', 'example.org/two', 'example.org/three'] }),
      ),
      patch(`${CONFIG_MAPS}/a`, MERGE, { metadata: { deletionTimestamp: null } }),
      patch(`${CONFIG_MAPS}/a`, MERGE, { metadata: { finalizers: ['example.org/two'] } }),
      patch(`${CONFIG_MAPS}/a?dryRun=All`, MERGE, { metadata: { finalizers: null } }),
      patch(`${CONFIG_MAPS}/a`, MERGE, { metadata: { finalizers: null } }),
      get(`${CONFIG_MAPS}/a`),
      post(THINGS, thing('a', {}, { finalizers: ['example.org/one'] })),
      del(`${THINGS}/a`, options({ gracePeriodSeconds: 7 })),
      put(`${THINGS}/a/status`, { ...thing('a'), status: { phase: 'going' } }),
      patch(`${THINGS}/a`, MERGE, { metadata: { finalizers: ['example.org/one', 'example.org/two'] } }),
      patch(`${THINGS}/a`, MERGE, { metadata: { finalizers: [] } }),
      get(`${THINGS}/a`),
    ],
  },
  {
    name: 'delete: dependents follow in the background',
    steps: [
      owner,
      owned('child'),
      del(`${CONFIG_MAPS}/owner`, options({ propagationPolicy: 'Background' })),
      get(`${CONFIG_MAPS}/child`, { until: isGone }),
    ],
  },
  {
    name: 'delete: dependents follow without a policy',
    steps: [
      owner,
      owned('child'),
      owned('grandchild'),
      del(`${CONFIG_MAPS}/owner`),
      get(`${CONFIG_MAPS}/child`, { until: isGone }),
      get(`${CONFIG_MAPS}/grandchild`, { until: isGone }),
    ],
  },
  {
    name: 'delete: dependents are orphaned',
    steps: [
      owner,
      owned('child'),
      del(`${CONFIG_MAPS}/owner`, options({ propagationPolicy: 'Orphan' })),
      get(`${CONFIG_MAPS}/owner`, { until: isGone }),
      get(`${CONFIG_MAPS}/child`, {
        pick: ({ body }) =>
          (body as { metadata: { ownerReferences?: unknown; finalizers?: unknown } }).metadata.ownerReferences ??
          'no owner',
      }),
    ],
  },
  {
    name: 'delete: the old way to orphan',
    steps: [
      owner,
      owned('child'),
      del(`${CONFIG_MAPS}/owner?orphanDependents=true`),
      get(`${CONFIG_MAPS}/owner`, { until: isGone }),
      get(`${CONFIG_MAPS}/child`, {
        pick: ({ body }) =>
          (body as { metadata: { ownerReferences?: unknown } }).metadata.ownerReferences ?? 'no owner',
      }),
    ],
  },
  {
    name: 'delete: dependents go first',
    steps: [
      owner,
      owned('child', { blockOwnerDeletion: true }),
      patch(`${CONFIG_MAPS}/child`, MERGE, { metadata: { finalizers: ['example.org/hold'] } }),
      del(`${CONFIG_MAPS}/owner`, options({ propagationPolicy: 'Foreground' })),
      get(`${CONFIG_MAPS}/child`, {
        until: ({ body }) => JSON.stringify(body).includes('deletionTimestamp'),
        pick: ({ status }) => status,
      }),
      get(`${CONFIG_MAPS}/owner`),
      patch(`${CONFIG_MAPS}/child`, MERGE, { metadata: { finalizers: null } }, { pick: ({ status }) => status }),
      get(`${CONFIG_MAPS}/owner`, { until: isGone }),
      get(`${CONFIG_MAPS}/child`),
    ],
  },
  {
    name: 'delete: dependents that do not block go later',
    steps: [
      owner,
      owned('child'),
      patch(`${CONFIG_MAPS}/child`, MERGE, { metadata: { finalizers: ['example.org/hold'] } }),
      del(`${CONFIG_MAPS}/owner`, options({ propagationPolicy: 'Foreground' })),
      get(`${CONFIG_MAPS}/owner`, { until: isGone }),
      get(`${CONFIG_MAPS}/child`, {
        until: ({ body }) => JSON.stringify(body).includes('deletionTimestamp'),
        pick: ({ status }) => status,
      }),
      patch(`${CONFIG_MAPS}/child`, MERGE, { metadata: { finalizers: null } }, { pick: ({ status }) => status }),
    ],
  },
  {
    name: 'delete: dependents of custom resources',
    steps: [
      post(THINGS, thing('owner'), { save: { owner: 'metadata.uid' } }),
      ownedThing('child'),
      del(`${THINGS}/owner`, options({ propagationPolicy: 'Foreground' })),
      get(`${THINGS}/owner`, { until: isGone }),
      get(`${THINGS}/child`, { until: isGone }),
    ],
  },
  {
    name: 'delete: a dependent with two owners stays for the other',
    steps: [
      owner,
      post(CONFIG_MAPS, configMap('other'), { save: { other: 'metadata.uid' } }),
      post(
        CONFIG_MAPS,
        configMap(
          'child',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{owner}' },
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: '{other}' },
            ],
          },
        ),
      ),
      del(`${CONFIG_MAPS}/owner`),
      get(`${CONFIG_MAPS}/child`, {
        until: ({ body }) => !JSON.stringify(body).includes('"owner"'),
        pick: ({ body }) => (body as { metadata: { ownerReferences?: unknown } }).metadata.ownerReferences,
      }),
      del(`${CONFIG_MAPS}/other`),
      get(`${CONFIG_MAPS}/child`, { until: isGone }),
    ],
  },
  {
    name: 'delete: a dependent of an owner that never was',
    steps: [
      post(
        CONFIG_MAPS,
        configMap(
          'child',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '11111111-1111-4111-8111-111111111111' },
            ],
          },
        ),
      ),
      get(`${CONFIG_MAPS}/child`, { until: isGone }),
    ],
  },
  {
    name: 'delete: cluster-scoped owners',
    steps: [
      post(GLOBES, globe('{ns}'), { save: { owner: 'metadata.uid' } }),
      post(
        CONFIG_MAPS,
        configMap(
          'child',
          {},
          { ownerReferences: [{ apiVersion: '{group}/v1', kind: 'Globe', name: '{ns}', uid: '{owner}' }] },
        ),
      ),
      del(`${GLOBES}/{ns}`),
      get(`${CONFIG_MAPS}/child`, { until: isGone }),
    ],
  },
  {
    name: 'delete: collections',
    steps: [
      ...['a', 'b', 'c'].map((name) =>
        post(CONFIG_MAPS, configMap(name, {}, { labels: { wanted: name === 'c' ? 'no' : 'yes' } })),
      ),
      del(`${CONFIG_MAPS}?labelSelector=wanted%3Dyes&dryRun=All`),
      del(`${CONFIG_MAPS}?labelSelector=bad!`),
      del(`${CONFIG_MAPS}?fieldSelector=nonsense%3Dx`),
      del(`${CONFIG_MAPS}?limit=1`, options({ dryRun: ['All'] })),
      del(`${CONFIG_MAPS}?labelSelector=wanted%3Dyes`),
      get(CONFIG_MAPS),
      del(`${CONFIG_MAPS}?fieldSelector=metadata.name%3Dnone`),
      del(CONFIG_MAPS, options({ propagationPolicy: 'Nonsense' })),
      del(CONFIG_MAPS, options({ preconditions: { uid: '11111111-1111-4111-8111-111111111111' } })),
      post(CONFIG_MAPS, configMap('held', {}, { finalizers: ['example.org/hold'] })),
      del(CONFIG_MAPS, options({ propagationPolicy: 'Background' })),
      get(CONFIG_MAPS),
      patch(`${CONFIG_MAPS}/held`, MERGE, { metadata: { finalizers: null } }),
      ...['a', 'b'].map((name) => post(THINGS, thing(name))),
      del(`${THINGS}?fieldSelector=metadata.name%3Da`),
      del(THINGS),
      get(THINGS),
      del(SECRETS),
      del(`${CORE}/serviceaccounts?labelSelector=a%3Db`),
      del(`${CORE}/events`),
      del('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'),
    ],
  },
];
