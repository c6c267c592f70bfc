// Creating and changing objects: what a request wants, checked and completed, and then stored.
//
// Invariants:
//   KSIM-WRITES-1. A write either passes every check or changes nothing.
//   KSIM-WRITES-2. A write that would change nothing gets no revision, and no watch receives it.
//   KSIM-WRITES-3. The part of an object that an endpoint does not own is what was stored: status on the main one, everything
//       else on status.

import { put, sameFields } from '../../../text/json.ts';
import { recordUpdate, sameButTimes } from '../apply/ownership.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbiddenError,
  invalid,
  MODIFIED,
  notFound,
  plainFailure,
  type Subject,
} from '../base/api-error.ts';
import { type FieldError, forbidden, invalidValue, notSupported, required } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { type Api, fillSystemFields, generatedName, type Resource, type ResourceRequest } from '../resources/api.ts';
import {
  dropEmpty,
  dropRepeatedOwners,
  finalizerWarnings,
  managerNameErrors,
  validateMetadata,
  validateMetadataUpdate,
} from '../resources/metadata.ts';
import { inVersion, kindSubject, resourceSubject, toStored } from '../resources/registry.ts';
import { dropNulls, setDefaults } from '../schemas/pruning.ts';
import { asStored, type Stored } from '../storage/stored.ts';
import { decodeObject, isDryRun } from '../wire/decoding.ts';
import { isHeld } from './lifecycle.ts';
import { checkSize } from './size.ts';
import { writerOf } from './writer.ts';

/** Metadata that no client changes. */
const SERVER_FIELDS: readonly string[] = ['creationTimestamp', 'generation', 'selfLink'];

export interface Written {
  readonly created: boolean;
  /** The stored object; or the result, if nothing was stored (dry run, or the object was deleted with this write). */
  readonly stored: Stored;
}

/** @throws {ApiError} 422 a parameter of the request has a value it must not have */
export function checkWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): void {
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  if (kind === 'PatchOptions') {
    if (isApply && manager === '') errors.push(required('fieldManager', 'is required for apply patch'));
    if (!isApply && query.has('force')) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  }
  errors.push(...managerNameErrors('fieldManager', manager));
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: kind }, '', errors);
}

