// A world for the tests of an adapter: an API server, a bus in memory and the runtime, in this process and under simulated time. The
// external system is the test's own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Adapter } from '../../adapters/api/adapter.ts';
import { type KubeClient, kubeClient } from '../../adapters/kubernetes/mod.ts';
import { startApiServer } from '../../adapters/simulated/kubernetes/mod.ts';
import { AbsentError, type Clock, type JsonObject, type MemoryBus, memoryBroker } from '../../bus/mod.ts';
import type { KubeObject } from '../../machines/object.ts';
import { systemClock } from '../base/clock.ts';
import { Role } from '../base/config.ts';
import { openLog } from '../base/log.ts';
import { configure } from '../process/adapters.ts';
import { installCrds } from '../process/install-crds.ts';
import { type Runtime, startRuntime } from '../process/runtime.ts';
import { simulatedClock } from './clock.ts';

/** Options of `openWorld`. */
export interface WorldOptions {
  /** Makes the adapter. Its calls go by this `fetch`, so that they end when the process does. */
  readonly adapter: (ports: { readonly fetch: typeof globalThis.fetch }) => Adapter;
  /** Options of the adapter: `{ LAMPS_URL: system.url }`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly seed?: number;
  /** `real` where the external system is another process, whose time is not simulated; simulated by default. */
  readonly time?: 'simulated' | 'real';
}

