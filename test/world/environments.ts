// Environments of a world: an API server, a bus and a cloud, embedded or real.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { systemClock } from '../../actors/base/clock.ts';
import type { KindContract } from '../../adapters/api/contract/crds.ts';
import type { EmbeddedApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../adapters/simulated/openstack/mod.ts';
import {
  type Bus,
  type Clock,
  memoryBroker,
  type NatsServer,
  natsBus,
  natsProgram,
  startNatsServer,
} from '../../bus/mod.ts';
import { natsVersion, reads } from '../../bus/nats-store-version.ts';
import { openApiServer } from './api-server.ts';
import { SimulatedClock, simulatedClock } from './clock.ts';
import { slowness } from './speed.ts';
import { Wire } from './wire.ts';

export interface Ground {
  readonly name: string;
  /** Simulated where everything is in this process, else that of the system. */
  readonly clock: Clock;
  /** Where the kubeconfig is, and whatever else the ground keeps. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** The API server serves the definitions that were asked for. */
  readonly hasDefinitions?: true;
  /** Of the runtime, where it is not the test's own. */
  readonly runtimeKubeconfig?: string;
  /** The embedded API server, for its counters. */
  readonly api: EmbeddedApiServer | undefined;
  readonly simulator: Simulator | undefined;
  readonly cloudsYaml: string;
  readonly cloudName: string;
  /** Longest wait for anything that should happen, in milliseconds. */
  readonly deadlineMs: number;
  /** How the API server and the cloud are reached without sockets; undefined: by sockets. */
  readonly wire: Wire | undefined;
  /** Of a real server, and the prefix of all its names; undefined: in memory. */
  readonly nats: { readonly url: string; readonly prefix: string } | undefined;
  connect(process: string, options?: { readonly leaseMs?: number }): Promise<Bus>;
  /** Kills the server of the bus. @returns the way to start it again; undefined: it is not ours to kill */
  readonly interruptBus: (() => Promise<() => Promise<void>>) | undefined;
  /** Cuts the API server off. @returns the way to let it be reached again; undefined: it is not ours to cut */
  readonly interruptApi: (() => Promise<() => Promise<void>>) | undefined;
  close(): Promise<void>;
}

export interface GroundOptions {
  /** Definitions that the API server is to serve; those that it does not begin with, `World` installs. */
  readonly contracts?: readonly KindContract[];
  /** In place of the simulated one: for what shares a world with other processes. */
  readonly clock?: Clock;
  /** Of the simulated cloud. */
  readonly simulator?: Partial<SimulatorOptions>;
}

export type OpenGround = (options?: GroundOptions) => Promise<Ground>;

type Base = Omit<Ground, 'nats' | 'connect' | 'interruptBus' | 'name'>;

const EMBEDDED_DEADLINE_MS = 40_000;
/** On the machine that limits were set on; real services are slower on a slower one. */
const REAL_DEADLINE_MS = 60_000;

/** Where the cloud of a wire is. */
const CLOUD_ORIGIN = 'http://cloud.test';

/** @param options.wire  by which both are reached; undefined: by sockets */
async function embedded(
  clock: Clock,
  { wire, contracts, simulator: cloud = {} }: GroundOptions & { readonly wire?: Wire | undefined } = {},
): Promise<Base> {
  const server = await openApiServer({ clock, wire, contracts });
  const { api, folder, kubeconfig } = server;
  const simulator = await startSimulator({
    clock,
    ...(wire && { port: 'none', publicOrigin: CLOUD_ORIGIN }),
    ...cloud,
  });
  wire?.serve(CLOUD_ORIGIN, simulator.handle);
  return {
    clock,
    folder,
    kubeconfig,
    api,
    simulator,
    wire,
    ...(contracts && { hasDefinitions: true }),
    cloudsYaml: simulator.cloudsYaml('openstack'),
    cloudName: 'openstack',
    deadlineMs: EMBEDDED_DEADLINE_MS,
    interruptApi:
      wire === undefined
        ? undefined
        : async () => {
            const heal = wire.cut(api.url);
            return async () => heal();
          },
    async close() {
      // A test that failed may have left something behind that would go on for ever.
      wire?.cut(api.url);
      wire?.cut(CLOUD_ORIGIN);
      await simulator.close();
      await server.close();
    },
  };
}

/** Everything in this process, under simulated time, and nothing by sockets. */
export const inMemory: OpenGround = (options) => inProcess(new Wire(), options);

/** The same by sockets: for what reads the kubeconfig itself. */
export const onSockets: OpenGround = (options) => inProcess(undefined, options);

/** Everything in this process, by the clock of the system: for what shows it to a browser, whose time is its own. */
export const inRealTime: OpenGround = (options) => inMemory({ clock: systemClock(), ...options });

async function inProcess(wire: Wire | undefined, options: GroundOptions = {}): Promise<Ground> {
  const { clock = simulatedClock() } = options;
  const base = await embedded(clock, { ...options, wire });
  // Leases of a bus in memory are lost with the process; a broker for each length of a lease would not be shared.
  const broker = memoryBroker({ clock });
  return {
    ...base,
    name: 'in memory',
    nats: undefined,
    interruptBus: undefined,
    connect: async () => broker.connect(),
    async close() {
      await base.close();
      if (options.clock === undefined && clock instanceof SimulatedClock) clock.stop();
    },
  };
}

/** The same with a nats-server of its own. */
export function onNats(program: string): OpenGround {
  return async ({ clock = systemClock(), ...options } = {}) => {
    const base = await embedded(clock, options);
    const start = (port?: number): Promise<NatsServer> =>
      startNatsServer({
        program,
        path: '',
        cacheFolder: base.folder,
        fetch: globalThis.fetch,
        onProgress: () => undefined,
        folder: join(base.folder, 'nats'),
        clock,
        ...(port !== undefined && { port }),
      });
    let server = await start();
    const { url } = server;
    return {
      ...base,
      name: `nats-server ${program}`,
      nats: { url, prefix: 'troupe' },
      connect: (process, options) => natsBus({ url, clock, process, firstLease: 'immediate', ...options }),
      async interruptBus() {
        process.kill(server.pid, 'SIGKILL');
        await server.exited;
        return async () => {
          server = await start(Number(new URL(url).port));
        };
      },
      async close() {
        await server.close();
        await base.close();
      },
    };
  };
}

type FoundServer = { readonly program: string } | { readonly refusal: string };

/** Looked for once a process: where there is no network that takes a quarter of a minute. */
let looked: Promise<FoundServer> | undefined;

/** A nats-server, if one can be had, or why not. */
export function findNatsServer(): Promise<FoundServer> {
  looked ??= lookForNatsServer();
  return looked;
}

async function lookForNatsServer(): Promise<FoundServer> {
  try {
    const program = await natsProgram({
      program: process.env['TROUPE_NATS_SERVER'],
      path: process.env['PATH'] ?? '',
      cacheFolder: join(homedir(), '.cache', 'troupe'),
      fetch: globalThis.fetch,
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });
    return { program };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
}

/** Several processes may share it from this version on. */
const SHARABLE = '2.11.0';

/** The same, if several processes may share it. */
export async function findSharableNatsServer(): Promise<FoundServer> {
  const found = await findNatsServer();
  if ('refusal' in found) return found;
  const version = await natsVersion(found.program);
  if (version !== undefined && reads(version, SHARABLE)) return found;
  const what = `nats-server ${version ?? 'of no known version'} ('${found.program}') serves one process`;
  return { refusal: `${what}; several need ${SHARABLE} or later: set TROUPE_NATS_SERVER to one` };
}

/** The real ones, if all three are named. */
export function realGround(env: Readonly<Record<string, string | undefined>>): OpenGround | undefined {
  const { KUBECONFIG: kubeconfig, NATS_URL: url, OS_CLIENT_CONFIG_FILE: clouds, OS_CLOUD: cloudName = 'test' } = env;
  if (!kubeconfig || !url || !clouds) return undefined;
  return async () => {
    const clock = systemClock();
    const folder = await mkdtemp(join(tmpdir(), 'troupe-world-'));
    const prefix = `troupe-e2e-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
    return {
      name: 'real',
      clock,
      folder,
      kubeconfig,
      api: undefined,
      simulator: undefined,
      wire: undefined,
      cloudsYaml: await readFile(clouds, 'utf8'),
      cloudName,
      deadlineMs: REAL_DEADLINE_MS * slowness(clock),
      nats: { url, prefix },
      connect: (process, options) => natsBus({ url, clock, process, prefix, firstLease: 'immediate', ...options }),
      interruptBus: undefined,
      interruptApi: undefined,
      async close() {
        await forgetStreams({ url, prefix }, 'all');
        await rm(folder, { recursive: true, force: true });
      },
    };
  };
}

/** A real API server, and a simulated cloud; the bus is the test's to name. */
export function onRealApiServer({
  KUBECONFIG: kubeconfig,
}: Readonly<Record<string, string | undefined>>): OpenGround | undefined {
  if (!kubeconfig) return undefined;
  return async ({ clock = systemClock(), simulator = {} } = {}) => {
    // Without the definitions: those are to be on the real one, where only the world can install them.
    const base = await embedded(clock, { simulator });
    const broker = memoryBroker({ clock });
    return {
      ...base,
      name: 'a real API server',
      kubeconfig,
      api: undefined,
      deadlineMs: REAL_DEADLINE_MS * slowness(clock),
      nats: undefined,
      interruptBus: undefined,
      connect: async () => broker.connect(),
    };
  };
}

export const REAL_SKIP = 'skipped: KUBECONFIG, NATS_URL and OS_CLIENT_CONFIG_FILE are not all set';

/** Deletes what a deployment made on a server that others use too: mail and leases, or the mail alone. */
export async function forgetStreams(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  which: 'all' | 'mail',
): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const login = username === '' ? {} : { user: username, pass: password };
  const admin = await connect({ servers: `${hostname}:${port || 4222}`, ...login });
  try {
    const names = prefix.toUpperCase();
    const streams = [`${names}_MAIL`, ...(which === 'all' ? [`KV_${names}_LEASES`] : [])];
    for (const stream of streams) await admin.request(`$JS.API.STREAM.DELETE.${stream}`, '');
  } finally {
    await admin.close();
  }
}
