// A simulated Ironic that is a process of its own, as a test sees it. All reach it by one way, and through a gateway that writes down
// what it is told to do (orders.ts), loses requests and answers, and answers in its place.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fault, Faults } from '../../adapters/ironic/simulator/faults.ts';
import { Deed, type MachineEvent, type MachineOptions, type Power } from '../../adapters/ironic/simulator/mod.ts';
import type { Clock, JsonObject } from '../../bus/mod.ts';
import { type OrderBook, openOrderBook } from '../adapters/ironic/order-book.ts';
import type { Entry } from '../adapters/ironic/orders.ts';
import { startProxy, type TcpProxy } from '../bus/proxy.ts';
import { json, type Passing } from './gateway.ts';

export type IronicRequest =
  | { readonly ask: 'look' | 'restartConductor' }
  | { readonly ask: 'hold' | 'release'; readonly node: string }
  | { readonly ask: 'setPassword'; readonly machine: string; readonly password: string };

export type IronicReport =
  | { readonly port: number }
  /** `index`: how much was done to the machine before. */
  | { readonly machine: string; readonly index: number; readonly event: MachineEvent }
  | { readonly answered: number; readonly sight: Sight };

/** What there is. */
export interface Sight {
  readonly nodes: readonly { readonly name: string; readonly state: string }[];
  readonly machines: readonly {
    readonly name: string;
    readonly power: Power;
    /** Address of the image on its disk. */
    readonly written: string | undefined;
  }[];
}

export interface Ironic {
  /** What pods are told. */
  readonly endpoint: string;
  /** Of all pods. */
  readonly way: TcpProxy;
  readonly orders: OrderBook;
  inject(fault: Fault): void;
  /** Ends what was injected. */
  clear(): void;
  /** @returns what there is after it was done; undefined: it is away */
  ask(request: IronicRequest): Promise<Sight | undefined>;
  /** Machines go on as they are. @returns the way to start it again, at its port, with what it knew or without */
  kill(): Promise<(data: 'kept' | 'lost') => Promise<void>>;
  close(): Promise<void>;
}

export interface IronicDeps {
  clock: Clock;
  folder: string;
  /** So many times as fast as real ones. */
  speed: number;
  machines: readonly MachineOptions[];
  onEntry: (entry: Entry) => void;
}

const PROGRAM = fileURLToPath(new URL('./ironic.process.ts', import.meta.url));

export async function simulatedIronic({ clock, folder, speed, machines, onEntry }: IronicDeps): Promise<Ironic> {
  const file = join(folder, 'ironic.json');
  const faults = new Faults();
  const known = new Map<string, number>();
  let orders: OrderBook | undefined;
  const onDone = ({ machine, index, event }: Extract<IronicReport, { readonly machine: string }>): void => {
    if (index < (known.get(machine) ?? 0)) return;
    known.set(machine, index + 1);
    const host = orders?.nameOf(event.node) ?? machine;
    if (event.what === Deed.Deployed) orders?.note({ what: 'written', host, image: event.of ?? '' });
    else if (event.what === Deed.Wiped) orders?.note({ what: 'wiped', host });
  };
  const start = async (): Promise<Started> => {
    const child = fork(PROGRAM, [file, String(speed), JSON.stringify(machines)]);
    return started(child, onDone);
  };
  let { child, port, ask } = await start();
  orders = await openOrderBook(`http://127.0.0.1:${port}`, {
    onEntry,
    async meet(passing, goOn) {
      const fault = faults.take({ method: passing.method, path: pathOf(passing) });
      if (fault?.delayMs !== undefined) await clock.sleep(fault.delayMs);
      if (fault?.dropBeforeWork) return undefined;
      if (fault?.status !== undefined) return json(fault.status, fault.body ?? {}, fault.headers);
      const given = await goOn();
      return fault?.dropAfterWork ? undefined : given;
    },
  });
  const book = orders;
  const gatewayPort = Number(new URL(book.url).port);
  const way = await startProxy('127.0.0.1', gatewayPort);
  return {
    endpoint: `http://127.0.0.1:${way.port}/v1/`,
    way,
    orders: book,
    inject: (fault) => void faults.inject(fault),
    clear: () => faults.clear(),
    ask: (request) => ask(request),
    async kill() {
      await ended(child);
      return async (data) => {
        if (data === 'lost') await forget(file);
        ({ child, port, ask } = await start());
      };
    },
    async close() {
      await way.close();
      await book.close();
      await ended(child);
    },
  };
}

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ask: Ironic['ask'];
}

async function started(
  child: ChildProcess,
  onDone: (report: Extract<IronicReport, { readonly machine: string }>) => void,
): Promise<Started> {
  const asked = new Map<number, (sight: Sight | undefined) => void>();
  let lastId = 0;
  let isAway = false;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('exit', () => {
    isAway = true;
    reject(new Error('the simulated Ironic has ended'));
    for (const answer of asked.values()) answer(undefined);
  });
  child.on('message', (report: IronicReport) => {
    if ('port' in report) resolve(report.port);
    else if ('machine' in report) onDone(report);
    else {
      asked.get(report.answered)?.(report.sight);
      asked.delete(report.answered);
    }
  });
  const port = await promise;
  return {
    child,
    port,
    ask(request) {
      if (isAway) return Promise.resolve(undefined);
      const id = ++lastId;
      return new Promise((answer) => {
        asked.set(id, answer);
        // Whoever is not there any more hears nothing; `exit` answers then.
        child.send({ id, request }, () => undefined);
      });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Its database is lost; machines, and the port that it is found at, are as they were. */
async function forget(file: string): Promise<void> {
  const content = JSON.parse(await readFile(file, 'utf8')) as JsonObject;
  await writeFile(file, JSON.stringify({ ...content, records: { rows: 0, nodes: [], ports: [] } }), { mode: 0o600 });
}

function pathOf({ path }: Passing): string {
  return (path.split('?')[0] ?? '').replace(/^\/v1(?=\/|$)/, '');
}
