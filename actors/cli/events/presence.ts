// The existence of an object that the caller names, as far as the cluster answers.
import { join } from 'node:path';
import type { Resource } from '../../../adapters/kubernetes/mod.ts';
import { type Address, TerminalError, TroupeError } from '../../../bus/mod.ts';
import type { Config } from '../../base/config.ts';
import { openCluster, refuseAbsentNamespace } from '../cluster.ts';
import type { ClusterDeps } from '../command-context.ts';

/** The object; without a namespace one of that name in any. */
export type EventTarget = Omit<Address, 'namespace'> & { readonly namespaces: readonly string[] | undefined };

/** The cluster whose bus is looked at: that of the `troupe dev` in the folder where no bus is named. */
export function clusterOf(config: Config, folder: string): ClusterDeps['config'] {
  if (config.natsUrl !== undefined || config.kubeconfig !== undefined) return config;
  return { kubeconfig: join(folder, 'kubeconfig'), inCluster: undefined };
}

/** @throws {TerminalError} one of them does not exist; if that is unknown nothing is thrown */
export async function refuseAbsent(deps: ClusterDeps, namespaces: readonly string[]): Promise<void> {
  if (namespaces.length === 0) return;
  let cluster: ReturnType<typeof openCluster>;
  try {
    cluster = openCluster(deps);
  } catch (error) {
    if (error instanceof TroupeError) return;
    throw error;
  }
  try {
    for (const namespace of namespaces) await refuseAbsentNamespace(cluster.client, namespace);
  } catch (error) {
    if (error instanceof TerminalError || !(error instanceof TroupeError)) throw error;
  } finally {
    await cluster.close();
  }
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
    // No kubeconfig, no permission, or no answer.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}
