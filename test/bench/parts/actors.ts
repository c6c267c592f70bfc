// The runtime as a part of a benchmark: all roles on a real bus, as one pod has them, with everything that leaves the
// process counted.

import { systemClock } from '../../../actors/base/clock.ts';
import { Role } from '../../../actors/base/config.ts';
import { openLog } from '../../../actors/base/log.ts';
import { registryOf } from '../../../actors/effects/operations-service.ts';
import { type Metrics, metrics, type RuntimeMetrics } from '../../../actors/observability/metrics.ts';
import { configure } from '../../../actors/process/adapters.ts';
import { startRuntime } from '../../../actors/process/runtime.ts';
import { serveVisualizer, type Visualizer } from '../../../actors/visualizer/server.ts';
import { source } from '../../../actors/visualizer/source.ts';
import type { ConfiguredAdapter } from '../../../adapters/api/adapter.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { openstackWith } from '../../../adapters/openstack/mod.ts';
import { addressKey, type Bus, type Clock, type Mailbox, natsBus } from '../../../bus/mod.ts';
import type { Part } from './mod.ts';

export interface ActorsOptions {
  readonly kubeconfig: string;
  readonly natsUrl: string;
  /** Where the bus asks for a key, and speaks TLS. */
  readonly nkeySeedFile?: string;
  readonly caFile?: string;
  readonly callsInFlight: number;
  /** They serve bare metal in place of OpenStack. */
  readonly ironic?: { readonly endpoint: string; readonly speed: number };
}

/** What left the process since the last reset. */
export interface ActorsCounts {
  /** Objects by phase, now. */
  readonly countByState: Readonly<Record<string, number>>;
  /** Writes to the API server by kind. */
  readonly writes: Readonly<Record<string, number>>;
  /** Writes that were refused, among them lost races, by kind. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Other requests to the API server. */
  readonly reads: Readonly<Record<string, number>>;
  /** When the last write was answered, milliseconds since the epoch. */
  readonly lastWriteAt: number;
  /** Calls to the cloud, by service, method and collection. */
  readonly calls: Readonly<Record<string, number>>;
  /** The same by kind and by what the object was at: `servers.create`, `servers.wait`, `servers.settle`, `servers.delete`. */
  readonly phases: Readonly<Record<string, number>>;
  /** Writes to the API server by kind of object. */
  readonly writesOf: Readonly<Record<string, number>>;
  /** Publications by topic, and deletions of values. */
  readonly messages: Readonly<Record<string, number>>;
  /** From the moment a chain's last dependency was ready to the dependent's request, in milliseconds. */
  readonly reactions: readonly number[];
  /** When any object first and last entered a state, milliseconds since the epoch, by state. */
  readonly firstEntered: Readonly<Record<string, number>>;
  readonly lastEntered: Readonly<Record<string, number>>;
}

export async function serveActors(options: ActorsOptions): Promise<Part> {
  const clock = systemClock();
  const count = new Counts();
  const { nkeySeedFile, caFile } = options;
  const client = kubeClient({ clock, kubeconfig: options.kubeconfig, userAgent: 'troupe' });
  const bus = await natsBus({
    url: options.natsUrl,
    ...(nkeySeedFile !== undefined && { nkeySeedFile }),
    ...(caFile !== undefined && { tls: { caFile } }),
    clock,
    process: `bench-${process.pid}`,
    firstLease: 'immediate',
    ...(process.env['TROUPE_EVENT_MAX_AGE'] === '0' && { events: 'none' as const }),
  });
  const figures = process.env['TROUPE_BENCH_METRICS'] === 'on' ? metrics({ clock }) : undefined;
  const counted: Bus = {
    ...bus,
    mailbox: count.mail(bus.mailbox),
    trace: count.trace(bus, clock.now),
    close: () => bus.close(),
  };
  const countedClient = count.client(client, clock.now);
  const adapter = await adapterOf(options);
  const runtime = await startRuntime({
    bus: figures?.countedBus(counted) ?? counted,
    client: figures?.counted(countedClient) ?? countedClient,
    clock,
    log: openLog({ level: process.env['TROUPE_LOG_LEVEL'] ?? 'error', readable: false }),
    adapters: [adapter],
    roles: new Set([...Object.values(Role), adapter.role]),
    callMs: 10_000,
    // An object is told of by Kubernetes Events besides: one write for each that is created, and is no part of it.
    events: false,
    metrics: {
      ...(figures ?? UNOBSERVED),
      onCall(record) {
        figures?.onCall(record);
        const { service, method, path, traceparent } = record;
        add(count.calls, `${service} ${method} ${path.replace(UUID, '{id}')}`);
        // What is asked for all who wait is no object's in particular.
        if (traceparent === '') add(count.phases, `${path.split('/')[1]}.wait`);
      },
    },
  });
  figures?.follow(runtime);
  const page = process.env['TROUPE_BENCH_PAGE'] === 'open' ? await openPage(bus, client, clock, adapter) : undefined;
  const collected = new AbortController();
  const collecting = figures && collect(figures, clock, collected.signal);
  return {
    info: { ...(page !== undefined && { page: page.url }) },
    counts: () => ({ ...count.now(), countByState: Object.fromEntries(runtime.countByState()) }),
    reset: () => count.reset(),
    async close() {
      collected.abort();
      await collecting;
      await page?.close();
      await runtime.close();
      await bus.close();
      await client.close();
    },
  };
}

