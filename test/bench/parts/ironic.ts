// A simulated Ironic with machines as a part of a benchmark.
import { systemClock } from '../../../actors/base/clock.ts';
import { type Simulator, startSimulator, timesDivided } from '../../../adapters/simulated/ironic/mod.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import type { Part } from './mod.ts';
import { type Reaction, Reactions } from './reactions.ts';

export interface IronicPartOptions {
  /** Machines behind it, numbered from 0 on. */
  readonly machines: number;
  /** Of every request, in milliseconds. */
  readonly latencyMs: number;
  /** It and its machines are so many times as fast as real ones. */
  readonly speed: number;
}

/** What Ironic was asked since the last reset. */
export interface IronicCounts {
  /** By e.g. `GET /nodes/{id}`. */
  readonly calls: Readonly<Record<string, number>>;
  readonly mostInFlight: number;
  readonly reactions: readonly Reaction[];
  /** Nodes by provision state, now. */
  readonly nodes: Readonly<Record<string, number>>;
}

const SYSTEM = '/redfish/v1/Systems/1';

/** How a machine is reached. */
export interface MachinePlace {
  readonly name: string;
  readonly mac: string;
  /** Of its BMC, as hosts say it. */
  readonly bmc: string;
}

export function machinePlace(number: number): MachinePlace {
  const digits = number.toString(16).padStart(6, '0');
  return {
    name: `bm${number}`,
    mac: `52:54:00:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4)}`,
    bmc: `redfish-virtualmedia+${addressOf(number)}${SYSTEM}`,
  };
}

function addressOf(number: number): string {
  return `http://10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}:8000`;
}

export async function serveIronic({ machines, latencyMs, speed }: IronicPartOptions): Promise<Part> {
  const reactions = new Reactions();
  const ironic = await startSimulator({
    clock: systemClock(),
    latencyMs,
    times: timesDivided(speed),
    onServed: (call) => reactions.served(call),
    machines: Array.from({ length: machines }, (_, number) => {
      const { name, mac } = machinePlace(number);
      return { name, address: addressOf(number), systemId: SYSTEM, macs: [mac] };
    }),
  });
  return {
    info: { endpoint: ironic.endpoint },
    counts: () => countsOf(ironic, reactions) as unknown as JsonObject,
    reset() {
      ironic.resetCounts();
      reactions.reset();
    },
    // Whatever has booted already goes on; what boots from now on does not call.
    stall() {
      for (const { name } of ironic.machines()) ironic.behave(name, { agent: 'never' });
    },
    close: () => ironic.close(),
  };
}

function countsOf(ironic: Simulator, reactions: Reactions): IronicCounts {
  const states = Map.groupBy(ironic.nodes(), ({ provision_state }) => String(provision_state));
  return {
    calls: ironic.calls(),
    mostInFlight: ironic.mostInFlight(),
    reactions: reactions.now(),
    nodes: Object.fromEntries([...states].map(([state, nodes]) => [state, nodes.length])),
  };
}
