// `metadata`: its types when an object is decoded, its rules when one is created or changed.

import { isList, isMap, type JsonMap, same, stringOf } from '../../../text/json.ts';
import { keyProblems, labelProblems, labelValueProblems } from '../../../text/names.ts';
import { type FieldError, forbidden, invalidValue, required, tooLong } from '../base/field-error.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../base/kube-object.ts';
import { timeProblem } from '../base/time-text.ts';
import type { Resource } from './api.ts';

/** Limit of the API for all annotations of an object together, in bytes. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Limits of the API for a manager's name and a subresource's, in bytes. */
const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;

const STRINGS = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'selfLink'] as const;

/**
 * Checks that metadata has the types it must have, and drops what is null.
 *
 * @returns the error, as the decoder words it, or undefined
 */
export function metadataTypeProblem(metadata: JsonMap, { builtin }: Resource): string | undefined {
  const path = builtin ? 'metadata.' : '';
  const wrong = (value: unknown, field: string, type: string): string => {
    const got = isList(value) ? 'array' : isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${got} into Go struct field ObjectMeta.${path}${field} of type ${type}`;
  };
  for (const key in metadata) if (metadata[key] === null) delete metadata[key];
  for (const key of STRINGS) {
    if (metadata[key] !== undefined && typeof metadata[key] !== 'string') return wrong(metadata[key], key, 'string');
  }
  for (const key of ['labels', 'annotations'] as const) {
    const map = metadata[key];
    if (map === undefined) continue;
    if (!isMap(map)) return wrong(map, key, 'map[string]string');
    for (const name in map) {
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
  errors.push(...namespaceErrors(metadata, namespaced), ...commonErrors(metadata));
  const { finalizers = [] } = metadata;
  for (const finalizer of finalizers) {
    for (const problem of keyProblems(finalizer)) errors.push(invalidValue('metadata.finalizers', finalizer, problem));
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidValue('metadata.finalizers', finalizers, why));
  }
  if (!builtin || group === 'apiextensions.k8s.io') return errors;
  const unqualified = finalizers.flatMap((finalizer, index) =>
    unqualifiedErrors(`metadata.finalizers[${index}]`, finalizer),
  );
  return [...errors, ...unqualified];
}

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes'];

function unqualifiedErrors(field: string, finalizer: string): FieldError[] {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return [];
  return [invalidValue(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
}

/** The error of a finalizer of a built-in kind. */
export function kubeFinalizerErrors(field: string, finalizer: string): FieldError[] {
  const errors = keyProblems(finalizer).map((problem) => invalidValue(field, finalizer, problem));
  return [...errors, ...unqualifiedErrors(field, finalizer)];
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

/** Fields that are checked again with every update. */
function commonErrors(metadata: ObjectMeta): FieldError[] {
  return [
    ...labelErrors(metadata),
    ...annotationErrors(metadata),
    ...ownerErrors(metadata),
    ...managerErrors(metadata),
  ];
}

function managerErrors({ managedFields = [] }: ObjectMeta): FieldError[] {
  return managedFields.filter(isMap).flatMap(({ manager, subresource }, index) => {
    const errors = managerNameErrors(`metadata.managedFields[${index}].manager`, stringOf(manager));
    const isLong = Buffer.byteLength(stringOf(subresource)) > MAX_SUBRESOURCE_BYTES;
    if (isLong) errors.push(tooLong(`metadata.managedFields[${index}].subresource`, MAX_SUBRESOURCE_BYTES));
    return errors;
  });
}

/** Names that have nothing but visible ASCII and spaces. */
const IS_PLAIN = /^[ -~]*$/;

/** The error of the name of a field manager. */
export function managerNameErrors(field: string, name: string): FieldError[] {
  const errors = Buffer.byteLength(name) > MAX_MANAGER_BYTES ? [tooLong(field, MAX_MANAGER_BYTES)] : [];
  if (IS_PLAIN.test(name)) return errors;
  let at = 0;
  for (const character of name) {
    if (character !== ' ' && /[\p{C}\p{Z}]/u.test(character)) {
      const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidValue(field, name, `invalid character U+${number} (at position ${at})`));
    }
    at += Buffer.byteLength(character);
  }
  return errors;
}

export function labelErrors({ labels = {} }: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? '';
    for (const problem of keyProblems(key)) errors.push(invalidValue('metadata.labels', key, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalidValue('metadata.labels', value, problem));
  }
  return errors;
}

export function annotationErrors({ annotations = {} }: ObjectMeta): FieldError[] {
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
    const { apiVersion = '' } = owner;
    const parts = apiVersion.split('/');
    if (apiVersion === '' || parts.length > 2 || parts.at(-1) === '') {
      errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
    }
    for (const key of ['kind', 'name', 'uid'] as const) {
      if ((owner[key] ?? '') === '') errors.push(invalidValue(`${field}.${key}`, '', empty));
    }
    if (apiVersion === 'v1' && owner.kind === 'Event') {
      errors.push(shownAs(field, ownerText(owner), '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner['controller'] !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller !== '') {
      const found = `Found "true" in references for ${controller} and ${current}`;
      const list = `[${ownerReferences.map(ownerText).join(',')}]`;
      errors.push(shownAs(field, list, `Only one reference can have Controller set to true. ${found}`));
    }
    controller ||= current;
  }
  return errors;
}

const shownAs = (field: string, value: string, why: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  body: `Invalid value: ${value}: ${why}`,
});

/** An owner as messages show it: its fields in the order in which they are declared. */
function ownerText(owner: OwnerReference): string {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
  return JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion });
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Fields that must not change on an update, and those that are checked again. */
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
  for (const key of IMMUTABLE) {
    const [after, before] = [next.metadata[key], old.metadata[key]];
    if (!same(after, before)) errors.push(invalidValue(`metadata.${key}`, after ?? null, 'field is immutable'));
  }
  return [...errors, ...commonErrors(next.metadata)];
}

/** Warnings about finalizers that the object did not have before. */
export function finalizerWarnings(next: KubeObject, old: KubeObject | undefined): string[] {
  if (next.metadata.finalizers === undefined) return [];
  const before = new Set(old?.metadata.finalizers);
  const added = next.metadata.finalizers.filter((one) => !before.has(one)).sort();
  return added
    .filter((one) => !one.includes('/') && !STANDARD_FINALIZERS.includes(one))
    .map((one) => {
      const path = one.includes('.') ? ' including a path (/)' : '';
      return `metadata.finalizers: "${one}": prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    });
}

/** Drops the maps and lists with nothing in them, which the API does not keep. Changes metadata in place. */
export function dropEmpty(metadata: ObjectMeta): void {
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[key];
    if (value !== undefined && isEmpty(value)) delete metadata[key];
  }
  for (const key of STRINGS) if (metadata[key] === '') delete metadata[key];
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** Drops owners that are listed twice. Changes metadata in place. @returns a warning when there were any */
export function dropRepeatedOwners(metadata: ObjectMeta): string | undefined {
  const { ownerReferences } = metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return undefined;
  const seen = new Set<string>();
  const repeated = new Set<string>();
  metadata.ownerReferences = ownerReferences.filter(({ uid }) => {
    if (seen.has(uid)) repeated.add(uid);
    return !seen.has(uid) && seen.add(uid);
  });
  if (repeated.size === 0) return undefined;
  return `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...repeated].join(', ')}`;
}
