// A print shop, an API server, a bus in memory, and runtimes between them, in this process and under simulated time. The shop
// alone is reached by a socket.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import { configure } from '../../actors/process/adapters.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import { kubeClient } from '../../adapters/kubernetes/mod.ts';
import { startApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import { type Clock, type JsonObject, type MemoryBus, memoryBroker } from '../../bus/mod.ts';
import { simulatedClock } from '../world/clock.ts';
import { Wire } from '../world/wire.ts';
import { written } from '../world/written.ts';
import { pressAdapter } from './adapter.ts';
import { type Library, openLibrary } from './library.ts';
import { type PrintShop, startPrintShop } from './simulator.ts';

const LEASE_MS = 1_500;

export interface World extends Library {
  readonly shop: PrintShop;
  /** What the runtimes logged as errors. */
  readonly errors: readonly JsonObject[];
  start(): Promise<void>;
  /** The runtime ends as one that is killed: no timer of it fires, no call of it is sent or answered. */
  crash(): void;
}

interface Process {
  readonly runtime: Runtime;
  readonly bus: MemoryBus;
  readonly end: AbortController;
  /** Its connections break. */
  cutOff(): void;
}

export interface WorldOptions {
  /** How long the shop prints a sheet, in milliseconds. */
  readonly sheetMs?: number;
  /** Whether a process of its own serves the adapter. */
  readonly isApart?: boolean;
}

export async function openWorld({ sheetMs = 5, isApart = false }: WorldOptions = {}): Promise<World> {
  const clock = simulatedClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-press-'));
  const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
  const api = await startApiServer({ clock, host: 'none' });
  const shop = await startPrintShop({ clock, sheetMs });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const wireToApi = (): Wire => {
    const wire = new Wire();
    wire.serve(api.url, api.handle);
    return wire;
  };
  const library = await openLibrary({ clock, kubeconfig, dispatcher: wireToApi() });
  const errors: JsonObject[] = [];
  const destination = written((text) => {
    for (const line of text.trim().split('\n')) {
      const said = JSON.parse(line) as JsonObject;
      if (Number(said['level']) >= 50) errors.push(said);
    }
  });
  let alive: readonly Process[] = [];
  const begin = async (roles: readonly string[]): Promise<Process> => {
    const end = new AbortController();
    const own = mortal(clock, end.signal);
    const wire = wireToApi();
    const ownFetch: typeof fetch = (input, init = {}) =>
      fetch(input, { ...init, signal: AbortSignal.any([end.signal, ...(init.signal ? [init.signal] : [])]) });
    const bus = broker.connect({ clock: own });
    const runtime = await startRuntime({
      bus,
      client: kubeClient({ clock: own, kubeconfig, dispatcher: wire }),
      clock: own,
      log: openLog({ level: 'info', readable: false, destination }),
      adapters: [configure(pressAdapter({ fetch: ownFetch }), { PRESS_URL: shop.url })],
      roles: new Set(roles),
      callMs: 5_000,
      events: true,
      kinds: ['Paper', 'Book'],
    });
    return { runtime, bus, end, cutOff: () => void wire.cut(api.url) };
  };
  return {
    ...library,
    shop,
    errors,
    async start() {
      const own = Object.values(Role);
      const processes = isApart ? [own, ['press']] : [[...own, 'press']];
      alive = await Promise.all(processes.map(begin));
    },
    crash() {
      for (const { bus, end, cutOff } of alive) {
        bus.crash();
        end.abort();
        cutOff();
      }
      alive = [];
    },
    async close() {
      for (const { runtime } of alive) await runtime.close();
      for (const { bus, end } of alive) {
        await bus.close();
        end.abort();
      }
      await library.close();
      await shop.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A clock whose timers end with a process. */
function mortal(clock: Clock, end: AbortSignal): Clock {
  const setTimeout = (run: () => void, delayMs: number): ReturnType<Clock['setTimeout']> => {
    const timer = clock.setTimeout(() => {
      end.removeEventListener('abort', cancel);
      if (!end.aborted) run();
    }, delayMs);
    const cancel = (): void => clock.clearTimeout(timer);
    end.addEventListener('abort', cancel, { once: true });
    return timer;
  };
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    random: () => clock.random(),
    clearTimeout: (timer) => clock.clearTimeout(timer),
    setTimeout,
    async sleep(delayMs, signal) {
      await clock.sleep(delayMs, signal === undefined ? end : AbortSignal.any([signal, end]));
      // Who was killed does not go on.
      if (end.aborted) await new Promise(() => undefined);
    },
  };
}
