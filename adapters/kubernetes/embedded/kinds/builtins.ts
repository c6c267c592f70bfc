// The resources that are there from the start: namespaces, secrets, configmaps, service accounts, events, leases, and
// the definitions of custom resources (whose own rules are in definitions.ts).

import { dig, isMap, type JsonMap, type KubeObject, listOf, mapOf, same, stringOf } from '../json.ts';
import { configKeyProblems, keyProblems, labelProblems, segmentProblems, subdomainProblems } from '../objects/names.ts';
import { type FieldError, forbidden, invalidValue, notSupported, required } from '../schemas/field-error.ts';
import { compileObjectSchema } from '../schemas/schema.ts';
import {
  AGE_COLUMN,
  CONFIG_MAP_COLUMNS,
  EVENT_COLUMNS,
  LEASE_COLUMNS,
  NAME_COLUMN,
  NAMESPACE_COLUMNS,
  SECRET_COLUMNS,
  SERVICE_ACCOUNT_COLUMNS,
} from '../wire/columns.ts';
import { CONFIG_MAP, CORE_EVENT, EVENT, LEASE, NAMESPACE, SECRET, SERVICE_ACCOUNT } from './builtin-schemas.ts';
import { completeCoreEvent, fromCoreEvent, toCoreEvent } from './events.ts';
import { ALL_VERBS, type Column, type Resource, type Strategy, storeKeyOf } from './resources.ts';

/** Limit of the API for the data of a Secret or a ConfigMap, in bytes. */
const MAX_DATA_BYTES = 1024 * 1024;

export const PLAIN_STRATEGY: Strategy = {
  nameProblems: subdomainProblems,
  allowsUnconditionalUpdate: true,
  hasGeneration: false,
  complete: () => undefined,
  prepare: () => undefined,
  validate: () => [],
};

/** A built-in resource from what is particular to it. */
export function builtin(
  given: Pick<Resource, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'> & {
    readonly schema: JsonMap;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly subresources?: readonly string[];
    readonly columns?: readonly Column[];
    readonly selectable?: Resource['selectable'];
    readonly strategy?: Partial<Strategy>;
    readonly convert?: Resource['convert'];
    readonly storeKey?: string;
    readonly storageVersion?: string;
    readonly verbs?: readonly string[];
    readonly actions?: Resource['actions'];
  },
): Resource {
  const { group, version, plural, kind, namespaced, schema } = given;
  return {
    group,
    version,
    apiVersion: group === '' ? version : `${group}/${version}`,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    shortNames: given.shortNames ?? [],
    categories: given.categories ?? [],
    namespaced,
    verbs: given.verbs ?? ALL_VERBS,
    subresources: given.subresources ?? [],
    builtin: true,
    storeKey: given.storeKey ?? storeKeyOf(group, plural),
    storageVersion: given.storageVersion ?? version,
    schema: compileObjectSchema(schema),
    rawSchema: schema,
    columns: given.columns ?? [NAME_COLUMN, AGE_COLUMN],
    selectable: given.selectable ?? {},
    strategy: { ...PLAIN_STRATEGY, ...given.strategy },
    since: 0,
    warning: undefined,
    convert: given.convert,
    ...(given.actions === undefined ? {} : { actions: given.actions }),
  };
}

const namespaceStrategy: Partial<Strategy> = {
  nameProblems: labelProblems,
  complete({ metadata }) {
    metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name ?? '' };
  },
  prepare(next, old, subresource) {
    const spec = mapOf(next['spec']);
    if (old === undefined) {
      const finalizers = listOf(spec['finalizers']);
      next['spec'] = {
        ...spec,
        finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
      };
      next['status'] = { phase: 'Active' };
    } else {
      if (subresource !== 'finalize') next['spec'] = old['spec'];
      if (subresource !== 'status') next['status'] = old['status'];
    }
  },
  validate(next, old, subresource) {
    if (subresource === 'finalize') {
      return listOf(dig(next, 'spec', 'finalizers')).flatMap((one, index) =>
        namespaceFinalizerErrors(stringOf(one), `spec.finalizers[${index}]`),
      );
    }
    const phase = stringOf(dig(next, 'status', 'phase'));
    if (subresource !== 'status' || old === undefined) return [];
    const isGoing = old.metadata.deletionTimestamp !== undefined;
    if (phase === (isGoing ? 'Terminating' : 'Active')) return [];
    const why = isGoing
      ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
      : "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalidValue('status.Phase', phase, why)];
  },
};

