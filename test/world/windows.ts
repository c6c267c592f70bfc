// Windows machines in memory, an API server, and the processes between them: pods that host the actors, one unless more are asked
// for, and one for each machine.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/base/clock.ts';
import { installCrds } from '../../actors/process/install-crds.ts';
import { memoryMachine } from '../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { windowsContracts } from '../../adapters/windows/contracts/mod.ts';
import { AbsentError, type Clock, type Json, type JsonObject } from '../../bus/mod.ts';
import { type ApiServer, openApiServer } from './api-server.ts';
import { SimulatedClock, simulatedClock } from './clock.ts';
import { slowness } from './speed.ts';
import { type Machine, untouchable, watched } from './windows-machine.ts';
import { type Served, serveFolder } from './windows-pipes.ts';
import { type Faults, Processes } from './windows-processes.ts';
import { Wire } from './wire.ts';

const GROUP = '/apis/windows.troupe.dev/v1alpha1';
/** How time passes in the world, in milliseconds. */
interface Pace {
  readonly pollMs: number;
  readonly deadlineMs: number;
  /** Between looks at a machine: most of what is waited for is heard of sooner. */
  readonly lookEveryMs: number;
  readonly leaseMs: number;
}
const SIMULATED: Pace = { pollMs: 250, deadlineMs: 300_000, lookEveryMs: 1_000, leaseMs: 5_000 };
const REAL: Pace = { pollMs: 10, deadlineMs: 60_000, lookEveryMs: 100, leaseMs: 5_000 };
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

