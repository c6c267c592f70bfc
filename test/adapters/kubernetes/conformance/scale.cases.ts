// The scale subresource.
import {
  APPLY,
  type Case,
  DEFINITIONS,
  del,
  get,
  JSON_PATCH,
  MERGE,
  PARTIAL,
  POOLS,
  patch,
  pool,
  post,
  put,
  STRATEGIC,
} from './case.ts';

type Fields = Readonly<Record<string, unknown>>;

const scale = (replicas: unknown, more: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', ...metadata },
  spec: { replicas },
  ...more,
});

const A = `${POOLS}/a`;
const SCALE_OF_A = `${A}/scale`;
const created = post(POOLS, pool('a', { replicas: 2 }, { labels: { key: 'value' } }));
const reported = patch(`${A}/status`, MERGE, { status: { replicas: 1, selector: 'app=x' } });

const definitionWith = (paths: Fields): Fields => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'scaled.{group}' },
  spec: {
    group: '{group}',
    scope: 'Namespaced',
    names: { kind: 'Scaled', plural: 'scaled' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { scale: paths },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

export const SCALE: readonly Case[] = [
  {
    name: 'scale: read, replaced and patched',
    steps: [
      created,
      get(SCALE_OF_A),
      reported,
      get(SCALE_OF_A, { save: { rv: 'metadata.resourceVersion' } }),
      get(SCALE_OF_A, { accept: PARTIAL }),
      put(SCALE_OF_A, scale(4, {}, { resourceVersion: '{rv}' })),
      get(A),
      put(SCALE_OF_A, scale(5, {}, { resourceVersion: '{rv}' })),
      put(SCALE_OF_A, scale(5, { status: { replicas: 9, selector: 'other' } }, { labels: { other: 'x' } })),
      put(`${SCALE_OF_A}?dryRun=All`, scale(7)),
      patch(SCALE_OF_A, MERGE, { spec: { replicas: 3 } }),
      patch(SCALE_OF_A, JSON_PATCH, [
        { op: 'test', path: '/spec/replicas', value: 3 },
        { op: 'replace', path: '/spec/replicas', value: 6 },
      ]),
      patch(SCALE_OF_A, JSON_PATCH, [{ op: 'test', path: '/spec/replicas', value: 3 }]),
      patch(SCALE_OF_A, STRATEGIC, { spec: { replicas: 3 } }),
      get(A),
      del(SCALE_OF_A),
      post(SCALE_OF_A, scale(1)),
    ],
  },
  {
    name: 'scale: refused',
    steps: [
      created,
      ...[-5, 50].map((replicas) => put(SCALE_OF_A, scale(replicas))),
      ...['x', 1.5, 3_000_000_000, [1]].map((replicas) => put(SCALE_OF_A, scale(replicas))),
      put(SCALE_OF_A, scale(1, { kind: 'Pool' })),
      put(SCALE_OF_A, scale(1, { apiVersion: 'autoscaling/v2' })),
      put(SCALE_OF_A, scale(1, {}, { name: 'b' })),
      put(SCALE_OF_A, scale(1, {}, { name: undefined })),
      put(SCALE_OF_A, scale(1, {}, { namespace: 'other' })),
      put(SCALE_OF_A, scale(1, {}, { uid: 'other' })),
      put(SCALE_OF_A, scale(1, {}, { resourceVersion: '0' })),
      put(SCALE_OF_A, scale(1, {}, { resourceVersion: 'x' })),
      put(SCALE_OF_A, scale(1, { spec: { replicas: 1, other: 2 } })),
      put(`${SCALE_OF_A}?fieldValidation=Strict`, scale(1, { spec: { replicas: 1, other: 2 } })),
      put(SCALE_OF_A, undefined, { raw: 'x', type: 'text/plain' }),
      put(SCALE_OF_A, undefined, { raw: '{' }),
      patch(SCALE_OF_A, MERGE, { spec: { replicas: -1 } }),
      patch(SCALE_OF_A, MERGE, { spec: { replicas: null } }),
      patch(SCALE_OF_A, MERGE, { metadata: { name: 'x' } }),
      patch(SCALE_OF_A, MERGE, { metadata: { resourceVersion: '1' }, spec: { replicas: 3 } }),
      get(`${POOLS}/none/scale`),
      put(`${POOLS}/none/scale`, scale(1, {}, { name: 'none' })),
    ],
  },
  {
    name: 'scale: of an object that says nothing',
    steps: [
      post(POOLS, pool('a')),
      get(SCALE_OF_A),
      patch(SCALE_OF_A, MERGE, {}),
      patch(SCALE_OF_A, MERGE, { spec: { replicas: 1 } }),
      get(A),
    ],
  },
  {
    name: 'scale: owners',
    steps: [
      created,
      patch(`${SCALE_OF_A}?fieldManager=boss`, APPLY, scale(8)),
      patch(`${SCALE_OF_A}?fieldManager=boss&force=true`, APPLY, scale(8)),
      get(A),
      patch(`${SCALE_OF_A}?fieldManager=boss&force=true`, APPLY, scale(8, { spec: { replicas: 8, other: 1 } })),
      patch(`${SCALE_OF_A}?fieldManager=boss&force=true`, APPLY, scale(8, { kind: 'Other' })),
      patch(`${A}?fieldManager=main&force=true`, APPLY, pool('a', { replicas: 1, note: 'x' })),
      patch(SCALE_OF_A, MERGE, { spec: { replicas: 9 } }),
      patch(`${SCALE_OF_A}?fieldManager=boss`, APPLY, scale(8)),
      get(A),
    ],
  },
  {
    name: 'scale: definitions with wrong paths',
    steps: [
      post(DEFINITIONS, definitionWith({})),
      post(
        DEFINITIONS,
        definitionWith({ specReplicasPath: 'spec.size', statusReplicasPath: '.spec.x', labelSelectorPath: '.other.x' }),
      ),
      post(
        DEFINITIONS,
        definitionWith({ specReplicasPath: '.status.size', statusReplicasPath: '.status.x', labelSelectorPath: 'x' }),
      ),
    ],
  },
];
