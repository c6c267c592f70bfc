// The Windows machines of a run, which are in a process of their own, and the way of each node to its machine.
import type { Clock } from '../../../../bus/mod.ts';
import { startProxy, type TcpProxy } from '../../../bus/proxy.ts';
import { type Remote, startChild } from '../../child.ts';
import type { EstateMachine } from './estate.ts';
import type { Served } from './machines.process.ts';
import type { MachineEntry } from './served-machine.ts';

export interface Machines {
  /** From the process of a node to its machine. */
  wayOf(node: string): TcpProxy;
  readonly call: Remote<Served>;
  /** Resolves when a call that is meant begins to change a machine, or after so long: false. */
  atWork(node: string, isMeant: (call: string) => boolean, limitMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface MachinesDeps {
  readonly clock: Clock;
  readonly estate: readonly EstateMachine[];
  readonly onEntry: (entry: MachineEntry) => void;
}

export async function simulatedMachines({ clock, estate, onEntry }: MachinesDeps): Promise<Machines> {
  const watching = new Set<(entry: MachineEntry) => void>();
  const child = await startChild<Served, Readonly<Record<string, number>>, MachineEntry>(
    new URL('./machines.process.ts', import.meta.url),
    [JSON.stringify(estate)],
    (entry) => {
      for (const see of watching) see(entry);
      onEntry(entry);
    },
  );
  const ways = new Map<string, TcpProxy>();
  for (const [node, port] of Object.entries(child.hello)) ways.set(node, await startProxy('127.0.0.1', port));
  return {
    call: child.call,
    wayOf(node) {
      const way = ways.get(node);
      if (way === undefined) throw new Error(`there is no machine '${node}'`);
      return way;
    },
    async atWork(node, isMeant, limitMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const see = (entry: MachineEntry): void => {
        if (entry.node === node && entry.step === 'begun' && isMeant(entry.call)) resolve(true);
      };
      watching.add(see);
      const timer = clock.setTimeout(() => resolve(false), limitMs);
      const isAtWork = await promise;
      clock.clearTimeout(timer);
      watching.delete(see);
      return isAtWork;
    },
    async close() {
      for (const way of ways.values()) await way.close();
      await child.kill();
    },
  };
}
