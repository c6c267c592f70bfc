// One process of the runtime: its bus connection, its lines to the API server and to the cloud, its clock, its roles.
import type { Logger } from 'pino';
import { Role } from '../../actors/base/config.ts';
import { type Runtime, startRuntime } from '../../actors/process/runtime.ts';
import type { ConfiguredAdapter } from '../../adapters/api/adapter.ts';
import type { KubeClient } from '../../adapters/kubernetes/mod.ts';
import { refusalOf } from '../../adapters/kubernetes/refusals.ts';
import {
  type JsonObject,
  type Lease,
  type Leases,
  type Mailbox,
  type MailboxSubject,
  type MemoryBroker,
  type MemoryBus,
  type TraceEvent,
  TransientError,
  toErrorData,
} from '../../bus/mod.ts';
import type { Cluster, KubeCall } from './cluster.ts';
import type { Environment } from './model.ts';
import { ProcessClock, type SimulatedTime } from './time.ts';

/** What becomes of one request to the API server; nothing given: it is answered. */
export type KubeFate = 'lostBefore' | 'lostAfter' | 'lie';

export interface PodDeps {
  readonly name: string;
  readonly seed: number;
  readonly time: SimulatedTime;
  readonly broker: MemoryBroker;
  readonly cluster: Cluster;
  readonly environment: Environment;
  /** That it belongs to, if any. */
  readonly node: string | undefined;
  readonly log: Logger;
  readonly callMs: number;
  /** The adapter as the history has it. */
  readonly adapt: (adapter: ConfiguredAdapter) => ConfiguredAdapter;
  /** Of the next message to or from the bus, in milliseconds. */
  readonly mailMs: () => number;
  /** Of the next message to or from the API server, in milliseconds. */
  readonly kubeMs: () => number;
  readonly kubeFate: () => KubeFate | undefined;
  /** Something was done at the API server, and the answer was lost. */
  readonly onLost: (call: KubeCall) => void;
  readonly onLeaseLost: (pod: string) => void;
  /** A request of this pod as it is answered; `error`: it was refused. */
  readonly onKube: (pod: string, call: KubeCall, before: number, error: unknown) => void;
  /** Mail leaves this pod. */
  readonly onSent: (subject: MailboxSubject, payload: JsonObject) => void;
  /** Of an actor that this pod hosts, as it happens. */
  readonly onTrace: (event: TraceEvent) => void;
  readonly onDefect: (message: string) => void;
}

export class Pod {
  readonly name: string;
  readonly bus: MemoryBus;
  readonly clock: ProcessClock;
  readonly #deps: PodDeps;
  readonly #leases = new Set<Lease>();
  /** Leases that it lost so far: what it had under way by then is another host's, as it were. */
  #losses = 0;
  /** What has to end with it. */
  readonly #ends = new Set<() => void>();
  readonly #watches = new Set<(error: TransientError | undefined) => void>();
  #kubeCut = false;
  #runtime: Runtime | undefined;
  state: 'running' | 'standing' | 'ended' = 'running';

  constructor(deps: PodDeps) {
    this.#deps = deps;
    this.name = deps.name;
    this.clock = new ProcessClock(deps.time, deps.seed);
    this.bus = deps.broker.connect({ clock: this.clock, latencyMs: deps.mailMs });
  }

