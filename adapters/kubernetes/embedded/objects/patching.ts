// PATCH: the four kinds of patches, from the request to a change of the stored object.
import type { Api, ResourceRequest } from '../api.ts';
import { applyConfiguration } from '../apply/managed-fields.ts';
import { canonical, copy, isList, isMap, type JsonMap, type KubeObject, stringOf } from '../json.ts';
import { inVersion, type Resource, resourceSubject } from '../kinds/resources.ts';
import { setDefaults } from '../schemas/pruning.ts';
import { badRequest, conflict, notFound, unsupportedByRouter, unsupportedMediaType } from '../wire/api-error.ts';
import { dropUnknown, mediaType, objectFrom, parseBody } from '../wire/decoding.ts';
import { jsonProblem, repeatedKeys } from '../wire/json-text.ts';
import { jsonPatch, mergePatch, strategicMergePatch } from './patch.ts';
import {
  admitToNamespace,
  checkName,
  checkWriteOptions,
  demandCreation,
  placeInNamespace,
  storeChange,
  storeNew,
  type Written,
  writerOf,
} from './writes.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

const acceptedBy = ({ builtin }: Resource): string[] => [
  JSON_PATCH,
  MERGE_PATCH,
  ...(builtin ? [STRATEGIC_PATCH] : []),
  APPLY_PATCH,
];

/** @throws {ApiError} 415 the body is no patch that the resource takes */
export function demandPatchType(resource: Resource, contentType: string): void {
  const accepted = acceptedBy(resource);
  if (accepted.includes(mediaType(contentType))) return;
  throw resource.builtin ? unsupportedByRouter() : unsupportedMediaType(accepted);
}

/** @throws {ApiError} */
export function patchObject(api: Api, request: ResourceRequest): Written {
  const { resource, name, namespace } = request;
  const type = mediaType(request.contentType);
  demandPatchType(resource, request.contentType);
  checkWriteOptions(request.query, 'PatchOptions', type === APPLY_PATCH);
  if (type === APPLY_PATCH) return applyObject(api, request);
  const live = api.store.collection(resource.storeKey).get(namespace, name);
  if (live === undefined) throw notFound(resourceSubject(resource), name);
  const current = inVersion(resource, live.object);
  const patch = parsedPatch(request.body, type);
  const patched = patchedObject(request, type, current, patch);
  const next = objectFrom(resource, patched);
  next.metadata = { ...next.metadata };
  const shown = type === STRATEGIC_PATCH ? goText(patch) : '';
  dropUnknown(request, next, repeatedKeys(request.body.toString(), patch), () => shown || canonical(next));
  checkVersion(resource, next);
  placeInNamespace(next, request);
  checkName(next, request);
  return storeChange(api, request, live, current, next);
}

/** @throws {ApiError} 400 it is no JSON */
function parsedPatch(body: Buffer, type: string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem = jsonProblem(body);
    throw badRequest(type === STRATEGIC_PATCH ? problem : `error decoding patch: ${problem}`);
  }
}

/** The object with the patch applied: a copy that may be changed. */
function patchedObject({ resource }: ResourceRequest, type: string, current: KubeObject, patch: unknown): JsonMap {
  let patched: unknown;
  if (type === JSON_PATCH) {
    patched = jsonPatch(current, patch);
  } else if (patch === null && type === MERGE_PATCH) {
    throw badRequest('Invalid JSON Patch');
  } else {
    const given = patch ?? {};
    if (!isMap(given)) {
      const name = isList(given) ? 'array' : typeof given === 'boolean' ? 'bool' : typeof given;
      const problem = `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
      throw badRequest(type === STRATEGIC_PATCH ? problem : `error decoding patch: ${problem}`);
    }
    patched = copy(type === MERGE_PATCH ? mergePatch(current, given) : strategicMergePatch(current, given));
  }
  if (!isMap(patched)) throw badRequest(`the patched object is no ${resource.kind}`);
  return patched;
}

/** A value as Go prints it, which is how a strategic merge patch is quoted. */
function goText(value: unknown): string {
  if (isList(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isMap(value)) return value === null ? '<nil>' : String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}

function checkVersion(resource: Resource, next: KubeObject): void {
  if (next.apiVersion === resource.apiVersion && next.kind === resource.kind) return;
  throw badRequest(
    `${next.kind} in version "${next.apiVersion}" cannot be handled as a ${resource.kind}: the patch must not change apiVersion or kind`,
  );
}

/** Server-side apply: creates the object, or changes it by what was applied. */
function applyObject(api: Api, request: ResourceRequest): Written {
  const { resource, name, namespace, subresource } = request;
  const applied = appliedObject(request);
  const live = api.store.collection(resource.storeKey).get(namespace, name);
  const writer = writerOf(api, request);
  const force = request.query.get('force') === 'true' || request.query.get('force') === '1';
  const subject = resourceSubject(resource);
  if (live === undefined) {
    if (subresource !== '') throw notFound(subject, name);
    demandCreation(api, request);
    const next = copy(applyConfiguration(resource.schema, undefined, applied, writer, { force }));
    const uid = stringOf(applied.metadata.uid);
    if (uid !== '') {
      throw conflict(
        subject,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    placeInNamespace(next, request);
    checkName(next, request);
    admitToNamespace(api, request, name);
    return storeNew(api, request, next, () => undefined);
  }
  const current = inVersion(resource, live.object);
  const next = copy(applyConfiguration(resource.schema, current, applied, writer, { force }));
  placeInNamespace(next, request);
  checkName(next, request);
  if (subresource === 'status' && !resource.builtin) setDefaults(resource.schema, next);
  return storeChange(api, request, live, current, next, { owned: true });
}

function appliedObject(request: ResourceRequest): KubeObject {
  const { resource, body } = request;
  let parsed: unknown;
  try {
    parsed = parseBody(body, 'application/yaml').value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
  if (!isMap(parsed)) {
    const name = isList(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
    const problem = `while decoding JSON: json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: ${problem}`);
  }
  const [apiVersion, kind] = [stringOf(parsed['apiVersion']), stringOf(parsed['kind'])];
  if (apiVersion !== resource.apiVersion || kind !== resource.kind) {
    throw badRequest(`invalid object type: ${apiVersion || '/'}, Kind=${kind}`);
  }
  return objectFrom(resource, parsed);
}
