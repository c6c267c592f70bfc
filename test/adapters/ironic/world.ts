// Machines behind an Ironic, an API server, a bus in memory, and a runtime between them, in this process. Its time goes faster than
// that of people: what takes Ironic and its machines minutes is a matter of seconds.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { installCrds } from '../../../actors/cli/crds.ts';
import { systemClock } from '../../../actors/clock.ts';
import { configure } from '../../../actors/process/adapters.ts';
import { Role } from '../../../actors/process/config.ts';
import { type Runtime, startRuntime } from '../../../actors/process/runtime.ts';
import { openLog } from '../../../actors/telling/log.ts';
import { metrics } from '../../../actors/telling/metrics.ts';
import { metal3 } from '../../../adapters/ironic/adapter.ts';
import { metal3Contracts } from '../../../adapters/ironic/api/contracts.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../adapters/ironic/simulator/mod.ts';
import { startApiServer } from '../../../adapters/kubernetes/embedded/mod.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Clock, type JsonObject, memoryBroker } from '../../../bus/mod.ts';

export const NAMESPACE = 'metal';
const GROUP = '/apis/metal3.io/v1alpha1';
const DEADLINE_MS = 60_000;
const POLL_MS = 20;
const LEASE_MS = 30_000;
/** So much faster than that of people. */
const SPEED = 20;

export interface Raw {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly JsonObject[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

export interface World {
  readonly ironic: Simulator;
  /** What the runtime logged as errors. */
  readonly errors: readonly JsonObject[];
  /** What it told of calls, states and troubles; for a failure. */
  readonly log: readonly JsonObject[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** @param path  below the namespace: `baremetalhosts/one`; of the group unless it is of `secrets` */
  create(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  gone(path: string): Promise<void>;
  events(): Promise<readonly { readonly reason: string; readonly message: string; readonly type: string }[]>;
  /** All that is stored in the namespace but Secrets, as text. */
  everything(): Promise<string>;
  /** The metrics of the runtime, in the text format of Prometheus. */
  figures(): Promise<string>;
  close(): Promise<void>;
}

/** A clock that goes faster. */
function fastClock(clock: Clock): Clock {
  const startedAt = clock.now();
  return {
    ...clock,
    now: () => startedAt + (clock.now() - startedAt) * SPEED,
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs / SPEED),
    sleep: (delayMs, signal) => clock.sleep(delayMs / SPEED, signal),
  };
}

export interface WorldOptions extends Partial<Omit<SimulatorOptions, 'clock'>> {
  /** Variables of the environment beside the endpoint of Ironic. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openWorld({ env = {}, ...options }: WorldOptions = {}): Promise<World> {
  const real = systemClock();
  const clock = fastClock(real);
  const folder = await mkdtemp(join(tmpdir(), 'troupe-metal-'));
  const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
  const api = await startApiServer({ clock });
  const ironic = await startSimulator({ clock, ...options });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig });
  await installCrds(client, clock, () => undefined, metal3Contracts);
  await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  });
  const log: JsonObject[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split('\n')) log.push(JSON.parse(line) as JsonObject);
      done();
    },
  });
  const figures = metrics({ clock });
  let alive: { readonly runtime: Runtime; readonly close: () => Promise<void> } | undefined;
  const pathOf = (path: string): string => {
    const root = path.startsWith('secrets') || path.startsWith('events') ? '/api/v1' : GROUP;
    return `${root}/namespaces/${NAMESPACE}/${path}`;
  };
  const send = async (
    method: 'GET' | 'PATCH' | 'POST' | 'DELETE',
    path: string,
    body?: JsonObject,
    contentType?: string,
  ): Promise<Raw> => {
    const call = { method, path, ...(body && { body }), ...(contentType !== undefined && { contentType }) };
    return (await client.call(call)).body as unknown as Raw;
  };
  const world: World = {
    ironic,
    get errors() {
      return log.filter(({ level }) => Number(level) >= 50);
    },
    log,
    async start() {
      const bus = broker.connect({ clock });
      const runtime = await startRuntime({
        bus,
        client: kubeClient({ clock, kubeconfig }),
        clock,
        log: openLog({ level: 'debug', readable: false, destination }),
        adapters: [configure(metal3, { IRONIC_ENDPOINT: ironic.endpoint, ...env })],
        roles: new Set([...Object.values(Role), 'ironic']),
        callMs: 20_000,
        events: true,
        metrics: figures,
      });
      alive = { runtime, close: () => bus.close() };
    },
    async stop() {
      await alive?.runtime.close();
      await alive?.close();
      alive = undefined;
    },
    create(path, object) {
      const [plural = '', name = ''] = path.split('/');
      const kind = metal3Contracts.find((contract) => contract.plural === plural)?.kind ?? 'Secret';
      const metadata = { name, ...((object['metadata'] ?? {}) as JsonObject) };
      const apiVersion = kind === 'Secret' ? 'v1' : 'metal3.io/v1alpha1';
      return send('POST', pathOf(plural), { ...object, apiVersion, kind, metadata });
    },
    merge: (path, patch) => send('PATCH', pathOf(path), patch, 'application/merge-patch+json'),
    remove: async (path) => void (await send('DELETE', pathOf(path))),
    async read(path) {
      try {
        return await send('GET', pathOf(path));
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async until(path, what, isSo) {
      const endsAt = real.now() + DEADLINE_MS;
      let last: Raw | undefined;
      while (real.now() < endsAt) {
        last = await world.read(path);
        if (last !== undefined && isSo(last)) return last;
        await real.sleep(POLL_MS);
      }
      const told = log.slice(-20).map((line) => JSON.stringify(line));
      throw new Error(`${path} is not ${what}: ${JSON.stringify(last, null, 1)}\n${told.join('\n')}`);
    },
    async gone(path) {
      const endsAt = real.now() + DEADLINE_MS;
      for (;;) {
        const last = await world.read(path);
        if (last === undefined) return;
        if (real.now() > endsAt) {
          const told = log.slice(-20).map((line) => JSON.stringify(line));
          throw new Error(`${path} is still there: ${JSON.stringify(last, null, 1)}\n${told.join('\n')}`);
        }
        await real.sleep(POLL_MS);
      }
    },
    async events() {
      const list = (await send('GET', pathOf('events'))) as unknown as { readonly items: readonly never[] };
      return list.items;
    },
    async everything() {
      const lists = await Promise.all(metal3Contracts.map(({ plural }) => send('GET', pathOf(plural))));
      return JSON.stringify([lists, await world.events()]);
    },
    figures: async () => (await figures.text()).body,
    async close() {
      await world.stop();
      await client.close();
      await ironic.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return world;
}

const SYSTEM = '/redfish/v1/Systems/1';

/** A machine for the simulated Ironic, and the address of its BMC as a host says it. */
export function machine(number: number): {
  readonly options: NonNullable<SimulatorOptions['machines']>[number];
  readonly mac: string;
  readonly address: string;
} {
  const mac = `52:54:00:00:00:0${number}`;
  return {
    options: {
      name: `bm${number}`,
      address: `http://10.0.0.${number}:8000`,
      systemId: SYSTEM,
      password: PASSWORD,
      macs: [mac],
    },
    mac,
    address: `redfish-virtualmedia+http://10.0.0.${number}:8000${SYSTEM}`,
  };
}

/** The password of all BMCs. */
export const PASSWORD = 'Wp7-unlike-anything';

/** The Secret of a BMC. */
export const BMC_SECRET = { type: 'Opaque', stringData: { username: 'admin', password: PASSWORD } };
