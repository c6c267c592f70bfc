// From the body of a request to an object: media types, JSON and YAML, the types of metadata, unknown fields.

import { LimitError, readJson, UnfitNumber } from '../../../text/exact-json.ts';
import { hasFormat } from '../../../text/formats.ts';
import { isList, isMap, type JsonMap, stringOf } from '../../../text/json.ts';
import { badRequest, invalid, unsupportedMediaType } from '../base/api-error.ts';
import { invalidValue } from '../base/field-error.ts';
import { jsonType } from '../base/go-values.ts';
import { jsonProblem, repeatedKeys } from '../base/json-text.ts';
import { isKnownKind } from '../base/known-kinds.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { timeProblem } from '../base/time-text.ts';
import type { Resource, ResourceRequest } from '../resources/api.ts';
import { metadataTypeProblem } from '../resources/metadata.ts';
import { prune } from '../schemas/pruning.ts';
import { fieldSchema, type Schema } from '../schemas/schema.ts';
import { fromProtobuf, PROTOBUF } from './protobuf.ts';
import type { Parsed } from './yaml-text.ts';
import { readYaml } from './yaml-text.ts';

/** Treatment of fields that the schema does not know. */
export const FieldValidation = { Ignore: 'Ignore', Warn: 'Warn', Strict: 'Strict' } as const;
export type FieldValidation = (typeof FieldValidation)[keyof typeof FieldValidation];

/** Most warnings about unknown fields in one answer. */
const MAX_WARNINGS = 10;

const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF];

export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Length of a quoted body: characters of JSON, bytes of anything else. */
const SHOWN_LENGTH = 30;

function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const text = body.toString();
  const isJson = /^[ \t\r\n]*\{/.test(text);
  const more = (isJson ? text : body).length > SHOWN_LENGTH ? ' ...' : '';
  return `${isJson ? text.slice(0, SHOWN_LENGTH) : body.subarray(0, SHOWN_LENGTH).toString('hex')}${more}`;
}

/** @throws {SyntaxError} neither JSON nor YAML, with what is wrong in the API server's words */
export function parseBody(body: Buffer, type: string): Parsed {
  if (type === PROTOBUF) return { value: fromProtobuf(body), repeated: [] };
  const text = body.toString();
  if (!type.includes('yaml') || /^[ \t\r\n]*\{/.test(text)) {
    try {
      const value = readJson(text);
      return { value: /\\u[dD][89a-fA-F]/.test(text) ? wellFormed(value) : value, repeated: repeatedKeys(text, value) };
    } catch (error) {
      if (!(error instanceof SyntaxError) || error instanceof UnfitNumber) throw error;
      // Flow YAML looks like JSON and is none.
      if (!type.includes('yaml'))
        throw error instanceof LimitError ? error : new SyntaxError(jsonProblem(body), { cause: error });
    }
  }
  return readYaml(text);
}

/** Halves of surrogate pairs are replaced, as they cannot be encoded. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (isList(value)) return value.map(wellFormed);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}

/**
 * Reads the object in a request's body.
 *
 * @throws {ApiError} 400 it is none, or of another kind; 415 the media type is not understood
 */
export function decodeObject(request: ResourceRequest): KubeObject {
  const { resource, body, contentType } = request;
  const type = objectType(contentType);
  if (type === PROTOBUF && !resource.builtin) throw unsupportedMediaType(OBJECT_TYPES);
  let parsed: Parsed;
  try {
    parsed = parseBody(body, type);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (error instanceof UnfitNumber) throw badRequest(`${handled(resource)}: ${error.message}`);
    const isJson = type === 'application/json';
    throw unrecognized(resource, body, `${isJson ? NO_KIND : ''}${error.message}`);
  }
  const object = parsed.value ?? {};
  if (!isMap(object)) {
    throw unrecognized(resource, body, NO_KIND + notMap(object));
  }
  for (const key of ['apiVersion', 'kind']) {
    const value = object[key] ?? '';
    if (typeof value === 'string') continue;
    const problem = `json: cannot unmarshal ${jsonType(value)} into Go struct field .${key} of type string`;
    throw unrecognized(resource, body, NO_KIND + problem);
  }
  checkKind(resource, object, body);
  const decoded = objectFrom(resource, object);
  dropUnknown(request, decoded, parsed.repeated);
  return decoded;
}

/** @throws {ApiError} 415 */
function objectType(contentType: string): string {
  const type = contentType === '' ? 'application/json' : mediaType(contentType);
  if (!OBJECT_TYPES.includes(type)) throw unsupportedMediaType(OBJECT_TYPES);
  return type;
}

/** Name of the place where the API server knows its kinds. */
const SCHEME = 'pkg/runtime/scheme.go:111';

const NO_KIND = "couldn't get version/kind; json parse error: ";

function unrecognized({ kind }: Resource, body: Buffer, problem: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${problem} (${summary(body)})`);
}

function checkKind(resource: Resource, parsed: JsonMap, body: Buffer): void {
  const [apiVersion, kind] = [stringOf(parsed['apiVersion']), stringOf(parsed['kind'])];
  if (resource.builtin) {
    if (apiVersion === '') parsed['apiVersion'] = resource.apiVersion;
    if (kind === '') parsed['kind'] = resource.kind;
    if ((apiVersion === '' || apiVersion === resource.apiVersion) && (kind === '' || kind === resource.kind)) return;
    if (apiVersion.split('/').length > 2) {
      throw unrecognized(resource, body, `unexpected GroupVersion string: ${apiVersion}`);
    }
    const [fullVersion, wantedKind] = [apiVersion || resource.apiVersion, kind || resource.kind];
    const version = fullVersion.slice(fullVersion.indexOf('/') + 1);
    const problem = isKnownKind(fullVersion, wantedKind)
      ? `converting (${version}.${wantedKind}) to (core.${resource.kind}): unknown conversion`
      : `no kind "${wantedKind}" is registered for version "${fullVersion}" in scheme "${SCHEME}"`;
    throw badRequest(`${wantedKind} in version "${version}" cannot be handled as a ${resource.kind}: ${problem}`);
  }
  if (kind === '') {
    const why = `Object 'Kind' is missing in '${body.toString().trim()}'`;
    throw unrecognized(resource, body, why);
  }
  if (apiVersion !== resource.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${resource.apiVersion})`,
    );
  }
}

