// `metadata`: its types when an object is decoded, its rules when one is created or changed.

import { isList, isMap, type JsonMap, type KubeObject, type ObjectMeta, type OwnerReference, same } from '../json.ts';
import type { Resource } from '../kinds/resources.ts';
import { type FieldError, forbidden, invalidValue, required } from '../schemas/field-error.ts';
import { timeProblem } from '../wire/time-text.ts';
import { keyProblems, labelProblems, labelValueProblems } from './names.ts';

/** Limit of the API for all annotations of an object together, in bytes. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

const STRINGS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'selfLink'] as const;

/**
 * Checks that metadata has the types it must have, and drops what is null.
 *
 * @returns what is wrong, in the words of the decoder, or undefined
 */
export function metadataTypeProblem(metadata: JsonMap, { builtin }: Resource): string | undefined {
  const path = builtin ? 'metadata.' : '';
  const wrong = (value: unknown, field: string, type: string): string => {
    const got = isList(value) ? 'array' : isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${got} into Go struct field ObjectMeta.${path}${field} of type ${type}`;
  };
  for (const key of Object.keys(metadata)) if (metadata[key] === null) delete metadata[key];
  for (const key of STRINGS) {
    if (metadata[key] !== undefined && typeof metadata[key] !== 'string') return wrong(metadata[key], key, 'string');
  }
  for (const key of ['labels', 'annotations'] as const) {
    const map = metadata[key];
    if (map === undefined) continue;
    if (!isMap(map)) return wrong(map, key, 'map[string]string');
    for (const name of Object.keys(map)) {
      if (map[name] === null) map[name] = '';
      else if (typeof map[name] !== 'string') return wrong(map[name], key, 'string');
    }
  }
  const { finalizers, ownerReferences, managedFields } = metadata;
  if (finalizers !== undefined) {
    if (!isList(finalizers)) return wrong(finalizers, 'finalizers', '[]string');
    const odd = finalizers.find((one) => typeof one !== 'string');
    if (odd !== undefined) return wrong(odd, 'finalizers', 'string');
  }
  if (ownerReferences !== undefined) {
    if (!isList(ownerReferences)) return wrong(ownerReferences, 'ownerReferences', '[]v1.OwnerReference');
    const odd = ownerReferences.find((one) => !isMap(one));
    if (odd !== undefined) return wrong(odd, 'ownerReferences', 'v1.OwnerReference');
  }
  if (managedFields !== undefined && !isList(managedFields)) {
    return wrong(managedFields, 'managedFields', '[]v1.ManagedFieldsEntry');
  }
  for (const key of ['generation', 'deletionGracePeriodSeconds']) {
    if (metadata[key] !== undefined && typeof metadata[key] !== 'number') return wrong(metadata[key], key, 'int64');
  }
  for (const key of ['creationTimestamp', 'deletionTimestamp']) {
    const time = metadata[key];
    if (time === undefined) continue;
    if (typeof time !== 'string') return `json: cannot unmarshal ${typeof time} into Go value of type string`;
    const problem = timeProblem(time);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The rules of metadata that hold at any time. */
export function validateMetadata(object: KubeObject, resource: Resource): FieldError[] {
  const { namespaced, strategy, builtin, group } = resource;
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (metadata.generateName !== undefined && metadata.generateName !== '') {
    // The generated part follows, so an end that no name may have is fine.
    const checked = metadata.generateName.replace(/-$/, 'x');
    for (const problem of strategy.nameProblems(checked)) {
      errors.push(invalidValue('metadata.generateName', metadata.generateName, problem));
    }
  }
  if (metadata.name === undefined || metadata.name === '') {
    errors.push(required('metadata.name', 'name or generateName is required'));
  } else {
    for (const problem of strategy.nameProblems(metadata.name)) {
      errors.push(invalidValue('metadata.name', metadata.name, problem));
    }
  }
  errors.push(...namespaceErrors(metadata, namespaced), ...labelErrors(metadata), ...annotationErrors(metadata));
  errors.push(...ownerErrors(metadata));
  for (const finalizer of metadata.finalizers ?? []) {
    for (const problem of keyProblems(finalizer)) errors.push(invalidValue('metadata.finalizers', finalizer, problem));
  }
  const { finalizers = [] } = metadata;
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidValue('metadata.finalizers', finalizers, why));
  }
  if (builtin && group !== 'apiextensions.k8s.io') errors.push(...unqualifiedFinalizers(finalizers));
  return errors;
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

function unqualifiedFinalizers(finalizers: readonly string[]): FieldError[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((one, index) =>
    one.includes('/') || STANDARD_FINALIZERS.includes(one)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, one, why)],
  );
}

function namespaceErrors({ namespace }: ObjectMeta, namespaced: boolean): FieldError[] {
  if (!namespaced) {
    return namespace === undefined || namespace === ''
      ? []
      : [forbidden('metadata.namespace', 'not allowed on this type')];
  }
  if (namespace === undefined || namespace === '') return [required('metadata.namespace')];
  return labelProblems(namespace).map((problem) => invalidValue('metadata.namespace', namespace, problem));
}

function labelErrors({ labels = {} }: ObjectMeta): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...keyProblems(key).map((problem) => invalidValue('metadata.labels', key, problem)),
    ...labelValueProblems(value).map((problem) => invalidValue('metadata.labels', value, problem)),
  ]);
}

function annotationErrors({ annotations = {} }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const problem of keyProblems(key.toLowerCase()))
      errors.push(invalidValue('metadata.annotations', key, problem));
  }
  if (bytes > MAX_ANNOTATIONS_BYTES) {
    const body = `Too long: may not be more than ${MAX_ANNOTATIONS_BYTES} bytes`;
    errors.push({ type: 'FieldValueTooLong', field: 'metadata.annotations', body });
  }
  return errors;
}

function ownerErrors({ ownerReferences = [] }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const owner of ownerReferences) {
    const [field, empty] = ['metadata.ownerReferences', 'must not be empty'];
    const parts = (owner.apiVersion ?? '').split('/');
    if ((owner.apiVersion ?? '') === '' || parts.length > 2 || parts.at(-1) === '') {
      errors.push(invalidValue(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'));
    }
    for (const key of ['kind', 'name', 'uid'] as const) {
      if ((owner[key] ?? '') === '') errors.push(invalidValue(`${field}.${key}`, '', empty));
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      errors.push(invalidValue(field, inOrder(owner), '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner['controller'] !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller !== '') {
      const found = `Found "true" in references for ${controller} and ${current}`;
      const shown = JSON.stringify(ownerReferences.map(inOrder));
      const body = `Invalid value: ${shown}: Only one reference can have Controller set to true. ${found}`;
      errors.push({ type: 'FieldValueInvalid', field, body });
    }
    controller ||= current;
  }
  return errors;
}

/** A reference with its fields in the order in which messages show them. */
function inOrder(owner: OwnerReference): JsonMap {
  const names = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];
  return Object.fromEntries(names.filter((name) => owner[name] !== undefined).map((name) => [name, owner[name]]));
}

/** What must not change on an update. */
export function validateMetadataUpdate(next: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  if (old.metadata.deletionTimestamp !== undefined) {
    const before = new Set(old.metadata.finalizers);
    const added = (next.metadata.finalizers ?? []).filter((one) => !before.has(one)).sort();
    if (added.length > 0) {
      const list = `[]string{${added.map((one) => JSON.stringify(one)).join(', ')}}`;
      const rule = 'no new finalizers can be added if the object is being deleted, found new finalizers';
      errors.push(forbidden('metadata.finalizers', `${rule} ${list}`));
    }
  }
  for (const key of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ]) {
    const [after, before] = [next.metadata[key], old.metadata[key]];
    if (!same(after, before)) errors.push(invalidValue(`metadata.${key}`, after ?? null, 'field is immutable'));
  }
  return errors;
}

/** Warnings about finalizers that the object did not have before. */
export function finalizerWarnings(next: KubeObject, old: KubeObject | undefined): string[] {
  const before = new Set(old?.metadata.finalizers);
  const added = (next.metadata.finalizers ?? []).filter((one) => !before.has(one)).sort();
  return added
    .filter((one) => !one.includes('/') && !['orphan', 'foregroundDeletion', 'kubernetes'].includes(one))
    .map((one) => {
      const path = one.includes('.') ? ' including a path (/)' : '';
      return `metadata.finalizers: "${one}": prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    });
}

/** Drops the maps and lists with nothing in them, which the API does not keep. Changes metadata in place. */
export function dropEmpty(metadata: ObjectMeta): void {
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[key];
    if (value !== undefined && Object.keys(value).length === 0) delete metadata[key];
  }
}

/** Drops owners that are listed twice. Changes metadata in place. */
export function dropRepeatedOwners(metadata: ObjectMeta): void {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return;
  const seen = new Set<string>();
  metadata.ownerReferences = ownerReferences.filter(({ uid }) => !seen.has(uid) && seen.add(uid));
}