/** What the machines boot, wherever that is. */
const RAMDISK = { DEPLOY_KERNEL_URL: 'http://images/kernel', DEPLOY_RAMDISK_URL: 'http://images/ramdisk' };

async function adapterOf({ callsInFlight, ironic }: ActorsOptions): Promise<ConfiguredAdapter> {
  if (ironic === undefined) return openstackWith({ callsInFlight });
  const { metal3 } = await import('../../../adapters/ironic/adapter.ts');
  return configure(metal3, RAMDISK, {
    'ironic-endpoint': ironic.endpoint,
    'ironic-calls-in-flight': String(callsInFlight),
    'ironic-speed': String(ironic.speed),
  });
}

/** Nobody asks for figures. */
const UNOBSERVED: RuntimeMetrics = {
  onCall: () => undefined,
  onUserEvent: () => undefined,
  onRefused: () => undefined,
  onDropped: () => undefined,
  declare: () => undefined,
  onMeasure: () => undefined,
  onInterrupted: () => undefined,
  timed: (_, run) => run,
};
/** More often than a Prometheus does, in milliseconds. */
const COLLECTED_EVERY_MS = 5_000;

async function collect(figures: Metrics, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(COLLECTED_EVERY_MS, signal);
    await figures.text();
  }
}

/** Whether what happens is said on the bus at all, as it always is but where its price is to be found out. */
const IS_TOLD = process.env['TROUPE_BENCH_EVENTS'] !== 'off';

/** The visualizer in this process, as `dev` has it. */
async function openPage(bus: Bus, client: KubeClient, clock: Clock, adapter: ConfiguredAdapter): Promise<Visualizer> {
  const adapters = [adapter];
  const known = registryOf(adapters);
  const log = openLog({ level: 'error', readable: false });
  const shown = source({ bus, client, registry: known, adapters, namespaces: undefined, clock, log });
  return serveVisualizer({ source: shown, clock, token: undefined, address: { host: '127.0.0.1', port: 0 } });
}

type KubeCall = Parameters<KubeClient['call']>[0];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/;

class Counts {
  readonly calls = new Map<string, number>();
  readonly phases = new Map<string, number>();
  readonly #writesOf = new Map<string, number>();
  /** The state that each object is in. */
  readonly #states = new Map<string, string>();
  readonly #writes = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #reads = new Map<string, number>();
  readonly #messages = new Map<string, number>();
  readonly #firstEntered = new Map<string, number>();
  readonly #lastEntered = new Map<string, number>();
  /** Objects of a chain: when each became available, by the name that they share. */
  readonly #availableAt = new Map<string, number>();
  #reactions: number[] = [];
  #lastWriteAt = 0;