/** An object as users write it. Without a namespace it is in that of the world. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: JsonObject;
}

/** API server, bus and runtime of a test. */
export interface World {
  readonly clock: Clock;
  /** The namespace of all that is written without one. */
  readonly namespace: string;
  /** Errors in the log of the runtime: defects, mostly. */
  readonly errors: readonly JsonObject[];
  apply(...manifests: readonly Manifest[]): Promise<void>;
  /** Server-side state of an object; undefined: it is not there. */
  read(kind: string, name: string): Promise<KubeObject | undefined>;
  remove(kind: string, name: string): Promise<void>;
  secret(name: string, content: Readonly<Record<string, string>>): Promise<void>;
  /** Waits, in simulated time. @throws {Error} it is not so in time; says what was so instead */
  until(kind: string, name: string, what: string, isSo: (object: KubeObject) => boolean): Promise<KubeObject>;
  /** Until `Available` is `True` for the newest generation. */
  available(kind: string, name: string): Promise<KubeObject>;
  /** Until `Progressing` has such a message. */
  progressing(kind: string, name: string, message: RegExp): Promise<KubeObject>;
  gone(kind: string, name: string): Promise<void>;
  start(): Promise<void>;
  /** The process ends as one that is killed: no timer of it fires, and no call of it is answered. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const NAMESPACE = 'world';
const LEASE_MS = 1_500;
const CALL_MS = 5_000;
/** Longest wait for anything, in simulated milliseconds. */
const DEADLINE_MS = 120_000;
const POLL_MS = 50;

interface Process {
  readonly runtime: Runtime;
  readonly bus: MemoryBus;
  readonly client: KubeClient;
  readonly end: AbortController;
}

/** The runtime has been started. */
export async function openWorld({ adapter: make, env = {}, seed, time = 'simulated' }: WorldOptions): Promise<World> {
  const options = seed === undefined ? {} : { seed };
  const simulated = time === 'simulated' ? simulatedClock(options) : undefined;
  const clock: Clock = simulated ?? systemClock(options);
  const folder = await mkdtemp(join(tmpdir(), 'troupe-world-'));
  const broker = memoryBroker({ clock, leaseMs: LEASE_MS });
  const api = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  const client = kubeClient({ clock, kubeconfig });
  const { contracts } = make({ fetch: globalThis.fetch });
  await installCrds(client, clock, () => undefined, contracts);
  await client.call({ method: 'POST', path: '/api/v1/namespaces', body: core('Namespace', { name: NAMESPACE }) });
  const errors: JsonObject[] = [];
  const log = openLog({
    level: 'error',
    readable: false,
    destination: { write: (line: string) => void errors.push(JSON.parse(line)) },
  });
  let alive: Process | undefined;

  const pathOf = (kind: string, name: string): string => {
    if (kind === 'Secret') return `/api/v1/namespaces/${NAMESPACE}/secrets/${name}`;
    const contract = contracts.find((each) => each.kind === kind);
    if (contract === undefined) throw new Error(`the adapter has no kind '${kind}'`);
    const { group, version, plural } = contract;
    return `/apis/${group}/${version}/namespaces/${NAMESPACE}/${plural}/${name}`;
  };
  const world: World = {
    clock,
    namespace: NAMESPACE,
    errors,
    async apply(...manifests) {
      for (const manifest of manifests) {
        const path = `${pathOf(manifest.kind, manifest.metadata.name)}?fieldManager=test&force=true`;
        const body = { ...manifest, metadata: { ...manifest.metadata, namespace: NAMESPACE } } as unknown as JsonObject;
        await client.call({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
      }
    },
    async read(kind, name) {
      try {
        return (await client.call({ method: 'GET', path: pathOf(kind, name) })).body as unknown as KubeObject;
      } catch (error) {
        if (error instanceof AbsentError) return undefined;
        throw error;
      }
    },
    async remove(kind, name) {
      await client.call({ method: 'DELETE', path: pathOf(kind, name) });
    },
    async secret(name, content) {
      const data = Object.fromEntries(
        Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      );
      const body = { ...core('Secret', { name, namespace: NAMESPACE }), data };
      const path = `${pathOf('Secret', name)}?fieldManager=test&force=true`;
      await client.call({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' });
    },
    async until(kind, name, what, isSo) {
      const endsAt = clock.now() + DEADLINE_MS;
      for (;;) {
        const object = await world.read(kind, name);
        if (object !== undefined && isSo(object)) return object;
        if (clock.now() > endsAt)
          throw new Error(`${kind}/${name} is not ${what}: ${JSON.stringify(object?.status ?? 'it is not there')}`);
        await clock.sleep(POLL_MS);
      }
    },
    available: (kind, name) => world.until(kind, name, 'available', (object) => isAvailable(object)),
    progressing: (kind, name, message) =>
      world.until(kind, name, `progressing with ${message}`, (object) =>
        message.test(conditionOf(object, 'Progressing')?.message ?? ''),
      ),
    async gone(kind, name) {
      const endsAt = clock.now() + DEADLINE_MS;
      for (;;) {
        const object = await world.read(kind, name);
        if (object === undefined) return;
        if (clock.now() > endsAt) throw new Error(`${kind}/${name} is not gone: ${JSON.stringify(object)}`);
        await clock.sleep(POLL_MS);
      }
    },
    async start() {
      const end = new AbortController();
      const own = mortal(clock, end.signal);
      const adapter = configure(make({ fetch: mortalFetch(end.signal) }), env);
      const bus = broker.connect({ clock: own });
      const ownClient = kubeClient({ clock: own, kubeconfig });
      const runtime = await startRuntime({
        bus,
        client: ownClient,
        clock: own,
        log,
        adapters: [adapter],
        roles: new Set([...Object.values(Role), adapter.role]),
        callMs: CALL_MS,
        events: false,
        kinds: adapter.kinds.map(({ kind }) => kind),
      });
      alive = { runtime, bus, client: ownClient, end };
    },
    async crash() {
      const ending = alive;
      alive = undefined;
      if (ending === undefined) return;
      ending.bus.crash();
      ending.end.abort();
      await ending.client.close();
    },
    async close() {
      await alive?.runtime.close();
      await alive?.bus.close();
      await alive?.client.close();
      alive?.end.abort();
      await client.close();
      await api.close();
      simulated?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await world.start();
  return world;
}

function core(kind: string, metadata: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind, metadata };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

function conditionOf({ status }: KubeObject, type: string): Condition | undefined {
  const all = status?.['conditions'] as readonly Condition[] | undefined;
  return all?.find((each) => each.type === type);
}

function isAvailable(object: KubeObject): boolean {
  const [available, progressing] = [conditionOf(object, 'Available'), conditionOf(object, 'Progressing')];
  const isCurrent = progressing?.observedGeneration === object.metadata.generation && progressing?.status === 'False';
  return available?.status === 'True' && isCurrent;
}

/** A clock whose timers end with a process. */
function mortal(clock: Clock, end: AbortSignal): Clock {
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    random: () => clock.random(),
    clearTimeout: (timer) => clock.clearTimeout(timer),
    setTimeout: (run, delayMs) => clock.setTimeout(() => void (end.aborted || run()), delayMs),
    async sleep(delayMs, signal) {
      await clock.sleep(delayMs, signal === undefined ? end : AbortSignal.any([signal, end]));
      // A killed process does not continue.
      if (end.aborted) await new Promise(() => undefined);
    },
  };
}

/** A request of a killed process may be done; it gets no answer. */
function mortalFetch(end: AbortSignal): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (end.aborted) await new Promise(() => undefined);
    const signal = init?.signal ? AbortSignal.any([init.signal, end]) : end;
    try {
      return await fetch(input, { ...init, signal });
    } finally {
      if (end.aborted) await new Promise(() => undefined);
    }
  };
}
