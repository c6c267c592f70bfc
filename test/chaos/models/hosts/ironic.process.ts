// The simulated Ironic in a process of its own: `ironic.process.ts <file> <speed> <machines, as JSON>`. It continues with what the
// file holds: Ironic, its machines and its port. Its first word is its port, and it reports all that is done to machines.
import { systemClock } from '../../../../actors/base/clock.ts';
import { type MachineOptions, startSimulator, timesDivided } from '../../../../adapters/simulated/ironic/mod.ts';
import { report, serveParent } from '../../child.ts';
import type { IronicReport, Sight } from './simulated-ironic.ts';

const LATENCY_MS = 20;
const [file = '', speed = '', machines = ''] = process.argv.slice(2);
/** Of each machine, how much of what was done to it has been reported. */
const reported = new Map<string, number>();

const simulator = await startSimulator({
  clock: systemClock(),
  file,
  machines: JSON.parse(machines) as readonly MachineOptions[],
  times: timesDivided(Number(speed)),
  latencyMs: LATENCY_MS,
  // Then it is kept, so that nothing is reported that a kill takes back.
  onServed() {
    for (const { name, events } of simulator.machines()) {
      for (const [index, event] of events.entries()) {
        if (index >= (reported.get(name) ?? 0)) report({ machine: name, index, event } satisfies IronicReport);
      }
      reported.set(name, events.length);
    }
  },
});

/** What is served is kept before it is answered, and all that was done until then with it. */
const keep = async (): Promise<void> => void (await (await fetch(simulator.endpoint)).arrayBuffer());

export type Served = typeof served;
const served = serveParent(
  {
    look: (): Sight => ({
      nodes: simulator
        .nodes()
        .map(({ name, provision_state: state }) => ({ name: String(name), state: String(state) })),
      machines: simulator.machines().map(({ name, power, disk }) => ({ name, power, written: disk?.image })),
    }),
    async restartConductor() {
      simulator.restart();
      await keep();
    },
    async setPassword(machine: string, password: string) {
      simulator.setPassword(machine, password);
      await keep();
    },
    /** A node may have been removed meanwhile. */
    hold: (node: string) => void (simulator.node(node) !== undefined && simulator.hold(node)),
    release: (node: string) => void (simulator.node(node) !== undefined && simulator.release(node)),
  },
  simulator.port,
);
