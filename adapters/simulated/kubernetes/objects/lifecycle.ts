// The end of objects: deletion with finalizers, and what follows from it.
//
// Invariants:
//   KSIM-LIFECYCLE-1. An object with finalizers is only marked; it vanishes with the write that removes the last of them.

import { dig, isList, type JsonMap, listOf, stringOf } from '../../../text/json.ts';
import { badRequest, conflict, forbiddenError, invalid, notFound } from '../base/api-error.ts';
import { type FieldError, invalidValue, notSupported } from '../base/field-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { type Api, type Resource, timeText } from '../resources/api.ts';
import { resourceSubject } from '../resources/registry.ts';
import type { Collection } from '../storage/store.ts';
import { asStored, type Stored } from '../storage/stored.ts';

export interface Preconditions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export interface Deletion {
  readonly preconditions: Preconditions;
  readonly dryRun: boolean;
  /** Adds a finalizer of the garbage collector: dependents are deleted first, or stay. */
  readonly propagation: string;
}

/** Namespaces that cannot be deleted. */
const IMMORTAL = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** The options of a deletion: from its body, or, when it has none, from its query. @throws {ApiError} 400, 422 */
export function deletionOf(body: JsonMap | undefined, query: URLSearchParams): Deletion {
  const options = body ?? optionsOf(query);
  checkTypes(options);
  const { propagationPolicy, orphanDependents } = options;
  const propagation = stringOf(propagationPolicy);
  const dryRun = listOf(options['dryRun']);
  const errors: FieldError[] = [];
  if (propagation !== '' && typeof orphanDependents === 'boolean') {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', propagation, why));
  }
  if (!['', 'Foreground', 'Background', 'Orphan'].includes(propagation)) {
    errors.push(notSupported('propagationPolicy', propagation, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  if (dryRun.some((one) => one !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: 'DeleteOptions' }, '', errors);
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const given = options['preconditions'];
  return {
    preconditions: { uid: text(dig(given, 'uid')), resourceVersion: text(dig(given, 'resourceVersion')) },
    dryRun: dryRun.length > 0,
    propagation: orphanDependents === true ? 'Orphan' : propagation,
  };
}

function optionsOf(query: URLSearchParams): JsonMap {
  const graceSeconds = query.get('gracePeriodSeconds') ?? '';
  if (graceSeconds !== '' && !/^[-+]?\d+$/.test(graceSeconds)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(graceSeconds)}: invalid syntax`);
  }
  const orphan = query.get('orphanDependents');
  return {
    propagationPolicy: query.get('propagationPolicy') ?? '',
    dryRun: query.getAll('dryRun'),
    ...(orphan === null ? {} : { orphanDependents: !['0', 'false'].includes(orphan.toLowerCase()) }),
  };
}

/** The fields of the options, as their decoder names them and their types. */
const OPTION_TYPES: readonly (readonly [string, string, string])[] = [
  ['propagationPolicy', 'string', 'v1.DeletionPropagation'],
  ['gracePeriodSeconds', 'number', 'int64'],
  ['orphanDependents', 'boolean', 'bool'],
  ['dryRun', 'array', '[]string'],
  ['preconditions', 'object', 'v1.Preconditions'],
];

function checkTypes(options: JsonMap): void {
  const check = (value: unknown, wanted: string, field: string, type: string): void => {
    const got = isList(value) ? 'array' : typeof value;
    if (value === undefined || value === null || got === wanted) return;
    const name = got === 'boolean' ? 'bool' : got;
    throw badRequest(`json: cannot unmarshal ${name} into Go struct field ${field} of type ${type}`);
  };
  for (const [name, wanted, type] of OPTION_TYPES) check(options[name], wanted, `DeleteOptions.${name}`, type);
  const uid = dig(options, 'preconditions', 'uid');
  check(uid, 'string', 'Preconditions.preconditions.uid', 'types.UID');
  const revision = dig(options, 'preconditions', 'resourceVersion');
  check(revision, 'string', 'Preconditions.preconditions.resourceVersion', 'string');
}

/** The outcome of a deletion. */
export type Deleted =
  | { readonly kind: 'removed'; readonly stored: Stored }
  /** Finalizers hold it; here is how it looks now. */
  | { readonly kind: 'marked'; readonly stored: Stored };

/** Whether something holds an object that is asked to go. */
export function isHeld(resource: Resource, object: KubeObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0) return true;
  return resource.storeKey === '/namespaces' && listOf(dig(object, 'spec', 'finalizers')).length > 0;
}

/** The object marked as being deleted. A copy, where it is not marked already. */
export function marked(api: Api, resource: Resource, object: KubeObject): KubeObject {
  if (object.metadata.deletionTimestamp !== undefined) return object;
  const metadata = { ...object.metadata, deletionTimestamp: timeText(api.clock.now()), deletionGracePeriodSeconds: 0 };
  if (resource.strategy.hasGeneration && metadata.generation !== undefined) metadata.generation += 1;
  const next: KubeObject = { ...object, metadata };
  if (resource.storeKey === '/namespaces') {
    delete (metadata as JsonMap)['deletionGracePeriodSeconds'];
    next['status'] = { ...(dig(object, 'status') as JsonMap | undefined), phase: 'Terminating' };
  }
  return next;
}

/** @throws {ApiError} 404, 409 a precondition does not hold, 403 the namespace is one of the immortal */
export function deleteObject(
  api: Api,
  resource: Resource,
  collection: Collection,
  namespace: string,
  name: string,
  { preconditions, dryRun, propagation }: Deletion,
): Deleted {
  const subject = resourceSubject(resource);
  if (resource.storeKey === '/namespaces' && IMMORTAL.includes(name)) {
    throw forbiddenError(subject, name, 'this namespace may not be deleted');
  }
  const stored = collection.get(namespace, name);
  if (stored === undefined) throw notFound(subject, name);
  checkPreconditions(resource, stored.object, preconditions);
  const { object } = stored;
  const finalizers = object.metadata.finalizers ?? [];
  const own = object.metadata.deletionTimestamp === undefined ? resource.strategy.lastFinalizer : undefined;
  const added = [own, collectorFinalizer(propagation)]
    .filter((one) => one !== undefined)
    .filter((one) => !finalizers.includes(one));
  const held = isHeld(resource, object) || added.length > 0;
  if (!held) {
    if (dryRun) return { kind: 'removed', stored };
    const removed = collection.remove(namespace, name);
    return { kind: 'removed', stored: removed ?? stored };
  }
  let next = marked(api, resource, object);
  if (added.length > 0) next = { ...next, metadata: { ...next.metadata, finalizers: [...finalizers, ...added] } };
  if (next === object || dryRun) return { kind: 'marked', stored: asStored(next) };
  return { kind: 'marked', stored: collection.put(next) };
}

function collectorFinalizer(propagation: string): string | undefined {
  if (propagation === 'Foreground') return 'foregroundDeletion';
  return propagation === 'Orphan' ? 'orphan' : undefined;
}

function checkPreconditions(
  resource: Resource,
  { metadata }: KubeObject,
  { uid, resourceVersion }: Preconditions,
): void {
  const subject = { group: resource.group, name: resource.kind };
  const { name = '' } = metadata;
  if (uid !== undefined && uid !== metadata.uid) {
    if (resource.storeKey === '/namespaces') {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
      throw conflict(resourceSubject(resource), name, why);
    }
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(subject, name, why);
  }
}
