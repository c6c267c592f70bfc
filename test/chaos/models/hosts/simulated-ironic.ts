// A simulated Ironic that is a process of its own. All reach it by one way, and through a gateway that writes down what it is told
// to do (orders.ts), loses requests and answers, and answers in its place.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fault, Faults } from '../../../../adapters/simulated/http/mod.ts';
import { Deed, type MachineEvent, type MachineOptions, type Power } from '../../../../adapters/simulated/ironic/mod.ts';
import { type Clock, type JsonObject, TroupeError } from '../../../../bus/mod.ts';
import { type OrderBook, openOrderBook } from '../../../adapters/ironic/order-book.ts';
import type { Entry } from '../../../adapters/ironic/orders.ts';
import { startProxy, type TcpProxy } from '../../../bus/proxy.ts';
import { type Child, type Remote, startChild } from '../../child.ts';
import { json } from '../../gateway.ts';
import type { Served } from './ironic.process.ts';

/** `index`: how much was done to the machine before. */
export interface IronicReport {
  readonly machine: string;
  readonly index: number;
  readonly event: MachineEvent;
}

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
  /** @returns undefined: it is away */
  look(): Promise<Sight | undefined>;
  /** What is asked of it while it is away fails. */
  call(): Remote<Served>;
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

const PROGRAM = new URL('./ironic.process.ts', import.meta.url);

export async function simulatedIronic({ clock, folder, speed, machines, onEntry }: IronicDeps): Promise<Ironic> {
  const file = join(folder, 'ironic.json');
  const faults = new Faults();
  const known = new Map<string, number>();
  let orders: OrderBook | undefined;
  const onDone = ({ machine, index, event }: IronicReport): void => {
    if (index < (known.get(machine) ?? 0)) return;
    known.set(machine, index + 1);
    const host = orders?.nameOf(event.node) ?? machine;
    if (event.what === Deed.Deployed) orders?.note({ what: 'written', host, image: event.of ?? '' });
    else if (event.what === Deed.Wiped) orders?.note({ what: 'wiped', host });
  };
  const start = (): Promise<Child<Served, number>> =>
    startChild(PROGRAM, [file, String(speed), JSON.stringify(machines)], onDone);
  let child = await start();
  orders = await openOrderBook(`http://127.0.0.1:${child.hello}`, {
    onEntry,
    async meet(passing, goOn) {
      const fault = faults.take({ method: passing.method, path: pathOf(passing.path) });
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
    call: () => child.call,
    look: () =>
      child.call.look().catch((error: unknown) => {
        if (error instanceof TroupeError) return undefined;
        throw error;
      }),
    async kill() {
      await child.kill();
      return async (data) => {
        if (data === 'lost') await forget(file);
        child = await start();
      };
    },
    async close() {
      await way.close();
      await book.close();
      await child.kill();
    },
  };
}

/** Its database is lost; machines, and the port that it is found at, are as they were. */
async function forget(file: string): Promise<void> {
  const content = JSON.parse(await readFile(file, 'utf8')) as JsonObject;
  await writeFile(file, JSON.stringify({ ...content, records: { rows: 0, nodes: [], ports: [] } }), { mode: 0o600 });
}

function pathOf(path: string): string {
  return (path.split('?')[0] ?? '').replace(/^\/v1(?=\/|$)/, '');
}
