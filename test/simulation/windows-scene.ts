// Windows storage in a history: machines, who uses them and who looks at them, and where objects are to be in the end.
import type { Address } from '../../bus/mod.ts';
import type { Chronicle } from './chronicle.ts';
import type { Cluster } from './cluster.ts';
import type { SimulatedTime } from './time.ts';
import { DIRECTORY, type Estate, PORTAL } from './windows-estate.ts';
import { WindowsHands } from './windows-hands.ts';
import { type Machines, type SimulatedMachine, seenOn } from './windows-machines.ts';
import type { WindowsHappening } from './windows-plan.ts';
import { PLURALS } from './windows-relations.ts';
import { WindowsRest } from './windows-rest.ts';
import { WindowsUsers } from './windows-users.ts';
import { WindowsWatch } from './windows-watch.ts';

export interface WindowsSceneDeps {
  readonly time: SimulatedTime;
  readonly cluster: Cluster;
  readonly estate: Estate;
  readonly machines: Machines;
  readonly chronicle: Chronicle;
  readonly onViolation: (invariant: string, text: string) => void;
  readonly hostOf: (address: Address) => string | undefined;
  readonly onLasting: (forMs: number) => void;
  readonly onChange: () => void;
}

export class WindowsScene {
  readonly estate: Estate;
  readonly machines: Machines;
  readonly watch: WindowsWatch;
  readonly #deps: WindowsSceneDeps;
  readonly #users: WindowsUsers;
  readonly #hands: WindowsHands;
  readonly #rest: WindowsRest;

  constructor(deps: WindowsSceneDeps) {
    this.#deps = deps;
    this.estate = deps.estate;
    this.machines = deps.machines;
    this.watch = new WindowsWatch(deps);
    this.#users = new WindowsUsers(deps);
    this.#hands = new WindowsHands({ ...deps, watch: this.watch });
    this.#rest = new WindowsRest(deps);
  }

  happens(happening: WindowsHappening): void {
    const { chronicle, onLasting, onChange } = this.#deps;
    if (happening.what === 'thing') {
      this.#users.do(happening.deed, happening.thing);
      return;
    }
    chronicle.note(JSON.stringify(happening), () => `misfortune: ${JSON.stringify(happening)}`);
    switch (happening.what) {
      case 'windowsSecret':
        void this.#users.doSecret(happening.deed, happening.name, happening.number).then(onChange);
        return;
      case 'machineTrouble':
        onLasting(happening.forMs);
        this.machines.befall(happening.node, happening.trouble, happening.forMs);
        return;
      case 'machineHand':
        void this.#hands.do(happening.deed, happening.node, happening.number).then(onChange, onChange);
        return;
    }
  }

  putRight(): void {
    this.#users.putRight();
  }

  /** Who is held tells by whom, and each life hears that anew. */
  isBusyUnseen(): boolean {
    return PLURALS.some((plural) =>
      this.#deps.cluster.objects(plural).some((object) => object.metadata.deletionTimestamp !== undefined),
    );
  }

  /** What is not yet as it has to be in the end; undefined when all is. */
  async unrest(): Promise<string | undefined> {
    if (this.#users.pending > 0) return 'users still wait for the API server';
    const why = await this.#rest.unrest();
    // What a machine does is told to nobody.
    if (why !== undefined) this.#deps.onChange();
    return why;
  }

  /** What is left when all is deleted; undefined: nothing. */
  async leftover(): Promise<string | undefined> {
    for (const plural of PLURALS) {
      const [left] = this.#deps.cluster.objects(plural);
      if (left === undefined) continue;
      const { name, finalizers = [] } = left.metadata;
      return `${left.kind} '${name}' is still there: ${finalizers.join(', ')} ${JSON.stringify(left.status)}`;
    }
    for (const machine of this.machines.all) {
      const left = await this.#leftOn(machine);
      if (left !== undefined) this.#deps.onViolation('S4', `on ${machine.node} ${left}, and all objects are gone`);
    }
    return undefined;
  }

  async #leftOn({ node, memory }: SimulatedMachine): Promise<string | undefined> {
    const { files, host } = memory;
    for (const [number, disk] of await seenOn(memory))
      if (disk.state === 'online' && this.watch.historyOf(disk).onlineFor !== undefined)
        return `disk ${number} is online`;
    for (const root of this.estate.shares)
      if ((await host.smb.isSmbMapped(root)) !== 'absent' && !this.watch.isByHand(node, root))
        return `${root} is mapped`;
    const portals = await host.iscsi.listTargetPortals().catch(() => []);
    if (portals.length > 0) return `the portal ${PORTAL.address} is left`;
    const names = (await files.look(DIRECTORY)).kind === 'absent' ? [] : await files.list(DIRECTORY);
    for (const name of names) {
      const path = `${DIRECTORY}\\${name}`;
      const { kind } = await files.look(path);
      if (kind !== 'directory' && !this.watch.isByHand(node, path)) return `there is a ${kind} at ${path}`;
    }
    return undefined;
  }
}
