// CustomResourceDefinitions: when one is written, its resources are served at once; when one is deleted, its objects
// are deleted first.

import { copy, dig, isMap, type JsonMap, listOf, mapOf, same, stringOf } from '../../../text/json.ts';
import { recordUpdate } from '../apply/ownership.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import { deleteObject } from '../objects/lifecycle.ts';
import type { Api } from '../resources/api.ts';
import { type Resource, timeText } from '../resources/api.ts';
import type { Stored } from '../storage/store.ts';
import { DEFINITION_COLUMNS } from '../wire/columns.ts';
import { builtin } from './builtins.ts';
import { isEstablished, judgeNames, type TakenNames, takenNames } from './definition-names.ts';
import { namesOf, resourcesOf } from './definition-resources.ts';
import { validateDefinition } from './definition-rules.ts';

export const DEFINITIONS_KEY = storeKeyOf('apiextensions.k8s.io', 'customresourcedefinitions');

/** Reports that a definition is served. */
const STATUS_WRITER = {
  manager: 'kube-apiserver',
  apiVersion: 'apiextensions.k8s.io/v1',
  subresource: 'status',
  ignored: ['spec'],
  blank: {},
  version: () => undefined, // there is but one
} as const;

/** Keeps a definition until its objects are deleted. */
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The resource of the definitions themselves. */
export function definitionResource(): Resource {
  return builtin({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    columns: DEFINITION_COLUMNS,
    // The hash that clients see is that of the first version there was.
    storageVersion: 'v1beta1',
    strategy: {
      allowsUnconditionalUpdate: false,
      hasGeneration: true,
      lastFinalizer: CLEANUP_FINALIZER,
      complete: completeDefinition,
      prepare: prepareDefinition,
      validate: (next, old) => validateDefinition(next, old),
    },
  });
}

/** Fills in the names that follow from others. */
function completeDefinition(next: KubeObject): void {
  const spec = { ...mapOf(next['spec']) };
  const names = { ...mapOf(spec['names']) };
  const kind = stringOf(names['kind']);
  if (stringOf(names['singular']) === '') names['singular'] = kind.toLowerCase();
  if (stringOf(names['listKind']) === '') names['listKind'] = `${kind}List`;
  spec['names'] = names;
  if (spec['conversion'] === undefined) spec['conversion'] = { strategy: 'None' };
  const service = dig(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (isMap(service) && service['port'] === undefined) {
    spec['conversion'] = copy(spec['conversion']);
    mapOf(dig(spec, 'conversion', 'webhook', 'clientConfig', 'service'))['port'] = 443;
  }
  if (spec['preserveUnknownFields'] === false) delete spec['preserveUnknownFields'];
  next['spec'] = spec;
}

/** Keeps the status on spec writes, and the spec on status writes. */
function prepareDefinition(next: KubeObject, old: KubeObject | undefined, subresource: string): void {
  if (subresource === 'status') {
    if (old !== undefined) next['spec'] = old['spec'];
    return;
  }
  const status = mapOf(old?.['status'] ?? { conditions: null, acceptedNames: { plural: '', kind: '' } });
  const stored = listOf(status['storedVersions']);
  const versions = listOf(dig(next, 'spec', 'versions')).map(mapOf);
  const storage = versions.filter(({ storage }) => storage === true).map(({ name }) => name);
  next['status'] = { ...status, storedVersions: [...stored, ...storage.filter((name) => !stored.includes(name))] };
}

/** The place of a definition beside others of its group: the names it gets, and whether it is served. */
function settledStatus(object: KubeObject, taken: TakenNames, time: string): JsonMap {
  const spec = mapOf(object['spec']);
  const before = listOf(dig(object, 'status', 'conditions')).filter(isMap);
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string): JsonMap => {
    const old = before.find((one) => one['type'] === type && one['status'] === status);
    return { lastTransitionTime: old?.['lastTransitionTime'] ?? time, message, reason, status, type };
  };
  const { accepted, refusal } = judgeNames(object, taken);
  const isServed = refusal === undefined || isEstablished(object);
  const storage = listOf(spec['versions'])
    .filter(isMap)
    .find((version) => version['storage'] === true);
  const stored = new Set([...listOf(dig(object, 'status', 'storedVersions')), stringOf(storage?.['name'])]);
  return {
    acceptedNames: accepted,
    conditions: [
      refusal === undefined
        ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found')
        : condition('NamesAccepted', 'False', refusal.reason, refusal.message),
      isServed
        ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
        : condition('Established', 'False', 'NotAccepted', 'not all names are accepted'),
      ...before.filter((one) => one['type'] !== 'NamesAccepted' && one['type'] !== 'Established'),
    ],
    storedVersions: [...stored],
  };
}

/** A definition as it was stored, and what it serves. */
export interface CompiledDefinition {
  readonly object: KubeObject;
  readonly resources: readonly Resource[];
}