  now(): Omit<ActorsCounts, 'countByState'> {
    return {
      writes: Object.fromEntries(this.#writes),
      refusals: Object.fromEntries(this.#refusals),
      reads: Object.fromEntries(this.#reads),
      lastWriteAt: this.#lastWriteAt,
      calls: Object.fromEntries(this.calls),
      phases: Object.fromEntries(this.phases),
      writesOf: Object.fromEntries(this.#writesOf),
      messages: Object.fromEntries(this.#messages),
      reactions: this.#reactions,
      firstEntered: Object.fromEntries(this.#firstEntered),
      lastEntered: Object.fromEntries(this.#lastEntered),
    };
  }

  reset(): void {
    for (const sums of [this.calls, this.#writes, this.#refusals, this.#reads, this.#messages]) sums.clear();
    for (const sums of [this.phases, this.#writesOf]) sums.clear();
    this.#firstEntered.clear();
    this.#lastEntered.clear();
    this.#reactions = [];
  }

  client(client: KubeClient, now: () => number): KubeClient {
    const counted = async (call: KubeCall, answer: ReturnType<KubeClient['call']>): ReturnType<KubeClient['call']> => {
      if (call.method === 'GET') {
        add(this.#reads, 'read or list');
        return answer;
      }
      const kind = kindOf(call);
      try {
        return await answer;
      } catch (error) {
        add(this.#refusals, kind);
        throw error;
      } finally {
        add(this.#writes, kind);
        add(this.#writesOf, pluralIn(call));
        this.#lastWriteAt = now();
      }
    };
    return {
      ...client,
      call: (call) => counted(call, client.call(call)),
      stream: (...given) => {
        add(this.#reads, 'watch');
        return client.stream(...given);
      },
    };
  }

  mail(mailbox: Mailbox): Mailbox {
    return {
      shards: mailbox.shards,
      epoch: () => mailbox.epoch(),
      watchEpoch: (onEpoch) => mailbox.watchEpoch(onEpoch),
      markSeeded: (seededAt) => mailbox.markSeeded(seededAt),
      forgetSeeded: (now) => mailbox.forgetSeeded(now),
      startAnew: (epochId) => mailbox.startAnew(epochId),
      publish: (subject, payload, expected) => {
        add(this.#messages, subject.topic);
        return mailbox.publish(subject, payload, expected);
      },
      readMessagesOf: (actor, limit) => mailbox.readMessagesOf(actor, limit),
      last: (subject) => {
        add(this.#messages, 'read of a last value');
        return mailbox.last(subject);
      },
      remove: (sequence) => {
        add(this.#messages, 'removal');
        return mailbox.remove(sequence);
      },
      subscribe: (filter, handlers) => mailbox.subscribe(filter, handlers),
    };
  }

  trace({ trace }: Bus, now: () => number): Bus['trace'] {
    return {
      subscribe: (onEvent) => trace.subscribe(onEvent),
      history: (query) => trace.history(query),
      emit: (event) => {
        const { actor, type, data } = event;
        if (type === 'transition') {
          const to = String(data['to']);
          this.#states.set(addressKey(actor), to);
          if (!this.#firstEntered.has(to)) this.#firstEntered.set(to, now());
          this.#lastEntered.set(to, now());
          if (to === 'idle.available') this.#availableAt.set(addressKey(actor), now());
        } else if (type === 'call' && data['method'] === 'POST') {
          // What an object of the chain is built on has its name, in the kind before.
          const before = { ports: 'subnets', subnets: 'networks' }[actor.plural];
          const readyAt = this.#availableAt.get(addressKey({ ...actor, plural: before ?? '' }));
          if (readyAt !== undefined) this.#reactions.push(now() - Number(data['durationMs']) - readyAt);
        }
        if (type === 'call') add(this.phases, `${actor.plural}.${phaseOf(this.#states.get(addressKey(actor)))}`);
        if (IS_TOLD) trace.emit(event);
      },
    };
  }
}

/** What an object is at in a state of its life. */
function phaseOf(state = ''): string {
  if (state.startsWith('deleting')) return 'delete';
  return state.startsWith('reconciling') || state.startsWith('idle') ? 'settle' : 'create';
}

/** `/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>`, `/api/<version>/namespaces/...`. */
function pluralIn({ path }: KubeCall): string {
  const [, root, ...rest] = path.split('?')[0]?.split('/') ?? [];
  return rest[root === 'api' ? 3 : 4] ?? '';
}

function kindOf({ method, path, contentType = '' }: KubeCall): string {
  if (method === 'POST' || method === 'DELETE') return method;
  const isApply = contentType.includes('apply');
  if (path.includes('/status')) return isApply ? 'status' : 'status.id';
  if (!isApply) return 'finalizer removed';
  return path.includes('finalizer&') ? 'own finalizer' : 'guard finalizers';
}

function add(sums: Map<string, number>, name: string): void {
  sums.set(name, (sums.get(name) ?? 0) + 1);
}