  start(): void {
    const { name, time, environment, node, log, callMs, adapt } = this.#deps;
    const { onSent, onTrace, onDefect } = this.#deps;
    const line = { pod: name, time, clock: this.clock, node, ends: this.#ends };
    const adapters = environment.adapters(line).map(adapt);
    const own = adapters.map(({ role }) => role);
    // Who plays the role on a node does nothing else, and nobody else does that.
    const roles = node === undefined ? [Role.Watch, Role.Actors, ...(environment.nodes === undefined ? own : [])] : own;
    startRuntime({
      // Nobody listens to the trace on the bus.
      bus: {
        ...this.bus,
        leases: this.#counted(),
        mailbox: reported(this.bus.mailbox, onSent),
        services: environment.services?.(name, this.bus.services) ?? this.bus.services,
        trace: { ...this.bus.trace, emit: onTrace },
      },
      client: this.#client(),
      clock: this.clock,
      log,
      adapters,
      roles: new Set(roles),
      nodeName: node,
      callMs,
      events: false,
      podName: name,
    }).then(
      (runtime) => {
        this.#runtime = runtime;
      },
      (error: unknown) => onDefect(`the runtime of ${name} did not start: ${toErrorData(error).message}`),
    );
  }

  /** When the next of its leases will be renewed, and when that one ends unless it is, in milliseconds; undefined: it has none. */
  renewal(): { readonly inMs: number; readonly endsInMs: number } | undefined {
    const { leaseMs } = this.bus.leases;
    const now = this.clock.now();
    const [endsInMs] = [...this.#leases]
      .map((lease) => lease.endsAt() - now)
      .filter((remainingMs) => remainingMs > (leaseMs * 4) / 5)
      .sort((one, other) => one - other);
    return endsInMs === undefined ? undefined : { inMs: endsInMs - (leaseMs * 4) / 5, endsInMs };
  }

  /** kill -9. */
  crash(): void {
    this.state = 'ended';
    this.clock.end();
    this.bus.crash();
    for (const end of this.#ends) end();
    for (const end of [...this.#watches]) end(undefined);
  }

  /** SIGTERM. */
  stop(): void {
    void this.#runtime?.close();
  }

  /** SIGSTOP. */
  standStill(): void {
    if (this.state !== 'running') return;
    this.state = 'standing';
    this.clock.standStill();
  }

  /** Its machine is paused. */
  suspend(): void {
    if (this.state !== 'running') return;
    this.state = 'standing';
    this.clock.suspend();
  }

  /** SIGCONT. */
  goOn(): void {
    if (this.state !== 'standing') return;
    this.state = 'running';
    this.clock.goOn();
  }

  cutKube(): void {
    this.#kubeCut = true;
    this.breakWatches();
  }

  healKube(): void {
    this.#kubeCut = false;
  }

  /** All watches of this pod end as connections do. */
  breakWatches(): void {
    for (const end of [...this.#watches]) end(new TransientError('a watch broke off'));
  }

  #counted(): Leases {
    const { leases } = this.bus;
    return {
      leaseMs: leases.leaseMs,
      watch: (onChange) => leases.watch(onChange),
      list: () => leases.list(),
      acquire: async (name, holder, note) => {
        const lease = await leases.acquire(name, holder, note);
        if (lease !== undefined) {
          this.#leases.add(lease);
          void lease.lost.then(() => {
            this.#losses++;
            this.#deps.onLeaseLost(this.name);
          });
        }
        return lease;
      },
    };
  }

  #client(): KubeClient {
    const { cluster, time, kubeMs, kubeFate, onKube, onLost } = this.#deps;
    const away = (): TransientError => new TransientError('no answer from the API server');
    const travel = <Result>(fate: KubeFate | undefined, run: () => Result, lost?: () => void): Promise<Result> =>
      new Promise((resolve, reject) => {
        const back = (settle: () => void): void => {
          this.clock.setTimeout(settle, kubeMs());
        };
        time.after(kubeMs(), () => {
          if (this.#kubeCut || fate === 'lostBefore') return back(() => reject(away()));
          let settle: () => void;
          try {
            const result = run();
            settle = () => resolve(result);
          } catch (error) {
            settle = () => reject(error);
          }
          back(() => {
            if (!this.#kubeCut && fate !== 'lostAfter') return settle();
            lost?.();
            reject(away());
          });
        });
      });
    return {
      server: 'https://cluster.test',
      namespace: 'default',
      close: async () => undefined,
      call: (call) => {
        const losses = this.#losses;
        const who = (): string => (losses === this.#losses ? this.name : `${this.name}, which lost its leases,`);
        const fate = kubeFate();
        return travel(
          fate,
          () => {
            const { method, path: [path = ''] = [] } = { ...call, path: call.path.split('?') };
            if (fate === 'lie') throw refusalOf(404, undefined, { method, path });
            const before = cluster.revision();
            try {
              const body = cluster.call(call);
              onKube(who(), call, before, undefined);
              // The date of an answer has no fractions of a second.
              return { body, serverTime: Math.floor(time.now() / 1_000) * 1_000 };
            } catch (error) {
              onKube(who(), call, before, error);
              throw error;
            }
          },
          () => onLost(call),
        );
      },
      stream: (path, accept, signal, onOpen) => this.#stream(travel, path, accept, signal, onOpen),
    };
  }

  async *#stream(
    travel: <Result>(fate: undefined, run: () => Result) => Promise<Result>,
    path: string,
    accept: string | undefined,
    signal: AbortSignal,
    onOpen: (() => void) | undefined,
  ): AsyncIterable<JsonObject> {
    const { cluster, kubeMs } = this.#deps;
    const arrived: JsonObject[] = [];
    let over: { readonly error: TransientError | undefined } | undefined;
    let wake = (): void => undefined;
    let lastAt = 0;
    const later = (run: () => void): void => {
      const now = this.clock.now();
      lastAt = Math.max(lastAt, now + kubeMs());
      this.clock.setTimeout(() => {
        run();
        wake();
      }, lastAt - now);
    };
    const end = (error: TransientError | undefined): void => {
      over ??= { error };
      wake();
    };
    const abort = (): void => end(undefined);
    const close = await travel(undefined, () =>
      cluster.watch(
        path,
        accept,
        (event) => later(() => void arrived.push(event)),
        () => later(() => end(undefined)),
      ),
    );
    this.#watches.add(end);
    signal.addEventListener('abort', abort);
    try {
      onOpen?.();
      while (!signal.aborted) {
        const next = over === undefined ? arrived.shift() : undefined;
        if (next !== undefined) yield next;
        else if (over?.error !== undefined) throw over.error;
        else if (over !== undefined) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', abort);
      this.#watches.delete(end);
      close();
    }
  }
}

/** The same mailbox; `onSent` hears of each publication. */
function reported(mailbox: Mailbox, onSent: PodDeps['onSent']): Mailbox {
  return {
    shards: mailbox.shards,
    epoch: () => mailbox.epoch(),
    watchEpoch: (onEpoch) => mailbox.watchEpoch(onEpoch),
    markSeeded: (seededAt) => mailbox.markSeeded(seededAt),
    forgetSeeded: (now) => mailbox.forgetSeeded(now),
    startAnew: (epochId) => mailbox.startAnew(epochId),
    readMessagesOf: (actor, limit) => mailbox.readMessagesOf(actor, limit),
    publish(subject, payload, expectedSequence) {
      onSent(subject, payload);
      return mailbox.publish(subject, payload, expectedSequence);
    },
    last: (subject) => mailbox.last(subject),
    remove: (sequence) => mailbox.remove(sequence),
    subscribe: (filter, handlers) => mailbox.subscribe(filter, handlers),
  };
}
