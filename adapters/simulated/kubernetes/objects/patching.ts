// PATCH: the four kinds of patches, from the request to a change of the stored object.

import { LimitError, readJson } from '../../../text/exact-json.ts';
import { canonical, copy, isList, isMap, type JsonMap, stringOf } from '../../../text/json.ts';
import { applyConfiguration, shown } from '../apply/applying.ts';
import {
  badRequest,
  conflict,
  internalError,
  invalid,
  notFound,
  plainFailure,
  routeRefusal,
  tooLarge,
  unsupportedMediaType,
} from '../base/api-error.ts';
import { invalidValue } from '../base/field-error.ts';
import { goText, jsonType } from '../base/go-values.ts';
import { jsonProblem, repeatedKeys } from '../base/json-text.ts';
import type { KubeObject } from '../base/kube-object.ts';
import type { Api, Resource, ResourceRequest } from '../resources/api.ts';
import { inVersion, resourceSubject } from '../resources/registry.ts';
import { dropUnknown, FieldValidation, fieldValidationOf, parseBody, typeProblem } from '../wire/decoding.ts';
import { type Parsed, readYaml } from '../wire/yaml-text.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { conversionProblem, strategicPatch } from './strategic-patch.ts';
import { writerOf } from './writer.ts';
import {
  admitToNamespace,
  checkName,
  checkWriteOptions,
  complete,
  demandCreation,
  placeInNamespace,
  storeChange,
  storeNew,
  storeUpdate,
  type Written,
} from './writes.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Limit of the API for one JSON patch. */
const MAX_OPERATIONS = 10_000;

const acceptedBy = ({ builtin }: Resource): string[] => [
  JSON_PATCH,
  MERGE_PATCH,
  ...(builtin ? [STRATEGIC_PATCH] : []),
  APPLY_PATCH,
];

/** @throws {ApiError} 415 the body is no patch that the resource takes */
export function demandPatchType(resource: Resource, contentType: string): void {
  const accepted = acceptedBy(resource);
  if (accepted.includes(patchType(contentType))) return;
  throw resource.builtin ? routeRefusal(415, 'Unsupported Media Type') : unsupportedMediaType(accepted);
}

export const patchType = (contentType: string): string => (contentType.split(';', 1)[0] ?? '').trim();

/** @throws {ApiError} */
export function patchObject(api: Api, request: ResourceRequest): Written {
  const { resource, name, namespace } = request;
  const type = patchType(request.contentType);
  demandPatchType(resource, request.contentType);
  checkWriteOptions(request.query, 'PatchOptions', type === APPLY_PATCH);
  if (type === APPLY_PATCH) return applyObject(api, request);
  const live = api.store.collection(resource.storeKey).get(namespace, name);
  if (live === undefined) throw notFound(resourceSubject(resource), name);
  const current = inVersion(resource, live.object);
  const next = patchedObject(request, type, current);
  placeInNamespace(next, request);
  checkName(next, request);
  return storeUpdate(api, request, live, current, next);
}

/** The object with the patch applied: a copy that may be changed. @throws {ApiError} 400, 422 */
function patchedObject(request: ResourceRequest, type: string, current: KubeObject): KubeObject {
  const { resource } = request;
  const patch = parsedPatch(request, type);
  const result = patched(type, current, patch);
  const showPatched = (): string => (type === STRATEGIC_PATCH ? goText(patch) : canonical(result));
  const refuse = (why: string): Error =>
    invalid({ group: '', name: '' }, '', [invalidValue('patch', showPatched(), why)]);
  if (!isMap(result)) {
    const wanted =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const why = `json: cannot unmarshal ${jsonType(result)} into Go value of type ${wanted}`;
    throw refuse(`couldn't get version/kind; json parse error: ${why}`);
  }
  const next: JsonMap = { ...result, ...(isMap(result['metadata']) ? { metadata: { ...result['metadata'] } } : {}) };
  if (type === STRATEGIC_PATCH) {
    next['apiVersion'] = resource.apiVersion;
    next['kind'] = resource.kind;
  } else {
    checkType(resource, next, refuse, showPatched);
  }
  const unfit = type === STRATEGIC_PATCH ? conversionProblem(resource.schema, next) : undefined;
  const problem = unfit ?? typeProblem(resource, next);
  if (problem !== undefined) throw refuse(problem);
  const object = next as KubeObject;
  dropUnknown(request, object, strictProblems(request, type, patch), showPatched);
  return object;
}

