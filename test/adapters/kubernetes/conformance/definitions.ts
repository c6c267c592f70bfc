// The custom resources that all cases share.
import type { Request } from './case.ts';
import { DEFINITIONS, del, get, post } from './case.ts';

import { GADGET_COLUMNS, GADGET_SCHEMA } from './gadgets.ts';

type Fields = Readonly<Record<string, unknown>>;

const THING_SCHEMA = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        color: { type: 'string', enum: ['red', 'green'], default: 'red' },
        label: { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]+$' },
        tags: { type: 'array', maxItems: 3, items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port: { type: 'integer', default: 80 } },
          },
        },
        steps: { type: 'array', items: { type: 'string' } },
        options: { type: 'object', additionalProperties: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        fixed: {
          type: 'string',
          maxLength: 10,
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
        },
        flag: { type: 'boolean' },
        ratio: { type: 'number' },
        quantity: { 'x-kubernetes-int-or-string': true },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: { type: 'string' },
        seen: { type: 'integer' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type', 'status'],
            properties: { type: { type: 'string' }, status: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
} as const;

const FREE_SCHEMA = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

const POOL_SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', maximum: 10 },
        note: { type: 'string' },
        exact: { type: 'integer' },
        most: { type: 'integer', maximum: 9_007_199_254_740_991 },
        amount: { type: 'number' },
        either: { 'x-kubernetes-int-or-string': true },
        numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
    },
  },
} as const;

function definition(kind: string, scope: 'Namespaced' | 'Cluster', versions: readonly Fields[]): Fields {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.{group}` },
    spec: { group: '{group}', scope, names: { kind, plural, shortNames: [`${kind.toLowerCase()}y`] }, versions },
  };
}

const version = (name: string, schema: Fields, more: Fields = {}): Fields => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  ...more,
});

const ALL = [
  definition('Thing', 'Namespaced', [
    version('v1', THING_SCHEMA, {
      subresources: { status: {} },
      selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }],
      additionalPrinterColumns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
      ],
    }),
    version('v1beta1', FREE_SCHEMA, { subresources: { status: {} }, deprecated: true }),
    version('v1alpha1', FREE_SCHEMA, { deprecated: true, deprecationWarning: 'v1alpha1 goes away; use v1' }),
    version('v1alpha0', FREE_SCHEMA, { served: false }),
  ]),
  definition('Gadget', 'Namespaced', [
    version('v1', GADGET_SCHEMA, { subresources: { status: {} }, additionalPrinterColumns: GADGET_COLUMNS }),
    version('v2', GADGET_SCHEMA, { subresources: { status: {} } }),
  ]),
  definition('Plain', 'Namespaced', [version('v1', FREE_SCHEMA)]),
  definition('Pool', 'Namespaced', [
    version('v1', POOL_SCHEMA, {
      subresources: {
        status: {},
      },
    }),
  ]),
  definition('Globe', 'Cluster', [version('v1', FREE_SCHEMA, { subresources: { status: {} } })]),
];

const paths = [
  '/apis/{group}/v1/things?limit=1',
  '/apis/{group}/v1beta1/things?limit=1',
  '/apis/{group}/v1/gadgets?limit=1',
  '/apis/{group}/v2/gadgets?limit=1',
  '/apis/{group}/v1/plains?limit=1',
  '/apis/{group}/v1/pools?limit=1',
  '/apis/{group}/v1/globes?limit=1',
];

/** Installs the definitions, and waits until what they define is served. */
export const INSTALL: readonly Request[] = [
  ...ALL.map((one) => post(DEFINITIONS, one)),
  ...paths.map((path) => get(path, { until: ({ status }) => status === 200 })),
  get('/apis/{group}/v1', { until: ({ body }) => JSON.stringify(body).includes('"globes/status"') }),
];

export const REMOVE: readonly Request[] = ['things', 'gadgets', 'plains', 'pools', 'globes'].map((plural) =>
  del(`${DEFINITIONS}/${plural}.{group}`),
);
