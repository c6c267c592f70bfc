// Schemas of the built-in kinds, as far as pruning, server-side apply, strategic merge and OpenAPI need them.
import type { JsonMap } from '../json.ts';

const text: JsonMap = { type: 'string' };
const flag: JsonMap = { type: 'boolean' };
const whole: JsonMap = { type: 'integer', format: 'int32' };
const time: JsonMap = { type: 'string', format: 'date-time', nullable: true };
/** What is shown even when nobody gave it. */
const given = (schema: JsonMap, value: unknown): JsonMap => ({ ...schema, default: value });
const texts: JsonMap = { type: 'object', additionalProperties: text };
const map = (properties: JsonMap, more: JsonMap = {}): JsonMap => ({ type: 'object', properties, ...more });
const atomic: JsonMap = { 'x-kubernetes-map-type': 'atomic' };
const list = (items: JsonMap, more: JsonMap = {}): JsonMap => ({ type: 'array', items, ...more });
const mapOf = (items: JsonMap, ...keys: readonly string[]): JsonMap =>
  list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
const open: JsonMap = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const objectReference = map(
  {
    apiVersion: text,
    fieldPath: text,
    kind: text,
    name: text,
    namespace: text,
    resourceVersion: text,
    uid: text,
  },
  atomic,
);

const condition = map({
  lastTransitionTime: time,
  message: text,
  reason: text,
  status: text,
  type: text,
  observedGeneration: { type: 'integer', format: 'int64' },
});

const namespaceCondition = map({
  lastTransitionTime: given(time, null),
  message: text,
  reason: text,
  status: given(text, ''),
  type: given(text, ''),
});

export const NAMESPACE = map({
  spec: given(map({ finalizers: list(text, { 'x-kubernetes-list-type': 'atomic' }) }), {}),
  status: given(map({ phase: given(text, 'Active'), conditions: mapOf(namespaceCondition, 'type') }), {}),
});

export const SECRET = map({
  data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
  stringData: texts,
  type: text,
  immutable: flag,
});

export const CONFIG_MAP = map({
  data: texts,
  binaryData: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
  immutable: flag,
});

export const SERVICE_ACCOUNT = map({
  automountServiceAccountToken: flag,
  imagePullSecrets: list(map({ name: text }, atomic), { 'x-kubernetes-list-type': 'atomic' }),
  secrets: mapOf(objectReference, 'name'),
});

const eventSource = map({ component: text, host: text });

export const CORE_EVENT = map({
  action: text,
  count: whole,
  eventTime: given(time, null),
  firstTimestamp: given(time, null),
  involvedObject: given(objectReference, {}),
  lastTimestamp: given(time, null),
  message: text,
  reason: text,
  related: objectReference,
  reportingComponent: given(text, ''),
  reportingInstance: given(text, ''),
  series: map({ count: whole, lastObservedTime: given(time, null) }, { nullable: true }),
  source: given(eventSource, {}),
  type: text,
});

export const EVENT = map({
  action: text,
  deprecatedCount: whole,
  deprecatedFirstTimestamp: given(time, null),
  deprecatedLastTimestamp: given(time, null),
  deprecatedSource: given(eventSource, {}),
  eventTime: given(time, null),
  note: text,
  reason: text,
  regarding: given(objectReference, {}),
  related: objectReference,
  reportingController: text,
  reportingInstance: text,
  series: map({ count: given(whole, 0), lastObservedTime: given(time, null) }, { nullable: true }),
  type: text,
});

export const LEASE = map({
  spec: given(
    map({
      acquireTime: time,
      holderIdentity: text,
      leaseDurationSeconds: whole,
      leaseTransitions: whole,
      preferredHolder: text,
      renewTime: time,
      strategy: text,
    }),
    {},
  ),
});

const column = map({
  description: text,
  format: text,
  jsonPath: text,
  name: text,
  priority: whole,
  type: text,
});

const names = map({
  categories: list(text, { 'x-kubernetes-list-type': 'atomic' }),
  kind: text,
  listKind: text,
  plural: text,
  shortNames: list(text, { 'x-kubernetes-list-type': 'atomic' }),
  singular: text,
});

export const CUSTOM_RESOURCE_DEFINITION = map({
  spec: map({
    conversion: map({ strategy: text, webhook: open }),
    group: text,
    names,
    preserveUnknownFields: flag,
    scope: text,
    versions: list(
      map({
        additionalPrinterColumns: list(column),
        deprecated: flag,
        deprecationWarning: text,
        name: text,
        schema: map({ openAPIV3Schema: open }),
        selectableFields: list(map({ jsonPath: text })),
        served: flag,
        storage: flag,
        subresources: map({
          scale: map({ labelSelectorPath: text, specReplicasPath: text, statusReplicasPath: text }),
          status: open,
        }),
      }),
      { 'x-kubernetes-list-type': 'atomic' },
    ),
  }),
  status: map({
    acceptedNames: names,
    conditions: mapOf(condition, 'type'),
    storedVersions: list(text, { 'x-kubernetes-list-type': 'atomic' }),
    observedGeneration: { type: 'integer', format: 'int64' },
  }),
});