/** @throws {ApiError} 400 it is no JSON, or none of a patch */
export function parsedPatch({ body, query }: ResourceRequest, type: string): unknown {
  const isStrict = fieldValidationOf(query) !== FieldValidation.Ignore;
  const text = body.toString();
  const prefix = isStrict && type !== STRATEGIC_PATCH ? 'error decoding patch: ' : '';
  let patch: unknown;
  try {
    patch = readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (type === MERGE_PATCH && !isStrict) throw badRequest('Invalid JSON Patch');
    throw badRequest(`${prefix}${error instanceof LimitError ? error.message : jsonProblem(body)}`);
  }
  const unfit = (value: unknown, wanted: string): Error =>
    badRequest(`${prefix}json: cannot unmarshal ${jsonType(value)} into Go value of type ${wanted}`);
  if (type === JSON_PATCH) {
    if (patch === null) return [];
    if (!isList(patch)) throw unfit(patch, isStrict ? '[]handlers.jsonPatchOp' : 'jsonpatch.Patch');
    for (const operation of patch) {
      if (operation !== null && !isMap(operation)) {
        throw unfit(operation, isStrict ? 'handlers.jsonPatchOp' : 'jsonpatch.Operation');
      }
      if (isStrict) checkOperation(operation ?? {});
    }
    if (patch.length > MAX_OPERATIONS) {
      throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`);
    }
    return patch;
  }
  if (type === STRATEGIC_PATCH) {
    if (patch === null) return {};
    if (!isMap(patch)) throw unfit(patch, 'map[string]interface {}');
    return patch;
  }
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (isStrict && !isMap(patch)) throw unfit(patch, 'map[string]interface {}');
  if (!isMap(patch) && !isList(patch)) throw badRequest('Invalid JSON Patch');
  return patch;
}

const OPERATION_KEYS = ['op', 'path', 'from', 'value'];

function checkOperation(operation: JsonMap): void {
  for (const key of ['op', 'path', 'from']) {
    const value = operation[key];
    if (value === undefined || value === null || typeof value === 'string') continue;
    const where = `Go struct field jsonPatchOp.${key} of type string`;
    throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(value)} into ${where}`);
  }
}

/** Errors of a strict reader about the text of a patch. */
export function strictProblems({ body, query }: ResourceRequest, type: string, patch: unknown): string[] {
  if (fieldValidationOf(query) === FieldValidation.Ignore) return [];
  const repeated = repeatedKeys(body.toString(), patch);
  if (type !== JSON_PATCH) return repeated;
  const unknown = (isList(patch) ? patch : []).flatMap((operation, index) =>
    Object.keys(isMap(operation) ? operation : {})
      .filter((key) => !OPERATION_KEYS.includes(key))
      .map((key) => `unknown field "[${index}].${key}"`),
  );
  return [...repeated, ...unknown].map((problem) => `json patch ${problem}`);
}

export function patched(type: string, current: KubeObject, patch: unknown): unknown {
  if (type === JSON_PATCH) return jsonPatch(current, isList(patch) ? patch : []);
  if (type === STRATEGIC_PATCH) return strategicPatch(current, isMap(patch) ? patch : {});
  return isList(patch) ? patch : mergePatch(current, patch);
}