/** The namespace of an object must be the one of the request, or be left out. */
export function placeInNamespace(object: KubeObject, { resource, namespace }: ResourceRequest): void {
  const { metadata } = object;
  if (!resource.namespaced) {
    if (resource.plural !== 'customresourcedefinitions') delete metadata.namespace;
    return;
  }
  if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
  else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Refuses new objects where there is no namespace, or where it is going. */
export function admitToNamespace(api: Api, { resource, namespace }: ResourceRequest, name: string): void {
  if (!resource.namespaced) return;
  const holder = api.store.collection('/namespaces').get('', namespace);
  if (holder === undefined) throw notFound({ group: '', name: 'namespaces' }, namespace);
  if (holder.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw forbiddenError(resourceSubject(resource), name, why, [
    { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' },
  ]);
}

/** An update that creates requires the permission to create. @throws {ApiError} 403 */
export function demandCreation({ access }: Api, { user, resource, namespace, name }: ResourceRequest): void {
  const { group, plural } = resource;
  access.demand(user, { kind: 'resource', verb: 'create', group, resource: plural, subresource: '', namespace, name });
}

/** POST of an object. @throws {ApiError} */
export function createObject(api: Api, request: ResourceRequest): Written {
  checkWriteOptions(request.query, 'CreateOptions');
  const object = decodeObject(request);
  placeInNamespace(object, request);
  const { metadata } = object;
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '') {
    metadata.name = generatedName(api.clock, metadata.generateName ?? '');
  }
  admitToNamespace(api, request, metadata.name ?? '');
  if ((metadata.resourceVersion ?? '') !== '') {
    throw plainFailure('resourceVersion should not be set on objects to be created');
  }
  if (!request.resource.builtin) dropNulls(request.resource.schema, object);
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  complete(request.resource, object, undefined);
  recordUpdate(undefined, object, writerOf(api, request));
  return storeNew(api, request, object);
}

/** Fills in what the client left out and could have said. Changes the object in place. */
export function complete(
  { schema, strategy, builtin }: Resource,
  object: KubeObject,
  old: KubeObject | undefined,
): void {
  dropEmpty(object.metadata);
  // An empty list resets the owners of built-in kinds only.
  if (!builtin && object.metadata.managedFields?.length === 0) delete object.metadata.managedFields;
  strategy.complete(object, old);
  setDefaults(schema, object);
}

/** Checks and stores a new object that is complete and has its owners. */
export function storeNew(api: Api, request: ResourceRequest, object: KubeObject): Written {
  const { resource, namespace } = request;
  const { strategy } = resource;
  fillSystemFields(api, object.metadata);
  warnOfOwners(request, object);
  strategy.admit?.(api, request, object, undefined);
  strategy.prepare(object, undefined, request.subresource);
  if (strategy.hasGeneration) object.metadata.generation = 1;
  else if (object.metadata.generation === 0) delete object.metadata.generation;
  const found = validateMetadata(object, resource);
  const errors = [...found, ...strategy.validate(object, undefined, request.subresource, found)];
  const { name = '' } = object.metadata;
  if (errors.length > 0) throw invalid(subjectOf(resource, object), name, errors);
  for (const warning of warningsOf(resource, object, undefined)) request.warn(warning);
  const collection = api.store.collection(resource.storeKey);
  const there = collection.get(resource.namespaced ? namespace : '', name);
  if (there !== undefined) {
    throw alreadyExists(resourceSubject(resource), name, there.metadata.deletionTimestamp !== undefined);
  }
  const form = toStored(resource, object);
  if (isDryRun(request.query)) return { created: true, stored: asStored(form) };
  checkSize(form, request.body.length);
  return { created: true, stored: collection.put(form) };
}

function warningsOf({ strategy }: Resource, next: KubeObject, old: KubeObject | undefined): string[] {
  return [...finalizerWarnings(next, old), ...strategy.warnings(next, old)];
}

/** An invalid custom resource is named by the name in its body. */
function subjectOf(resource: Resource, { apiVersion, kind }: KubeObject): Subject {
  // Events are of the core group, however they are spelled.
  if (resource.builtin) return { ...kindSubject(resource), group: resource.storeKey.split('/', 1)[0] ?? '' };
  return { group: apiVersion.includes('/') ? (apiVersion.split('/', 1)[0] ?? '') : '', name: kind };
}

function warnOfOwners(request: ResourceRequest, { metadata }: KubeObject): void {
  const warning = dropRepeatedOwners(metadata);
  if (warning !== undefined) request.warn(warning);
}

/** PUT of an object. @throws {ApiError} */
export function replaceObject(api: Api, request: ResourceRequest): Written {
  checkWriteOptions(request.query, 'UpdateOptions');
  const { resource, name, namespace } = request;
  const object = decodeObject(request);
  placeInNamespace(object, request);
  checkName(object, request);
  const live = api.store.collection(resource.storeKey).get(namespace, name);
  if (live === undefined) return replaceAbsent(api, request, object);
  const current = inVersion(resource, live.object);
  checkUid(request, object, current);
  return storeUpdate(api, request, live, current, object);
}

/** Completes what a client sent in place of `current`, records who owns it, and stores it. */
export function storeUpdate(
  api: Api,
  request: ResourceRequest,
  live: Stored,
  current: KubeObject,
  next: KubeObject,
): Written {
  if (!request.resource.builtin) dropNulls(request.resource.schema, next);
  complete(request.resource, next, current);
  recordUpdate(current, next, writerOf(api, request));
  return storeChange(api, request, live, current, next);
}

/** Some kinds are created by a replacement of what is not there. @throws {ApiError} 404, 409 */
function replaceAbsent(api: Api, request: ResourceRequest, object: KubeObject): Written {
  const { resource, name, subresource } = request;
  const subject = resourceSubject(resource);
  if (!resource.strategy.createsOnUpdate || subresource !== '') throw notFound(subject, name);
  if (!['', '0'].includes(object.metadata.resourceVersion ?? '')) throw conflict(subject, name, MODIFIED);
  demandCreation(api, request);
  admitToNamespace(api, request, name);
  complete(resource, object, undefined);
  recordUpdate(undefined, object, writerOf(api, request));
  return storeNew(api, request, object);
}

/** @throws {ApiError} 409 a replacement names another uid */
export function checkUid(request: ResourceRequest, { metadata: { uid } }: KubeObject, current: KubeObject): void {
  if (uid === undefined || uid === '' || uid === current.metadata.uid) return;
  const why = preconditionFailure(request, uid, current.metadata.uid ?? '');
  throw conflict(resourceSubject(request.resource), request.name, why);
}

/** Error of an API server's storage if the uid of a replacement differs. */
function preconditionFailure({ resource, namespace, name }: ResourceRequest, uid: string, recorded: string): string {
  const group = resource.builtin ? [] : [resource.group];
  const path = ['', 'registry', ...group, resource.plural, ...(namespace === '' ? [] : [namespace]), name].join('/');
  return `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${recorded}`;
}

export function checkName(object: KubeObject, { name, namespace, resource }: ResourceRequest): void {
  const given = object.metadata.name ?? '';
  if (given === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const place = object.metadata.namespace ?? '';
  if (resource.namespaced && place !== '' && place !== namespace) {
    throw badRequest(
      `the namespace of the object (${place}) does not match the namespace on the request (${namespace})`,
    );
  }
}

/**
 * Checks and stores a changed object that is complete and has its owners.
 *
 * @param live  what is stored
 * @param current  the same in the version of the request
 * @param wanted  what the client wants; changed in place
 */
export function storeChange(
  api: Api,
  request: ResourceRequest,
  live: Stored,
  current: KubeObject,
  wanted: KubeObject,
): Written {
  const { resource, subresource, name, namespace } = request;
  const { strategy } = resource;
  checkRevision(resource, name, current, wanted);
  const next = withForeignParts(resource, subresource, current, wanted);
  const { metadata } = next;
  const before = current.metadata;
  metadata.uid = (metadata.uid ?? '') === '' ? (before.uid ?? '') : (metadata.uid ?? '');
  for (const key of SERVER_FIELDS) {
    // A client's own deletion fields are rejected below, unless they equal the stored ones.
    if (key.startsWith('deletion') && metadata[key] !== undefined) continue;
    if (before[key] === undefined) delete metadata[key];
    else put(metadata, key, before[key]);
  }
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  }
  warnOfOwners(request, next);
  strategy.admit?.(api, request, next, current);
  strategy.prepare(next, current, subresource);
  if (strategy.hasGeneration && !sameContent(resource, next, current))
    metadata.generation = (before.generation ?? 0) + 1;
  const update = validateMetadataUpdate(next, current);
  const whole = subresource === 'status' && !resource.builtin ? [] : validateMetadata(next, resource);
  const errors = [
    ...whole,
    ...update,
    ...update, // both the registry and the kind check it, and both report it
    ...(strategy.checksWholeOnUpdate ? whole : []),
    ...strategy.validate(next, current, subresource, update),
  ];
  if (errors.length > 0) throw invalid(subjectOf(resource, next), name, errors);
  for (const warning of warningsOf(resource, next, current)) request.warn(warning);
  metadata.resourceVersion = before.resourceVersion ?? '';
  const collection = api.store.collection(resource.storeKey);
  if (before.deletionTimestamp !== undefined && !isHeld(resource, next)) {
    const last = asStored(toStored(resource, next));
    if (!isDryRun(request.query)) collection.remove(namespace, name); // KSIM-LIFECYCLE-1
    return { created: false, stored: last };
  }
  if (sameButTimes(next, current)) return { created: false, stored: live }; // KSIM-WRITES-2
  const form = toStored(resource, next);
  if (isDryRun(request.query)) return { created: false, stored: asStored(form) };
  checkSize(form, request.body.length + live.text.length);
  return { created: false, stored: collection.put(form) };
}

function checkRevision(resource: Resource, name: string, current: KubeObject, next: KubeObject): void {
  const asked = next.metadata.resourceVersion ?? '';
  if (asked === '' || asked === '0') {
    if (resource.strategy.allowsUnconditionalUpdate) return;
    const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalid(resourceSubject(resource), name, [error]);
  }
  if (!/^\d+$/.test(asked)) {
    throw plainFailure(`strconv.ParseUint: parsing ${JSON.stringify(asked)}: invalid syntax`);
  }
  if (asked !== current.metadata.resourceVersion) throw conflict(resourceSubject(resource), name, MODIFIED);
}

/** KSIM-WRITES-3. Changes what is wanted in place, unless it is all but the stored object. */
function withForeignParts(
  resource: Resource,
  subresource: string,
  current: KubeObject,
  wanted: KubeObject,
): KubeObject {
  if (subresource === 'status') {
    if (resource.builtin) {
      if (current['spec'] !== undefined) wanted['spec'] = current['spec'];
      return wanted;
    }
    const { managedFields } = wanted.metadata;
    const { status } = wanted;
    const next: KubeObject = { ...current, metadata: { ...current.metadata } };
    if (status === undefined) delete next['status'];
    else next['status'] = status;
    if (managedFields === undefined) delete next.metadata.managedFields;
    else next.metadata.managedFields = managedFields;
    return next;
  }
  if (resource.subresources.includes('status') && !resource.builtin) {
    if (current['status'] === undefined) delete wanted['status'];
    else wanted['status'] = current['status'];
  }
  return wanted;
}

/** Whether nothing but metadata, and a status that is a subresource, differs. */
function sameContent({ subresources, builtin }: Resource, next: KubeObject, current: KubeObject): boolean {
  const hasStatus = builtin || subresources.includes('status');
  const isIgnored = (key: string): boolean =>
    key === 'metadata' || key === 'apiVersion' || key === 'kind' || (hasStatus && key === 'status');
  return sameFields(next, current, isIgnored);
}
