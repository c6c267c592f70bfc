// The served resources: one `Resource` for each version of each plural, built in or made by a
// CustomResourceDefinition.

import { copy } from '../../../text/json.ts';
import type { Subject } from '../base/api-error.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { setDefaults } from '../schemas/pruning.ts';
import type { Registry, Resource } from './api.ts';
import { converted, forStorage } from './versions.ts';

export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** Group and plural, as messages about a resource name it. */
export const resourceSubject = ({ group, plural }: Resource): Subject => ({ group, name: plural });

/** Group in which it is stored and kind, as messages about invalid objects name it. */
export const kindSubject = ({ storeKey, kind }: Resource): Subject => ({
  group: storeKey.slice(0, storeKey.indexOf('/')),
  name: kind,
});

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
