// Widgets: the kind of the tests of the embedded API server, and servers with it.
import type { Test } from 'uvu';
import { type Check, DEFINITIONS, withServer } from '../../../world/api-calls.ts';

/** Registers tests, each with its own server with widgets. */
export const widgetChecks =
  (test: Test): Check =>
  (title, run, by) =>
    void test(
      title,
      withServer(async (harness) => {
        const { code, text } = await harness.call('POST', DEFINITIONS, { body: WIDGETS });
        if (code !== 201) throw new Error(text);
        await run(harness);
      }, by),
    );

export const WIDGET_PATH = '/apis/example.org/v1/namespaces/default/widgets';

/** A widget with a valid spec, and more of it. */
export function widget(
  name: string,
  spec: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): Record<string, unknown> {
  return { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name, ...metadata }, spec: { size: 3, ...spec } };
}

const condition = {
  type: 'object',
  required: ['type', 'status'],
  properties: {
    type: { type: 'string' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    message: { type: 'string' },
  },
};

/** A schema with every keyword. */
export const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', shortNames: ['wi'], categories: ['things'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
          { name: 'IPs', type: 'string', jsonPath: '.status.ips[*].ip' },
          { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A widget.',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                description: 'What is wanted.',
                required: ['size'],
                'x-kubernetes-validations': [
                  { rule: 'self.size >= self.min', message: 'size must not be below min' },
                  { rule: "!has(self.name) || self.name != 'bad'" },
                  {
                    rule: 'has(self.__import__) ? !has(self.name) : true',
                    message: 'name and import exclude each other',
                  },
                ],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 10 },
                  min: { type: 'integer', default: 1 },
                  color: { type: 'string', enum: ['red', 'green'], default: 'red' },
                  name: {
                    type: 'string',
                    minLength: 1,
                    maxLength: 5,
                    pattern: '^[a-zé]+$',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'name is immutable' }],
                  },
                  id: { type: 'string', format: 'uuid' },
                  net: { type: 'string', format: 'cidr' },
                  at: { type: 'string', format: 'date-time' },
                  tags: {
                    type: 'array',
                    minItems: 1,
                    maxItems: 3,
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'tags are immutable' }],
                  },
                  ports: {
                    type: 'array',
                    maxItems: 10,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        port: { type: 'integer' },
                        fixed: {
                          type: 'string',
                          maxLength: 50,
                          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
                        },
                      },
                    },
                  },
                  marks: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  steps: { type: 'array', items: { type: 'string' } },
                  options: {
                    type: 'object',
                    minProperties: 1,
                    maxProperties: 2,
                    additionalProperties: { type: 'string' },
                  },
                  anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  quantity: { 'x-kubernetes-int-or-string': true },
                  flag: { type: 'boolean' },
                  ratio: { type: 'number', maximum: 1_000_000 },
                  maybe: { type: 'string', nullable: true },
                  import: { type: 'object', maxProperties: 1, properties: { id: { type: 'string' } } },
                },
              },
              status: {
                type: 'object',
                properties: {
                  id: { type: 'string', minLength: 1 },
                  ips: { type: 'array', items: { type: 'object', properties: { ip: { type: 'string' } } } },
                  conditions: {
                    type: 'array',
                    items: condition,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;
