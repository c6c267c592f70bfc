// Existence of an object, as a query to the cluster.
import { join } from 'node:path';
import type { Resource } from '../../../adapters/kubernetes/mod.ts';
import { type Address, TroupeError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { type ClusterDeps, openCluster } from '../cluster.ts';

/** Identity of an object; without a namespace one of that name in any. */
export type EventTarget = Omit<Address, 'namespace'> & { readonly namespaces: readonly string[] | undefined };

/** The cluster whose bus is looked at: that of the `troupe dev` in the folder where no bus is named. */
export function clusterOf(config: Config, folder: string): ClusterDeps['config'] {
  if (config.natsUrl !== undefined || config.kubeconfig !== undefined) return config;
  return { kubeconfig: join(folder, 'kubeconfig'), inCluster: undefined };
}

/** @returns undefined if that is unknown */
export async function isThere(deps: ClusterDeps, { namespaces, ...target }: EventTarget): Promise<boolean | undefined> {
  try {
    const cluster = openCluster(deps);
    try {
      const resource = cluster.registry.resource(target) as Resource;
      const places = resource.scope === 'Cluster' ? [undefined] : (namespaces ?? [undefined]);
      for (const namespace of places) {
        if ((await cluster.objects.list(resource, namespace, target.name)).items.length > 0) return true;
      }
      return false;
    } finally {
      await cluster.close();
    }
  } catch (error) {
    // No kubeconfig, no permission, or no response.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}
