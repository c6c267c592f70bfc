// The Windows machines of a run in a process of its own, forked: `machines.process.ts <machines, as JSON>`. It says where each is
// reached, tells of all that changes one, and does what it is asked. It lives as long as who started it.
import { systemClock } from '../../actors/clock.ts';
import type { MemoryDisk } from '../../adapters/csi-proxy/hosts/memory/memory-disks.ts';
import type { KubeObject } from '../../machines/object.ts';
import { WindowsRest } from '../simulation/models/windows/rest.ts';
import type { EstateMachine } from './estate.ts';
import { ServedMachine } from './served-machine.ts';
import type { MachinesAnswer, MachinesReport, MachinesRequest } from './simulated-machines.ts';

/** More volumes than a machine has. */
const VOLUMES = 100;
const clock = systemClock();
const tell = (report: MachinesReport): void => void process.send?.(report);
const machines: ServedMachine[] = [];
/** Disks that no machine sees, or another one than usual, by their page 83 identifiers. */
const away = new Map<string, MemoryDisk>();

for (const [index, estate] of (JSON.parse(process.argv[2] ?? '[]') as readonly EstateMachine[]).entries()) {
  const firstVolume = VOLUMES * index;
  machines.push(await ServedMachine.start({ clock, estate, firstVolume, onEntry: (entry) => tell({ entry }) }));
}

function of(node: string): ServedMachine {
  const found = machines.find((machine) => machine.node === node);
  if (found === undefined) throw new Error(`there is no machine '${node}'`);
  return found;
}

async function obey(request: MachinesRequest): Promise<MachinesAnswer> {
  switch (request.ask) {
    case 'look':
      return { sights: await Promise.all(machines.map((machine) => machine.sight())) };
    case 'lost':
      return { lost: (await Promise.all(machines.map((machine) => machine.lost()))).flat() };
    case 'unrest':
      return { unrest: await unrestOf(request.objects) };
    case 'inject':
      of(request.node).inject(request.fault);
      return {};
    case 'clear':
      for (const machine of machines) machine.clear();
      return {};
    case 'goDown':
      await of(request.node).goDown(request.mappings);
      return {};
    case 'comeUp':
      of(request.node).comeUp();
      return {};
    case 'renew':
      of(request.node).renew(request.page83);
      return {};
    case 'setPassword':
      for (const machine of 'iqn' in request.of ? [of(request.of.node)] : machines)
        await machine.setPassword(request.of, request.password);
      return {};
    case 'take': {
      const disk = await of(request.node).take(request.page83);
      if (disk === undefined) return {};
      away.set(request.page83, disk);
      if (request.to !== undefined) await of(request.to).memory.disks.attachSeen(disk);
      return { isTaken: true };
    }
    case 'bringBack': {
      const disk = away.get(request.page83);
      away.delete(request.page83);
      if (disk === undefined) return {};
      if (request.from !== undefined) await of(request.from).take(request.page83);
      // It is seen at the next rescan.
      of(request.node).memory.disks.attach(disk);
      return {};
    }
  }
}

/** What is not yet as it has to be of these objects, by what their machines say. */
async function unrestOf(objects: readonly KubeObject[]): Promise<string | undefined> {
  const pluralOf = ({ kind }: KubeObject): string => `${kind.toLowerCase()}s`;
  const rest = new WindowsRest({
    machines: { of },
    cluster: {
      objects: (plural) => objects.filter((object) => pluralOf(object) === plural),
      get: (plural, _, name) => objects.find((each) => pluralOf(each) === plural && each.metadata.name === name),
    },
  });
  return rest.unrest();
}

process.on('disconnect', () => process.exit()); // whoever started it is gone
process.on('message', async ({ id, request }: { id: number; request: MachinesRequest }) => {
  const answer = await obey(request).catch((error: unknown) => ({ failure: String(error) }));
  tell({ answered: id, answer });
});
tell({ ports: Object.fromEntries(machines.map(({ node, port }) => [node, port])) });
