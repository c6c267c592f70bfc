// The Windows machines of a run in a process of their own: `machines.process.ts <machines, as JSON>`. Its first word is where each
// is reached, and it reports all that changes one.
import { systemClock } from '../../../../actors/base/clock.ts';
import type { MemoryDisk } from '../../../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { WindowsRest } from '../../../simulation/models/windows/rest.ts';
import { report, serveParent } from '../../child.ts';
import type { EstateMachine, Lock } from './estate.ts';
import { type CallFault, ServedMachine } from './served-machine.ts';

/** More volumes than a machine has. */
const VOLUMES = 100;
const clock = systemClock();
const machines: ServedMachine[] = [];
/** Disks that no machine sees, or another one than usual, by their page 83 identifiers. */
const away = new Map<string, MemoryDisk>();

for (const [index, estate] of (JSON.parse(process.argv[2] ?? '[]') as readonly EstateMachine[]).entries())
  machines.push(await ServedMachine.start({ clock, estate, firstVolume: VOLUMES * index, onEntry: report }));

function of(node: string): ServedMachine {
  const found = machines.find((machine) => machine.node === node);
  if (found === undefined) throw new Error(`there is no machine '${node}'`);
  return found;
}

export type Served = typeof served;
const served = serveParent(
  {
    look: () => Promise.all(machines.map((machine) => machine.sight())),
    lost: async () => (await Promise.all(machines.map((machine) => machine.lost()))).flat(),
    /** What is not yet as it has to be of these objects, which are all that there are, by what their machines say. */
    async unrest(objects: readonly KubeObject[]) {
      const pluralOf = ({ kind }: KubeObject): string => `${kind.toLowerCase()}s`;
      const rest = new WindowsRest({
        machines: { of },
        cluster: {
          objects: (plural) => objects.filter((object) => pluralOf(object) === plural),
          get: (plural, _, name) => objects.find((each) => pluralOf(each) === plural && each.metadata.name === name),
        },
      });
      return rest.unrest();
    },
    inject: (node: string, fault: CallFault) => of(node).inject(fault),
    clear() {
      for (const machine of machines) machine.clear();
    },
    goDown: (node: string, mappings: 'kept' | 'lost') => of(node).goDown(mappings),
    comeUp: (node: string) => of(node).comeUp(),
    renew: (node: string, page83: string) => of(node).renew(page83),
    async setPassword(opens: Lock['opens'], password: string) {
      for (const machine of 'iqn' in opens ? [of(opens.node)] : machines) await machine.setPassword(opens, password);
    },
    /** @param to  another machine that sees the disk meanwhile @returns whether it was there to be taken */
    async take(node: string, page83: string, to: string | undefined) {
      const disk = await of(node).take(page83);
      if (disk === undefined) return false;
      away.set(page83, disk);
      if (to !== undefined) await of(to).memory.disks.attachSeen(disk);
      return true;
    },
    async bringBack(node: string, page83: string, from: string | undefined) {
      const disk = away.get(page83);
      away.delete(page83);
      if (disk === undefined) return;
      if (from !== undefined) await of(from).take(page83);
      // It is seen at the next rescan.
      of(node).memory.disks.attach(disk);
    },
  },
  Object.fromEntries(machines.map(({ node, port }) => [node, port])),
);
