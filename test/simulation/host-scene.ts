// Bare metal in a history: Ironic and the machines, who uses them and who looks at them, and where hosts are to be in the end.
import type { SimulatedIronic } from '../../adapters/ironic/simulator/mod.ts';
import type { Address, JsonObject } from '../../bus/mod.ts';
import type { BareMetalHost, HostStatus } from '../../machines/bare-metal-host/host.ts';
import { isDetached, unrestOf } from '../adapters/ironic/host-rest.ts';
import type { Chronicle } from './chronicle.ts';
import { type Cluster, HOST_CONTRACTS } from './cluster.ts';
import type { Landscape, Machine } from './host-plan.ts';
import { HostUsers, nodeName } from './host-users.ts';
import { HostWatch } from './host-watch.ts';
import { newIronic } from './ironic.ts';
import type { ProcessClock, SimulatedTime } from './time.ts';

export interface HostSceneDeps {
  readonly time: SimulatedTime;
  readonly clock: ProcessClock;
  readonly cluster: Cluster;
  readonly machines: Landscape;
  readonly chronicle: Chronicle;
  readonly onViolation: (invariant: string, text: string) => void;
  readonly hostOf: (address: Address) => string | undefined;
  readonly onLasting: (forMs: number) => void;
  readonly onChange: () => void;
}

export class HostScene {
  readonly ironic: SimulatedIronic;
  readonly watch: HostWatch;
  readonly users: HostUsers;
  readonly #cluster: Cluster;
  readonly #machines: Landscape;
  readonly #onChange: () => void;

  constructor(deps: HostSceneDeps) {
    const { clock, cluster, machines, onChange } = deps;
    this.#cluster = cluster;
    this.#machines = machines;
    this.#onChange = onChange;
    this.ironic = newIronic(clock, machines);
    this.watch = new HostWatch({ ...deps, ironic: this.ironic });
    this.users = new HostUsers({ ...deps, ironic: this.ironic, watch: this.watch });
  }

  /** What is not yet as it has to be in the end; undefined when all is. */
  unrest(): string | undefined {
    if (this.users.pending > 0) return 'users still wait for the API server';
    this.watch.look();
    this.users.tend();
    for (const machine of this.#machines) {
      const host = this.#cluster.get('baremetalhosts', machine.namespace, machine.host);
      const why = host === undefined ? this.#unrestWithout(machine) : this.#unrestOf(host as BareMetalHost, machine);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /** What is left when all is deleted; undefined: nothing. */
  leftover(): string | undefined {
    for (const { plural } of HOST_CONTRACTS) {
      const [left] = this.#cluster.objects(plural);
      if (left === undefined) continue;
      const { name, finalizers = [] } = left.metadata;
      return `${left.kind} '${name}' is still there: ${finalizers.join(', ')} ${JSON.stringify(left.status?.['provisioning'])}`;
    }
    const [node] = this.ironic.nodes();
    return node && `the node '${String(node['name'])}' is still in Ironic`;
  }

  #unrestWithout(machine: Machine): string | undefined {
    return this.#nodeOf(machine) && `the node '${nodeName(machine)}' is nobody's`;
  }

  #unrestOf(host: BareMetalHost, machine: Machine): string | undefined {
    const { power, disk } = this.ironic.machine(machine.name);
    const node = this.#nodeOf(machine);
    const state = node && String(node['provision_state']);
    const unrest = unrestOf({ host, state, power, written: disk?.image });
    return (
      unrest ?? (isDetached(host) ? undefined : this.#unrestOfNode(`host '${machine.host}'`, host.status ?? {}, node))
    );
  }

  /** When Ironic looks again it recovers from a power failure by itself, and knows how the machine is: the host tells then. */
  #unrestOfNode(what: string, { conditions }: HostStatus, node: JsonObject | undefined): string | undefined {
    if (node === undefined) return `${what} has no node`;
    const told = (condition: string): string | undefined =>
      conditions?.find(({ type }) => type === condition)?.status ?? undefined;
    const [isManageable, isHealthKnown] = [told('Manageable') === 'True', (told('Healthy') ?? 'Unknown') !== 'Unknown'];
    const isAtWork = node['reservation'] !== null;
    if (node['fault'] === null && !isAtWork && isManageable && isHealthKnown) return undefined;
    // Nobody tells when Ironic has looked, or has ended what it was at.
    this.#onChange();
    if (isAtWork) return `Ironic is at work on the node of ${what}: ${node['target_power_state']}`;
    return isManageable && isHealthKnown
      ? `the node of ${what} has the fault '${node['fault']}'`
      : `of ${what} is told: Manageable ${told('Manageable')}, Healthy ${told('Healthy')}`;
  }

  #nodeOf(machine: Machine): JsonObject | undefined {
    return this.ironic.nodes().find(({ name }) => name === nodeName(machine));
  }
}