/** An object that says what it is. @throws {ApiError} 422, 500 */
function checkType(resource: Resource, next: JsonMap, refuse: (why: string) => Error, text: () => string): void {
  const [apiVersion, kind] = [stringOf(next['apiVersion']), stringOf(next['kind'])];
  if (resource.builtin) {
    next['apiVersion'] = apiVersion || resource.apiVersion;
    next['kind'] = kind || resource.kind;
    return;
  }
  if (kind === '') throw refuse(`Object 'Kind' is missing in '${text()}'`);
  if (apiVersion === '') throw internalError(`Object 'apiVersion' is missing in 'object has no apiVersion field'`);
}

/** Server-side apply: creates the object, or changes it by what was applied. */
function applyObject(api: Api, request: ResourceRequest): Written {
  const { resource, name, namespace, subresource, query } = request;
  const subject = resourceSubject(resource);
  const live = api.store.collection(resource.storeKey).get(namespace, name);
  if (live === undefined && subresource !== '') throw notFound(subject, name);
  if (live === undefined) demandCreation(api, request);
  const { configuration, repeated } = configurationOf(request);
  const writer = writerOf(api, request);
  const force = ['true', '1'].includes(query.get('force') ?? '');
  const current = live === undefined ? undefined : inVersion(resource, live.object);
  const next = copy(applyConfiguration(current, configuration, writer, { force }));
  const problem = typeProblem(resource, next);
  if (problem !== undefined) {
    const type = shown({ ...next, metadata: {} }).slice('/; '.length);
    const decoding = problem.startsWith('parsing time') ? '' : 'error decoding from json: ';
    const why = `unable to convert unstructured object to ${type}: ${decoding}${problem}`;
    throw plainFailure(`failed to convert new object (${shown(configuration)}) to proper version: ${why}`);
  }
  if (repeated !== undefined) {
    const validation = fieldValidationOf(query);
    if (validation === FieldValidation.Strict) {
      const why = `error converting YAML to JSON: yaml: unmarshal errors:\n  ${repeated}`;
      throw badRequest(`error strict decoding YAML: ${why}`);
    }
    if (validation === FieldValidation.Warn) request.warn(repeated);
  }
  complete(resource, next, current);
  if (live === undefined || current === undefined) {
    const uid = stringOf(configuration.metadata.uid);
    if (uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
      throw conflict(subject, name, why);
    }
    placeInNamespace(next, request);
    checkName(next, request);
    admitToNamespace(api, request, name);
    return storeNew(api, request, next);
  }
  placeInNamespace(next, request);
  checkName(next, request);
  return storeChange(api, request, live, current, next);
}

export interface Configuration {
  readonly configuration: KubeObject;
  /** The first key that a map of it has twice. */
  readonly repeated: string | undefined;
}

/** @throws {ApiError} 400 it is no object, or of another kind */
export function configurationOf({ resource, body }: ResourceRequest): Configuration {
  let read: Parsed;
  try {
    read = parseBody(body, 'application/yaml');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
  const parsed = read.value ?? {};
  if (!isMap(parsed)) {
    const why = `json: cannot unmarshal ${jsonType(parsed)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const [apiVersion, kind] = [stringOf(parsed['apiVersion']), stringOf(parsed['kind'])];
  if (apiVersion !== resource.apiVersion || kind !== resource.kind) {
    const isVersion = apiVersion !== '' && apiVersion.split('/').length <= 2;
    const type = isVersion ? (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`) : '/';
    const isType = isVersion || apiVersion === '';
    throw badRequest(`invalid object type: ${type}, Kind=${isType ? kind : ''}`);
  }
  const configuration = { ...parsed, apiVersion, kind, metadata: (parsed['metadata'] ?? {}) as KubeObject['metadata'] };
  // JSON is YAML too, and is complained about as such.
  const [repeated] = read.repeated.length === 0 ? [] : readYaml(body.toString()).repeated;
  return { configuration, repeated };
}
