// Watches the leases of a bucket. Not every server reports expired entries (2.11 can, 2.9 cannot): an entry that was
// not renewed for two fifths of a lease is read until it is renewed or deleted.
import type { LeaseRecord } from './bus.ts';
import type { Connection } from './connection.ts';
import { TransientError } from './errors.ts';
import { parseLease, recordOf, type StoredLease } from './lease-record.ts';
import { isDeletion } from './nats-api.ts';
import { listSubjects, pagesOf } from './nats-listing.ts';
import { type Delivery, StreamReader } from './nats-reader.ts';
import { Replay } from './nats-replay.ts';
import type { StreamKeeper } from './nats-stream.ts';
import type { Timer } from './time.ts';

/** Renewals come every fifth of a lease; twice that without one is odd. */
const SILENCE = 2 / 5;
/** Interval for reading silent entries, as a part of the lease. */
const LOOK = 1 / 20;

export interface LeaseWatchOptions {
  readonly connection: Connection;
  readonly keeper: StreamKeeper;
  /** Prefix of all subjects of the bucket, with the last dot. */
  readonly prefix: string;
  readonly leaseMs: number;
  /** Whether the bucket holds no lease under the key. @throws {TransientError} */
  readonly isAbsent: (key: string) => Promise<boolean>;
  readonly onChange: (leases: readonly LeaseRecord[], stored: readonly StoredLease[]) => void;
}

interface Entry {
  readonly lease: StoredLease;
  readonly sequence: number;
  readonly heardAt: number;
}

export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #stop: () => void;
  #reader: StreamReader | undefined;
  #replay: Replay | undefined;
  #timer: Timer | undefined;
  /** Counts the buckets, so that an attempt to read one ends when the next is there. */
  #bucket = 0;
  #closed = false;

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
    this.#stop = options.keeper.changes.add(() => void this.#startAnew());
  }

  /** @throws {TransientError} */
  async open(): Promise<void> {
    await this.#read();
    this.#look();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    this.#endReading();
    if (this.#timer !== undefined) this.#options.connection.clock.clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const { connection, keeper, prefix } = this.#options;
    const { id } = keeper.epoch;
    const stream = keeper.config.name;
    const replay = new Replay({
      clock: connection.clock,
      list: () => listSubjects(pagesOf(connection, stream, `${prefix}>`)),
      onComplete: () => this.#report(),
    });
    const reader = new StreamReader({
      connection,
      control: connection,
      stream,
      filters: [`${prefix}>`],
      verify: async () => (await keeper.check()) && keeper.epoch.id === id,
      onDelivery: (delivery) => this.#heard(delivery, replay),
    });
    this.#replay = replay;
    this.#reader = reader;
    await reader.open();
    if (this.#reader === reader) replay.start();
  }

  #endReading(): void {
    this.#replay?.stop();
    this.#reader?.close();
    this.#reader = undefined;
  }

  /** The bucket is another one: there are no holders. */
  async #startAnew(): Promise<void> {
    this.#endReading();
    this.#entries.clear();
    this.#options.onChange([], []);
    this.#bucket += 1;
    const bucket = this.#bucket;
    while (!this.#closed && this.#bucket === bucket && this.#reader === undefined) {
      try {
        await this.#read();
      } catch (error) {
        if (this.#bucket === bucket) this.#endReading();
        if (!(error instanceof TransientError)) throw error;
        await this.#options.connection.clock.sleep(this.#options.leaseMs * LOOK);
      }
    }
  }

  #heard({ subject, sequence, message }: Delivery, replay: Replay): void {
    const { connection, keeper, prefix } = this.#options;
    keeper.saw(sequence, subject);
    const key = subject.slice(prefix.length);
    const lease = parseLease({ payload: message.string(), deleted: isDeletion(message.headers) });
    const known = this.#entries.get(key)?.lease;
    if (lease === undefined) this.#entries.delete(key);
    else this.#entries.set(key, { lease, sequence, heardAt: connection.clock.now() });
    if (replay.complete && known?.token !== lease?.token) this.#report();
    replay.saw(subject);
  }

  #report(): void {
    const stored = [...this.#entries.values()].map(({ lease }) => lease);
    this.#options.onChange(stored.map(recordOf), stored);
  }

  #look(): void {
    if (this.#closed) return;
    const { connection, leaseMs } = this.#options;
    this.#timer = connection.clock.setTimeout(() => {
      this.#expire()
        .catch((error: unknown) => {
          if (!(error instanceof TransientError)) throw error; // unreachable: retried at the next interval
        })
        .finally(() => this.#look());
    }, leaseMs * LOOK);
  }

  async #expire(): Promise<void> {
    const { connection, leaseMs, isAbsent } = this.#options;
    const before = connection.clock.now() - leaseMs * SILENCE;
    const silent = [...this.#entries].filter(([, { heardAt }]) => heardAt < before);
    if (silent.length === 0 || !connection.up) return;
    let ended = false;
    const asked = silent.map(async ([key, { sequence }]) => {
      if (!(await isAbsent(key))) return;
      // A message received meanwhile is newer than the response.
      if (this.#entries.get(key)?.sequence === sequence) ended = this.#entries.delete(key) || ended;
    });
    await Promise.all(asked);
    if (ended && !this.#closed && this.#replay?.complete === true) this.#report();
  }
}
