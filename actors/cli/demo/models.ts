// The model of the demo: its objects are actors like all others, and are served over HTTP.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { REALM, ROLE } from '../../../adapters/ocm/kinds/resource.ts';
import { toErrorData } from '../../../bus/mod.ts';
import { modelAdapterOf } from '../../process/load-models.ts';
import type { Gateway, StartGateway } from '../../process/run.ts';
import { gatewayOf } from '../model/gateway.ts';
import { SMALL_MODEL } from '../small-model.ts';
import { NAMESPACE } from './landscape.ts';

export interface ModelInUse {
  /** Kinds of the model. */
  readonly adapter: Adapter;
  readonly role: string;
  readonly start: StartGateway;
}

const GROUP = 'fleet.models.troupe.dev/';
const CLUSTERS = '/api/fleet/v1/clusters';
const ASKED = `a model over HTTP: GET ${CLUSTERS}`;

/** The model of the samples; undefined where the adapters have models already, which were named. */
export function modelInUse(adapters: readonly Adapter[]): ModelInUse | undefined {
  if (adapters.some(({ realm }) => realm === REALM)) return undefined;
  const start = gatewayOf({
    env: {},
    options: { 'ocm-bind-address': '127.0.0.1:0', 'ocm-namespace': NAMESPACE },
    models: SMALL_MODEL,
    roles: new Set([ROLE]),
    isNamed: true,
    purpose: 'development',
  });
  return start && { adapter: modelAdapterOf(SMALL_MODEL, 'self'), role: ROLE, start };
}

/** Whether an object is one of the model. */
export function isModeled({ manifest }: { readonly manifest: { readonly apiVersion?: unknown } }): boolean {
  return String(manifest.apiVersion).startsWith(GROUP);
}

/** Path of the list of clusters. */
export function clustersAt({ url }: Pick<Gateway, 'url'>): string {
  return url + CLUSTERS;
}

export interface ClustersDeps {
  readonly gateway: Pick<Gateway, 'url' | 'onChange'>;
  readonly fetch: typeof globalThis.fetch;
}

/** All are listed, as the line says; or what is wrong. */
export type ClustersFound = { readonly line: string; readonly problem?: undefined } | { readonly problem: string };

/**
 * Asks for the clusters over HTTP until all of them are listed: again after each change of what is served.
 *
 * @param names  of the clusters that were made
 * @param limit  aborted at the deadline
 */
export async function clustersOverHttp(
  { gateway, fetch }: ClustersDeps,
  names: readonly string[],
  limit: AbortSignal,
): Promise<ClustersFound> {
  let wake = Promise.withResolvers<void>();
  const look = (): void => wake.resolve();
  const unfollow = gateway.onChange(look);
  limit.addEventListener('abort', look);
  let problem = 'does not answer';
  try {
    while (!limit.aborted) {
      wake = Promise.withResolvers();
      try {
        const answer = await fetch(clustersAt(gateway), { signal: limit });
        const { items = [] } = (await answer.json()) as { items?: readonly { name: string; state: string }[] };
        const missing = names.filter((name) => !items.some((item) => item.name === name));
        if (missing.length === 0) {
          const listed = items.map(({ name, state }) => `${name} ${state}`).join(', ');
          return { line: `${ASKED} answers ${answer.status} with ${items.length} clusters: ${listed}` };
        }
        problem = `answers ${answer.status} without ${missing.join(', ')}`;
      } catch (error) {
        // At the deadline, what was last answered says more.
        if (!limit.aborted) problem = `failed: ${toErrorData(error).message}`;
      }
      if (!limit.aborted) await wake.promise;
    }
    return { problem: `${ASKED} ${problem}` };
  } finally {
    unfollow();
    limit.removeEventListener('abort', look);
  }
}
