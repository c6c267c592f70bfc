// A world of bare-metal hosts: an API server, a bus in memory and a runtime between them in this process, and an Ironic, which is
// simulated or real. All that is said on the bus, logged and stored can be read.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import * as assert from 'uvu/assert';
import { Role } from '../../actors/base/config.ts';
import { openLog } from '../../actors/base/log.ts';
import { metrics } from '../../actors/observability/metrics.ts';
import { configure } from '../../actors/process/adapters.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import { transportOver } from '../../adapters/http/transport.ts';
import { metal3, metal3Over } from '../../adapters/ironic/adapter.ts';
import { metal3Contracts } from '../../adapters/ironic/api/contracts.ts';
import type { Simulator, SimulatorOptions } from '../../adapters/simulated/ironic/mod.ts';
import { AbsentError, type Bus, type Clock, type JsonObject, memoryBroker } from '../../bus/mod.ts';
import { openApiServer } from './api-server.ts';
import { simulatedClock } from './clock.ts';
import { heardBus } from './heard-bus.ts';
import { IRONIC_ORIGIN, type IronicAsk, simulatedIronic } from './ironic.ts';
import { Wire } from './wire.ts';

export const NAMESPACE = 'metal';
const GROUP = '/apis/metal3.io/v1alpha1';
const POLL_MS = 20;
const LEASE_MS = 30_000;
const CALL_MS = 20_000;
const TOLD_LINES = 20;

