// The paths of the documents of OpenAPI v3: which operations there are and which parameters they take, by which clients
// learn that a server validates fields and can try without doing.

import type { JsonMap } from '../../../text/json.ts';
import type { Resource } from '../resources/api.ts';
import { componentName, DELETE_OPTIONS_NAME, PATCH_NAME, refer, STATUS_NAME } from './openapi-schemas.ts';

const parameter = (name: string, type = 'string'): JsonMap => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
});

const WRITING = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => parameter(name));

const LISTING = [
  parameter('allowWatchBookmarks', 'boolean'),
  ...['continue', 'fieldSelector', 'labelSelector'].map((name) => parameter(name)),
  parameter('limit', 'integer'),
  ...['resourceVersion', 'resourceVersionMatch'].map((name) => parameter(name)),
  parameter('sendInitialEvents', 'boolean'),
  parameter('timeoutSeconds', 'integer'),
  parameter('watch', 'boolean'),
];

const DELETING = [
  parameter('dryRun'),
  parameter('gracePeriodSeconds', 'integer'),
  parameter('orphanDependents', 'boolean'),
  parameter('propagationPolicy'),
];

const MEDIA_TYPES = ['application/json', 'application/yaml'];
const PATCH_TYPES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];

interface Operation {
  /** `read`, `list`, `create` and so on: how the operation's id begins. */
  readonly verb: string;
  readonly action: string;
  readonly parameters: readonly JsonMap[];
  /** Names of schemas. */
  readonly takes?: string;
  readonly gives: string;
  readonly created?: true;
  /** Name of the subject, where that is another kind than the one of the path. */
  readonly about?: Resource;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `apps` and `v1` become `AppsV1`; of groups with dots the last two parts go when they are those of Kubernetes. */
function prefixOf({ group, version }: Resource): string {
  const words = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split('.');
  return words.map(capital).join('') + capital(version);
}

function operation(
  resource: Resource,
  below: string,
  { verb, action, parameters, takes, gives, created }: Operation,
): JsonMap {
  const { group, version, kind, namespaced, builtin } = resource;
  const content = (types: readonly string[], name: string): JsonMap =>
    Object.fromEntries(types.map((type) => [type, { schema: { $ref: refer(name) } }]));
  const answer = { description: 'OK', content: content(MEDIA_TYPES, gives) };
  const patches = builtin ? [...PATCH_TYPES, 'application/strategic-merge-patch+json'] : PATCH_TYPES;
  return {
    tags: [group === '' ? `core_${version}` : `${group}_${version}`],
    operationId: `${verb}${prefixOf(resource)}${namespaced ? 'Namespaced' : ''}${kind}${capital(below)}`,
    parameters,
    ...(takes === undefined
      ? {}
      : { requestBody: { content: content(action === 'patch' ? patches : MEDIA_TYPES, takes), required: true } }),
    responses: {
      '200': answer,
      ...(created === true ? { '201': answer } : {}),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}

/** The paths of a resource and of what is beneath its objects. */
export function pathsOf(resource: Resource): JsonMap {
  const { group, version, plural, namespaced, subresources, verbs, actions = {} } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const name = componentName(resource);
  const inPath = (parts: readonly string[]): JsonMap[] =>
    parts.map((part) => ({ name: part, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }));
  const place = namespaced ? ['namespace'] : [];
  const make = (below: string, one: Operation): JsonMap => operation(resource, below, one);
  const listing: Operation = { verb: 'list', action: 'list', parameters: LISTING, gives: `${name}List` };
  const creating: Operation = {
    verb: 'create',
    action: 'post',
    parameters: WRITING,
    takes: name,
    gives: name,
    created: true,
  };
  const objectOperations = (below: string): JsonMap => ({
    get: make(below, { verb: 'read', action: 'get', parameters: [], gives: name }),
    put: make(below, {
      verb: 'replace',
      action: 'put',
      parameters: WRITING,
      takes: name,
      gives: name,
      created: true,
    }),
    patch: make(below, {
      verb: 'patch',
      action: 'patch',
      parameters: [...WRITING, parameter('force', 'boolean')],
      takes: PATCH_NAME,
      gives: name,
    }),
    parameters: inPath(['name', ...place]),
  });
  if (actions[''] !== undefined) {
    return { [collection]: { post: make('', creating), parameters: inPath(place) } };
  }
  const clearing = { ...listing, verb: 'deletecollection', action: 'deletecollection', gives: STATUS_NAME };
  const paths: JsonMap = {
    [collection]: {
      get: make('', listing),
      post: make('', creating),
      ...(verbs.includes('deletecollection') ? { delete: make('', clearing) } : {}),
      parameters: inPath(place),
    },
    [`${collection}/{name}`]: {
      ...objectOperations(''),
      delete: make('', {
        verb: 'delete',
        action: 'delete',
        parameters: DELETING,
        takes: DELETE_OPTIONS_NAME,
        gives: STATUS_NAME,
      }),
    },
  };
  if (namespaced) paths[`${root}/${plural}`] = { get: make('ForAllNamespaces', listing) };
  for (const below of subresources) paths[`${collection}/{name}/${below}`] = objectOperations(below);
  for (const [below, { body }] of Object.entries(actions)) {
    const asked = componentName(body);
    paths[`${collection}/{name}/${below}`] = {
      post: make(below, { ...creating, takes: asked, gives: asked }),
      parameters: inPath(['name', ...place]),
    };
  }
  return paths;
}
