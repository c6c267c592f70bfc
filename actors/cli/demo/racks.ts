// The machines of the demo: a simulated Ironic with racks of its own, and what became of the hosts.
import type { Settings } from '../../../adapters/api/adapter.ts';
import { simulatedMachine } from '../../../adapters/ironic/dev-backend.ts';
import { GROUP } from '../../../adapters/ironic/mod.ts';
import { type KubeClient, resourcePath } from '../../../adapters/kubernetes/mod.ts';
import { type Simulator, startSimulator, timesDivided } from '../../../adapters/simulated/ironic/mod.ts';
import type { Clock, JsonObject } from '../../../bus/mod.ts';
import type { Texts } from '../../process/adapters.ts';
import type { Inventory } from './cloud.ts';
import { NAMESPACE } from './landscape.ts';

export const HOST = 'BareMetalHost';
/** The host that goes while all else stays up. */
export const RETIRED = 'baremetalhost/old-shop';
const HOSTS = { realm: 'metal3', group: GROUP, version: 'v1alpha1', kind: HOST, plural: 'baremetalhosts' };
/** As many as the samples have hosts. */
const MACHINES = 4;
/** Speed of machines in multiples of real ones, by default: a deployment takes three seconds, not half a minute. */
const SPEED = '10';

export interface Racks {
  /** Undefined: there are no machines, and no hosts to show. */
  readonly simulator: Simulator | undefined;
  /** Options of the adapter that lead to them. */
  readonly options: Texts;
  /** One line. */
  readonly description: string;
  /** Nodes, in the form of the cloud's list. */
  inventory(): Inventory;
}

/**
 * Starts a simulated Ironic, which the caller closes. In a user's cluster, or where an Ironic was named, there is none: hosts of
 * the demo have machines that no real Ironic reaches.
 */
export async function racksInUse(
  clock: Clock,
  cluster: 'started' | 'given',
  { flag }: Pick<Settings, 'flag'>,
): Promise<Racks> {
  const isNamed = [flag('ironic-endpoint'), flag('ironic-name')].some(({ value }) => Boolean(value));
  if (cluster === 'given' || isNamed) {
    const why = isNamed ? 'an Ironic was named' : 'the cluster may have real ones';
    const description = `no hosts, as ${why}: those of the demo are for simulated machines`;
    return { simulator: undefined, options: {}, description, inventory: () => new Map() };
  }
  const speed = flag('ironic-speed').value || SPEED;
  const machines = Array.from({ length: MACHINES }, (_, index) => simulatedMachine(index + 1));
  const simulator = await startSimulator({ clock, machines, times: timesDivided(Number(speed)) });
  return {
    simulator,
    options: { 'ironic-endpoint': simulator.endpoint, 'ironic-speed': speed },
    description: `Ironic: ${simulator.endpoint} (simulated, with ${MACHINES} machines, ${speed} times as fast as real ones)`,
    inventory: () =>
      new Map(
        simulator.nodes().map(({ uuid, name }) => [String(uuid), { what: `node '${name}'`, name: String(name) }]),
      ),
  };
}

/** Number of hosts by provisioning state: `hosts: 1 provisioned, 2 available`. @throws as `KubeClient.call` */
export async function hostLine(client: KubeClient): Promise<string> {
  const { body } = await client.call({ method: 'GET', path: resourcePath(HOSTS, NAMESPACE) });
  const counts = new Map<string, number>();
  for (const { status } of (body?.['items'] ?? []) as readonly JsonObject[]) {
    const { provisioning } = (status ?? {}) as { readonly provisioning?: { readonly state?: string } };
    const state = provisioning?.state || 'registering';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return `hosts: ${[...counts]
    .sort()
    .map(([state, count]) => `${count} ${state}`)
    .join(', ')}`;
}