/** All definitions that are served and convert nothing, for another server to begin with. */
export function compiledDefinitions({ store, registry }: Api): readonly CompiledDefinition[] {
  return store
    .collection(DEFINITIONS_KEY)
    .list(undefined, '')
    .filter(({ object }) => dig(object, 'spec', 'conversion', 'strategy') === 'None')
    .map(({ object }) => ({ object, resources: registry.ofStoreKey(storeKey(object)) }));
}

/**
 * Follows the definitions in the store: serves, stops serving, cleans up.
 *
 * @param compiled  stored at once, without being compiled again
 */
export function followDefinitions(api: Api, compiled: readonly CompiledDefinition[] = []): void {
  const { store, registry, clock } = api;
  const given = new Map(compiled.map(({ object, resources }) => [object.metadata.name ?? '', resources]));
  const definitions = store.collection(DEFINITIONS_KEY);
  const definition = definitionResource();
  /** Definitions without their versions: these are most of a text, which is parsed once and not for each of the others. */
  const outlines = new WeakMap<Stored, KubeObject>();
  const outlineOf = (stored: Stored): KubeObject => {
    const known = outlines.get(stored);
    if (known !== undefined) return known;
    const { object } = stored;
    const outline = { ...object, spec: { ...(object['spec'] as JsonMap), versions: [] } };
    outlines.set(stored, outline);
    return outline;
  };
  const siblings = (object: KubeObject): Stored[] => {
    const group = dig(object, 'spec', 'group');
    const { name } = object.metadata;
    return definitions
      .list(undefined, '')
      .filter((other) => other.metadata.name !== name && dig(outlineOf(other), 'spec', 'group') === group);
  };
  const settle = (stored: Stored): void => {
    const { object } = stored;
    const { name = '', deletionTimestamp } = object.metadata;
    // A later write may have come since: it is handled by its own run.
    if (deletionTimestamp !== undefined || definitions.get('', name) !== stored) return;
    const taken = takenNames(siblings(object).map(outlineOf));
    const status = settledStatus(object, taken, timeText(clock.now()));
    if (same(status, object['status'])) return;
    const next = { ...object, metadata: { ...object.metadata }, status };
    recordUpdate(object, next, { ...STATUS_WRITER, schema: definition.schema, time: timeText(clock.now()) });
    definitions.put(next);
  };
  definitions.follow(({ type, stored, previous }) => {
    const { object } = stored;
    const key = storeKey(object);
    if (type === 'DELETED') {
      registry.remove(key);
      store.drop(key);
      // Its names are free for who could not have them.
      for (const other of siblings(object)) queueMicrotask(() => settle(other));
      return;
    }
    const { name = '', deletionTimestamp, finalizers = [] } = object.metadata;
    const wasServed = previous !== undefined && registry.ofStoreKey(key).length > 0;
    const changed =
      !wasServed ||
      !same(object['spec'], previous?.object['spec']) ||
      !same(namesOf(object), namesOf(previous?.object));
    if (isEstablished(object) && changed) registry.set(key, given.get(name) ?? resourcesOf(object, api));
    given.delete(name);
    if (deletionTimestamp === undefined) {
      queueMicrotask(() => settle(stored));
    } else if (finalizers.includes(CLEANUP_FINALIZER)) {
      queueMicrotask(() => cleanUp(api, key, name));
    }
  });
  for (const { object } of compiled) definitions.put(object);
  // When the last object goes, so does a definition that waits for it.
  store.follow((collection, { type }) => {
    if (type !== 'DELETED' || collection.count() > 0) return;
    const slash = collection.key.indexOf('/');
    const name = `${collection.key.slice(slash + 1)}.${collection.key.slice(0, slash)}`;
    if (definitions.get('', name)?.metadata.deletionTimestamp !== undefined) {
      queueMicrotask(() => cleanUp(api, collection.key, name));
    }
  });
}

function cleanUp(api: Api, key: string, name: string): void {
  const definitions = api.store.collection(DEFINITIONS_KEY);
  const [resource] = api.registry.ofStoreKey(key);
  const objects = api.store.collection(key);
  if (resource !== undefined) {
    for (const { metadata } of objects.list(undefined, '')) {
      const { namespace = '', name: one = '', deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined) continue;
      const preconditions = { uid: undefined, resourceVersion: undefined };
      deleteObject(api, resource, objects, namespace, one, { preconditions, dryRun: false, propagation: '' });
    }
  }
  const definition = definitions.get('', name)?.object;
  if (definition?.metadata.deletionTimestamp === undefined || objects.count() > 0) return;
  const { finalizers = [], ...metadata } = definition.metadata;
  const rest = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  if (rest.length === 0) definitions.remove('', name);
  else if (rest.length < finalizers.length)
    definitions.put({ ...definition, metadata: { ...metadata, finalizers: rest } });
}

function storeKey(object: KubeObject): string {
  return storeKeyOf(stringOf(dig(object, 'spec', 'group')), stringOf(dig(object, 'spec', 'names', 'plural')));
}