function namespaceFinalizerErrors(finalizer: string, field: string): FieldError[] {
  const problems = keyProblems(finalizer);
  const isKnown = finalizer.includes('/') || finalizer === 'kubernetes';
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return [...problems, ...(isKnown ? [] : [why])].map((problem) => invalidValue(field, finalizer, problem));
}

function checkKeys(field: string, data: unknown): FieldError[] {
  const keys = Object.keys(mapOf(data));
  return keys.flatMap((key) => configKeyProblems(key).map((why) => invalidValue(`${field}[${key}]`, key, why)));
}

function dataBytes(data: unknown, encoding: 'base64' | 'utf8'): number {
  return Object.values(mapOf(data)).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(stringOf(value), encoding),
    0,
  );
}

function tooMuchData(field: string, bytes: number): FieldError[] {
  if (bytes <= MAX_DATA_BYTES) return [];
  return [{ type: 'FieldValueTooLong', field, body: `Too long: may not be more than ${MAX_DATA_BYTES} bytes` }];
}

/** Errors about what an immutable object must not change. */
function immutableErrors(next: KubeObject, old: KubeObject, fields: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  return ['immutable', ...fields]
    .filter((field) => (field === 'immutable' ? next[field] !== true : !same(next[field], old[field])))
    .map((field) => forbidden(field, why));
}

/** A secret that holds a token names the account. */
function tokenSecretErrors({ type, metadata: { annotations = {} } }: KubeObject): FieldError[] {
  const key = 'kubernetes.io/service-account.name';
  if (type !== 'kubernetes.io/service-account-token' || (annotations[key] ?? '') !== '') return [];
  return [required(`metadata.annotations[${key}]`)];
}

const secretStrategy: Partial<Strategy> = {
  complete(next, old) {
    if (isMap(next['stringData'])) {
      const data: JsonMap = { ...mapOf(next['data']) };
      for (const [key, value] of Object.entries(next['stringData'])) {
        data[key] = Buffer.from(stringOf(value)).toString('base64');
      }
      next['data'] = data;
    }
    delete next['stringData'];
    if (stringOf(next['type']) === '') next['type'] = old === undefined ? 'Opaque' : old['type'];
  },
  validate(next, old) {
    const errors = [
      ...checkKeys('data', next['data']),
      ...tooMuchData('data', dataBytes(next['data'], 'base64')),
      ...tokenSecretErrors(next),
    ];
    if (old === undefined) return errors;
    if (next['type'] !== old['type']) errors.push(invalidValue('type', next['type'], 'field is immutable'));
    return [...errors, ...immutableErrors(next, old, ['data'])];
  },
};

const configMapStrategy: Partial<Strategy> = {
  validate(next, old) {
    const both = Object.keys(mapOf(next['data'])).filter((key) => Object.hasOwn(mapOf(next['binaryData']), key));
    const bytes = dataBytes(next['data'], 'utf8') + dataBytes(next['binaryData'], 'base64');
    const errors = [
      ...checkKeys('data', next['data']),
      ...both.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
      ...checkKeys('binaryData', next['binaryData']),
      ...tooMuchData('[]', bytes),
    ];
    return old === undefined ? errors : [...errors, ...immutableErrors(next, old, ['data', 'binaryData'])];
  },
};

const eventSelectable: Resource['selectable'] = Object.fromEntries([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
    `involvedObject.${field}`,
    (object: KubeObject) => stringOf(dig(object, 'involvedObject', field)),
  ]),
  ['reason', (object: KubeObject) => stringOf(object['reason'])],
  ['type', (object: KubeObject) => stringOf(object['type'])],
  ['reportingComponent', (object: KubeObject) => stringOf(object['reportingComponent'])],
  ['source', (object: KubeObject) => stringOf(dig(object, 'source', 'component'))],
]);

/** As the spelling of events.k8s.io names them. */
const newEventSelectable: Resource['selectable'] = Object.fromEntries([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
    `regarding.${field}`,
    (object: KubeObject) => stringOf(dig(object, 'regarding', field)),
  ]),
  ['reason', (object: KubeObject) => stringOf(object['reason'])],
  ['type', (object: KubeObject) => stringOf(object['type'])],
  ['reportingController', (object: KubeObject) => stringOf(object['reportingController'])],
]);

