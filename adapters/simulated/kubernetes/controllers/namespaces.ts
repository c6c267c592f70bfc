// The life of namespaces: what is made with one, and how one that is deleted empties and vanishes.

import { dig, isMap, type JsonMap, listOf, same } from '../../../text/json.ts';
import type { KubeObject } from '../base/kube-object.ts';
import { storeKeyOf } from '../base/store-key.ts';
import { deleteObject } from '../objects/lifecycle.ts';
import type { Resource } from '../resources/api.ts';
import { type Api, fillSystemFields, timeText } from '../resources/api.ts';
import type { Stored } from '../storage/stored.ts';

export const NAMESPACES_KEY = storeKeyOf('', 'namespaces');
const FINALIZER = 'kubernetes';

/** There at the start. */
const INITIAL = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Makes the first namespaces, and follows what becomes of all. */
export function followNamespaces(api: Api): void {
  const namespaces = api.store.collection(NAMESPACES_KEY);
  const pending = new Set<string>();
  const schedule = (name: string): void => {
    if (pending.has(name)) return;
    pending.add(name);
    queueMicrotask(() => {
      pending.delete(name);
      finalize(api, name);
    });
  };
  api.store.follow((collection, { type, stored: { metadata } }) => {
    const { name = '', namespace = '' } = metadata;
    if (collection.key === NAMESPACES_KEY) {
      if (type !== 'DELETED' && metadata.deletionTimestamp !== undefined) schedule(name);
    } else if (namespace !== '') {
      const holder = namespaces.get('', namespace);
      if (holder?.metadata.deletionTimestamp !== undefined) schedule(namespace);
    }
  });
  for (const name of INITIAL) {
    if (namespaces.get('', name) !== undefined) continue;
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: [FINALIZER] },
      status: { phase: 'Active' },
    };
    fillSystemFields(api, object.metadata);
    namespaces.put(object);
  }
}

/** Deletes what is in a terminating namespace; when nothing is left, the namespace too. */
function finalize(api: Api, name: string): void {
  const namespaces = api.store.collection(NAMESPACES_KEY);
  if (namespaces.get('', name)?.metadata.deletionTimestamp === undefined) return;
  for (const { resource, collection } of namespaced(api)) {
    if (collection.count(name) === 0) continue;
    for (const { metadata } of collection.list(name, '')) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const preconditions = { uid: undefined, resourceVersion: undefined };
      const deletion = { preconditions, dryRun: false, propagation: '' };
      deleteObject(api, resource, collection, name, metadata.name ?? '', deletion);
    }
  }
  const remaining = namespaced(api)
    .map(({ resource, collection }) => ({
      resource,
      objects: collection.count(name) === 0 ? [] : collection.list(name, ''),
    }))
    .filter(({ objects }) => objects.length > 0);
  const current = namespaces.get('', name)?.object;
  if (current === undefined) return;
  if (remaining.length === 0) {
    const rest = listOf(dig(current, 'spec', 'finalizers')).filter((finalizer) => finalizer !== FINALIZER);
    if (rest.length === 0 && (current.metadata.finalizers ?? []).length === 0) namespaces.remove('', name);
    else if (!same(rest, listOf(dig(current, 'spec', 'finalizers'))))
      namespaces.put({ ...current, spec: rest.length === 0 ? {} : { finalizers: rest } });
    return;
  }
  const status = { phase: 'Terminating', conditions: conditionsOf(remaining, current, timeText(api.clock.now())) };
  if (!same(status, current['status'])) namespaces.put({ ...current, status });
}

/** One resource for each namespaced collection. */
function namespaced(api: Api): { resource: Resource; collection: ReturnType<Api['store']['collection']> }[] {
  const seen = new Map<string, Resource>();
  for (const resource of api.registry.all())
    if (resource.namespaced && !seen.has(resource.storeKey)) seen.set(resource.storeKey, resource);
  return [...seen.values()].map((resource) => ({ resource, collection: api.store.collection(resource.storeKey) }));
}

interface Remaining {
  readonly resource: Resource;
  readonly objects: readonly Stored[];
}

function conditionsOf(remaining: readonly Remaining[], { status }: KubeObject, time: string): JsonMap[] {
  const before = listOf(dig(status, 'conditions')).filter(isMap);
  const condition = (type: string, isTrue: boolean, reason: string, message: string): JsonMap => {
    const value = isTrue ? 'True' : 'False';
    const old = before.find((one) => one['type'] === type && one['status'] === value);
    return { lastTransitionTime: old?.['lastTransitionTime'] ?? time, message, reason, status: value, type };
  };
  const counts = new Map<string, number>();
  for (const { objects } of remaining) {
    for (const finalizer of objects.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
      counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  const resources = remaining.map(({ resource, objects }) => {
    return `${resource.plural}.${resource.group} has ${objects.length} resource instances`;
  });
  const finalizers = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      false,
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    condition(
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    condition(
      'NamespaceContentRemaining',
      true,
      'SomeResourcesRemain',
      `Some resources are remaining: ${resources.sort().join(', ')}`,
    ),
    finalizers.length === 0
      ? condition(
          'NamespaceFinalizersRemaining',
          false,
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : condition(
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`,
        ),
  ];
}