/**
 * Checks what every object must have and, for built-in kinds, the types of the fields.
 *
 * @throws {ApiError} 400
 */
export function objectFrom(resource: Resource, parsed: JsonMap): KubeObject {
  if (resource.builtin) for (const key of Object.keys(parsed)) if (parsed[key] === null) delete parsed[key];
  const problem = typeProblem(resource, parsed);
  if (problem !== undefined) throw badRequest(`${handled(resource)}: ${problem}`);
  return parsed as KubeObject;
}

/** Errors of an object's types, as the decoder words them. Gives it metadata when it has none. */
export function typeProblem(resource: Resource, parsed: JsonMap): string | undefined {
  const metadata = parsed['metadata'] ?? {};
  if (!isMap(metadata)) {
    const where = resource.builtin ? `Go struct field ${resource.kind}.metadata` : 'Go value';
    return `json: cannot unmarshal ${jsonType(metadata)} into ${where} of type v1.ObjectMeta`;
  }
  parsed['metadata'] = metadata;
  return (
    metadataTypeProblem(metadata, resource) ?? (resource.builtin ? builtinTypeProblem(resource, parsed) : undefined)
  );
}

function handled({ kind, version }: Resource): string {
  return `${kind} in version "${version}" cannot be handled as a ${kind}`;
}

/** Fields that take instants with exactly six digits after the second. */
const MICRO_TIMES = ['eventTime', 'renewTime', 'acquireTime', 'lastObservedTime'];

const isWhole = (value: number, format: string): boolean =>
  Number.isInteger(value) && (format !== 'int32' || Math.abs(value + 0.5) < 2 ** 31);

