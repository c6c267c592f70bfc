// Random small structural schemas, valid as parts of a definition.

import type { JsonMap } from '../../../../adapters/text/json.ts';
import { fc } from '../../../world/properties.ts';

const optional = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonMap> =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true });

const small = fc.integer({ min: 0, max: 3 });
const flag = fc.constant(true);
const numbers = fc.integer({ min: -3, max: 3 });

const PATTERNS = ['^a+$', '[a-c]', '^\\pL*$', '\\d{2}', '^[[:alnum:]]*\\z', '^(a|b)*$', ''];
const FORMATS = [
  'date-time',
  'date',
  'duration',
  'uuid',
  'cidr',
  'ipv4',
  'ipv6',
  'mac',
  'uri',
  'hostname',
  'byte',
  'password',
  'int32',
  'k8s-short-name',
  'k8s-long-name',
  'hexcolor',
  'ssn',
  'isbn',
  'unheard-of',
];

const text = fc
  .oneof(
    optional({ minLength: small, maxLength: fc.integer({ min: 3, max: 6 }), nullable: flag }),
    optional({ pattern: fc.constantFrom(...PATTERNS), nullable: flag }),
  )
  .map((limits) => ({ type: 'string', ...limits }));

const formatted = fc.constantFrom(...FORMATS).map((format) => ({ type: 'string', format }));

const enumeration = fc.uniqueArray(fc.constantFrom('a', 'b', 'c d'), { minLength: 1 }).chain((values) =>
  optional({ nullable: flag, default: fc.constantFrom(...values) }).map((more) => ({
    type: 'string',
    enum: values,
    ...more,
  })),
);

const number = fc.constantFrom('integer', 'number').chain((type) =>
  optional({
    minimum: numbers,
    maximum: fc.constantFrom(5, 100, 1_000_000, 2_000_000_000),
    exclusiveMinimum: flag,
    exclusiveMaximum: flag,
    multipleOf: fc.constantFrom(1, 2, 5),
    nullable: flag,
    format: fc.constantFrom('int32', 'int64', 'double'),
  }).map((limits) => ({ type, ...limits })),
);

const intOrString = optional({ nullable: flag, maxLength: small, pattern: fc.constantFrom(...PATTERNS) }).map(
  (limits) => ({
    'x-kubernetes-int-or-string': true,
    ...limits,
  }),
);

const open = fc.constantFrom<JsonMap>(
  { 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'integer' } } },
  { type: 'object', additionalProperties: true },
  { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
  },
);

const withDefault = fc.constantFrom<JsonMap>(
  { type: 'string', default: 'x' },
  { type: 'integer', default: 3, nullable: true },
  { type: 'boolean', default: false },
  { type: 'array', items: { type: 'string' }, default: ['a'] },
  { type: 'object', default: {}, properties: { a: { type: 'string', default: 'y' } } },
);

const scalar = fc.oneof(text, formatted, enumeration, number, intOrString, fc.constant({ type: 'boolean' }));

/** Logic that restricts values of an object with the fields a, b and c. */
const logic = fc.constantFrom<JsonMap>(
  {},
  { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
  { allOf: [{ required: ['a'] }, { not: { required: ['b'] } }] },
  { not: { required: ['c'] } },
  { minProperties: 1, maxProperties: 2 },
);

const limits = optional({
  minItems: fc.integer({ min: 0, max: 1 }),
  maxItems: fc.integer({ min: 1, max: 3 }),
  nullable: flag,
});

const { schema } = fc.letrec<{ schema: JsonMap; list: JsonMap; map: JsonMap; fields: JsonMap }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    open,
    withDefault,
    tie('list'),
    tie('map'),
    tie('fields'),
  ),
  list: fc.oneof(
    fc.tuple(tie('schema'), limits).map(([items, more]): JsonMap => ({ type: 'array', items, ...more })),
    fc
      .tuple(
        fc.constantFrom<JsonMap>(
          { type: 'string' },
          { type: 'integer' },
          { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
        ),
        limits,
      )
      .map(([items, more]): JsonMap => ({ type: 'array', items, ...more, 'x-kubernetes-list-type': 'set' })),
    fc.tuple(tie('schema'), limits).map(
      ([value, more]): JsonMap => ({
        type: 'array',
        ...more,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'j'],
        items: {
          type: 'object',
          required: ['k'],
          properties: { k: { type: 'string' }, j: { type: 'integer', default: 1 }, value },
        },
      }),
    ),
  ),
  map: fc
    .tuple(
      tie('schema'),
      optional({ minProperties: fc.constant(1), maxProperties: fc.integer({ min: 1, max: 3 }), nullable: flag }),
    )
    .map(([additionalProperties, more]): JsonMap => ({ type: 'object', additionalProperties, ...more })),
  fields: fc
    .tuple(
      fc.record({ a: tie('schema'), b: tie('schema'), c: tie('schema') }, { noNullPrototype: true }),
      fc.subarray(['a', 'b', 'c']),
      logic,
    )
    .map(
      ([properties, required, more]): JsonMap => ({
        type: 'object',
        properties,
        ...(required.length > 0 ? { required } : {}),
        ...more,
      }),
    ),
}));

