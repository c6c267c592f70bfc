// CustomResourceDefinitions as objects.
import { type Answer, type Case, DEFINITIONS, del, get, isGone, MERGE, patch, post, put } from './case.ts';

const definition = (more: object = {}, metadata: object = {}, version: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boxes.{ns}.example.org', ...metadata },
  spec: {
    group: '{ns}.example.org',
    scope: 'Namespaced',
    names: { kind: 'Box', plural: 'boxes' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
        ...version,
      },
    ],
    ...more,
  },
});

const PATH = `${DEFINITIONS}/boxes.{ns}.example.org`;
const BOXES = '/apis/{ns}.example.org/v1/namespaces/{ns}/boxes';

const isEstablished = ({ body }: Answer): boolean => {
  const { status } = body as { status?: { conditions?: readonly { type: string; status: string }[] | null } };
  return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;
};

/** Without what controllers write in their own time. */
const withoutWriters = ({ status, body }: Answer): unknown => {
  const { metadata, ...rest } = body as { metadata: Record<string, unknown> };
  const { managedFields, resourceVersion, finalizers, ...known } = metadata;
  return { status, body: { ...rest, metadata: known } };
};

export const DEFINITION_CASES: readonly Case[] = [
  {
    name: 'definitions: life',
    steps: [
      get(BOXES),
      post(DEFINITIONS, definition(), { pick: withoutWriters }),
      get(PATH, { until: isEstablished, pick: withoutWriters }),
      get(BOXES, { until: ({ status }) => status === 200 }),
      get('/apis/{ns}.example.org/v1', { until: ({ status }) => status === 200 }),
      get('/apis/{ns}.example.org'),
      post(BOXES, {
        apiVersion: '{ns}.example.org/v1',
        kind: 'Box',
        metadata: { name: 'a' },
        spec: { size: 1, nope: 2 },
      }),
      post(DEFINITIONS, definition()),
      patch(PATH, MERGE, { spec: { names: { shortNames: ['bx'] } } }, { pick: withoutWriters }),
      get(PATH, {
        until: ({ body }) => JSON.stringify((body as { status: unknown }).status).includes('"bx"'),
        pick: withoutWriters,
      }),
      patch(PATH, MERGE, { spec: { scope: 'Cluster' } }),
      patch(PATH, MERGE, { spec: { names: { kind: 'Crate' } } }),
      put(PATH, definition()),
      del(PATH, undefined, { pick: ({ status }) => status }),
      get(PATH, { until: isGone }),
      get(BOXES, { until: isGone }),
      get('/apis/{ns}.example.org', { until: isGone }),
      del(PATH),
    ],
  },
  {
    name: 'definitions: refused',
    steps: [
      definition({}, { name: 'other' }),
      definition({ scope: 'Nowhere' }),
      definition({ scope: '' }),
      definition({ group: '' }),
      definition({ names: { kind: 'Box' } }),
      definition({}, {}, { schema: undefined }),
      definition({}, {}, { schema: { openAPIV3Schema: { type: 'string' } } }),
      definition({}, {}, { schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } }),
      definition({ conversion: { strategy: 'Nonsense' } }),
      definition({ preserveUnknownFields: true }),
    ].map((body) => post(DEFINITIONS, body)),
  },
];