/** The first field of a built-in kind that has another type than it must have. */
function builtinTypeProblem(resource: Resource, object: JsonMap): string | undefined {
  const visit = (schema: Schema | undefined, value: unknown, path: string): string | undefined => {
    if (schema === undefined || value === null || value === undefined) return undefined;
    const wrong = (type: string): string =>
      `json: cannot unmarshal ${(typeof value === 'number' || typeof value === 'bigint') && type.startsWith('int') ? `number ${value}` : jsonType(value)} into Go struct field ${resource.kind}.${path} of type ${type}`;
    switch (schema.type) {
      case 'object':
        if (!isMap(value)) return wrong(schema.additional === undefined ? 'struct' : 'map[string]string');
        for (const key of Object.keys(value)) {
          const child = fieldSchema(schema, key);
          const inMap = schema.properties?.has(key) !== true;
          const problem = visit(child, value[key], inMap ? path : path === '' ? key : `${path}.${key}`);
          if (problem !== undefined) return problem;
        }
        return undefined;
      case 'array':
        if (!isList(value)) return wrong('[]string');
        for (const item of value) {
          const problem = visit(schema.items, item, path);
          if (problem !== undefined) return problem;
        }
        return undefined;
      case 'string':
        if (typeof value !== 'string') return wrong(schema.format === 'byte' ? '[]uint8' : 'string');
        if (schema.format === 'byte' && value !== '' && !hasFormat('byte', value)) return base64Problem(value);
        if (schema.format === 'date-time') {
          const isMicro = MICRO_TIMES.some((name) => path.endsWith(name));
          return timeProblem(value, isMicro ? 'microseconds' : 'seconds');
        }
        return undefined;
      case 'integer':
        if (typeof value === 'bigint' && schema.format !== 'int32') return undefined;
        if (typeof value === 'number' && isWhole(value, schema.format)) return undefined;
        return wrong(schema.format || 'int64');
      case 'boolean':
        return typeof value === 'boolean' ? undefined : wrong('bool');
      default:
        return undefined;
    }
  };
  const { metadata: _, ...rest } = object;
  return visit(resource.schema, rest, '');
}

function base64Problem(value: string): string {
  const odd = /[^A-Za-z0-9+/=]/.exec(value)?.index ?? value.length - (value.length % 4);
  return `illegal base64 data at input byte ${odd}`;
}

/** Treatment of unknown fields of a request. @throws {ApiError} 422 the parameter is none of the three */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const asked = query.get('fieldValidation') ?? '';
  return asked === 'Ignore' || asked === 'Strict' ? asked : FieldValidation.Warn;
}

/**
 * Removes the fields that the schema does not know, and reports them as the request asked for.
 *
 * @param known  what else a strict reader has against the request's text
 * @param shownPatch  what the refusal of a patch shows of it; undefined when the object itself was sent
 * @throws {ApiError} 400, for patches 422: there are some, and validation is strict
 */
export function dropUnknown(
  request: ResourceRequest,
  object: KubeObject,
  known: readonly string[],
  shownPatch?: () => string,
): void {
  const { resource } = request;
  const asked = fieldValidationOf(request.query);
  const before = shownPatch === undefined || asked !== FieldValidation.Strict ? '' : shownPatch();
  const unknown = prune(resource.schema, object);
  if (unknown.length === 0 && known.length === 0) return;
  // The text of a built-in kind is complained about as it comes, a custom resource in order, metadata first.
  const rank = (path: string): string => (path.startsWith('metadata.') ? `0${path}` : `1${path}`);
  if (!resource.builtin || shownPatch !== undefined) unknown.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const problems = [...known, ...unknown.map((path) => `unknown field "${path}"`)];
  if (asked === FieldValidation.Strict) {
    const inYaml = known.length > 0 && mediaType(request.contentType).includes('yaml');
    const shown = inYaml
      ? [`yaml: unmarshal errors:\n  ${known.join('\n  ')}`, ...problems.slice(known.length)]
      : problems;
    const problem = `strict decoding error: ${shown.join(', ')}`;
    if (shownPatch === undefined) throw badRequest(`${handled(resource)}: ${problem}`);
    throw invalid({ group: '', name: '' }, '', [invalidValue('patch', before, problem)]);
  }
  if (asked === FieldValidation.Warn) for (const problem of problems.slice(0, MAX_WARNINGS)) request.warn(problem);
}

/** The names in a query or a DeleteOptions that say "do not store it". */
export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

/** The DeleteOptions in a body, undefined when there is none. @throws {ApiError} 400, 415 */
export function optionsFrom(body: Buffer, contentType: string): JsonMap | undefined {
  if (body.length === 0) return undefined;
  const type = objectType(contentType);
  let options: unknown;
  try {
    options = parseBody(body, type).value ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`${type === 'application/json' ? NO_KIND : ''}${error.message}`);
  }
  if (!isMap(options)) throw badRequest(NO_KIND + notMap(options));
  const [apiVersion, kind] = [stringOf(options['apiVersion']), stringOf(options['kind'])];
  if (kind === '' || kind === 'DeleteOptions') return options;
  throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${SCHEME}"`);
}

const notMap = (value: unknown): string =>
  `json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
