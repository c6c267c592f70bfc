// The bus in one process: the contract of bus.ts without a server, deterministic for a given clock. Several connections
// share a broker as several processes share a server.
//
// Not imitated: see memory-broker.ts.

import type { Bus, Connectivity, Lease, LeaseRecord, Leases, Trace, TraceEvent } from './bus.ts';
import type { JsonObject } from './json.ts';
import { HeldLease } from './lease.ts';
import { recordOf } from './lease-record.ts';
import {
  type MailChange,
  type MailSnapshot,
  MemoryEvents,
  MemoryLeaseTable,
  MemoryServiceTable,
  type MemoryStores,
  MemoryStream,
} from './memory-broker.ts';
import { MemoryLink } from './memory-link.ts';
import { MemoryMailbox } from './memory-mailbox.ts';
import { MemoryServices } from './memory-services.ts';
import { SHARDS } from './subjects.ts';
import type { Clock } from './time.ts';
import { validTraceparent } from './trace-context.ts';

export interface MemoryBrokerOptions {
  readonly clock: Clock;
  /** Default 64. */
  readonly shards?: number;
  /** Default 15,000 ms. */
  readonly leaseMs?: number;
  /** Latency of the next message, in milliseconds. By default each takes a microtask and no time. */
  readonly latencyMs?: () => number;
}

/** One process's view of the broker, with what may happen to it. */
export interface MemoryBus extends Bus {
  /** The line breaks: operations reject, nothing arrives, leases are not renewed. */
  cut(): void;
  /** The line is there again. */
  heal(): void;
  /** Highest mailbox sequence that the process knows: it notices when the stream is rolled back behind it. */
  seen(): number;
  /** The process crashes: nothing is released and no handler is called any more. Sent messages arrive. */
  crash(): void;
}

export interface MemoryBroker {
  /** @param options  of this process alone, in place of the broker's: its clock may stand still, its line may be slow */
  connect(options?: Partial<Pick<MemoryBrokerOptions, 'clock' | 'latencyMs'>>): MemoryBus;
  /** Reports all changes of the mailbox, as they happen. Returns the function that stops it. */
  onMail(listener: (change: MailChange) => void): () => void;
  /** Holders of leases. */
  leases(): readonly LeaseRecord[];
  /** Loses all mail. */
  wipeMail(): void;
  /** Loses all leases; for a lease time none can be acquired. */
  wipeLeases(): void;
  /** The mail as it is, for `rollBack`. */
  snapshot(): MailSnapshot;
  /** Restores an earlier mailbox. Connections that have seen more notice it; others cannot. */
  rollBack(snapshot: MailSnapshot): void;
}

/** Events that are kept: enough to look back at. */
const KEPT_EVENTS = 1_000;

/** A bus in memory. Nothing runs until a connection is made; when all are closed, nothing is left. */
export function memoryBroker(options: MemoryBrokerOptions): MemoryBroker {
  const { clock, shards = SHARDS, leaseMs = 15_000, latencyMs } = options;
  const stores: MemoryStores = {
    clock,
    stream: new MemoryStream(clock, shards),
    leases: new MemoryLeaseTable(clock, leaseMs),
    services: new MemoryServiceTable(),
    events: new MemoryEvents(KEPT_EVENTS),
  };
  return {
    connect(own = {}) {
      const link = new MemoryLink(own.clock ?? clock, clock, own.latencyMs ?? latencyMs);
      return connection({ ...stores, clock: own.clock ?? clock }, link);
    },
    onMail: (listener) => stores.stream.changes.add(listener),
    leases: () => stores.leases.records(),
    wipeMail: () => stores.stream.wipe(),
    wipeLeases: () => stores.leases.wipe(),
    snapshot: () => stores.stream.snapshot(),
    rollBack: (snapshot) => stores.stream.rollBack(snapshot),
  };
}

