// Bare-metal hosts as a model of histories: Ironic and the machines, who uses them and who looks at them, and where hosts are to be in
// the end.
import type { ConfiguredAdapter } from '../../../../adapters/api/adapter.ts';
import { metal3 } from '../../../../adapters/ironic/mod.ts';
import type { SimulatedIronic } from '../../../../adapters/simulated/ironic/mod.ts';
import type { Change } from '../../../../adapters/simulated/kubernetes/storage/store.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import type { BareMetalHost, HostStatus } from '../../../../machines/bare-metal-host/host.ts';
import { bareMetalHostMachine } from '../../../../machines/bare-metal-host/machine.ts';
import { isDetached, unrestOf, untriedOf } from '../../../adapters/ironic/host-rest.ts';
import type { Landing } from '../../clouds.ts';
import { skipIdsOfCloud } from '../../draw.ts';
import type { Environment, HistoryContext, HistoryModel, Line } from '../../model.ts';
import { HOSTS_RARE, HOSTS_UNREACHABLE, tellsOfHosts } from './coverage.ts';
import { metalOver, newIronic } from './ironic.ts';
import { type HostHappening, type HostPlan, hostPlan, type Landscape, type Machine } from './plan.ts';
import { forgedFor, HostUsers, nodeName } from './users.ts';
import { HostWatch } from './watch.ts';

export const HOSTS: HistoryModel<HostHappening, Landscape> = {
  name: 'hosts',
  about: 'bare-metal hosts',
  every: 5,
  contracts: metal3.contracts,
  // What failed often enough is tried again after eight and a half hours.
  restWithinMs: 9 * 3_600_000,
  coverage: {
    charts: [{ machine: bareMetalHostMachine as never, tells: tellsOfHosts }],
    unreachable: HOSTS_UNREACHABLE,
    rare: HOSTS_RARE,
  },
  plan: (seed) => ({ ...hostPlan(seed), model: HOSTS }),
  needs: ({ given }, namespace) => given.some((machine) => machine.namespace === namespace),
  begin: (context, plan) => new Hosts(context, plan),
};

/** What BMCs say is looked at every few minutes, and by whoever begins: what is found then may be news. */
const LOOKED_AT: ReadonlySet<string> = new Set(['hostfirmwaresettings', 'hostfirmwarecomponents', 'firmwareschemas']);

class Hosts implements Environment<HostHappening> {
  readonly #context: HistoryContext;
  readonly #machines: Landscape;
  readonly #ironic: SimulatedIronic;
  readonly #watch: HostWatch;
  readonly #users: HostUsers;

  constructor(context: HistoryContext, { given: machines }: HostPlan) {
    skipIdsOfCloud(context.clock);
    this.#context = context;
    this.#machines = machines;
    this.#ironic = newIronic(context.clock, machines);
    const ironic = this.#ironic;
    this.#watch = new HostWatch({ ...context, machines, ironic });
    this.#users = new HostUsers({ ...context, machines, ironic, watch: this.#watch });
  }

  adapters(line: Line): readonly ConfiguredAdapter[] {
    const { weather, lands } = this.#context;
    const watcher = {
      misfortune: (landing: Landing) => weather.fateOf(landing),
      onLanding: (landing: Landing, hasWaited: boolean) => {
        lands('Ironic', landing, () => `'${landing.uid}'`);
        this.#watch.onLanding(landing, hasWaited);
      },
      onServed: () => this.#watch.onServed(),
      latencyMs: () => weather.cloudMs(),
    };
    return [metalOver({ ...line, ironic: this.#ironic, watcher })];
  }

  happens(happening: HostHappening): void {
    this.#users.happens(happening);
  }

  onChange(plural: string, change: Change): void {
    this.#watch.onChange(plural, change);
  }

  judgeText(where: string, text: string): void {
    this.#watch.judgeText(where, text);
  }

  isLookedAt(plural: string): boolean {
    return LOOKED_AT.has(plural);
  }

  get pending(): number {
    return this.#users.pending;
  }

  putRight(): void {
    this.#users.putRight();
  }

  isBusyUnseen(): boolean {
    return false;
  }

  readonly unrest = (): string | undefined => {
    this.#watch.look();
    this.#users.reconcile();
    for (const machine of this.#machines) {
      const forged = this.#context.cluster.get('baremetalhosts', machine.namespace, forgedFor(machine).host);
      if (forged !== undefined) return `host '${forged.metadata.name}' is still there`;
      const host = this.#context.cluster.get('baremetalhosts', machine.namespace, machine.host);
      const why = host === undefined ? this.#unrestWithout(machine) : this.#unrestOf(host as BareMetalHost, machine);
      if (why !== undefined) return why;
    }
    return undefined;
  };

  readonly leftover = (): string | undefined => {
    for (const { plural } of HOSTS.contracts) {
      const [left] = this.#context.cluster.objects(plural);
      if (left === undefined) continue;
      const { name, finalizers = [] } = left.metadata;
      return `${left.kind} '${name}' is still there: ${finalizers.join(', ')} ${JSON.stringify(left.status?.['provisioning'])}`;
    }
    const [node] = this.#ironic.nodes();
    return node && `the node '${String(node['name'])}' is still in Ironic`;
  };

  #unrestWithout(machine: Machine): string | undefined {
    return this.#nodeOf(machine) && `the node '${nodeName(machine)}' is nobody's`;
  }

  #unrestOf(host: BareMetalHost, machine: Machine): string | undefined {
    const { power, disk } = this.#ironic.machine(machine.name);
    const node = this.#nodeOf(machine);
    const state = node && String(node['provision_state']);
    const unrest = unrestOf({ host, state, power, written: disk?.image });
    // No event reports that Ironic has ended a reboot: the host is on before and after it.
    if (unrest !== undefined && node !== undefined && node['reservation'] !== null) this.#context.onChange();
    const why = unrest ?? untriedOf(host);
    if (why !== undefined) return why;
    return isDetached(host) ? undefined : this.#unrestOfNode(`host '${machine.host}'`, host.status ?? {}, node);
  }

  /** When Ironic looks again it recovers from a power failure by itself, and knows how the machine is: the host tells then. */
  #unrestOfNode(what: string, { conditions }: HostStatus, node: JsonObject | undefined): string | undefined {
    if (node === undefined) return `${what} has no node`;
    const reported = (condition: string): string | undefined =>
      conditions?.find(({ type }) => type === condition)?.status ?? undefined;
    const [isManageable, isHealthKnown] = [
      reported('Manageable') === 'True',
      (reported('Healthy') ?? 'Unknown') !== 'Unknown',
    ];
    const isAtWork = node['reservation'] !== null;
    if (node['fault'] === null && !isAtWork && isManageable && isHealthKnown) return undefined;
    // Nobody tells when Ironic has looked, or has ended what it was at.
    this.#context.onChange();
    if (isAtWork) return `Ironic is at work on the node of ${what}: ${node['target_power_state']}`;
    return isManageable && isHealthKnown
      ? `the node of ${what} has the fault '${node['fault']}'`
      : `of ${what} is told: Manageable ${reported('Manageable')}, Healthy ${reported('Healthy')}`;
  }

  #nodeOf(machine: Machine): JsonObject | undefined {
    return this.#ironic.nodes().find(({ name }) => name === nodeName(machine));
  }
}
