// From the body of a request to an object: media types, JSON and YAML, the types of metadata, unknown fields.
import { parse as parseYaml, YAMLParseError } from 'yaml';
import type { ResourceRequest } from '../api.ts';
import { isList, isMap, type JsonMap, type KubeObject, mapOf, stringOf } from '../json.ts';
import type { Resource } from '../kinds/resources.ts';
import { metadataTypeProblem } from '../objects/metadata.ts';
import { invalidValue } from '../schemas/field-error.ts';
import { hasFormat } from '../schemas/formats.ts';
import { prune } from '../schemas/pruning.ts';
import { fieldSchema, type Schema } from '../schemas/schema.ts';
import { badRequest, invalid, unsupportedMediaType } from './api-error.ts';
import { fromProtobuf } from './protobuf.ts';

/** What becomes of fields that the schema does not know. */
export const FieldValidation = { Ignore: 'Ignore', Warn: 'Warn', Strict: 'Strict' } as const;
export type FieldValidation = (typeof FieldValidation)[keyof typeof FieldValidation];

/** Most warnings about unknown fields in one answer. */
const MAX_WARNINGS = 10;

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF];

export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function summary(body: Buffer): string {
  const text = body.toString();
  const shown = text.trimStart().startsWith('{') ? text : body.toString('hex');
  return shown.length > 30 ? `${shown.slice(0, 30)} ...` : shown;
}

/** Go's words for the most common accidents of JSON. */
export function jsonProblem(error: SyntaxError, text: string): string {
  if (/end of JSON|Unterminated/i.test(error.message)) return 'unexpected end of JSON input';
  const at = /position (\d+)/.exec(error.message)?.[1];
  const character = text[Number(at ?? 0)] ?? '';
  return `invalid character '${character}' looking for beginning of value`;
}

/** @throws {SyntaxError} neither JSON nor YAML */
export function parseBody(body: Buffer, type: string): unknown {
  if (type === PROTOBUF) return fromProtobuf(body);
  const text = body.toString();
  if (!type.includes('yaml')) return JSON.parse(text);
  try {
    if (text.trimStart().startsWith('{')) return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return plainYaml(text); // flow YAML looks like JSON and is none
  }
  return plainYaml(text);
}

function plainYaml(text: string): unknown {
  try {
    // YAML 1.1 as the API server reads it: `yes` is true, but timestamps and base-60 numbers stay strings.
    return parseYaml(text, {
      schema: 'yaml-1.1',
      maxAliasCount: 100,
      customTags: (tags) =>
        tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp'))),
    });
  } catch (error) {
    if (error instanceof YAMLParseError)
      throw new SyntaxError(
        `error converting YAML to JSON: yaml: line ${error.linePos?.[0].line ?? 1}: ${error.code}`,
        { cause: error },
      );
    throw error;
  }
}

/**
 * Reads the object in a request's body.
 *
 * @throws {ApiError} 400 it is none, or of another kind; 415 the media type is not understood
 */
export function decodeObject({ resource, body, contentType }: ResourceRequest): KubeObject {
  const type = mediaType(contentType) || 'application/json';
  if (!OBJECT_TYPES.includes(type) || (type === PROTOBUF && !resource.builtin))
    throw unsupportedMediaType(OBJECT_TYPES);
  const unrecognized = (problem: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${problem} (${summary(body)})`);
  let parsed: unknown;
  try {
    parsed = parseBody(body, type);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (type === PROTOBUF) throw unrecognized(error.message);
    throw unrecognized(`couldn't get version/kind; json parse error: ${jsonProblem(error, body.toString())}`);
  }
  if (!isMap(parsed)) {
    const got = isList(parsed) ? 'array' : typeof parsed;
    const problem = `json: cannot unmarshal ${got} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
    throw unrecognized(`couldn't get version/kind; json parse error: ${problem}`);
  }
  checkKind(resource, parsed, body);
  return objectFrom(resource, parsed);
}