export interface World {
  readonly clock: Clock;
  readonly faults: Faults;
  /** Whether machines are asked by way of csi-proxy, which does not tell all. */
  readonly isPiped: boolean;
  /** By which a raw disk is formatted. */
  readonly formatPolicy: 'IfRaw' | 'IfUnknown';
  /** Where a csi-proxy of that node serves, or another one might. */
  endpointOf(node: string): string;
  /** Another csi-proxy on the first machine, at what might be the endpoint of such a node. */
  serve(node: string): Promise<void>;
  /** A csi-proxy ends. */
  stopServing(node: string): Promise<void>;
  /** @param node  of a name that was made, or else of the first one */
  machine(node?: string): Machine;
  /** A process for the machine, which is there from then on. @param as  under which name, if not its own */
  startNode(node: string, as?: string): Promise<void>;
  /** The process of a node ends; what its machine is at goes on. */
  stopNode(node: string): Promise<void>;
  /** The pods that host the actors end, and others begin. */
  restartActors(): Promise<void>;
  /** The pod that hosts the object's actor, unless it is gone already, is gone from one moment to the next, and another one begins. */
  crashLeader(path: string): Promise<void>;
  /** The process of a node is gone from one moment to the next, and another one begins. */
  crashNode(node: string): Promise<void>;
  /** @param path  `windowsdisks/one`; `secrets/one` too */
  create(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  /** The status says this, as if the object's actor had written it. */
  record(path: string, status: JsonObject): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  ready(path: string): Promise<Raw>;
  /** It says that it is not ready for this reason, and, in the end, such a message. */
  says(path: string, reason: string, message?: RegExp): Promise<string>;
  gone(path: string): Promise<void>;
  /** Until something that is seen otherwise is so. */
  happens(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** For so long that everything is looked at several times. */
  settle(): Promise<void>;
  /** All that was said on the bus, logged, and stored but in Secrets, as text. */
  everything(): Promise<string>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly nodes?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly pods?: number;
  /** Of a real API server, in real time; an embedded one under simulated time otherwise. */
  readonly kubeconfig?: string;
  /** The machines are asked by way of csi-proxy, and their processes may not do anything themselves. */
  readonly isPiped?: boolean;
  /** What such a csi-proxy serves. */
  readonly served?: Served;
}

async function openWorld(options: WorldOptions): Promise<World> {
  const { nodes = ['one'], env = {}, pods = 1, isPiped = false, served = {} } = options;
  const isReal = options.kubeconfig !== undefined;
  const { pollMs, lookEveryMs, leaseMs, ...pace } = isReal ? REAL : SIMULATED;
  const clock = isReal ? systemClock() : simulatedClock();
  const deadlineMs = pace.deadlineMs * (isReal ? slowness(clock) : 1);
  const server = options.kubeconfig === undefined ? await embedded(clock) : await existing(clock, options.kubeconfig);
  const { folder } = server;
  const client = server.client();
  // Others may be at work on a real one.
  const namespace = `storage-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
  await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  const processes = new Processes({
    clock,
    leaseMs,
    client: server.client,
    namespaces: options.kubeconfig === undefined ? undefined : [namespace],
    env: { WINDOWS_LOOK_EVERY_MS: String(lookEveryMs), ...env },
  });
  const { log, heard, faults } = processes;
  const machines = new Map<string, Machine>();
  const proxies = new Map<string, () => Promise<void>>();
  const endpointOf = (node: unknown): string => join(folder, `pipes-${String(node)}`);
  /** Of a WindowsStorageNode whose node is said. */
  const withEndpoint = (path: string, body: JsonObject): JsonObject => {
    const spec = (body['spec'] ?? {}) as JsonObject;
    if (!isPiped || !path.startsWith('windowsstoragenodes') || spec['nodeName'] === undefined) return body;
    return { ...body, spec: { endpoint: endpointOf(spec['nodeName']), ...spec } };
  };
  const serve = async (node: string, { host }: Machine): Promise<void> => {
    await mkdir(endpointOf(node), { recursive: true });
    proxies.set(node, await serveFolder(`${endpointOf(node)}/`, { host, clock, only: served }));
  };
  const names = Array.from({ length: pods }, (_, index) => `pod-${index}`);
  const pathOf = (path: string): string => {
    const root = /^(secrets|events)/.test(path) ? '/api/v1' : GROUP;
    return `${root}/namespaces/${namespace}/${path}`;
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
    const endsAt = clock.now() + deadlineMs;
    let last: Raw | undefined;
    while (clock.now() < endsAt) {
      last = await world.read(path);
      if (last !== undefined && isSo(last)) return last;
      await clock.sleep(pollMs);
    }
    throw new Error(`${path} is not ${what}: ${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
  };
  const world: World = {
    clock,
    faults,
    isPiped,
    formatPolicy: isPiped ? 'IfUnknown' : 'IfRaw',
    endpointOf,
    serve: (node) => serve(node, world.machine()),
    async stopServing(node) {
      await proxies.get(node)?.();
      proxies.delete(node);
    },
    machine(node = nodes[0] ?? '') {
      const machine = machines.get(node);
      if (machine === undefined) throw new Error(`there is no machine '${node}'`);
      return machine;
    },
    async startNode(node, as = node) {
      const machine = machines.get(node) ?? watched(await memoryMachine({ clock, unknownShares: 'absent' }), node);
      machines.set(node, machine);
      if (isPiped && !proxies.has(node)) await serve(node, machine);
      await processes.startNode(node, as, isPiped ? untouchable(machine.host) : machine.host);
    },
    stopNode: (node) => processes.end(node),
    async restartActors() {
      await Promise.all(names.map((id) => processes.end(id)));
      await Promise.all(names.map((id) => processes.startPod(id)));
    },
    async crashLeader(path) {
      const [plural = '', name = ''] = path.split('/');
      const id = processes.leaderOf(plural, name);
      if (id === undefined) return;
      processes.crash(id);
      await processes.startPod(id);
    },
    async crashNode(node) {
      processes.crash(node);
      await world.startNode(node);
    },
    create(path, object) {
      const [plural = '', name = ''] = path.split('/');
      const kind = windowsContracts.find((contract) => contract.plural === plural)?.kind ?? 'Secret';
      const apiVersion = kind === 'Secret' ? 'v1' : 'windows.troupe.dev/v1alpha1';
      const metadata = { name, ...((object['metadata'] ?? {}) as JsonObject) };
      return send('POST', plural, { ...withEndpoint(plural, object), apiVersion, kind, metadata });
    },
    merge: (path, patch) => send('PATCH', path, withEndpoint(path, patch), 'application/merge-patch+json'),
    record: async (path, status) =>
      void (await send('PATCH', `${path}/status`, { status }, 'application/merge-patch+json')),
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
    async says(path, reason, message = /^/) {
      const isSo = ({ reason: reported, message: text }: JsonObject) =>
        reported === reason && message.test(String(text));
      const object = await until(path, `${reason} ${message}`, (raw) => isSo(readyOf(raw)));
      return String(readyOf(object)['message']);
    },
    gone: async (path) => {
      const endsAt = clock.now() + deadlineMs;
      for (;;) {
        const last = await world.read(path);
        if (last === undefined) return;
        if (clock.now() > endsAt)
          throw new Error(`${path} is still there: ${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
        await clock.sleep(pollMs);
      }
    },
    async happens(what, isSo) {
      const endsAt = clock.now() + deadlineMs;
      while (!(await isSo())) {
        if (clock.now() > endsAt) throw new Error(`it did not happen: ${what}\n${toldLately('')}`);
        await clock.sleep(pollMs);
      }
    },
    settle: () => clock.sleep(5 * lookEveryMs),
    async everything() {
      const plurals = [...windowsContracts.map(({ plural }) => plural), 'events'];
      const lists = await Promise.all(plurals.map((plural) => send('GET', plural)));
      return JSON.stringify([lists, log, heard]);
    },
    async close() {
      await processes.close();
      for (const stop of proxies.values()) await stop();
      await client.call({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
      await client.close();
      await server.close();
      if (clock instanceof SimulatedClock) clock.stop();
    },
  };
  await Promise.all(names.map((id) => processes.startPod(id)));
  for (const node of nodes) {
    await world.startNode(node);
    await world.create(`windowsstoragenodes/${node}`, { spec: { nodeName: node, services: ['MSiSCSI'] } });
  }
  return world;
}

type Server = Pick<ApiServer, 'folder' | 'client' | 'close'>;

function embedded(clock: Clock): Promise<Server> {
  return openApiServer({ clock, wire: new Wire(), contracts: windowsContracts });
}

async function existing(clock: Clock, kubeconfig: string): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-world-'));
  const client = (): KubeClient => kubeClient({ clock, kubeconfig });
  const installer = client();
  await installCrds(installer, clock, () => undefined, windowsContracts);
  await installer.close();
  return { folder, client, close: () => rm(folder, { recursive: true, force: true }) };
}

/** A world for as long as something is done in it. */
export async function inWorld(options: WorldOptions, run: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld(options);
  try {
    await run(world);
  } finally {
    await world.close();
  }
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
