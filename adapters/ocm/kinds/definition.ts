// The CustomResourceDefinition of a kind that is made of a class.
import type { JsonObject } from '../../../bus/bus.ts';
import { crdName, type KindDefinition } from '../../api/contract/crds.ts';
import type { Field } from './fields.ts';
import type { ModelKind } from './kinds.ts';
import { described } from './schema.ts';

/** Columns of the status that are shown without being declared. */
const STATUS_COLUMNS = 4;
/** Types of properties that fit into a column. */
const COLUMN_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);
const MOST_CONDITIONS = 20;
const MOST_REFERENCES = 1_000;

/** Members of the status that the runtime writes for every object. */
const RUNTIME_STATUS: JsonObject = {
  conditions: {
    description: 'Ready says whether everything that the object refers to is ready.',
    type: 'array',
    maxItems: MOST_CONDITIONS,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
      properties: {
        type: { type: 'string', maxLength: 316 },
        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
        reason: { type: 'string', minLength: 1, maxLength: 1_024 },
        message: { type: 'string', maxLength: 32_768 },
        lastTransitionTime: { type: 'string', format: 'date-time' },
        observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      },
    },
  },
  observedGeneration: {
    description: 'The generation that the conditions are about.',
    type: 'integer',
    format: 'int64',
  },
  references: {
    description: 'Objects that this one has used: it keeps them until it is deleted or refers to others.',
    type: 'array',
    maxItems: MOST_REFERENCES,
    'x-kubernetes-list-type': 'atomic',
    items: {
      type: 'object',
      required: ['kind', 'name', 'uid'],
      properties: {
        kind: { type: 'string', maxLength: 63 },
        name: { type: 'string', maxLength: 253 },
        uid: { type: 'string', maxLength: 128 },
      },
    },
  },
};

/** The input of the commands and the runtime for a kind with a finished definition. */
export function definitionOf(kind: ModelKind): KindDefinition {
  const { group, version, plural, shortNames } = kind;
  return {
    group,
    version,
    kind: kind.kind,
    plural,
    ...(shortNames.length > 0 && { shortNames }),
    definition: () => customResourceDefinition(kind),
  };
}

/** Namespaced, with a status subresource. */
export function customResourceDefinition(kind: ModelKind): JsonObject {
  const { group, version, plural, singular, shortNames, categories, type, parent, schemas } = kind;
  const status = schemas.status;
  const schema: JsonObject = {
    ...described(type),
    type: 'object',
    ...(parent !== undefined && { required: ['spec'] }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: schemas.spec,
      status: { ...status, properties: { ...(status['properties'] as JsonObject | undefined), ...RUNTIME_STATUS } },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(kind) },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
      },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columnsOf(kind),
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}

function columnsOf(kind: ModelKind): readonly JsonObject[] {
  return [
    ...(kind.columns ?? usualColumns(kind)),
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
}

function usualColumns({ parent, status, schemas }: ModelKind): readonly JsonObject[] {
  const shown = status.filter(({ property }) => COLUMN_TYPES.has(typeOf(schemas.status, property)));
  return [
    ...(parent === undefined
      ? []
      : [{ name: parent.type.name.camel, type: 'string', jsonPath: `.spec.${parent.property}` }]),
    ...shown.slice(0, STATUS_COLUMNS).map((field) => column(field, typeOf(schemas.status, field.property))),
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  ];
}

function column({ attribute, property }: Field, type: string): JsonObject {
  return { name: attribute.name.camel, type, jsonPath: `.status.${property}` };
}

function typeOf(schema: JsonObject, property: string): string {
  const properties = schema['properties'] as Readonly<Record<string, JsonObject>> | undefined;
  return String(properties?.[property]?.['type'] ?? '');
}
