// Everything that the API server has of all resources.
import type { Logger } from 'pino';
import { compareVersions, type Objects, type Resource } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Address, internAddress, toErrorData } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';

export interface ListAllDeps {
  readonly objects: Pick<Objects, 'list'>;
  readonly registry: { readonly resources: Iterable<Resource> };
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly log: Logger;
}

/**
 * One list request per resource, sequentially, each result passed on immediately: all of them at once would need more
 * memory than the process needs otherwise.
 *
 * @returns the resourceVersion of the oldest list; undefined when the API server serves none of the resources yet
 * @throws {TransientError} the API server is away
 */
export async function readAll(
  { objects, registry, namespaces, log }: ListAllDeps,
  take: (address: Address, object: KubeObject) => Promise<void>,
): Promise<string | undefined> {
  let floor: string | undefined;
  for (const resource of registry.resources) {
    const { realm, plural } = resource;
    try {
      for (const place of placesOf(resource, namespaces)) {
        const { items, resourceVersion } = await objects.list(resource, place);
        if (floor === undefined || compareVersions(resourceVersion, floor) < 0) floor = resourceVersion;
        for (const object of items) {
          const { namespace = '', name } = object.metadata;
          await take(internAddress({ realm, plural, namespace, name }), object);
        }
      }
    } catch (error) {
      const { code, message } = toErrorData(error);
      if (code !== 'absent') throw error;
      log.debug({ plural, error: message }, 'the API server does not have this resource yet');
    }
  }
  return floor;
}

/** Namespaces in which the objects of a resource are listed; undefined: all, or none for cluster-scoped resources. */
export function placesOf(
  { scope }: Pick<Resource, 'scope'>,
  namespaces: readonly string[] | undefined,
): readonly (string | undefined)[] {
  return scope === 'Cluster' ? [undefined] : (namespaces ?? [undefined]);
}

/** All objects of a resource in these namespaces; none where the API server does not have it. */
export async function listAll(
  objects: Pick<Objects, 'list'>,
  resource: Resource,
  namespaces: readonly string[] | undefined,
): Promise<readonly KubeObject[]> {
  try {
    const lists = await Promise.all(placesOf(resource, namespaces).map((place) => objects.list(resource, place)));
    return lists.flatMap(({ items }) => items);
  } catch (error) {
    if (error instanceof AbsentError) return [];
    throw error;
  }
}