function checkKind(resource: Resource, parsed: JsonMap, body: Buffer): void {
  const [apiVersion, kind] = [stringOf(parsed['apiVersion']), stringOf(parsed['kind'])];
  if (resource.builtin) {
    if (apiVersion === '') parsed['apiVersion'] = resource.apiVersion;
    if (kind === '') parsed['kind'] = resource.kind;
    if ((apiVersion === '' || apiVersion === resource.apiVersion) && (kind === '' || kind === resource.kind)) return;
    const version = apiVersion.includes('/') ? apiVersion.slice(apiVersion.indexOf('/') + 1) : apiVersion;
    throw badRequest(
      `${kind || resource.kind} in version "${version || resource.version}" cannot be handled as a ${resource.kind}: ` +
        `converting (${version || resource.version}.${kind || resource.kind}) to (core.${resource.kind}): unknown conversion`,
    );
  }
  if (kind === '') {
    const why = `Object 'Kind' is missing in '${body.toString().trim()}'`;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${summary(body)})`,
    );
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
  const metadata = parsed['metadata'] ?? {};
  if (!isMap(metadata)) {
    throw badRequest(
      `${handled(resource)}: json: cannot unmarshal ${typeof metadata} into Go struct field ${resource.kind}.metadata of type v1.ObjectMeta`,
    );
  }
  parsed['metadata'] = metadata;
  const problem =
    metadataTypeProblem(metadata) ?? (resource.builtin ? builtinTypeProblem(resource, parsed) : undefined);
  if (problem !== undefined) throw badRequest(`${handled(resource)}: ${problem}`);
  return parsed as KubeObject;
}

function handled({ kind, version }: Resource): string {
  return `${kind} in version "${version}" cannot be handled as a ${kind}`;
}

/** The first field of a built-in kind that has another type than it must have. */
function builtinTypeProblem(resource: Resource, object: JsonMap): string | undefined {
  const visit = (schema: Schema | undefined, value: unknown, path: string): string | undefined => {
    if (schema === undefined || value === null || value === undefined) return undefined;
    const got = isList(value) ? 'array' : isMap(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value;
    const wrong = (type: string): string =>
      `json: cannot unmarshal ${got} into Go struct field ${resource.kind}.${path} of type ${type}`;
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
        if (schema.format === 'byte' && !hasFormat('byte', value)) return base64Problem(value);
        return undefined;
      case 'integer':
        return typeof value === 'number' ? undefined : wrong(schema.format || 'int64');
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

/** How unknown fields of a request are to be treated. @throws {ApiError} 422 the parameter is none of the three */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const asked = query.get('fieldValidation') ?? '';
  return asked === 'Ignore' || asked === 'Strict' ? asked : FieldValidation.Warn;
}

/**
 * Removes the fields that the schema does not know, and reports them as the request asked for.
 *
 * @param shownPatch  what the refusal of a patch shows of it; undefined when the object itself was sent
 * @throws {ApiError} 400, for patches 422: there are some, and validation is strict
 */
export function dropUnknown(request: ResourceRequest, object: KubeObject, shownPatch?: () => string): void {
  const { resource } = request;
  const before =
    shownPatch === undefined || fieldValidationOf(request.query) !== FieldValidation.Strict ? '' : shownPatch();
  const unknown = prune(resource.schema, object);
  if (unknown.length === 0) return;
  // Metadata is decoded first, and complained about first.
  const rank = (path: string): string => (path.startsWith('metadata.') ? `0${path}` : `1${path}`);
  unknown.sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
  const asked = fieldValidationOf(request.query);
  const problems = unknown.map((path) => `unknown field "${path}"`);
  if (asked === FieldValidation.Strict) {
    const problem = `strict decoding error: ${problems.join(', ')}`;
    if (shownPatch === undefined) throw badRequest(`${handled(resource)}: ${problem}`);
    throw invalid({ group: '', name: '' }, '', [invalidValue('patch', before, problem)]);
  }
  if (asked === FieldValidation.Warn) for (const problem of problems.slice(0, MAX_WARNINGS)) request.warn(problem);
}

/** The names in a query or a DeleteOptions that say "do not store it". */
export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

/** Of a JSON body that may be empty. @throws {ApiError} 400 */
export function optionsFrom(body: Buffer, contentType: string): JsonMap {
  if (body.length === 0) return {};
  try {
    return mapOf(parseBody(body, mediaType(contentType)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding options: ${jsonProblem(error, body.toString())}`);
  }
}
