// The Windows machines of a run, which are in a process of their own, as a test sees them; and the way of each node to its machine.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import type { EstateMachine, Lock } from './estate.ts';
import type { CallFault, MachineEntry, MachineSight } from './served-machine.ts';

export type MachinesRequest =
  | { readonly ask: 'look' | 'lost' | 'clear' }
  /** `objects`: all that there are. */
  | { readonly ask: 'unrest'; readonly objects: readonly KubeObject[] }
  | { readonly ask: 'inject'; readonly node: string; readonly fault: CallFault }
  | { readonly ask: 'goDown'; readonly node: string; readonly mappings: 'kept' | 'lost' }
  | { readonly ask: 'comeUp'; readonly node: string }
  | { readonly ask: 'renew'; readonly node: string; readonly page83: string }
  | { readonly ask: 'setPassword'; readonly of: Lock['opens']; readonly password: string }
  /** `to`: another machine that sees the disk meanwhile. */
  | { readonly ask: 'take'; readonly node: string; readonly page83: string; readonly to?: string }
  | { readonly ask: 'bringBack'; readonly node: string; readonly page83: string; readonly from?: string };

export interface MachinesAnswer {
  readonly sights?: readonly MachineSight[];
  readonly lost?: readonly string[];
  readonly unrest?: string | undefined;
  readonly isTaken?: true;
  readonly failure?: string;
}

export type MachinesReport =
  | { readonly ports: Readonly<Record<string, number>> }
  | { readonly entry: MachineEntry }
  | { readonly answered: number; readonly answer: MachinesAnswer };

export interface Machines {
  /** From the process of a node to its machine. */
  wayOf(node: string): TcpProxy;
  /** All that was told before has been heard when it is answered. */
  ask(request: MachinesRequest): Promise<MachinesAnswer>;
  /** Resolves when a call that is meant begins to change a machine, or after so long: false. */
  atWork(node: string, isMeant: (call: string) => boolean, limitMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface MachinesDeps {
  readonly clock: Clock;
  readonly estate: readonly EstateMachine[];
  readonly onEntry: (entry: MachineEntry) => void;
}

const PROGRAM = fileURLToPath(new URL('./machines.process.ts', import.meta.url));

export async function simulatedMachines({ clock, estate, onEntry }: MachinesDeps): Promise<Machines> {
  const child = fork(PROGRAM, [JSON.stringify(estate)]);
  const asked = new Map<number, PromiseWithResolvers<MachinesAnswer>>();
  const begun = Promise.withResolvers<Readonly<Record<string, number>>>();
  const watching = new Set<(entry: MachineEntry) => void>();
  let lastId = 0;
  const exited = once(child, 'exit').then(() => {
    const error = new Error('the machines have ended');
    begun.reject(error);
    for (const { reject } of asked.values()) reject(error);
  });
  child.on('message', (report: MachinesReport) => {
    if ('ports' in report) begun.resolve(report.ports);
    else if ('entry' in report) {
      for (const see of watching) see(report.entry);
      onEntry(report.entry);
    } else {
      const { failure } = report.answer;
      const waiting = asked.get(report.answered);
      asked.delete(report.answered);
      if (failure === undefined) waiting?.resolve(report.answer);
      else waiting?.reject(new Error(failure));
    }
  });
  const ports = await begun.promise;
  const ways = new Map<string, TcpProxy>();
  for (const [node, port] of Object.entries(ports)) ways.set(node, await startProxy('127.0.0.1', port));
  return {
    wayOf(node) {
      const way = ways.get(node);
      if (way === undefined) throw new Error(`there is no machine '${node}'`);
      return way;
    },
    ask(request) {
      const id = ++lastId;
      const answer = Promise.withResolvers<MachinesAnswer>();
      asked.set(id, answer);
      child.send({ id, request });
      return answer.promise;
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
      child.kill('SIGKILL');
      await exited;
    },
  };
}
