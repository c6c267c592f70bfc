// The simulated Ironic in a process of its own, forked: `ironic.process.ts <file> <speed> <machines, as JSON>`. What the file says
// goes on: Ironic, its machines and its port. It says where it is, tells of all that is done to machines, and does what it is asked.
import { systemClock } from '../../actors/clock.ts';
import { type MachineOptions, startSimulator, timesDivided } from '../../adapters/ironic/simulator/mod.ts';
import type { IronicReport, IronicRequest, Sight } from './simulated-ironic.ts';

const LATENCY_MS = 20;
const [file = '', speed = '', machines = ''] = process.argv.slice(2);
const tell = (report: IronicReport): void => void process.send?.(report);
/** Of each machine, how much of what was done to it has been told. */
const told = new Map<string, number>();

const simulator = await startSimulator({
  clock: systemClock(),
  file,
  machines: JSON.parse(machines) as readonly MachineOptions[],
  times: timesDivided(Number(speed)),
  latencyMs: LATENCY_MS,
  // Then it is kept, so that nothing is told that a kill takes back.
  onServed: () => tellDone(),
});

function tellDone(): void {
  for (const { name, events } of simulator.machines()) {
    for (const [index, event] of events.entries()) {
      if (index >= (told.get(name) ?? 0)) tell({ machine: name, index, event });
    }
    told.set(name, events.length);
  }
}

function look(): Sight {
  return {
    nodes: simulator.nodes().map(({ name, provision_state: state }) => ({ name: String(name), state: String(state) })),
    machines: simulator.machines().map(({ name, power, disk }) => ({ name, power, written: disk?.image })),
  };
}

/** What is served is kept before it is answered, and all that was done until then with it. */
const keep = async (): Promise<void> => void (await (await fetch(simulator.endpoint)).arrayBuffer());

async function obey(request: IronicRequest): Promise<void> {
  switch (request.ask) {
    case 'look':
      return;
    case 'restartConductor':
      simulator.restart();
      await keep();
      return;
    case 'setPassword':
      simulator.setPassword(request.machine, request.password);
      await keep();
      return;
    case 'hold':
    case 'release':
      // It may have been removed meanwhile.
      if (simulator.node(request.node) !== undefined) simulator[request.ask](request.node);
  }
}

process.on('disconnect', () => process.exit()); // whoever started it is gone
process.on('message', async ({ id, request }: { id: number; request: IronicRequest }) => {
  await obey(request);
  tell({ answered: id, sight: look() });
});
tell({ port: simulator.port });
