// Windows machines in memory, an API server, a bus in memory, and processes between them: one that hosts the actors, and one for
// each machine. All that is said on the bus, logged and stored can be read.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { installCrds } from '../../../../actors/cli/crds.ts';
import { systemClock } from '../../../../actors/clock.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { Role } from '../../../../actors/process/config.ts';
import { type Runtime, startRuntime } from '../../../../actors/process/runtime.ts';
import { openLog } from '../../../../actors/telling/log.ts';
import type { Host } from '../../../../adapters/csi-proxy/hosts/host.ts';
import { type MemoryMachine, memoryMachine } from '../../../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { windowsWith } from '../../../../adapters/csi-proxy/kinds/adapter.ts';
import { windowsContracts } from '../../../../adapters/csi-proxy/kinds/contracts/mod.ts';
import { startApiServer } from '../../../../adapters/kubernetes/embedded/mod.ts';
import { kubeClient } from '../../../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  type Bus,
  type Json,
  type JsonObject,
  memoryBroker,
  TransientError,
} from '../../../../bus/mod.ts';

const NAMESPACE = 'storage';
const GROUP = '/apis/windows.troupe.dev/v1alpha1';
const POLL_MS = 10;
const DEADLINE_MS = 20_000;
const LEASE_MS = 1_500;
const CALL_MS = 2_000;
/** Between looks at a machine, in milliseconds: most of what is waited for is heard of sooner. */
const LOOK_EVERY_MS = 100;
const TOLD_LINES = 15;

export const GIB = 2n ** 30n;
export const NODE_GONE = 'windows.troupe.dev/node-gone';

