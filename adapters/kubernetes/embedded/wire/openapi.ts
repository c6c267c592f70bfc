// OpenAPI v3, as much as kubectl needs: which parameters an operation takes (`fieldValidation` above all), and the
// schemas that `explain` prints and that client-side apply merges by. OpenAPI v2 is not served: kubectl falls back to
// the server's own validation without it.
import { createHash } from 'node:crypto';
import { copy, isList, isMap, type JsonMap, mapOf } from '../json.ts';
import type { Registry, Resource } from '../kinds/resources.ts';
import { SCALE } from '../kinds/scales.ts';
import { OBJECT_META } from '../schemas/schema.ts';

const OBJECT_META_NAME = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

interface Document {
  readonly text: string;
  readonly hash: string;
}

/** The name of a schema among the components: the group's parts reversed, the version, the kind. */
function componentName({ group, version, kind }: Resource): string {
  if (group === SCALE.group) return `io.k8s.api.autoscaling.${version}.${kind}`;
  return [...(group || 'core.api.k8s.io').split('.').reverse(), version, kind].join('.');
}

/** Patch keys, which client-side apply takes from the schema of built-in kinds. */
function withMergeKeys(schema: unknown): unknown {
  if (isList(schema)) return schema.map(withMergeKeys);
  if (!isMap(schema)) return schema;
  const result: JsonMap = {};
  for (const [key, value] of Object.entries(schema)) result[key] = withMergeKeys(value);
  if (schema['x-kubernetes-list-type'] === 'map') {
    const [mergeKey] = schema['x-kubernetes-list-map-keys'] as readonly unknown[];
    result['x-kubernetes-patch-strategy'] = 'merge';
    result['x-kubernetes-patch-merge-key'] = mergeKey;
  } else if (schema['x-kubernetes-list-type'] === 'set') {
    result['x-kubernetes-patch-strategy'] = 'merge';
  }
  return result;
}

/** OpenAPI has no `x-kubernetes-preserve-unknown-fields` maps without a type, nor rules. */
function published(schema: unknown): unknown {
  if (isList(schema)) return schema.map(published);
  if (!isMap(schema)) return schema;
  const result: JsonMap = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isMap(value)) {
      result[key] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, published(child)]));
    } else if (key === 'items' || key === 'additionalProperties' || key === 'not') {
      result[key] = published(value);
    } else if (key === 'x-kubernetes-int-or-string') {
      result[key] = value;
      result['oneOf'] = [{ type: 'integer' }, { type: 'string' }];
    } else {
      result[key] = copy(value);
    }
  }
  return result;
}

function schemaOf(resource: Resource): JsonMap {
  const { group, version, kind, builtin, rawSchema } = resource;
  const body = mapOf(builtin ? withMergeKeys(rawSchema) : published(rawSchema));
  return {
    ...body,
    type: 'object',
    properties: {
      apiVersion: { type: 'string', description: 'APIVersion defines the versioned schema of this representation.' },
      kind: { type: 'string', description: 'Kind is the REST resource this object represents.' },
      ...mapOf(body['properties']),
      metadata: {
        allOf: [{ $ref: `#/components/schemas/${OBJECT_META_NAME}` }],
        default: {},
        description: "Standard object's metadata.",
      },
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  };
}

const parameter = (name: string, type = 'string'): JsonMap => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
});

function operation(
  resource: Resource,
  verb: string,
  action: string,
  parameters: readonly JsonMap[],
  body: boolean,
): JsonMap {
  const { group, version, kind } = resource;
  const schema = { $ref: `#/components/schemas/${componentName(resource)}` };
  const types =
    verb === 'patch'
      ? ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']
      : ['application/json', 'application/yaml'];
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: verb === 'patch' ? { type: 'object' } : schema }]),
  );
  return {
    tags: [group === '' ? `core_${version}` : `${group}_${version}`],
    operationId: `${verb}${kind}`,
    parameters,
    ...(body ? { requestBody: { content, required: true } } : {}),
    responses: { '200': { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}

function pathsOf(resource: Resource): JsonMap {
  const { group, version, plural, namespaced, subresources } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const writing = [parameter('dryRun'), parameter('fieldManager'), parameter('fieldValidation')];
  const listing = ['labelSelector', 'fieldSelector', 'resourceVersion', 'continue'].map((name) => parameter(name));
  const paths: JsonMap = {
    [collection]: {
      get: operation(resource, 'list', 'list', [...listing, parameter('watch', 'boolean')], false),
      post: operation(resource, 'create', 'post', writing, true),
      delete: operation(resource, 'deletecollection', 'deletecollection', listing, false),
    },
  };
  for (const name of ['', ...subresources]) {
    const path = `${collection}/{name}${name === '' ? '' : `/${name}`}`;
    const about = name === 'scale' ? SCALE : resource;
    paths[path] = {
      get: operation(about, 'get', 'get', [], false),
      put: operation(about, 'replace', 'put', writing, true),
      patch: operation(about, 'patch', 'patch', [...writing, parameter('force', 'boolean')], true),
      ...(name === '' ? { delete: operation(resource, 'delete', 'delete', [parameter('dryRun')], false) } : {}),
    };
  }
  return paths;
}

function documentOf(title: string, resources: readonly Resource[]): Document {
  const described = resources.some(({ scale }) => scale !== undefined) ? [...resources, SCALE] : resources;
  const document = {
    openapi: '3.0.0',
    info: { title, version: 'unversioned' },
    paths: Object.assign({}, ...resources.map(pathsOf)) as JsonMap,
    components: {
      schemas: {
        ...Object.fromEntries(described.map((resource) => [componentName(resource), schemaOf(resource)])),
        [OBJECT_META_NAME]: withMergeKeys(OBJECT_META),
      },
    },
  };
  const text = JSON.stringify(document);
  return { text, hash: createHash('sha256').update(text).digest('hex').toUpperCase() };
}

export interface OpenApi {
  /** The JSON of `/openapi/v3`. */
  index(): string;
  /** The JSON of `/openapi/v3/<path>`, or undefined. */
  document(path: string): string | undefined;
}

/** Documents are made when asked for, and kept until the registry changes. */
export function openApi(registry: Registry): OpenApi {
  let generation = -1;
  let documents = new Map<string, Document>();
  const all = (): Map<string, Document> => {
    if (generation === registry.generation()) return documents;
    const byPath = new Map<string, Resource[]>();
    for (const resource of registry.all()) {
      const path = resource.group === '' ? `api/${resource.version}` : `apis/${resource.group}/${resource.version}`;
      byPath.set(path, [...(byPath.get(path) ?? []), resource]);
    }
    documents = new Map([...byPath].map(([path, resources]) => [path, documentOf('Embedded API server', resources)]));
    generation = registry.generation();
    return documents;
  };
  return {
    index() {
      const paths = [...all()].map(([path, { hash }]) => [
        path,
        { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
      ]);
      return JSON.stringify({ paths: Object.fromEntries(paths) });
    },
    document: (path) => all().get(path)?.text,
  };
}