const eventStrategy: Partial<Strategy> = {
  nameProblems: segmentProblems,
  createsOnUpdate: true,
  validate(next) {
    const involved = stringOf(dig(next, 'involvedObject', 'namespace'));
    const { namespace = '' } = next.metadata;
    if (involved === namespace || (involved === '' && namespace === 'default')) return [];
    return [invalidValue('involvedObject.namespace', involved, 'does not match event.namespace')];
  },
};

const EVENT_TYPES = ['Normal', 'Warning'];

/** The spelling of events.k8s.io asks for more when an event is new. */
const newEventStrategy: Partial<Strategy> = {
  ...eventStrategy,
  validate(next, old) {
    if (old !== undefined) return [];
    const errors: FieldError[] = [];
    const type = stringOf(next['type']);
    if ((next['eventTime'] ?? null) === null) errors.push(required('eventTime'));
    if (!EVENT_TYPES.includes(type)) errors.push(invalidValue('type', '', `has invalid value: ${type}`));
    return errors;
  },
};

const leaseStrategy: Partial<Strategy> = {
  allowsUnconditionalUpdate: false,
  createsOnUpdate: true,
  prepare(next) {
    next['spec'] ??= {};
  },
  validate(next) {
    const spec = mapOf(next['spec']);
    const errors: FieldError[] = [];
    const [duration, transitions] = [spec['leaseDurationSeconds'], spec['leaseTransitions']];
    if (typeof duration === 'number' && duration <= 0) {
      errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
    }
    if (typeof transitions === 'number' && transitions < 0) {
      errors.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
    }
    const strategy = stringOf(spec['strategy']);
    if (strategy !== '' && strategy !== 'OldestEmulationVersion') {
      errors.push(notSupported('spec.strategy', strategy, ['OldestEmulationVersion']));
    }
    return errors;
  },
};

/**
 * All but CustomResourceDefinitions, and what has no objects.
 *
 * @param accountActions  of service accounts
 */
export function builtinResources(accountActions: NonNullable<Resource['actions']>): Resource[] {
  const core = { group: '', version: 'v1' } as const;
  const event = {
    kind: 'Event',
    plural: 'events',
    namespaced: true,
    shortNames: ['ev'],
    columns: EVENT_COLUMNS,
  } as const;
  return [
    builtin({
      ...core,
      plural: 'namespaces',
      kind: 'Namespace',
      namespaced: false,
      shortNames: ['ns'],
      subresources: ['finalize', 'status'],
      verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
      schema: NAMESPACE,
      columns: NAMESPACE_COLUMNS,
      selectable: { 'status.phase': (object) => stringOf(dig(object, 'status', 'phase')) },
      strategy: namespaceStrategy,
    }),
    builtin({
      ...core,
      plural: 'secrets',
      kind: 'Secret',
      namespaced: true,
      schema: SECRET,
      columns: SECRET_COLUMNS,
      selectable: { type: (object) => stringOf(object['type']) },
      strategy: secretStrategy,
    }),
    builtin({
      ...core,
      plural: 'configmaps',
      kind: 'ConfigMap',
      namespaced: true,
      shortNames: ['cm'],
      schema: CONFIG_MAP,
      columns: CONFIG_MAP_COLUMNS,
      strategy: configMapStrategy,
    }),
    builtin({
      ...core,
      actions: accountActions,
      plural: 'serviceaccounts',
      kind: 'ServiceAccount',
      namespaced: true,
      shortNames: ['sa'],
      schema: SERVICE_ACCOUNT,
      columns: SERVICE_ACCOUNT_COLUMNS,
      strategy: { answersDeletionWithObject: true },
    }),
    builtin({
      ...core,
      ...event,
      schema: CORE_EVENT,
      selectable: eventSelectable,
      strategy: eventStrategy,
      convert: { fromStored: completeCoreEvent, toStored: (object) => object },
    }),
    builtin({
      ...event,
      group: 'events.k8s.io',
      version: 'v1',
      schema: EVENT,
      storeKey: storeKeyOf('', 'events'),
      selectable: newEventSelectable,
      strategy: newEventStrategy,
      convert: { fromStored: fromCoreEvent, toStored: toCoreEvent },
    }),
    builtin({
      group: 'coordination.k8s.io',
      version: 'v1',
      plural: 'leases',
      kind: 'Lease',
      namespaced: true,
      schema: LEASE,
      columns: LEASE_COLUMNS,
      strategy: leaseStrategy,
    }),
  ];
}