function connection(stores: MemoryStores, link: MemoryLink): MemoryBus {
  const mailbox = new MemoryMailbox(stores.stream, link);
  const leases = new MemoryLeases(stores, link);
  const services = new MemoryServices(stores, link);
  const stops = new Set<() => void>();
  const end = (): void => {
    for (const stop of stops) stop();
    mailbox.close();
    link.close();
  };
  return {
    mailbox,
    leases,
    services,
    trace: memoryTrace(stores, link, stops),
    sharable: true,
    description: 'in memory',
    onConnectivity: (listener: (change: Connectivity) => void) => link.connectivity.add(listener),
    cut: () => link.cut(),
    heal() {
      if (link.state !== 'cut') return;
      link.heal();
      mailbox.healed();
      leases.healed();
    },
    seen: () => mailbox.seen,
    crash() {
      leases.abandon();
      services.abandon();
      end();
    },
    async close() {
      await services.close();
      leases.abandon();
      end();
    },
  };
}

class MemoryLeases implements Leases {
  readonly leaseMs: number;
  readonly #stores: MemoryStores;
  readonly #link: MemoryLink;
  readonly #held = new Set<HeldLease>();
  readonly #watches = new Set<() => void>();
  readonly #stops: readonly (() => void)[];

  constructor(stores: MemoryStores, link: MemoryLink) {
    this.leaseMs = stores.leases.leaseMs;
    this.#stores = stores;
    this.#link = link;
    this.#stops = [
      stores.leases.losses.add(() => link.later(() => this.#lose())),
      stores.leases.changes.add(() => this.healed()),
    ];
  }

  async acquire(name: string, holder: string, note?: JsonObject): Promise<Lease | undefined> {
    const { clock, leases } = this.#stores;
    const token = leases.token();
    const startedAt = clock.steady();
    const acquired = await this.#link.send(() => leases.acquire(recordOf({ name, holder, note }), token));
    if (!acquired) return undefined;
    for (const lease of this.#held) if (!lease.held) this.#held.delete(lease);
    const store = {
      renew: () => this.#link.send(() => leases.renew(name, token)),
      release: () => this.#link.send(() => leases.release(name, token)),
    };
    const lease = new HeldLease({ name, clock, leaseMs: this.leaseMs, startedAt, store });
    this.#held.add(lease);
    return lease;
  }

  watch(onChange: (leases: readonly LeaseRecord[]) => void): Promise<{ close(): Promise<void> }> {
    return this.#link.call(() => {
      let reported: string | undefined;
      const report = (): void => {
        if (this.#link.state !== 'up' || !this.#watches.has(report)) return;
        const records = this.#stores.leases.records();
        const now = JSON.stringify(records);
        if (now === reported) return;
        reported = now;
        onChange(records);
      };
      this.#watches.add(report);
      this.#link.later(report);
      const close = async (): Promise<void> => {
        this.#watches.delete(report);
      };
      return { close };
    });
  }

  list(): Promise<readonly LeaseRecord[]> {
    return this.#link.call(() => this.#stores.leases.records());
  }

  /** Tells every watch what is new. */
  healed(): void {
    for (const report of this.#watches) this.#link.later(report);
  }

  abandon(): void {
    for (const stop of this.#stops) stop();
    this.#watches.clear();
    for (const lease of this.#held) lease.abandon();
  }

  #lose(): void {
    if (this.#link.state !== 'up') return;
    for (const lease of this.#held) lease.lose();
  }
}

function memoryTrace({ clock, events }: MemoryStores, link: MemoryLink, stops: Set<() => void>): Trace {
  return {
    emit(event: TraceEvent) {
      const { traceparent, ...said }: TraceEvent = JSON.parse(JSON.stringify(event));
      const traced = validTraceparent(traceparent);
      const sent: TraceEvent = traced === undefined ? said : { ...said, traceparent: traced };
      const at = Math.floor(clock.now() * 1_000) / 1_000;
      if (link.state === 'up') link.later(() => events.report({ ...sent, at }));
    },
    async subscribe(onEvent) {
      if (link.state !== 'up') throw link.away();
      const remove = events.heard.add((event) => {
        if (link.state === 'up') onEvent(event);
      });
      const stop = (): void => {
        remove();
        stops.delete(stop);
      };
      stops.add(stop);
      return { close: async () => stop() };
    },
    async *history(query = {}) {
      yield* await link.call(() => events.kept(query));
    },
  };
}
