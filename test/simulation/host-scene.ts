// Bare metal in a history: Ironic and the machines, who uses them and who looks at them, and where hosts are to be in the end.
import type { SimulatedIronic } from '../../adapters/ironic/simulator/mod.ts';
import type { Address, JsonObject } from '../../bus/mod.ts';
import type { BareMetalHost, HostStatus } from '../../machines/bare-metal-host/host.ts';
import type { Chronicle } from './chronicle.ts';
import { type Cluster, HOST_CONTRACTS } from './cluster.ts';
import type { Landscape, Machine } from './host-plan.ts';
import { HostUsers, nodeName } from './host-users.ts';
import { HostWatch, imageOf, isDetached } from './host-watch.ts';
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

  #unrestOf({ metadata, spec, status }: BareMetalHost, machine: Machine): string | undefined {
    const what = `host '${machine.host}'`;
    if (metadata?.deletionTimestamp != null) return `${what} is deleted, and still there: ${JSON.stringify(status)}`;
    const { ID: id, state, image } = status?.provisioning ?? {};
    // A host that was never registered waits for the Secret after one that goes, which is made when nobody holds that any more.
    const secret = this.#cluster.get('secrets', machine.namespace, machine.secret);
    if (secret?.metadata.deletionTimestamp !== undefined && (id ?? '') === '') return undefined;
    const wanted = imageOf(spec);
    // One that is to be off is not provisioned, and stays so if it is.
    const isWanted = wanted !== undefined && (spec?.online === true || state === 'provisioned');
    const settled = isWanted ? 'provisioned' : 'available';
    const end = machine.isExternal ? 'externally provisioned' : settled;
    const at = `${what} is '${state}', '${status?.operationalStatus}' (${status?.errorType}: ${status?.errorMessage})`;
    const isBehind = status?.conditions?.some(({ observedGeneration }) => observedGeneration !== metadata?.generation);
    if (isDetached({ metadata })) {
      if (status?.operationalStatus !== 'detached') return `${at}, and is to be detached`;
      if (isBehind) return `${what} has not looked at its edit`;
      return this.#nodeOf(machine) && `${what} is detached, and its node is still there`;
    }
    if (state !== end) return `${at}, and is to be '${end}'`;
    if (status?.operationalStatus !== 'OK') return `${at}, and is to be OK`;
    if (isWanted && image?.url !== wanted) return `${what} has ${image?.url}, and wants ${wanted}`;
    const { power, disk } = this.ironic.machine(machine.name);
    if (isWanted && disk?.image !== wanted) return `${machine.name} has ${disk?.image}, not ${wanted}`;
    const isOn = power === 'power on';
    if (isOn !== spec?.online || status.poweredOn !== isOn)
      return `${what} is ${power}, says ${status.poweredOn}, and is to be ${spec?.online}`;
    if (isBehind) return `${what} has not looked at its edit`;
    const node = this.#nodeOf(machine);
    if ((isWanted || machine.isExternal) && node?.['provision_state'] !== 'active')
      return `the node of ${what} is '${node?.['provision_state']}', and something runs there`;
    return this.#unrestOfNode(what, status, node);
  }

  /** Ironic recovers from a power failure by itself when it looks again, of which the host tells then. */
  #unrestOfNode(what: string, { conditions }: HostStatus, node: JsonObject | undefined): string | undefined {
    if (node === undefined) return `${what} has no node`;
    const isManageable = conditions?.some(({ type, status }) => type === 'Manageable' && status === 'True') === true;
    if (node['fault'] === null && isManageable) return undefined;
    // Nobody tells when Ironic has looked.
    this.#onChange();
    return `the node of ${what} has the fault '${node['fault']}', and the host is ${isManageable ? '' : 'not '}manageable`;
  }

  #nodeOf(machine: Machine): JsonObject | undefined {
    return this.ironic.nodes().find(({ name }) => name === nodeName(machine));
  }
}
