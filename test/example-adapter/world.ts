// A print shop, an API server, a bus in memory, and runtimes between them, in this process.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { installCrds } from '../../actors/cli/crds.ts';
import { systemClock } from '../../actors/clock.ts';
import { configure } from '../../actors/process/adapters.ts';
import { Role } from '../../actors/process/config.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import { openLog } from '../../actors/telling/log.ts';
import { startApiServer } from '../../adapters/kubernetes/embedded/mod.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, type JsonObject, type MemoryBus, memoryBroker } from '../../bus/mod.ts';
import { pressAdapter } from './adapter.ts';
import { GROUP } from './contracts.ts';
import { type PrintShop, startPrintShop } from './simulator.ts';

export const NAMESPACE = 'library';
export const WAREHOUSE = 'warehouse';
const DEADLINE_MS = 15_000;
const POLL_MS = 20;
const APPLY = 'application/apply-patch+yaml';
const LEASE_MS = 1_500;

export interface Raw {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly JsonObject[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: JsonObject;
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: JsonObject;
}

export interface World {
  readonly shop: PrintShop;
  readonly client: KubeClient;
  /** What the runtimes logged as errors. */
  readonly errors: readonly JsonObject[];
  start(): Promise<void>;
  /** The runtime ends as one that is killed: no timer of it fires, no call of it is sent or answered. */
  crash(): void;
  apply(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  gone(path: string): Promise<void>;
  /** @param instead  what is so instead, for the failure */
  eventually(what: string, isSo: () => boolean | Promise<boolean>, instead?: () => string): Promise<void>;
  close(): Promise<void>;
}

interface Process {
  readonly runtime: Runtime;
  readonly bus: MemoryBus;
  readonly end: AbortController;
}

export interface WorldOptions {
  /** How long the shop prints a sheet, in milliseconds. */
  readonly sheetMs?: number;
  /** Whether a process of its own serves the adapter. */
  readonly isApart?: boolean;
}

export async function openWorld({ sheetMs = 5, isApart = false }: WorldOptions = {}): Promise<World> {
  const clock = systemClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-press-'));
  const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
  const api = await startApiServer({ clock });
  const shop = await startPrintShop({ clock, sheetMs });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig });
  const errors: JsonObject[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split('\n')) {
        const said = JSON.parse(line) as JsonObject;
        if (Number(said['level']) >= 50) errors.push(said);
      }
      done();
    },
  });
  let alive: readonly Process[] = [];
  const send = async (
    method: 'GET' | 'PATCH' | 'DELETE',
    path: string,
    body?: JsonObject,
    contentType?: string,
  ): Promise<Raw> => {
    const call = {
      method,
      path,
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
    };
    return (await client.call(call)).body as unknown as Raw;
  };
  const begin = async (roles: readonly string[]): Promise<Process> => {
    const end = new AbortController();
    const own = mortal(clock, end.signal);
    const ownFetch: typeof fetch = (input, init = {}) =>
      fetch(input, { ...init, signal: AbortSignal.any([end.signal, ...(init.signal ? [init.signal] : [])]) });
    const bus = broker.connect({ clock: own });
    const runtime = await startRuntime({
      bus,
      client: kubeClient({ clock: own, kubeconfig }),
      clock: own,
      log: openLog({ level: 'info', readable: false, destination }),
      adapters: [configure(pressAdapter({ fetch: ownFetch }), { PRESS_URL: shop.url })],
      roles: new Set(roles),
      callMs: 5_000,
      events: true,
      kinds: ['Paper', 'Book'],
    });
    return { runtime, bus, end };
  };
  const world: World = {
    shop,
    client,
    errors,
    async start() {
      const own = Object.values(Role);
      const processes = isApart ? [own, ['press']] : [[...own, 'press']];
      alive = await Promise.all(processes.map(begin));
    },
    crash() {
      for (const { bus, end } of alive) {
        bus.crash();
        end.abort();
      }
      alive = [];
    },
    apply(path, object) {
      const metadata = { name: path.slice(path.lastIndexOf('/') + 1) };
      return send('PATCH', `${path}?fieldManager=kubectl&force=true`, { ...object, metadata }, APPLY);
    },
    merge: (path, patch) => send('PATCH', path, patch, 'application/merge-patch+json'),
    remove: async (path) => void (await send('DELETE', path)),
    async read(path) {
      try {
        return await send('GET', path);
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async until(path, what, isSo) {
      let last: Raw | undefined;
      await world.eventually(
        `${path} is ${what}`,
        async () => {
          last = await world.read(path);
          return last !== undefined && isSo(last);
        },
        () => JSON.stringify([last?.metadata.finalizers, last?.spec, last?.status, last?.data]),
      );
      return last as unknown as Raw;
    },
    gone: (path) => world.eventually(`${path} is gone`, async () => (await world.read(path)) === undefined),
    async eventually(what, isSo, instead = () => '') {
      const until = clock.now() + DEADLINE_MS;
      while (!(await isSo())) {
        if (clock.now() > until) throw new Error(`not so after ${DEADLINE_MS} ms: ${what}; ${instead()}`);
        await clock.sleep(POLL_MS);
      }
    },
    async close() {
      for (const { runtime } of alive) await runtime.close();
      for (const { bus, end } of alive) {
        await bus.close();
        end.abort();
      }
      await client.close();
      await shop.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await installCrds(client, clock, () => undefined, pressAdapter({ fetch }).contracts);
  for (const name of [NAMESPACE, WAREHOUSE]) {
    await client.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
  }
  return world;
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
    ...clock,
    setTimeout,
    async sleep(delayMs, signal) {
      await clock.sleep(delayMs, signal === undefined ? end : AbortSignal.any([signal, end]));
      // Who was killed does not go on.
      if (end.aborted) await new Promise(() => undefined);
    },
  };
}

/** Where objects of the print shop are. */
export function pathOf(plural: 'books' | 'papers', namespace: string, name: string, version = 'v1'): string {
  return `/apis/${GROUP}/${version}/namespaces/${namespace}/${plural}/${name}`;
}
