// GET, PUT and PATCH of the scale subresource: the request is about a Scale, what is stored is the object it is of.
//
// Invariants:
//   KSIM-SCALING-1. Of the object only the wanted number changes; it is checked as any other change of the object is.
//   KSIM-SCALING-2. Who owns the number in the object owns it in the Scale, and the other way round.

import { canonical, copy, dig, isMap, type JsonMap, same } from '../../../text/json.ts';
import type { Api, Resource, ResourceRequest, ScalePaths } from '../api.ts';
import { applyConfiguration } from '../apply/applying.ts';
import { recordUpdate } from '../apply/ownership.ts';
import { fromScale, toScale } from '../apply/scale-fields.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { inVersion, resourceSubject } from '../kinds/resources.ts';
import { SCALE, scaleOf, scaleProblem, setReplicas, UNSET_REPLICAS } from '../kinds/scales.ts';
import { invalidValue } from '../schemas/field-error.ts';
import { asStored, type Stored } from '../storage/stored.ts';
import { ApiError, badRequest, internalError, invalid, notFound, plainFailure } from '../wire/api-error.ts';
import { decodeObject, dropUnknown, objectFrom } from '../wire/decoding.ts';
import {
  APPLY_PATCH,
  configurationOf,
  demandPatchType,
  parsedPatch,
  patched,
  patchType,
  strictProblems,
} from './patching.ts';
import { writerOf } from './writer.ts';
import { checkName, checkUid, checkWriteOptions, complete, placeInNamespace, storeChange } from './writes.ts';

/** What the API server says of every body that is no Scale. */
const NO_SCALE = 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"';

interface Subject {
  readonly live: Stored;
  readonly current: KubeObject;
  readonly paths: ScalePaths;
}

function subjectOf(api: Api, { resource, namespace, name }: ResourceRequest): Subject {
  const live = api.store.collection(resource.storeKey).get(namespace, name);
  if (live === undefined || resource.scale === undefined) throw notFound(resourceSubject(resource), name);
  return { live, current: inVersion(resource, live.object), paths: resource.scale };
}

/** The Scale of what is stored now, made from the object in the version of the resource. */
export type ShownScale = (resource: Resource) => Stored;

