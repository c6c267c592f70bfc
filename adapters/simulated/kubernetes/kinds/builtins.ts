// The resources that are there from the start: namespaces, secrets, configmaps, service accounts, events, leases, and
// the definitions of custom resources (whose own rules are in definitions.ts).

import { dig, isList, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { labelProblems, segmentProblems, subdomainProblems } from '../../../text/names.ts';
import { type FieldError, invalidValue } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import type { Column, Resource, Strategy } from '../resources/api.ts';
import { kubeFinalizerErrors } from '../resources/metadata.ts';
import { ALL_VERBS } from '../resources/registry.ts';
import { kindTree } from '../schemas/builtin/mod.ts';
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
import { checkKeys, dataBytes, immutableErrors, tooMuchData } from './data-rules.ts';
import { coreEventErrors, eventErrors } from './event-rules.ts';
import { completeCoreEvent, fromCoreEvent, toCoreEvent } from './events.ts';
import { SECRET_STRATEGY } from './secrets.ts';
import { tidy } from './tidying.ts';

export const PLAIN_STRATEGY: Strategy = {
  nameProblems: subdomainProblems,
  allowsUnconditionalUpdate: true,
  hasGeneration: false,
  complete: () => undefined,
  prepare: () => undefined,
  validate: () => [],
  warnings: () => [],
  checksWholeOnUpdate: false,
};

/** A built-in resource from what is particular to it. */
export function builtin(
  given: Pick<Resource, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'> & {
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
    /** Given, the kind is kept tidy; paths of fields that may hold an empty text, 0 or false (see tidying.ts). */
    readonly keptEmpty?: readonly string[];
  },
): Resource {
  const { group, version, plural, kind, namespaced, keptEmpty } = given;
  const rawSchema = kindTree(group, kind);
  const schema = compileObjectSchema(rawSchema);
  const strategy = { ...PLAIN_STRATEGY, ...given.strategy };
  const kept = new Set(keptEmpty);
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
    schema,
    rawSchema,
    columns: given.columns ?? [NAME_COLUMN, AGE_COLUMN],
    selectable: given.selectable ?? {},
    strategy:
      keptEmpty === undefined
        ? strategy
        : {
            ...strategy,
            complete(next, old) {
              tidy(schema, next, kept);
              strategy.complete(next, old);
            },
          },
    since: 0,
    warning: undefined,
    convert: given.convert,
    ...(given.actions === undefined ? {} : { actions: given.actions }),
    versions: undefined,
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
    if (old === undefined || subresource === 'finalize') return finalizerErrors(next, subresource);
    if (subresource !== 'status') return [];
    const phase = stringOf(dig(next, 'status', 'phase'));
    const isLeaving = next.metadata.deletionTimestamp !== undefined;
    const [wanted, held] = isLeaving ? ['Terminating', 'not empty'] : ['Active', 'empty'];
    if (phase === wanted) return [];
    return [invalidValue('status.Phase', phase, `may only be '${wanted}' if \`deletionTimestamp\` is ${held}`)];
  },
};

function finalizerErrors(next: KubeObject, subresource: string): FieldError[] {
  return listOf(dig(next, 'spec', 'finalizers')).flatMap((finalizer, index) => {
    const field = subresource === 'finalize' ? `spec.finalizers[${index}]` : 'spec.finalizers';
    return kubeFinalizerErrors(field, stringOf(finalizer));
  });
}

const configMapStrategy: Partial<Strategy> = {
  checksWholeOnUpdate: true,
  validate(next, old) {
    const both = Object.keys(mapOf(next['data'])).filter((key) => Object.hasOwn(mapOf(next['binaryData']), key));
    const bytes = dataBytes(next['data'], 'utf8') + dataBytes(next['binaryData'], 'base64');
    const errors = [
      ...checkKeys('data', next['data']),
      ...both.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
      ...checkKeys('binaryData', next['binaryData']),
      ...tooMuchData('[]', bytes),
    ];
    return old === undefined ? errors : [...immutableErrors(next, old, ['data', 'binaryData']), ...errors];
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

/** The common part of both spellings of events. */
const eventStrategy: Partial<Strategy> = { nameProblems: segmentProblems, createsOnUpdate: true };

const leaseStrategy: Partial<Strategy> = {
  allowsUnconditionalUpdate: false,
  createsOnUpdate: true,
  prepare(next) {
    // Coordinated leader election is off.
    const { strategy: _strategy, preferredHolder: _preferredHolder, ...spec } = mapOf(next['spec']);
    next['spec'] = spec;
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
    return errors;
  },
};

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

const serviceAccountStrategy: Partial<Strategy> = {
  answersDeletionWithObject: true,
  checksWholeOnUpdate: true,
  prepare(next) {
    // Only the name of a secret counts here.
    const { secrets } = next;
    if (isList(secrets)) {
      next['secrets'] = secrets.map((secret) => {
        const { name } = mapOf(secret);
        return name === undefined ? {} : { name };
      });
    }
  },
  warnings({ metadata }, old) {
    const value = metadata.annotations?.[MOUNTABLE];
    if (value === undefined || value === old?.metadata.annotations?.[MOUNTABLE]) return [];
    const advice = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    return [`metadata.annotations[${MOUNTABLE}]: ${advice}`];
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
      columns: NAMESPACE_COLUMNS,
      selectable: { 'status.phase': (object) => stringOf(dig(object, 'status', 'phase')) },
      strategy: namespaceStrategy,
      keptEmpty: [],
    }),
    builtin({
      ...core,
      plural: 'secrets',
      kind: 'Secret',
      namespaced: true,
      columns: SECRET_COLUMNS,
      selectable: { type: (object) => stringOf(object['type']) },
      strategy: SECRET_STRATEGY,
      keptEmpty: ['immutable'],
    }),
    builtin({
      ...core,
      plural: 'configmaps',
      kind: 'ConfigMap',
      namespaced: true,
      shortNames: ['cm'],
      columns: CONFIG_MAP_COLUMNS,
      strategy: configMapStrategy,
      keptEmpty: ['immutable'],
    }),
    builtin({
      ...core,
      actions: accountActions,
      plural: 'serviceaccounts',
      kind: 'ServiceAccount',
      namespaced: true,
      shortNames: ['sa'],
      columns: SERVICE_ACCOUNT_COLUMNS,
      strategy: serviceAccountStrategy,
      keptEmpty: ['automountServiceAccountToken'],
    }),
    builtin({
      ...core,
      ...event,
      selectable: eventSelectable,
      strategy: { ...eventStrategy, validate: coreEventErrors },
      keptEmpty: [],
      convert: { fromStored: completeCoreEvent, toStored: (object) => object },
    }),
    builtin({
      ...event,
      group: 'events.k8s.io',
      version: 'v1',
      storeKey: storeKeyOf('', 'events'),
      selectable: newEventSelectable,
      strategy: { ...eventStrategy, validate: eventErrors },
      keptEmpty: [],
      convert: { fromStored: fromCoreEvent, toStored: toCoreEvent },
    }),
    builtin({
      group: 'coordination.k8s.io',
      version: 'v1',
      plural: 'leases',
      kind: 'Lease',
      namespaced: true,
      columns: LEASE_COLUMNS,
      strategy: leaseStrategy,
      keptEmpty: ['spec.holderIdentity', 'spec.leaseDurationSeconds', 'spec.leaseTransitions'],
    }),
  ];
}
