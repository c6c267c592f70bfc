// What the commands of the kubectl suite are given: a definition of a kind that has something of everything, and files.
import { stringify } from 'yaml';

/** A kind with two versions, short names, categories, columns, both subresources, defaults, rules and lists of all types. */
export function trinketDefinition(group: string): Record<string, unknown> {
  const condition = {
    type: 'object',
    description: 'One aspect of how the trinket is.',
    required: ['type', 'status'],
    properties: {
      type: { type: 'string', description: 'Which aspect.' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      message: { type: 'string' },
    },
  };
  const schema = {
    type: 'object',
    description: 'Trinket is what the commands of this suite are about.\nIts description has two lines.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        description: 'What is wanted of the trinket.',
        required: ['size'],
        'x-kubernetes-validations': [{ rule: 'self.size >= self.min', message: 'size must not be below min' }],
        properties: {
          size: { type: 'integer', format: 'int32', minimum: 1, maximum: 10, description: 'How large it is.' },
          replicas: { type: 'integer', format: 'int32' },
          min: { type: 'integer', default: 1 },
          color: {
            type: 'string',
            enum: ['red', 'green', 'blue', 'yellow', 'black', 'white', 'purple'],
            default: 'red',
            description: 'What it looks like.',
          },
          name: {
            type: 'string',
            maxLength: 5,
            'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'name is immutable' }],
          },
          tags: { type: 'array', maxItems: 3, items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
          ports: {
            type: 'array',
            description: 'Where it listens.',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, port: { type: 'integer', format: 'int64' } },
            },
          },
          steps: { type: 'array', items: { type: 'object', properties: { run: { type: 'string' } } } },
          options: { type: 'object', additionalProperties: { type: 'string' } },
          anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, description: 'Whatever you like.' },
          amount: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          ratio: { type: 'number', format: 'double' },
          flag: { type: 'boolean' },
          maybe: { type: 'string', nullable: true },
        },
      },
      status: {
        type: 'object',
        description: 'How the trinket is.',
        properties: {
          replicas: { type: 'integer', format: 'int32' },
          selector: { type: 'string' },
          conditions: {
            type: 'array',
            items: condition,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['type'],
          },
        },
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `trinkets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind: 'Trinket',
        listKind: 'TrinketList',
        plural: 'trinkets',
        singular: 'trinket',
        shortNames: ['tkt', 'tkts'],
        categories: ['all', 'toys'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: {
            status: {},
          },
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Color', type: 'string', jsonPath: '.spec.color', description: 'What it looks like' },
            { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
            { name: 'Flag', type: 'boolean', jsonPath: '.spec.flag', priority: 1 },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
          selectableFields: [{ jsonPath: '.spec.color' }],
          schema: { openAPIV3Schema: schema },
        },
        {
          name: 'v1alpha1',
          served: true,
          storage: false,
          deprecated: true,
          deprecationWarning: 'v1alpha1 of trinkets is going away',
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}

/** A second kind of the same categories, as there are many in a real cluster: what is listed then says its kind. */
function plainDefinition(group: string): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `doodads.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Doodad', plural: 'doodads', categories: ['all', 'toys'] },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

/** A trinket; the parts of `more` replace those of the least one. */
function trinket(
  group: string,
  name: string,
  spec: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    apiVersion: `${group}/v1`,
    kind: 'Trinket',
    metadata: { name, ...metadata },
    spec: { size: 3, ...spec },
  };
}

const ofCore = (kind: string, name: string, more: Record<string, unknown>): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(more['metadata'] as Record<string, unknown> | undefined) },
  ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'metadata')),
});

