// The model of the demo: its objects are actors like all others, and are served over HTTP.
import type { Adapter } from '../../../adapters/api/adapter.ts';
import { REALM, ROLE } from '../../../adapters/ocm/kinds/resource.ts';
import type { Clock } from '../../../bus/mod.ts';
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
/** Time within which the API has what the actors have, in milliseconds, and pause between two looks. */
const LAG_MS = 2_000;
const PAUSE_MS = 20;

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

/** One line about the clusters that HTTP lists. @param count  their expected number */
export async function clustersLine(gateway: Gateway, count: number, clock: Clock): Promise<string> {
  const until = clock.now() + LAG_MS;
  for (;;) {
    const answer = await fetch(clustersAt(gateway));
    const { total, items = [] } = (await answer.json()) as {
      total?: number;
      items?: { name: string; state: string }[];
    };
    if (total === count || clock.now() > until) {
      const named = items.map(({ name, state }) => `${name} ${state}`).join(', ');
      return `a model over HTTP: GET ${CLUSTERS} answers ${answer.status} with ${total ?? 0} clusters: ${named}`;
    }
    await clock.sleep(PAUSE_MS);
  }
}
