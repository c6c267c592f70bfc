// What there is in the cluster, for a person who is about to name it. Only names are read, and nobody waits for long.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { resourcePath } from '../../../adapters/kubernetes/mod.ts';
import { TroupeError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import { systemClock } from '../../base/clock.ts';
import { configure } from '../../process/adapters.ts';
import { named, openCluster } from '../cluster.ts';

export type Looked = { readonly what: 'namespaces' } | { readonly what: 'names'; readonly kind: string };

export interface LookDeps {
  /** Of options, as far as they were said. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether the command looks at the `troupe dev` of the folder where no cluster is named. */
  readonly isOfDev: boolean;
  readonly adapters: readonly Adapter[];
  readonly env: NodeJS.ProcessEnv;
}

/** Longest wait of a person for candidates, in milliseconds. */
const PATIENCE_MS = 2_000;
/** Candidates that are of use. */
const MOST = 500;
const NAMES_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Nothing where that cannot be told. */
export async function lookInCluster(
  asked: Looked,
  { values, isOfDev, adapters, env }: LookDeps,
): Promise<readonly string[]> {
  const clock = systemClock();
  const late = new AbortController();
  try {
    const configured = adapters.map((adapter) => configure(adapter, env, values));
    const kubeconfig = values['kubeconfig'] ?? env['KUBECONFIG'] ?? (isOfDev ? await ofDev(values['data']) : undefined);
    const config = { kubeconfig, context: values['context'], inCluster: undefined };
    const cluster = openCluster({ config, adapters: configured, clock, home: env['HOME'] });
    const { client, registry } = cluster;
    const list = async (): Promise<readonly string[]> => {
      const path =
        asked.what === 'namespaces'
          ? '/api/v1/namespaces'
          : pathOf(named('get', { resources: registry.resources, adapters }, [asked.kind]).resource);
      const { body } = await client.call({ method: 'GET', path: `${path}?limit=${MOST}`, accept: NAMES_ONLY });
      const items = (body['items'] ?? []) as readonly { readonly metadata?: JsonObject }[];
      return items.map(({ metadata }) => String(metadata?.['name'])).sort();
    };
    const pathOf = (resource: Parameters<typeof resourcePath>[0]): string =>
      resourcePath(resource, resource.scope === 'Cluster' ? undefined : (values['namespace'] ?? client.namespace));
    try {
      return await Promise.race([list(), clock.sleep(PATIENCE_MS, late.signal).then(() => [])]);
    } finally {
      late.abort();
      await cluster.close();
    }
  } catch (error) {
    // No kubeconfig, no right to look, no such kind, nobody who answers.
    if (error instanceof TroupeError) return [];
    throw error;
  }
}

/** The kubeconfig of the `troupe dev` in a folder, if it has one. */
async function ofDev(folder = '.troupe'): Promise<string | undefined> {
  const path = join(folder, 'kubeconfig');
  return await access(path).then(
    () => path,
    () => undefined,
  );
}