export { schema as randomSchema };

/** Changes that make a definition invalid, or not; each gets a schema of its own. */
export const SUSPECT_SCHEMAS: readonly JsonMap[] = [
  {},
  { type: 'text' },
  { type: 'null' },
  { type: 'array' },
  { type: 'array', items: {} },
  { type: 'array', items: [{ type: 'string' }] },
  { type: 'string', pattern: '(' },
  { type: 'string', pattern: '(?=a)' },
  { type: 'string', pattern: '\\8' },
  { type: 'string', default: 5 },
  { type: 'integer', default: 1, minimum: 2 },
  { type: 'string', default: 'abc', maxLength: 2 },
  { type: 'object', default: { x: 1 }, properties: { y: { type: 'string' } } },
  { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
  { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
  { type: 'array', items: { type: 'string' }, uniqueItems: true },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' },
  { type: 'string', 'x-kubernetes-list-type': 'set' },
  { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
  { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' },
  { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
  {
    type: 'array',
    items: { type: 'object', properties: {} },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  },
  {
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
  },
  {
    type: 'array',
    items: { type: 'object', required: ['a'], properties: { a: { type: 'object' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a', 'a'],
  },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['a'] },
  { type: 'string', 'x-kubernetes-map-type': 'atomic' },
  { type: 'object', 'x-kubernetes-map-type': 'coarse' },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
  { type: 'string', 'x-kubernetes-embedded-resource': true },
  { type: 'object', 'x-kubernetes-embedded-resource': true },
  { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  { type: 'object', anyOf: [{ type: 'object' }] },
  { type: 'object', oneOf: [{ properties: { a: { description: 'x', nullable: true } } }] },
  { type: 'object', not: { default: {} } },
  { type: 'object', allOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] },
  { type: 'object', allOf: [{ additionalProperties: { type: 'string' } }] },
  { type: 'object', properties: { metadata: { type: 'string' } }, anyOf: [{ properties: { metadata: {} } }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: '' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', message: ' ' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true &&\ntrue' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', messageExpression: ' ' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', messageExpression: '1' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', messageExpression: 'self.x' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', reason: 'Other' }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.x' }] },
  {
    type: 'object',
    properties: { x: { type: 'string' } },
    'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.x' }],
  },
  {
    type: 'object',
    properties: { x: { type: 'string' } },
    'x-kubernetes-validations': [{ rule: 'true', fieldPath: 'x' }],
  },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', optionalOldSelf: true }] },
  { type: 'object', 'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }] },
  { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
  { type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: "self.contains('a')" }] } },
  {
    type: 'array',
    items: {
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('^abc$')" }] },
    },
  },
  { type: 'string', default: 'b', 'x-kubernetes-validations': [{ rule: "self == 'a'" }] },
  { type: 'string', title: 't', description: 'd', externalDocs: { url: 'x' }, example: 1 },
  { type: 'object', patternProperties: { a: { type: 'string' } } },
  { type: 'string', id: 'x' },
  { type: 'string', $ref: '#/x' },
  { type: 'object', definitions: { a: { type: 'string' } } },
];
