// What the server serves: one `Resource` for each version of each plural, built in or made by a
// CustomResourceDefinition.

import type { Api, ResourceRequest } from '../api.ts';
import { converted, forStorage, type Versions } from '../conversion/versions.ts';
import { copy, type JsonMap, type KubeObject } from '../json.ts';
import type { FieldError } from '../schemas/field-error.ts';
import { setDefaults } from '../schemas/pruning.ts';
import type { Schema } from '../schemas/schema.ts';
import type { Subject } from '../wire/api-error.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, greater ones only in wide tables. */
  readonly priority: number;
  /** The cell of an object. `nowMs` is what ages are counted from. */
  readonly cell: (object: KubeObject, nowMs: number) => unknown;
}

/** What is particular to a kind. */
export interface Strategy {
  /** What is wrong with a name. */
  nameProblems(name: string): string[];
  /** Whether a replacement may come without a resourceVersion. */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether a replacement of what is not there creates it. */
  readonly createsOnUpdate?: boolean;
  /** Whether the answer to a deletion is the object that was deleted, instead of a report. */
  readonly answersDeletionWithObject?: boolean;
  /** Added to an object that is asked to go: what must be done before it does. */
  readonly lastFinalizer?: string;
  /** Whether `metadata.generation` counts the versions of everything but metadata and status. */
  readonly hasGeneration: boolean;
  /** Fills in what the client could have said itself, and then owns; changes `next` in place. */
  complete(next: KubeObject, old: KubeObject | undefined): void;
  /** Fills in what the server decides and nobody owns; changes `next` in place. `old` is undefined on creation. */
  prepare(next: KubeObject, old: KubeObject | undefined, subresource: string): void;
  /** Refuses what this user must not make of the object; `next` is complete but not yet valid. @throws {ApiError} */
  admit?(api: Api, request: ResourceRequest, next: KubeObject, old: KubeObject | undefined): void;
  /** What is wrong with the object beyond `found`, what its metadata was found to have wrong. */
  validate(
    next: KubeObject,
    old: KubeObject | undefined,
    subresource: string,
    found: readonly FieldError[],
  ): FieldError[];
  /** What the client is told though the object is accepted. */
  warnings(next: KubeObject, old: KubeObject | undefined): string[];
  /** Whether an update is checked like a new object besides being checked as a change. */
  readonly checksWholeOnUpdate: boolean;
}

/** What a POST to a resource or to one of its subresources does, where it does not store an object. */
export interface Action {
  /** What is posted, and answered with. */
  readonly body: Resource;
  /** Whether the answer tells who set which fields of the question. */
  readonly owned: boolean;
  /** The fields of the answer that differ from those of the question. @throws {ApiError} */
  run(api: Api, request: ResourceRequest, object: KubeObject): JsonMap;
}

/** Paths as the definition writes them, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Empty when there is no selector. */
  readonly labelSelector: string;
  /** `specReplicas` of each version of the definition; empty for those without a scale. */
  readonly byVersion: ReadonlyMap<string, string>;
}

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Subresources by name: `status`, `scale`, and `finalize` of namespaces. */
  readonly subresources: readonly string[];
  /** Where the fields of a Scale are in the object, when it has that subresource. */
  readonly scale: ScalePaths | undefined;
  readonly builtin: boolean;
  /** Of the collection in the store; versions of one resource share it. */
  readonly storeKey: string;
  /** The version that is stored, where that is another one. */
  readonly storageVersion?: string;
  readonly schema: Schema;
  /** The JSON of the schema, for OpenAPI. */
  readonly rawSchema: JsonMap;
  readonly columns: readonly Column[];
  /** Fields that fieldSelector may name, beyond metadata.name and metadata.namespace. */
  readonly selectable: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly strategy: Strategy;
  /** By subresource; empty for the resource itself, which then has no objects. */
  readonly actions?: Readonly<Record<string, Action>>;
  /** Revision since which the schema holds; objects stored before may lack its defaults. */
  readonly since: number;
  /** A deprecation warning that accompanies every answer. */
  readonly warning: string | undefined;
  /** Between the stored form and the one of this version, where they differ in more than `apiVersion`. */
  readonly convert:
    | { fromStored(object: KubeObject): KubeObject; toStored(object: KubeObject): KubeObject }
    | undefined;
  /** Of definitions with several versions. */
  readonly versions: Versions | undefined;
}

export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** Group and plural, as messages about a resource name it. */
export const resourceSubject = ({ group, plural }: Resource): Subject => ({ group, name: plural });

/** Group in which it is stored and kind, as messages about invalid objects name it. */
export const kindSubject = ({ storeKey, kind }: Resource): Subject => ({
  group: storeKey.slice(0, storeKey.indexOf('/')),
  name: kind,
});

export interface Registry {
  find(group: string, version: string, plural: string): Resource | undefined;
  /** All resources, in the order they came. */
  all(): readonly Resource[];
  ofStoreKey(storeKey: string): readonly Resource[];
  /** Replaces what is served under a store key. */
  set(storeKey: string, resources: readonly Resource[]): void;
  remove(storeKey: string): void;
  /** Grows with every change: what was derived from the registry is stale then. */
  generation(): number;
}

export function registry(): Registry {
  const byStoreKey = new Map<string, readonly Resource[]>();
  const byPath = new Map<string, Resource>();
  let generation = 0;
  const clear = (storeKey: string): void => {
    for (const old of byStoreKey.get(storeKey) ?? []) byPath.delete(`${old.group}/${old.version}/${old.plural}`);
  };
  return {
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    all: () => [...byStoreKey.values()].flat(),
    ofStoreKey: (storeKey) => byStoreKey.get(storeKey) ?? [],
    set(storeKey, resources) {
      clear(storeKey);
      byStoreKey.set(storeKey, resources);
      for (const one of resources) byPath.set(`${one.group}/${one.version}/${one.plural}`, one);
      generation++;
    },
    remove(storeKey) {
      clear(storeKey);
      byStoreKey.delete(storeKey);
      generation++;
    },
    generation: () => generation,
  };
}

/** Stored under a group and a plural; the core group's name is empty. */
export const storeKeyOf = (group: string, plural: string): string => `${group}/${plural}`;

/** The object in the form of a version of its resource, with the defaults of its present schema. */
export function inVersion(resource: Resource, object: KubeObject): KubeObject {
  const { apiVersion, kind, convert, schema, since, versions } = resource;
  if (convert !== undefined) return convert.fromStored(object);
  if (versions !== undefined && object.apiVersion !== apiVersion) return converted(versions, object, apiVersion);
  const isOld = schema.defaultsBeneath && Number(object.metadata.resourceVersion) <= since;
  const form = isOld ? copy(object) : object;
  if (isOld) setDefaults(schema, form);
  return form.apiVersion === apiVersion && form.kind === kind ? form : { ...form, apiVersion, kind };
}

/** The object in the form in which it is stored. */
export function toStored({ convert, versions }: Resource, object: KubeObject): KubeObject {
  if (convert !== undefined) return convert.toStored(object);
  return versions === undefined ? object : forStorage(versions, object);
}