export interface Raw {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly JsonObject[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

export interface Reported {
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

export interface HostWorld {
  /** What the runtime logged as errors. */
  readonly errors: readonly JsonObject[];
  /** What it told of calls, states and troubles; for a failure. */
  readonly log: readonly JsonObject[];
  /** All that was said on the bus, as text, and who said it. */
  readonly heard: readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * @param path  below the namespace: `baremetalhosts/one`; below another one, which is made: `/other/baremetalhosts/one`. Of the group
   *   unless it is of `secrets`
   */
  create(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  /** Asks for the deletion of the namespace: nothing can be made in it from then on. */
  removeNamespace(): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  list(plural: string): Promise<readonly Raw[]>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  gone(path: string): Promise<void>;
  eventually(what: string, isSo: () => boolean | Promise<boolean>, instead?: () => string): Promise<void>;
  events(): Promise<readonly Reported[]>;
  /** All that is stored in the namespace but Secrets, as text. */
  everything(): Promise<string>;
  /** The metrics of the runtime, in the text format of Prometheus. */
  figures(): Promise<string>;
  /** Requests to the API server that change something; of those paths alone, on a wire. */
  writes(path?: RegExp): number;
  close(): Promise<void>;
}

export interface HostWorldOptions {
  readonly clock: Clock;
  readonly endpoint: string;
  /** Longest that a state is waited for. */
  readonly deadlineMs: number;
  /** Between two looks at a state that is waited for. */
  readonly pollMs?: number;
  /** How the API server and Ironic are reached without sockets; undefined: by sockets. */
  readonly wire?: Wire;
  /** Longest that a call takes, and a lease lasts without a word of its holder. */
  readonly callMs?: number | undefined;
  readonly leaseMs?: number | undefined;
  /** Variables of the environment beside the endpoint of Ironic. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** For an Ironic that wants to know who asks. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** Whether Ironic is asked by a process of its own, so that all that is asked for goes over the bus. */
  readonly processes?: 'one' | 'two' | undefined;
  /** In place of all of bare metal. */
  readonly adapter?: ConfiguredAdapter;
}

export async function openHostWorld(options: HostWorldOptions): Promise<HostWorld> {
  const { clock, endpoint, deadlineMs, wire, callMs = CALL_MS, leaseMs = LEASE_MS, env = {} } = options;
  const { credentials, processes = 'one', pollMs = POLL_MS } = options;
  const broker = memoryBroker({ clock, leaseMs });
  const server = await openApiServer({ clock, wire, contracts: metal3Contracts });
  const { folder } = server;
  await mkdir(join(folder, 'auth', 'ironic'), { recursive: true });
  for (const [name, text] of Object.entries(credentials ?? {})) {
    await writeFile(join(folder, 'auth', 'ironic', name), text, { mode: 0o600 });
  }
  const client = server.client();
  const log: JsonObject[] = [];
  const heard: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split('\n')) log.push(JSON.parse(line) as JsonObject);
      done();
    },
  });
  const given = {
    IRONIC_ENDPOINT: endpoint,
    ...(credentials !== undefined && { METAL3_AUTH_ROOT_DIR: join(folder, 'auth') }),
    ...env,
  };
  const figures = metrics({ clock });
  const alive: { readonly runtime: Runtime; readonly bus: Bus }[] = [];
  const begin = async (roles: readonly string[]): Promise<void> => {
    const bus = heardBus(broker.connect({ clock }), heard);
    const adapter = options.adapter ?? configure(wire === undefined ? metal3 : overWire(wire, clock, endpoint), given);
    const runtime = await startRuntime({
      bus,
      client: server.client(),
      clock,
      log: openLog({ level: 'debug', readable: false, destination }),
      adapters: [adapter],
      roles: new Set(roles),
      callMs,
      events: true,
      metrics: figures,
      ...(options.adapter && { kinds: adapter.kinds.map(({ kind }) => kind) }),
    });
    alive.push({ runtime, bus });
  };
  const placeOf = (path: string): { readonly namespace: string; readonly path: string } => {
    const [, namespace = NAMESPACE, rest = path] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
    return { namespace, path: rest };
  };
  const pathOf = (given: string): string => {
    const { namespace, path } = placeOf(given);
    const root = /^(secrets|events)/.test(path) ? '/api/v1' : GROUP;
    return `${root}/namespaces/${namespace}/${path}`;
  };
  const send = async (method: 'GET' | 'PATCH' | 'POST' | 'DELETE', path: string, body?: JsonObject): Promise<Raw> => {
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    return (await client.call({ method, path, ...(body && { body }), ...contentType })).body as unknown as Raw;
  };
  const namespaces = new Set<string>();
  const ensureNamespace = async (name: string): Promise<void> => {
    if (namespaces.has(name)) return;
    namespaces.add(name);
    await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  };
  await ensureNamespace(NAMESPACE);
  const toldLately = (path: string): string => {
    const name = path.split('/').at(-1);
    const lines = log.filter((line) => line['name'] === undefined || line['name'] === name);
    return lines
      .slice(-TOLD_LINES)
      .map((line) => JSON.stringify(line))
      .join('\n');
  };
  const world: HostWorld = {
    get errors() {
      return log.filter(({ level }) => Number(level) >= 50);
    },
    log,
    heard,
    async start() {
      if (processes === 'two') await begin(['ironic']);
      await begin(processes === 'two' ? Object.values(Role) : [...Object.values(Role), 'ironic']);
    },
    async stop() {
      for (const { runtime, bus } of alive.splice(0).reverse()) {
        await runtime.close();
        await bus.close();
      }
    },
    async create(given, object) {
      const { namespace, path } = placeOf(given);
      const [plural = '', name = ''] = path.split('/');
      await ensureNamespace(namespace);
      const kind = metal3Contracts.find((contract) => contract.plural === plural)?.kind ?? 'Secret';
      const own = { name, ...((object['metadata'] ?? {}) as JsonObject) };
      const apiVersion = kind === 'Secret' ? 'v1' : 'metal3.io/v1alpha1';
      return send('POST', pathOf(`/${namespace}/${plural}`), { ...object, apiVersion, kind, metadata: own });
    },
    merge: (path, patch) => send('PATCH', pathOf(path), patch),
    remove: async (path) => void (await send('DELETE', pathOf(path))),
    removeNamespace: async () => void (await send('DELETE', `/api/v1/namespaces/${NAMESPACE}`)),
    async read(path) {
      try {
        return await send('GET', pathOf(path));
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async list(plural) {
      const { items } = (await send('GET', pathOf(plural))) as unknown as { readonly items: readonly Raw[] };
      return items;
    },
    async until(path, what, isSo) {
      let [last, readAt] = [undefined as Raw | undefined, -1];
      const look = async (): Promise<boolean> => {
        // It is what it was while nobody writes.
        const written = server.writes();
        if (written !== readAt) last = await world.read(path);
        readAt = written;
        return last !== undefined && isSo(last);
      };
      await world.eventually(`${path} is ${what}`, look, () => `${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
      return last as Raw;
    },
    async gone(path) {
      let last: Raw | undefined;
      const look = async (): Promise<boolean> => {
        last = await world.read(path);
        return last === undefined;
      };
      await world.eventually(`${path} is gone`, look, () => `${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
    },
    async eventually(what, isSo, instead = () => '') {
      const endsAt = clock.now() + deadlineMs;
      while (!(await isSo())) {
        if (clock.now() > endsAt) throw new Error(`it is not so that ${what}: ${instead()}`);
        await clock.sleep(pollMs);
      }
    },
    events: async () => (await world.list('events')) as unknown as readonly Reported[],
    async everything() {
      const lists = await Promise.all(metal3Contracts.map(({ plural }) => world.list(plural)));
      return JSON.stringify([lists, await world.events()]);
    },
    figures: async () => (await figures.text()).body,
    writes: (path) => server.writes(path),
    async close() {
      await world.stop();
      await client.close();
      await server.close();
    },
  };
  return world;
}

function overWire(wire: Wire, clock: Clock, endpoint: string): typeof metal3 {
  const trust = { ca: undefined, verify: 'verified' } as const;
  return metal3Over({
    connection: async () => ({ endpoint: endpoint.replace(/\/v1\/$/, ''), trust, credentials: undefined }),
    transport: () => transportOver(wire, clock),
  });
}

/** Ironic and its machines take minutes for what they do, and those of simulated time cost nothing. */
const SIMULATED_DEADLINE_MS = 1_800_000;
const SIMULATED_POLL_MS = 200;

export interface SimulatedHosts extends HostWorld {
  readonly clock: Clock;
  readonly ironic: Simulator;
  /** Asks Ironic, as anybody may. */
  readonly ask: IronicAsk;
  /** Makes `baremetalhosts/one` for machine 1, with its Secret unless that is there. */
  host(spec?: JsonObject, metadata?: JsonObject): Promise<Raw>;
}

export interface SimulatedHostsOptions
  extends Partial<Omit<SimulatorOptions, 'clock'>>,
    Pick<HostWorldOptions, 'env' | 'processes'> {
  /** Of whoever judges what the world is in the end; nothing may have been logged as an error. */
  readonly atEnd?: (world: SimulatedHosts) => Promise<void>;
  /** The runtime is started by the test. */
  readonly isStarted?: false;
}

/** Runs a test in a world of its own, which has machine 1 unless more are named. */
export async function withHosts(
  run: (world: SimulatedHosts) => Promise<void>,
  { env, processes, atEnd, isStarted, ...options }: SimulatedHostsOptions = {},
): Promise<void> {
  const [clock, wire] = [simulatedClock(), new Wire()];
  const { ironic, ask } = await simulatedIronic({ clock, wire, machines: [machine(1).options], ...options });
  const given = { deadlineMs: SIMULATED_DEADLINE_MS, pollMs: SIMULATED_POLL_MS, env, processes };
  const bare = await openHostWorld({ clock, wire, endpoint: `${IRONIC_ORIGIN}/v1/`, ...given });
  const world: SimulatedHosts = Object.assign(bare, {
    clock,
    ironic,
    ask,
    async host(spec: JsonObject = {}, metadata: JsonObject = {}) {
      const { address, mac } = machine(1);
      if ((await bare.read('secrets/bmc')) === undefined) await bare.create('secrets/bmc', BMC_SECRET);
      const bmc = { address, credentialsName: 'bmc' };
      return bare.create('baremetalhosts/one', { metadata, spec: { online: true, bootMACAddress: mac, bmc, ...spec } });
    },
  });
  try {
    if (isStarted !== false) await world.start();
    await run(world);
    assert.equal(world.errors, []);
    await atEnd?.(world);
  } finally {
    await world.close();
    await ironic.close();
    clock.stop();
  }
}

const SYSTEM = '/redfish/v1/Systems/1';
/** The password of all BMCs. */
export const PASSWORD = 'Wp7-unlike-anything';
/** The Secret of a BMC. */
export const BMC_SECRET = { type: 'Opaque', stringData: { username: 'admin', password: PASSWORD } };
/** `spec.image`. */
export const IMAGE = {
  url: 'http://images/instance.raw',
  checksum: 'a'.repeat(64),
  checksumType: 'sha256',
  format: 'raw',
};
/** Of the environment, for machines that boot a ramdisk. */
export const RAMDISK = { DEPLOY_KERNEL_URL: 'http://images/kernel', DEPLOY_RAMDISK_URL: 'http://images/ramdisk' };

/** A machine for the simulated Ironic, and the address of its BMC as a host says it. */
export function machine(number: number): {
  readonly options: NonNullable<SimulatorOptions['machines']>[number];
  readonly mac: string;
  readonly address: string;
} {
  const mac = `52:54:00:00:00:0${number}`;
  const address = `http://10.0.0.${number}:8000`;
  return {
    options: { name: `bm${number}`, address, systemId: SYSTEM, password: PASSWORD, macs: [mac] },
    mac,
    address: `redfish-virtualmedia+${address}${SYSTEM}`,
  };
}

export const provisioningOf = ({ status }: Raw): JsonObject => (status?.['provisioning'] ?? {}) as JsonObject;
export const isIn = (state: string) => (host: Raw) => provisioningOf(host)['state'] === state;
export const isSwitched = (on: boolean) => (host: Raw) => host.status?.['poweredOn'] === on;
export const conditionOf = ({ status }: Raw, type: string): JsonObject | undefined =>
  ((status?.['conditions'] ?? []) as readonly JsonObject[]).find((condition) => condition['type'] === type);
