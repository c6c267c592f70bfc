// An API server, a bus in memory, and a runtime between them, in this process, for hosts on any Ironic: what both the simulated
// one and the real one are tried on. All that is said on the bus, logged and stored can be read.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
import { startApiServer } from '../../../adapters/kubernetes/embedded/mod.ts';
import { kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, type Bus, type Clock, type JsonObject, memoryBroker } from '../../../bus/mod.ts';

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
    readonly finalizers?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly JsonObject[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

export interface Told {
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

export interface Stage {
  /** What the runtime logged as errors. */
  readonly errors: readonly JsonObject[];
  /** What it told of calls, states and troubles; for a failure. */
  readonly log: readonly JsonObject[];
  /** All that was said on the bus, as text, and who said it. */
  readonly heard: readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** @param path  below the namespace: `baremetalhosts/one`; of the group unless it is of `secrets` */
  create(path: string, object: JsonObject): Promise<Raw>;
  merge(path: string, patch: JsonObject): Promise<Raw>;
  remove(path: string): Promise<void>;
  /** Asks for the deletion of the namespace: nothing can be made in it from then on. */
  removeNamespace(): Promise<void>;
  read(path: string): Promise<Raw | undefined>;
  list(plural: string): Promise<readonly Raw[]>;
  until(path: string, what: string, isSo: (object: Raw) => boolean): Promise<Raw>;
  gone(path: string): Promise<void>;
  events(): Promise<readonly Told[]>;
  /** All that is stored in the namespace but Secrets, as text. */
  everything(): Promise<string>;
  /** The metrics of the runtime, in the text format of Prometheus. */
  figures(): Promise<string>;
  close(): Promise<void>;
}

export interface StageOptions {
  /** Of everything but the one who looks on. */
  readonly clock: Clock;
  readonly endpoint: string;
  /** Longest that a state is waited for, on a real clock. */
  readonly deadlineMs: number;
  /** On that clock: longest that a call takes, and a lease lasts without a word of its holder. */
  readonly callMs?: number | undefined;
  readonly leaseMs?: number | undefined;
  /** Variables of the environment beside the endpoint of Ironic. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** For an Ironic that wants to know who asks. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** Whether Ironic is asked by a process of its own, so that all that is asked for goes over the bus. */
  readonly processes?: 'one' | 'two' | undefined;
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const { clock, endpoint, deadlineMs, callMs = CALL_MS, leaseMs = LEASE_MS, env = {} } = options;
  const { credentials, processes = 'one' } = options;
  const real = systemClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-metal-'));
  const broker = memoryBroker({ clock, leaseMs });
  const api = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, api.kubeconfig(), { mode: 0o600 });
  await mkdir(join(folder, 'auth', 'ironic'), { recursive: true });
  for (const [name, text] of Object.entries(credentials ?? {})) {
    await writeFile(join(folder, 'auth', 'ironic', name), text, { mode: 0o600 });
  }
  const client = kubeClient({ clock, kubeconfig });
  await installCrds(client, clock, () => undefined, metal3Contracts);
  await client.call({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  });
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
    const runtime = await startRuntime({
      bus,
      client: kubeClient({ clock, kubeconfig }),
      clock,
      log: openLog({ level: 'debug', readable: false, destination }),
      adapters: [configure(metal3, given)],
      roles: new Set(roles),
      callMs,
      events: true,
      metrics: figures,
    });
    alive.push({ runtime, bus });
  };
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
  const toldLately = (path: string): string => {
    const name = path.split('/').at(-1);
    const lines = log.filter((line) => line['name'] === undefined || line['name'] === name);
    return lines
      .slice(-TOLD_LINES)
      .map((line) => JSON.stringify(line))
      .join('\n');
  };
  const stage: Stage = {
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
    create(path, object) {
      const [plural = '', name = ''] = path.split('/');
      const kind = metal3Contracts.find((contract) => contract.plural === plural)?.kind ?? 'Secret';
      const metadata = { name, ...((object['metadata'] ?? {}) as JsonObject) };
      const apiVersion = kind === 'Secret' ? 'v1' : 'metal3.io/v1alpha1';
      return send('POST', pathOf(plural), { ...object, apiVersion, kind, metadata });
    },
    merge: (path, patch) => send('PATCH', pathOf(path), patch, 'application/merge-patch+json'),
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
      const endsAt = real.now() + deadlineMs;
      let last: Raw | undefined;
      while (real.now() < endsAt) {
        last = await stage.read(path);
        if (last !== undefined && isSo(last)) return last;
        await real.sleep(POLL_MS);
      }
      throw new Error(`${path} is not ${what}: ${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
    },
    async gone(path) {
      const endsAt = real.now() + deadlineMs;
      for (;;) {
        const last = await stage.read(path);
        if (last === undefined) return;
        if (real.now() > endsAt) {
          throw new Error(`${path} is still there: ${JSON.stringify(last, null, 1)}\n${toldLately(path)}`);
        }
        await real.sleep(POLL_MS);
      }
    },
    events: async () => (await stage.list('events')) as unknown as readonly Told[],
    async everything() {
      const lists = await Promise.all(metal3Contracts.map(({ plural }) => stage.list(plural)));
      return JSON.stringify([lists, await stage.events()]);
    },
    figures: async () => (await figures.text()).body,
    async close() {
      await stage.stop();
      await client.close();
      await api.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

/** The bus, with all that its process says and is answered written down. */
function heardBus(bus: Bus, heard: string[]): Bus {
  const note = (what: string, said: unknown): void => void heard.push(`${what} ${JSON.stringify(said)}`);
  const answered = async <Answer>(subject: string, answer: Promise<Answer>): Promise<Answer> => {
    try {
      const given = await answer;
      note(`answer of ${subject}`, given);
      return given;
    } catch (error) {
      note(`failure of ${subject}`, error instanceof Error ? { ...error, message: error.message } : error);
      throw error;
    }
  };
  const { mailbox, leases, services, trace } = bus;
  return {
    leases,
    sharable: bus.sharable,
    description: bus.description,
    onConnectivity: (listener) => bus.onConnectivity(listener),
    close: () => bus.close(),
    mailbox: {
      shards: mailbox.shards,
      epoch: () => mailbox.epoch(),
      watchEpoch: (onEpoch) => mailbox.watchEpoch(onEpoch),
      markSeeded: (seededAt) => mailbox.markSeeded(seededAt),
      publish(subject, payload, expected, tracing) {
        note('mail', [subject, payload]);
        return mailbox.publish(subject, payload, expected, tracing);
      },
      last: (subject) => mailbox.last(subject),
      mailOf: (actor, limit) => mailbox.mailOf(actor, limit),
      remove: (sequence) => mailbox.remove(sequence),
      subscribe: (filter, handlers) => mailbox.subscribe(filter, handlers),
    },
    services: {
      serve: (name, version, description, endpoints) => services.serve(name, version, description, endpoints),
      request(subject, request, deadlineAt, tracing) {
        note(`request ${subject}`, request);
        return answered(subject, services.request(subject, request, deadlineAt, tracing));
      },
      hold(subject, request, { signal, onProgress, beginBy, validUntil }, tracing) {
        note(`request ${subject}`, request);
        const options = {
          signal,
          beginBy,
          validUntil,
          onProgress(progress: JsonObject) {
            note(`progress of ${subject}`, progress);
            onProgress(progress);
          },
        };
        return answered(subject, services.hold(subject, request, options, tracing));
      },
    },
    trace: {
      emit(event) {
        note('event', event);
        trace.emit(event);
      },
      subscribe: (onEvent) => trace.subscribe(onEvent),
      history: (query) => trace.history(query),
    },
  };
}
