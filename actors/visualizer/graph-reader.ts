// Reads for questions about objects: from the object graph, so that they cost the API server next to nothing, and for objects without a
// lifecycle here, such as Secrets, whether they exist. Of a Secret only metadata is ever asked for (`Resource.metadataOnly`).
import type { KubeClient, Objects, Resource } from '../../adapters/kubernetes/mod.ts';
import { addressKey, type Clock } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { ClusterReader } from '../diagnosis/cluster-reader.ts';
import type { Registry } from '../object/registry.ts';
import type { ObjectGraph } from './object-graph.ts';

export interface GraphReaderDeps {
  readonly objects: Pick<Objects, 'get' | 'list'>;
  readonly client: Pick<KubeClient, 'call'>;
  readonly registry: Registry;
  readonly clock: Pick<Clock, 'now'>;
}

/** Time for which the existence of an object without a lifecycle is remembered, in milliseconds. */
const PRESENCE_MS = 5_000;

export class GraphReader {
  readonly #deps: GraphReaderDeps;
  #presences = new Map<string, Promise<KubeObject | undefined>>();
  #presencesSince = 0;

  constructor(deps: GraphReaderDeps) {
    this.#deps = deps;
  }

  /** Objects of the graph as it is now. */
  of(graph: ObjectGraph): ClusterReader {
    const { objects, client, registry } = this.#deps;
    const byPlace = new Map<string, KubeObject[]>();
    for (const { address, object } of graph.all()) {
      const place = placeKey(address, address.namespace);
      const there = byPlace.get(place);
      if (there === undefined) byPlace.set(place, [object]);
      else there.push(object);
    }
    return new ClusterReader({
      client,
      registry,
      objects: {
        get: (resource, namespace, name) =>
          registry.kind(resource) === undefined
            ? this.#presence(resource, namespace, name)
            : Promise.resolve(graph.object(addressKey({ ...resource, namespace, name }))),
        list: (resource, namespace = '') =>
          registry.kind(resource) === undefined
            ? objects.list(resource, namespace)
            : Promise.resolve({
                items: byPlace.get(placeKey(resource, namespace)) ?? [],
                resourceVersion: '',
                serverTime: 0,
              }),
      },
    });
  }

  #presence(resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined> {
    const now = this.#deps.clock.now();
    if (now >= this.#presencesSince + PRESENCE_MS) {
      this.#presences = new Map();
      this.#presencesSince = now;
    }
    const { realm, plural } = resource;
    const key = addressKey({ realm, plural, namespace, name });
    const known = this.#presences.get(key) ?? this.#deps.objects.get(resource, namespace, name);
    this.#presences.set(key, known);
    return known;
  }
}

function placeKey({ realm, plural }: Pick<Resource, 'realm' | 'plural'>, namespace: string): string {
  return `${realm}/${plural}/${namespace}`;
}