export interface Raw {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

export interface Machine extends MemoryMachine {
  /** Calls of the host that change something, as `formatVolume`, in their order. */
  readonly changes: string[];
  /** What is done before such a call, by its name: it may wait, or throw. */
  readonly before: Map<string, () => Promise<void>>;
}

interface Faults {
  /** So many of the next requests that take as long as they take find nobody. */
  holds: number;
}

export interface World {
  readonly faults: Faults;
  /** @param node  of a name that was made, or else of the first one */
  machine(node?: string): Machine;
  /** A process for the machine, which is there from then on. @param as  under which name, if not its own */
  startNode(node: string, as?: string): Promise<void>;
  /** The process of a node ends; what its machine is at goes on. */
  stopNode(node: string): Promise<void>;
  /** The process that hosts the actors ends, and another one begins. */
  restartActors(): Promise<void>;
  /** @param path  `windowsdisks/one`; `secrets/one` too */
  create(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  ready(path: string): Promise<Raw>;
  /** It says that it is not ready for this reason. */
  says(path: string, reason: string): Promise<string>;
  gone(path: string): Promise<void>;
  /** Until something that is seen otherwise is so. */
  happens(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** For so long that everything is looked at several times. */
  settle(): Promise<void>;
  /** All that was said on the bus, logged, and stored but in Secrets, as text. */
  everything(): Promise<string>;
  close(): Promise<void>;
}

export async function openWorld({
  nodes = ['one'],
  env = {},
}: {
  nodes?: readonly string[];
  env?: Record<string, string>;
} = {}): Promise<World> {
  const clock = systemClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-windows-'));
  const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
  const api = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig });
  await installCrds(client, clock, () => undefined, windowsContracts);
  await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  });
  const log: JsonObject[] = [];
  const heard: string[] = [];
  const faults: Faults = { holds: 0 };
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split('\n')) log.push(JSON.parse(line) as JsonObject);
      done();
    },
  });
  const machines = new Map<string, Machine>();
  const alive = new Map<string, { readonly runtime: Runtime; readonly bus: Bus }>();
  const begin = async (id: string, roles: readonly string[], node?: string, host?: Host): Promise<void> => {
    const bus = broker.connect({ clock });
    const adapter = windowsWith(async () => host ?? Promise.reject(new Error('no machine')));
    const runtime = await startRuntime({
      bus: hearing(bus, heard, faults),
      client: kubeClient({ clock, kubeconfig }),
      clock,
      log: openLog({ level: 'debug', readable: false, destination }),
      adapters: [configure(adapter, { WINDOWS_LOOK_EVERY_MS: String(LOOK_EVERY_MS), ...env })],
      roles: new Set(roles),
      callMs: CALL_MS,
      events: true,
      nodeName: node,
    });
    alive.set(id, { runtime, bus });
  };
  const end = async (id: string): Promise<void> => {
    const process = alive.get(id);
    alive.delete(id);
    await process?.runtime.close();
    await process?.bus.close();
  };
  const pathOf = (path: string): string => {
    const root = /^(secrets|events)/.test(path) ? '/api/v1' : GROUP;
    return `${root}/namespaces/${NAMESPACE}/${path}`;
  };
  const send = async (
    method: 'GET' | 'PATCH' | 'POST' | 'DELETE',
    path: string,
    body?: JsonObject,
    contentType?: string,
  ): Promise<Raw> => {
    const call = {
      method,
      path: pathOf(path),
      ...(body && { body }),
      ...(contentType !== undefined && { contentType }),
    };
    return (await client.call(call)).body as unknown as Raw;
  };
  const toldLately = (path: string): string => {
    const name = path.split('/').at(-1);
    const lines = log.filter((line) => line['name'] === undefined || line['name'] === name);
    return lines
      .slice(-TOLD_LINES)
      .map((line) => JSON.stringify(line))
      .join('\n');
  };
  const until = async (path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw> => {
    const endsAt = clock.now() + DEADLINE_MS;
    let last: Raw | undefined;
    while (clock.now() < endsAt) {
      last = await world.read(path);
      if (last !== undefined && isSo(last)) return last;
      await clock.sleep(POLL_MS);
    }
    throw new Error(`${path} is not ${what}: ${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
  };
  const world: World = {
    faults,
    machine(node = nodes[0] ?? '') {
      const machine = machines.get(node);
      if (machine === undefined) throw new Error(`there is no machine '${node}'`);
      return machine;
    },
    async startNode(node, as = node) {
      const machine = machines.get(node) ?? watched(await memoryMachine({ clock, unknownShares: 'absent' }), node);
      machines.set(node, machine);
      await begin(node, ['csi-proxy'], as, machine.host);
    },
    stopNode: end,
    async restartActors() {
      await end('');
      await begin('', Object.values(Role));
    },
    create(path, object) {
      const [plural = '', name = ''] = path.split('/');
      const kind = windowsContracts.find((contract) => contract.plural === plural)?.kind ?? 'Secret';
      const apiVersion = kind === 'Secret' ? 'v1' : 'windows.troupe.dev/v1alpha1';
      const metadata = { name, ...((object['metadata'] ?? {}) as JsonObject) };
      return send('POST', plural, { ...object, apiVersion, kind, metadata });
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
    until,
    ready: (path) => until(path, 'ready', (object) => readyOf(object)['status'] === 'True' && isCurrent(object)),
    async says(path, reason) {
      const object = await until(path, reason, (raw) => readyOf(raw)['reason'] === reason);
      return String(readyOf(object)['message']);
    },
    gone: async (path) => {
      const endsAt = clock.now() + DEADLINE_MS;
      for (;;) {
        const last = await world.read(path);
        if (last === undefined) return;
        if (clock.now() > endsAt)
          throw new Error(`${path} is still there: ${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
        await clock.sleep(POLL_MS);
      }
    },
    async happens(what, isSo) {
      const endsAt = clock.now() + DEADLINE_MS;
      while (!(await isSo())) {
        if (clock.now() > endsAt) throw new Error(`it did not happen: ${what}\n${toldLately('')}`);
        await clock.sleep(POLL_MS);
      }
    },
    settle: () => clock.sleep(5 * LOOK_EVERY_MS),
    async everything() {
      const plurals = [...windowsContracts.map(({ plural }) => plural), 'events'];
      const lists = await Promise.all(plurals.map((plural) => send('GET', plural)));
      return JSON.stringify([lists, log, heard]);
    },
    async close() {
      for (const id of [...alive.keys()]) await end(id);
      await client.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await begin('', Object.values(Role));
  for (const node of nodes) {
    await world.startNode(node);
    await world.create(`windowsstoragenodes/${node}`, { spec: { nodeName: node, services: ['MSiSCSI'] } });
  }
  return world;
}

/** A list of a status. */
export function listIn(status: JsonObject | undefined, member: string): readonly Json[] {
  const list = status?.[member];
  return Array.isArray(list) ? list : [];
}

export function readyOf({ status }: Raw): JsonObject {
  const conditions = (status?.['conditions'] ?? []) as readonly JsonObject[];
  return conditions.find(({ type }) => type === 'Ready') ?? {};
}

function isCurrent(object: Raw): boolean {
  const { generation } = object.metadata as { readonly generation?: number };
  return readyOf(object)['observedGeneration'] === generation;
}

const CHANGES =
  /^(initialize|create|set|mount|unmount|format|resize|mkdir|rmdir|new|remove|add|connect|disconnect|start|writeVolume)/;

/** A machine whose changes are written down, and may be held up; each has a serial number of its own. */
function watched(machine: MemoryMachine, name: string): Machine {
  const changes: string[] = [];
  const before = new Map<string, () => Promise<void>>();
  const follow = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, member, receiver) {
        const value: unknown = Reflect.get(target, member, receiver);
        if (typeof value !== 'function' || !CHANGES.test(String(member))) return value;
        return async (...args: unknown[]) => {
          await before.get(String(member))?.();
          changes.push(String(member));
          return Reflect.apply(value, target, args);
        };
      },
    });
  const { host } = machine;
  return {
    ...machine,
    changes,
    before,
    host: {
      disk: follow(host.disk),
      volume: follow(host.volume),
      filesystem: follow(host.filesystem),
      smb: follow(host.smb),
      iscsi: follow(host.iscsi),
      system: follow({ ...host.system, getBIOSSerialNumber: async () => `serial-${name}` }),
      close: async () => undefined,
    },
  };
}

/** The bus, with all mail, requests, answers and events written down. */
function hearing(bus: Bus, heard: string[], faults: Faults): Bus {
  const note = (what: unknown): void => void heard.push(JSON.stringify(what) ?? '');
  const noting = <Part extends object>(part: Part, members: readonly string[]): Part =>
    new Proxy(part, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          if (members.includes(String(member))) note(args);
          if (member === 'hold' && faults.holds-- > 0)
            return Promise.reject(new TransientError("nobody answers 'format'"));
          const result: unknown = Reflect.apply(value, target, args);
          if (result instanceof Promise && members.includes(String(member))) {
            void result.then(note, (error: unknown) => note(String(error)));
          }
          return result;
        };
      },
    });
  return new Proxy(bus, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target);
      if (member === 'mailbox') return noting(value as object, ['publish']);
      if (member === 'services') return noting(value as object, ['request', 'hold']);
      if (member === 'trace') return noting(value as object, ['emit']);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
