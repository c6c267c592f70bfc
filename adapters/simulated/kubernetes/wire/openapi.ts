// OpenAPI: a document of version 3 for each group and version, and all of them as one of version 2, for clients that
// know no other. Documents are made when they are asked for, and kept until what is served changes.
import { createHash } from 'node:crypto';
import { isMap, type JsonMap, listOf, mapOf, stringOf } from '../../../text/json.ts';
import { notAcceptable } from '../base/api-error.ts';
import type { Registry, Resource } from '../resources/api.ts';
import type { Sent } from './http.ts';
import { pathsOf } from './openapi-paths.ts';
import { openApiProtobuf } from './openapi-protobuf.ts';
import { componentsOf, kindOfV2, mapValues, schemaOfV2 } from './openapi-schemas.ts';

const INFO = { title: 'Kubernetes', version: '1.35' } as const;

/** The names of version 2 in protobuf, which differ in one character between old and new clients. */
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const PROTOBUF_TYPES = [PROTOBUF_TYPE, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'];

interface Document {
  readonly json: JsonMap;
  readonly text: string;
  readonly hash: string;
}

function documentOf(resources: readonly Resource[]): Document {
  const json = {
    openapi: '3.0.0',
    info: INFO,
    paths: Object.assign({}, ...resources.map(pathsOf)) as JsonMap,
    components: { schemas: componentsOf(resources) },
  };
  const text = JSON.stringify(json);
  return { json, text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
}

/** All documents of version 3 as one of version 2. */
function versionTwo(documents: readonly Document[]): JsonMap {
  const result: { paths: JsonMap; definitions: JsonMap } = { paths: {}, definitions: {} };
  for (const { json } of documents) {
    Object.assign(result.paths, mapValues(mapOf(json['paths']), pathOfV2));
    Object.assign(result.definitions, mapValues(mapOf(mapOf(json['components'])['schemas']), kindOfV2));
  }
  const definitions = Object.entries(result.definitions).sort(([a], [b]) => (a < b ? -1 : 1));
  return { swagger: '2.0', info: INFO, paths: result.paths, definitions: Object.fromEntries(definitions) };
}

function pathOfV2(path: unknown): JsonMap {
  const { parameters, ...operations } = mapOf(path);
  return {
    ...mapValues(operations, operationOfV2),
    ...(parameters === undefined ? {} : { parameters: listOf(parameters).map(parameterOfV2) }),
  };
}

function parameterOfV2(parameter: unknown): JsonMap {
  const { schema, ...rest } = mapOf(parameter);
  return { ...rest, ...mapOf(schema) };
}

function operationOfV2(operation: unknown): JsonMap {
  const { requestBody, responses, parameters, ...rest } = mapOf(operation);
  const asked = mapOf(mapOf(requestBody)['content']);
  const body = Object.values(asked).map((content) => ({
    name: 'body',
    in: 'body',
    required: true,
    schema: schemaOfV2(mapOf(content)['schema']),
  }));
  return {
    consumes: requestBody === undefined ? ['application/json', 'application/yaml'] : Object.keys(asked),
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    ...rest,
    parameters: [...body.slice(0, 1), ...listOf(parameters).map(parameterOfV2)],
    responses: mapValues(mapOf(responses), (response) => {
      const { description, content } = mapOf(response);
      const [first] = Object.values(mapOf(content));
      return isMap(first) ? { description, schema: schemaOfV2(first['schema']) } : { description };
    }),
  };
}

/** Answers `/openapi/v3`, what is beneath it, and `/openapi/v2`; undefined for everything else. */
export type OpenApi = (path: string, accept: string) => Sent | undefined;

export function openApi(registry: Registry): OpenApi {
  let generation = -1;
  let documents = new Map<string, Document>();
  let second: JsonMap | undefined;
  const all = (): Map<string, Document> => {
    if (generation === registry.generation()) return documents;
    const byPath = new Map<string, Resource[]>();
    for (const resource of registry.all()) {
      const path = resource.group === '' ? `api/${resource.version}` : `apis/${resource.group}/${resource.version}`;
      byPath.set(path, [...(byPath.get(path) ?? []), resource]);
    }
    documents = new Map([...byPath].map(([path, resources]) => [path, documentOf(resources)]));
    second = undefined;
    generation = registry.generation();
    return documents;
  };
  return (path, accept) => {
    if (path === '/openapi/v3') {
      const paths = [...all()].map(([name, { hash }]) => [
        name,
        { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` },
      ]);
      return { code: 200, body: JSON.stringify({ paths: Object.fromEntries(paths) }) };
    }
    if (path === '/openapi/v2') {
      const type = acceptedType(accept);
      second = all() === documents && second !== undefined ? second : versionTwo([...documents.values()]);
      return type === 'application/json'
        ? { code: 200, body: JSON.stringify(second) }
        : { code: 200, body: openApiProtobuf(second), type };
    }
    const document = path.startsWith('/openapi/v3/') ? all().get(path.slice('/openapi/v3/'.length)) : undefined;
    return document === undefined ? undefined : { code: 200, body: document.text };
  };
}

/** @throws {ApiError} 406 */
function acceptedType(accept: string): string {
  for (const clause of accept.split(',')) {
    const type = stringOf(clause.split(';', 1)[0]).trim();
    if (['', '*/*', 'application/*', 'application/json'].includes(type)) return 'application/json';
    if (PROTOBUF_TYPES.includes(type)) return PROTOBUF_TYPE;
  }
  throw notAcceptable(['application/json', ...PROTOBUF_TYPES]);
}
