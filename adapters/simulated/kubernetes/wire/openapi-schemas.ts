// The schemas of the documents of OpenAPI v3: those of built-in kinds from their types, those of custom kinds from
// their definitions, and the lists of both.

import { isMap, type JsonMap, listOf, mapOf } from '../../../text/json.ts';
import type { Resource } from '../resources/api.ts';
import { kindTypeName, TYPES } from '../schemas/builtin/mod.ts';
import { KIND_DESCRIPTIONS, META_PACKAGE, publishedType, references } from '../schemas/types.ts';

const OBJECT_META_NAME = `${META_PACKAGE}.ObjectMeta`;
const LIST_META_NAME = `${META_PACKAGE}.ListMeta`;
export const DELETE_OPTIONS_NAME = `${META_PACKAGE}.DeleteOptions`;
export const STATUS_NAME = `${META_PACKAGE}.Status`;
export const PATCH_NAME = `${META_PACKAGE}.Patch`;

/** Types that are no structures but have names of their own. */
const PLAIN_SCHEMAS: Readonly<Record<string, JsonMap>> = {
  [`${META_PACKAGE}.Time`]: { description: 'An instant, as RFC 3339 writes it.', type: 'string', format: 'date-time' },
  [`${META_PACKAGE}.MicroTime`]: { description: 'An instant with microseconds.', type: 'string', format: 'date-time' },
  [PATCH_NAME]: { description: 'A change of an object, in one of several notations.', type: 'object' },
};

export const refer = (name: string): string => `#/components/schemas/${name}`;

/** The name of a kind among the components: the group's parts reversed, the version, the kind. */
export function componentName({ group, version, kind, builtin }: Resource): string {
  return builtin ? kindTypeName(group, kind) : [...group.split('.').reverse(), version, kind].join('.');
}

/** The schemas that some resources need, by name: their own, their lists', and what these refer to. */
export function componentsOf(resources: readonly Resource[]): JsonMap {
  const components: JsonMap = {};
  const add = (name: string, schema: JsonMap): void => {
    components[name] = schema;
    for (const next of references(schema)) if (components[next] === undefined) addNamed(next);
  };
  const addNamed = (name: string): void => {
    const type = TYPES.get(name);
    add(name, PLAIN_SCHEMAS[name] ?? (type === undefined ? {} : publishedType(type, refer)));
  };
  for (const name of [DELETE_OPTIONS_NAME, STATUS_NAME, PATCH_NAME]) addNamed(name);
  for (const resource of resources) {
    const name = componentName(resource);
    add(name, { ...(resource.builtin ? builtinSchema(name) : customSchema(resource)), ...extensionsOf(resource) });
    if (resource.verbs.includes('list')) add(`${name}List`, listSchema(resource, name));
    for (const { body } of Object.values(resource.actions ?? {})) {
      const below = componentName(body);
      if (components[below] === undefined) add(below, { ...builtinSchema(below), ...extensionsOf(body) });
    }
  }
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function builtinSchema(name: string): JsonMap {
  const type = TYPES.get(name);
  if (type === undefined) throw new Error(`no type is called '${name}'`);
  return publishedType(type, refer);
}

/** Extensions of a schema about its kind. */
function extensionsOf({ group, version, kind, builtin, selectable }: Resource): JsonMap {
  const fields = builtin ? [] : Object.keys(selectable).map((fieldPath) => ({ fieldPath }));
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(fields.length === 0 ? {} : { 'x-kubernetes-selectable-fields': fields }),
  };
}

/** The common members of all objects replace those of the definition. */
function customSchema({ rawSchema }: Resource): JsonMap {
  return {
    ...rawSchema,
    type: 'object',
    properties: {
      ...mapOf(rawSchema['properties']),
      apiVersion: { description: KIND_DESCRIPTIONS.apiVersion, type: 'string' },
      kind: { description: KIND_DESCRIPTIONS.kind, type: 'string' },
      metadata: { description: KIND_DESCRIPTIONS.metadata, allOf: [{ $ref: refer(OBJECT_META_NAME) }] },
    },
  };
}

function listSchema({ group, version, kind, listKind, plural }: Resource, name: string): JsonMap {
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { description: KIND_DESCRIPTIONS.apiVersion, type: 'string' },
      items: { description: `List of ${plural}.`, type: 'array', items: { $ref: refer(name) } },
      kind: { description: KIND_DESCRIPTIONS.kind, type: 'string' },
      metadata: { description: 'What every list has.', allOf: [{ $ref: refer(LIST_META_NAME) }] },
    },
    'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
  };
}

/**
 * A schema in OpenAPI v2, which knows less: what old clients would refuse or misread is left out, as the
 * API server leaves it out.
 */
export function schemaOfV2(schema: unknown): JsonMap {
  if (!isMap(schema)) return {};
  const { allOf, ...own } = schema;
  const [single] = listOf(allOf);
  if (isMap(single) && typeof single['$ref'] === 'string') return { ...own, ...schemaOfV2(single) };
  const result: JsonMap = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.includes(key)) continue;
    if (key === '$ref') result[key] = String(value).replace('#/components/schemas/', '#/definitions/');
    else if (key === 'properties') result[key] = mapValues(mapOf(value), schemaOfV2);
    else if (key === 'items' || (key === 'additionalProperties' && isMap(value))) result[key] = schemaOfV2(value);
    else result[key] = value;
  }
  // Any statement about the type would be taken as all there is.
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['nullable'] === true;
  if (isOpen || schema['x-kubernetes-int-or-string'] === true) delete result['type'];
  if (isOpen) for (const key of ['properties', 'items', 'additionalProperties', 'required']) delete result[key];
  return result;
}

const DROPPED = ['nullable', 'default', 'oneOf', 'anyOf', 'allOf', 'not'];

/** A whole object of a kind: open ones are objects all the same. */
export function kindOfV2(schema: unknown): JsonMap {
  const { 'x-kubernetes-preserve-unknown-fields': isOpen, ...rest } = schemaOfV2(schema);
  return isOpen === true ? { ...rest, type: 'object' } : rest;
}

export function mapValues(map: JsonMap, change: (value: unknown) => unknown): JsonMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
