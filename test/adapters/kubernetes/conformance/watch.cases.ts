// Watches.
import {
  type Case,
  CONFIG_MAPS,
  configMap,
  del,
  get,
  MERGE,
  PARTIAL,
  patch,
  post,
  put,
  TABLE,
  THINGS,
  thing,
} from './case.ts';

const create = (name: string, labels = {}) =>
  post(CONFIG_MAPS, configMap(name, {}, { labels }), { save: { [`rv${name}`]: 'metadata.resourceVersion' } });

export const WATCHES: readonly Case[] = [
  {
    name: 'watch: from a version',
    steps: [
      create('a'),
      create('b'),
      {
        watch: `${CONFIG_MAPS}?watch=true&resourceVersion={rva}`,
        events: 4,
        meanwhile: [
          put(`${CONFIG_MAPS}/a`, configMap('a', { data: { k: 'v' } })),
          del(`${CONFIG_MAPS}/a`),
          create('c'),
        ],
      },
      { watch: `${CONFIG_MAPS}?watch=1&resourceVersion={rvc}&timeoutSeconds=1`, events: 'all' },
      { watch: `${CONFIG_MAPS}?watch=true&resourceVersion={rvb}`, events: 3 },
    ],
  },
  {
    name: 'watch: without a version and from 0',
    steps: [
      create('a'),
      create('b'),
      { watch: `${CONFIG_MAPS}?watch=true`, events: 3, meanwhile: [create('c')] },
      { watch: `${CONFIG_MAPS}?watch=true&resourceVersion=0`, events: 4, meanwhile: [del(`${CONFIG_MAPS}/b`)] },
      { watch: `${CONFIG_MAPS}?watch=true&timeoutSeconds=1`, events: 'all' },
      { watch: `${CONFIG_MAPS}?watch=`, events: 2 },
      { watch: `${CONFIG_MAPS}?watch=x`, events: 2 },
      { watch: '/api/v1/configmaps?watch=true&fieldSelector=metadata.namespace%3D{ns}', events: 2 },
    ],
  },
  {
    name: 'watch: one name',
    steps: [
      create('a'),
      create('b'),
      {
        watch: `${CONFIG_MAPS}/a?watch=true`,
        events: 2,
        meanwhile: [
          patch(`${CONFIG_MAPS}/b`, MERGE, { data: { k: 'v' } }),
          patch(`${CONFIG_MAPS}/a`, MERGE, { data: { k: 'v' } }),
        ],
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3Da`,
        events: 2,
        meanwhile: [del(`${CONFIG_MAPS}/a`)],
      },
      { watch: `${CONFIG_MAPS}/none?watch=true&timeoutSeconds=1`, events: 'all' },
      { watch: `${CONFIG_MAPS}/b?watch=true&fieldSelector=metadata.name%3Da&timeoutSeconds=1`, events: 'all' },
    ],
  },
  {
    name: 'watch: selectors that objects enter and leave',
    steps: [
      create('a', { color: 'red' }),
      create('b', { color: 'blue' }),
      {
        watch: `${CONFIG_MAPS}?watch=true&labelSelector=color%3Dred&resourceVersion={rvb}`,
        events: 5,
        meanwhile: [
          patch(`${CONFIG_MAPS}/b`, MERGE, { metadata: { labels: { color: 'red' } } }),
          patch(`${CONFIG_MAPS}/b`, MERGE, { data: { k: 'v' } }),
          patch(`${CONFIG_MAPS}/b`, MERGE, { metadata: { labels: { color: 'blue' } } }),
          patch(`${CONFIG_MAPS}/b`, MERGE, { data: { k: 'w' } }),
          del(`${CONFIG_MAPS}/b`),
          del(`${CONFIG_MAPS}/a`),
          create('c', { color: 'red' }),
        ],
      },
    ],
  },
  {
    name: 'watch: fields of custom resources that objects enter and leave',
    steps: [
      post(THINGS, thing('a', { color: 'red' }), { save: { rv: 'metadata.resourceVersion' } }),
      {
        watch: `${THINGS}?watch=true&fieldSelector=spec.color%3Dgreen&resourceVersion={rv}`,
        events: 3,
        meanwhile: [
          patch(`${THINGS}/a`, MERGE, { spec: { color: 'green' } }),
          patch(`${THINGS}/a/status`, MERGE, { status: { phase: 'x' } }),
          patch(`${THINGS}/a`, MERGE, { spec: { color: 'red' } }),
        ],
      },
    ],
  },
  {
    name: 'watch: initial events and their end',
    steps: [
      create('a'),
      create('b'),
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        events: 4,
        meanwhile: [create('c')],
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0`,
        events: 4,
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion={rva}`,
        events: 4,
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
        events: 'all',
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={rvc}&timeoutSeconds=1`,
        events: 'all',
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
        events: 'all',
      },
      {
        watch: `${THINGS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        events: 1,
      },
    ],
  },
  {
    name: 'watch: parameters that are wrong',
    steps: [
      'sendInitialEvents=true',
      'sendInitialEvents=true&resourceVersionMatch=Exact',
      'resourceVersionMatch=NotOlderThan',
      'resourceVersionMatch=Nonsense&sendInitialEvents=true',
      'resourceVersion=x',
      'resourceVersion=99999999999999999999',
      'timeoutSeconds=x',
      'labelSelector=!',
      'fieldSelector=nonsense%3Dx',
      'limit=x',
      'continue=abc&timeoutSeconds=1',
      'limit=1&timeoutSeconds=1',
      'timeoutSeconds=-1&resourceVersion=x',
      'sendInitialEvents=x&resourceVersionMatch=NotOlderThan&timeoutSeconds=1',
    ].map((query) => ({ watch: `${CONFIG_MAPS}?watch=true&${query}`, events: 'all' as const })),
  },
  {
    name: 'watch: other forms',
    steps: [
      create('a'),
      { watch: `${CONFIG_MAPS}?watch=true`, accept: PARTIAL, events: 1 },
      { watch: `${CONFIG_MAPS}?watch=true`, accept: 'text/plain', events: 'all' },
      { watch: `${CONFIG_MAPS}?watch=true`, accept: 'application/json;stream=watch', events: 1 },
      { watch: `${CONFIG_MAPS}?watch=true`, accept: `${TABLE},application/json`, events: 2, meanwhile: [create('b')] },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        accept: PARTIAL,
        events: 3,
      },
      {
        watch: `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        accept: TABLE,
        events: 3,
      },
      post(THINGS, thing('a')),
      { watch: `${THINGS}?watch=true`, accept: PARTIAL, events: 1 },
      { watch: `${THINGS}?watch=true&includeObject=Object`, accept: TABLE, events: 1 },
      { watch: '/apis/{group}/v1beta1/namespaces/{ns}/things?watch=true', events: 1 },
      { watch: '/apis/{group}/v1/globes?watch=true&labelSelector=nobody%3Dhas&timeoutSeconds=1', events: 'all' },
    ],
  },
  {
    name: 'watch: the old paths',
    steps: [
      create('a'),
      { watch: '/api/v1/watch/namespaces/{ns}/configmaps', events: 1 },
      { watch: '/api/v1/watch/namespaces/{ns}/configmaps/a', events: 1 },
      { watch: '/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3D{ns}', events: 1 },
      { watch: '/api/v1/watch/namespaces/{ns}', events: 1 },
      { watch: '/apis/coordination.k8s.io/v1/watch/namespaces/{ns}/leases?timeoutSeconds=1', events: 'all' },
      get('/apis/{group}/v1/watch/namespaces/{ns}/things?timeoutSeconds=1'),
      get('/api/v1/watch/nothing'),
    ],
  },
  {
    name: 'watch: deletion with finalizers',
    steps: [
      post(CONFIG_MAPS, configMap('a', {}, { finalizers: ['example.org/x'] }), {
        save: { rv: 'metadata.resourceVersion' },
      }),
      {
        watch: `${CONFIG_MAPS}?watch=true&resourceVersion={rv}`,
        events: 3,
        meanwhile: [
          del(`${CONFIG_MAPS}/a`),
          patch(`${CONFIG_MAPS}/a`, MERGE, { data: { k: 'v' } }),
          patch(`${CONFIG_MAPS}/a`, MERGE, { metadata: { finalizers: null } }),
        ],
      },
    ],
  },
];