/** @throws {ApiError} 404; 500 the object does not say how many it wants */
export function readScale(api: Api, request: ResourceRequest): ShownScale {
  const { current, paths } = subjectOf(api, request);
  const { scale, found } = scaleOf(current, paths);
  if (!found) throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`);
  return () => asStored(scale);
}

/** The request as it is about the Scale itself. */
const ofScale = (request: ResourceRequest): ResourceRequest => ({ ...request, resource: SCALE });

/** PUT. @throws {ApiError} */
export function replaceScale(api: Api, request: ResourceRequest): ShownScale {
  checkWriteOptions(request.query, 'UpdateOptions');
  const next = decodedScale(ofScale(request));
  placeInNamespace(next, request);
  checkName(next, request);
  const subject = subjectOf(api, request);
  checkUid(request, next, subject.current);
  const before = scaleBefore(subject);
  recordUpdate(before, next, writerOf(api, ofScale(request)));
  return store(api, request, subject, next);
}

function decodedScale(request: ResourceRequest): KubeObject {
  try {
    const object = decodeObject(request);
    if (scaleProblem(object) !== undefined) throw badRequest(NO_SCALE);
    return object;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 400) throw badRequest(NO_SCALE);
    throw error;
  }
}

/** PATCH. @throws {ApiError} */
export function patchScale(api: Api, request: ResourceRequest): ShownScale {
  const type = patchType(request.contentType);
  demandPatchType(request.resource, request.contentType);
  checkWriteOptions(request.query, 'PatchOptions', type === APPLY_PATCH);
  const applied = type === APPLY_PATCH ? configurationOf(ofScale(request)).configuration : undefined;
  const subject = subjectOf(api, request);
  const before = scaleBefore(subject);
  const writer = writerOf(api, ofScale(request));
  if (applied === undefined) {
    const next = patchedScale(request, type, before);
    recordUpdate(before, next, writer);
    return store(api, request, subject, next);
  }
  // The API server cannot apply to the Scale of a custom resource: it finds conflicts, and then no version to go on in.
  const why = `to proper version: request to convert CR to an invalid group/version: ${SCALE.apiVersion}`;
  const kind = `${SCALE.apiVersion}, Kind=${SCALE.kind}`;
  if (before.metadata.managedFields === undefined) {
    const which = `failed to create manager for existing fields: failed to convert live object (/; ${kind})`;
    throw plainFailure(`${which} ${why}`);
  }
  const force = ['true', '1'].includes(request.query.get('force') ?? '');
  applyConfiguration(before, applied, writer, { force });
  const { namespace = '', name = '' } = applied.metadata;
  throw plainFailure(`failed to convert new object (${namespace}/${name}; ${kind}) ${why}`);
}

function patchedScale(request: ResourceRequest, type: string, before: KubeObject): KubeObject {
  const { managedFields, ...metadata } = before.metadata;
  const patch = parsedPatch(request, type);
  const result = patched(type, { ...before, metadata }, patch);
  if (!isMap(result)) throw badRequest(NO_SCALE);
  const shown = shownPatch(before, result);
  const problem = scaleProblem(result);
  if (problem !== undefined) {
    throw invalid({ group: '', name: '' }, '', [invalidValue('patch', shown, problem)]);
  }
  const next = objectFrom(SCALE, copy(result));
  dropUnknown(ofScale(request), next, strictProblems(request, type, patch), () => shown);
  placeInNamespace(next, request);
  checkName(next, request);
  next.metadata = { ...next.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
  return next;
}

/** A patched Scale as refusals show it: what the patch touched has its keys in order. */
function shownPatch(before: KubeObject, after: JsonMap): string {
  const fields = Object.keys(after)
    .filter((key) => key !== 'metadata')
    .map((key) => `${JSON.stringify(key)}:${canonical(after[key])}`);
  const { managedFields: _, ...metadata } = before.metadata;
  const text = same(metadata, after['metadata']) ? JSON.stringify(metadata) : canonical(after['metadata']);
  return `{${[...fields, `"metadata":${text}`].sort().join(',')}}`;
}

/** The Scale that a change begins from, with its owners (KSIM-SCALING-2). */
function scaleBefore({ current, paths }: Subject): KubeObject {
  const { scale, found } = scaleOf(current, paths);
  const managedFields = toScale(current.metadata.managedFields, paths);
  return {
    ...scale,
    metadata: { ...scale.metadata, ...(managedFields.length === 0 ? {} : { managedFields }) },
    spec: found ? scale['spec'] : { replicas: UNSET_REPLICAS },
  };
}

/** Puts the number and its owners into the object, and stores that (KSIM-SCALING-1). */
function store(api: Api, request: ResourceRequest, { live, current, paths }: Subject, scale: KubeObject): ShownScale {
  const replicas = dig(scale, 'spec', 'replicas') ?? 0;
  if (replicas === UNSET_REPLICAS) {
    throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicas)} cannot be empty`);
  }
  const next = copy(current);
  setReplicas(next, paths, Number(replicas));
  const { resourceVersion = '', managedFields } = scale.metadata;
  if (resourceVersion !== '') next.metadata.resourceVersion = resourceVersion;
  const entries = fromScale(current.metadata.managedFields, managedFields, request.resource.apiVersion, paths);
  if (entries.length === 0) delete next.metadata.managedFields;
  else next.metadata.managedFields = entries;
  complete(request.resource, next, current);
  const { stored } = storeChange(api, request, live, current, next);
  return (resource) => asStored(scaleOf(inVersion(resource, stored.object), paths).scale);
}