/** The files that commands name, by name. */
export function manifests(group: string, namespace: string): Readonly<Record<string, string>> {
  const several = (...objects: readonly unknown[]): string =>
    objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
  const event = {
    metadata: {},
    involvedObject: { kind: 'Trinket', namespace, name: 'one', apiVersion: `${group}/v1` },
    reason: 'Painted',
    message: 'It is red now',
    type: 'Normal',
    source: { component: 'painter' },
    count: 2,
  };
  const firstTimestamp = '2026-01-01T00:00:00Z';
  const pruned = { labels: { group: 'pruned' } };
  return {
    'definition.yaml': several(trinketDefinition(group)),
    'other-definition.yaml': several(plainDefinition(group)),
    'one.yaml': several(trinket(group, 'one', { tags: ['a', 'b'], ports: [{ name: 'http', port: 80 }] })),
    'one-larger.yaml': several(trinket(group, 'one', { size: 5, tags: ['a', 'c'], steps: [{ run: 'x' }] })),
    'one-too-large.yaml': several(trinket(group, 'one', { size: 50, color: 'pink', tags: ['a', 'a'] })),
    'one-small.yaml': several(trinket(group, 'one', { size: 1, min: 2 })),
    'unknown-field.yaml': several(trinket(group, 'odd', { sise: 3, ports: [{ name: 'http', prot: 80 }] })),
    // Of several the real server names as many as it happens to meet before it gives up, in no order.
    'unknown-applied.yaml': several(trinket(group, 'odd', { sise: 3 })),
    'unknown-item.yaml': several(trinket(group, 'odd', { ports: [{ name: 'http', prot: 80 }] })),
    'wrong-type.yaml': several(trinket(group, 'odd', { size: 'three' })),
    'no-kind.yaml': several({ apiVersion: `${group}/v1`, metadata: { name: 'odd' } }),
    'unknown-kind.yaml': several({ apiVersion: `${group}/v1`, kind: 'Gizmo', metadata: { name: 'odd' } }),
    'bad-name.yaml': several(trinket(group, 'Bad_Name')),
    'bad-label.yaml': several(trinket(group, 'odd', {}, { labels: { 'a b': 'c' } })),
    'no-name.yaml': several(trinket(group, '')),
    'generated.yaml': several({ ...trinket(group, ''), metadata: { generateName: 'made-' } }),
    'no-yaml.yaml': 'a: b: c\n',
    'two.yaml': several(trinket(group, 'two', { size: 2, flag: true }, { labels: { side: 'left' } })),
    'applied.yaml': several(
      trinket(group, 'applied', { size: 4, ports: [{ name: 'http', port: 80 }], options: { a: '1' } }),
    ),
    'applied-other.yaml': several(trinket(group, 'applied', { size: 6, ports: [{ name: 'https', port: 443 }] })),
    'config.yaml': several(ofCore('ConfigMap', 'config', { data: { color: 'red', text: 'one\ntwo\n' } })),
    'config-changed.yaml': several(ofCore('ConfigMap', 'config', { data: { color: 'blue', more: 'less' } })),
    'config-odd.yaml': several(ofCore('ConfigMap', 'odd', { data: { 'a/b': 'c' } })),
    'config-wrong-type.yaml': several(ofCore('ConfigMap', 'odd', { data: { a: 1 } })),
    'config-unknown-field.yaml': several(ofCore('ConfigMap', 'odd', { dada: { a: 'b' } })),
    'secret.yaml': several(ofCore('Secret', 'secret', { stringData: { password: 'wonderland' }, type: 'Opaque' })),
    'secret-bad.yaml': several(ofCore('Secret', 'odd', { data: { password: '***' } })),
    'account.yaml': several(
      ofCore('ServiceAccount', 'robot', { secrets: [{ name: 'one' }], imagePullSecrets: [{ name: 'pull' }] }),
    ),
    'account-more.yaml': several(ofCore('ServiceAccount', 'robot', { secrets: [{ name: 'two' }] })),
    'lease.yaml': several({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lease' },
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
    }),
    'prune-both.yaml': several(
      ofCore('ConfigMap', 'kept', { metadata: pruned, data: { a: '1' } }),
      ofCore('ConfigMap', 'gone', { metadata: pruned, data: { a: '1' } }),
    ),
    'prune-one.yaml': several(ofCore('ConfigMap', 'kept', { metadata: pruned, data: { a: '1' } })),
    'owner.yaml': several(ofCore('ConfigMap', 'owner', { data: {} })),
    'events.yaml': several(
      ofCore('Event', 'one.painted', { ...event, firstTimestamp, lastTimestamp: firstTimestamp }),
      ofCore('Event', 'one.broken', {
        ...event,
        type: 'Warning',
        reason: 'Broken',
        message: 'It fell',
        count: 1,
        firstTimestamp: '2026-01-02T00:00:00Z',
        lastTimestamp: '2026-01-02T00:00:00Z',
      }),
    ),
    'patch.yaml': 'spec:\n  size: 8\n',
  };
}
