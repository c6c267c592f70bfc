// Leases in a KV bucket whose entries end by themselves (BUS-5).
//
// Invariants:
//   BUS-NATS-LEASES-1. Every write names the sequence that it replaces, so only the first of concurrent writers
//       succeeds.
//   BUS-NATS-LEASES-2. A record carries the token of its acquisition: a renewal whose answer was lost is known as our own.
//   BUS-NATS-LEASES-3. The bucket's time to live is never below the lease time of a holder: it is raised before an acquisition, and
//       lowered only when no record asks for more.
//   BUS-NATS-LEASES-4. In a bucket that was created again after a loss no lease is ever acquired before a lease time
//       has passed: the entry `=fresh`, which expires, announces that to every process. A wiped server looks like a new
//       one, so a first start cannot be recognized here: the creator of the first bucket is asked, and removes the
//       entry if no process can be active.
import { randomUUID } from 'node:crypto';
import type { Lease, LeaseRecord, Leases } from './bus.ts';
import type { Connection } from './connection.ts';
import { NoResponderError } from './connection-errors.ts';
import { TransientError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { HeldLease, type LeaseStore } from './lease.ts';
import { FRESH, leaseKey } from './lease-names.ts';
import { parseLease, recordOf, type StoredLease } from './lease-record.ts';
import { publishMessage, readMessage, type StoredMessage, type StreamConfig, streamInfo } from './nats-api.ts';
import { listLeases } from './nats-lease-list.ts';
import { LeaseWatch } from './nats-lease-watch.ts';
import { bucketStream, entrySubject } from './nats-names.ts';
import { discardBroken, StreamKeeper } from './nats-stream.ts';

const NANOS_A_MS = 1_000_000;

export interface NatsLeasesOptions {
  readonly connection: Connection;
  /** Whether a holder could act on what it holds. While it cannot, no lease is got or renewed, so that others get them. */
  readonly isOfUse: () => boolean;
  readonly bucket: string;
  readonly leaseMs: number;
  readonly replicas: number;
  readonly firstLease: FirstLease | (() => Promise<FirstLease>);
  /** `reader`: leaves the bucket of the leases as it is. Default `keeper`. */
  readonly role?: 'keeper' | 'reader';
}

/** `wait`: the first process waits a lease time in a bucket it had to make; another may have known its predecessor. */
export type FirstLease = 'wait' | 'immediate';

export class NatsLeases implements Leases {
  readonly leaseMs: number;
  readonly #connection: Connection;
  readonly #isOfUse: () => boolean;
  readonly #keeper: StreamKeeper;
  readonly #prefix: string;
  readonly #held = new Set<HeldLease>();
  readonly #watches = new Set<LeaseWatch>();

  constructor({ connection, isOfUse, bucket, leaseMs, replicas, firstLease, role = 'keeper' }: NatsLeasesOptions) {
    this.leaseMs = leaseMs;
    this.#connection = connection;
    this.#isOfUse = isOfUse;
    this.#prefix = entrySubject(bucket);
    this.#keeper = new StreamKeeper({
      connection,
      config: bucketConfig(bucket, leaseMs, replicas),
      marker: undefined,
      role,
      onCreated: async (when) => {
        // mutant: first-bucket-not-awaited -> $ if (typeof $1.2.1 !== 'string' && (await $1.2.1()) === $1.2.2) return;
        if (when === 'first' && firstLease === 'immediate') return;
        const sequence = await this.#markFresh();
        if (when === 'again' || typeof firstLease === 'string') return;
        // Called when the entry exists: processes that find the bucket meanwhile wait.
        if ((await firstLease()) === 'immediate') await this.#unmark(sequence);
      },
    });
    this.#keeper.changes.add(() => this.#loseAll());
  }

  /** @throws {TransientError} */
  async open(): Promise<void> {
    await this.#keeper.open();
    await this.#fitTimeToLive();
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) await watch.close();
    // mutant: lease-released-by-closing ().0 -> lease.release
    for (const lease of this.#held) lease.abandon();
    this.#keeper.close();
  }

  async acquire(name: string, holder: string, note?: JsonObject): Promise<Lease | undefined> {
    await this.#keeper.available();
    await this.#fitTimeToLive();
    const fresh = await this.#read(FRESH);
    // mutant: lost-bucket-leased-at-once if -> false
    if (fresh !== undefined && !fresh.deleted) {
      const message = 'the leases were lost or are new: an earlier holder may still act';
      throw new TransientError(message, { retryAfterMs: this.leaseMs / 5 });
    }
    const key = leaseKey(name);
    const record: StoredLease = { ...recordOf({ name, holder, note }), token: randomUUID(), leaseMs: this.leaseMs };
    const { id } = this.#keeper.epoch;
    const startedAt = this.#connection.clock.steady();
    const sequence = await this.#take(key, record);
    if (sequence === undefined) return undefined;
    const store = new BucketLease(this, key, record, sequence);
    for (const lease of this.#held) if (!lease.held) this.#held.delete(lease);
    const { clock } = this.#connection;
    const lease = new HeldLease({ name, clock, leaseMs: this.leaseMs, startedAt, store });
    this.#held.add(lease);
    try {
      await this.#fitTimeToLive(); // its time may have been lowered before our record was visible (BUS-NATS-LEASES-3)
    } catch (error) {
      await lease.release();
      throw error;
    }
    // Lost on the way: the creator of the new bucket has notified the other leases already.
    if (this.#keeper.epoch.id !== id) lease.lose();
    return lease;
  }

  async watch(onChange: (leases: readonly LeaseRecord[]) => void): Promise<{ close(): Promise<void> }> {
    await this.#keeper.available();
    const watch = new LeaseWatch({
      connection: this.#connection,
      keeper: this.#keeper,
      prefix: this.#prefix,
      leaseMs: this.leaseMs,
      isAbsent: async (key) => isNone(await this.#read(key)),
      onChange,
    });
    this.#watches.add(watch);
    try {
      await watch.open();
    } catch (error) {
      this.#watches.delete(watch);
      await watch.close();
      throw error;
    }
    const close = async (): Promise<void> => {
      this.#watches.delete(watch);
      await watch.close();
    };
    return { close };
  }

  async list(): Promise<readonly LeaseRecord[]> {
    const info = await streamInfo(this.#connection, this.#keeper.config.name);
    if (info === undefined) return [];
    return listLeases(this.#connection, this.#keeper.config.name, this.#prefix);
  }

  /** Stores a record in place of the one with this sequence; undefined: it was replaced meanwhile. @throws {TransientError} */
  async write(key: string, record: StoredLease | undefined, expectedSequence: number): Promise<number | undefined> {
    if (!this.#keeper.ready || (record !== undefined && !this.#isOfUse())) throw this.#connection.away();
    const subject = this.#prefix + key;
    try {
      const publication = await publishMessage(this.#connection, subject, record && { ...record }, {
        expectedSequence,
        timeoutMs: this.leaseMs / 5,
        ...(record === undefined ? { header: [['KV-Operation', 'DEL']] as const } : {}),
      });
      if (publication.kind === 'stale') return undefined;
      this.#keeper.saw(publication.sequence, subject);
      return publication.sequence;
    } catch (error) {
      if (error instanceof NoResponderError) this.#keeper.notice();
      throw error;
    }
  }

  /** The sequence under which the record of this acquisition is stored now; undefined: it is not. @throws {TransientError} */
  async sequenceOf(key: string, { holder, token }: StoredLease): Promise<number | undefined> {
    const message = await this.#read(key);
    const stored = message && parseLease(message);
    // mutant: lease-earlier-acquisition && -> $2
    return stored?.token === token && stored.holder === holder ? message?.sequence : undefined;
  }

  #read(key: string): Promise<StoredMessage | undefined> {
    return readMessage(this.#connection, this.#keeper.config, { last_by_subj: this.#prefix + key }, this.leaseMs / 5);
  }

  /** @returns the entry's sequence */
  async #markFresh(): Promise<number> {
    const { leaseMs } = this;
    await publishMessage(this.#connection, this.#prefix + FRESH, { leaseMs });
    const stored = await this.#read(FRESH);
    return stored?.sequence ?? discardBroken(this.#connection, this.#keeper.config.name);
  }

  async #unmark(expectedSequence: number): Promise<void> {
    const header = [['KV-Operation', 'DEL']] as const;
    await publishMessage(this.#connection, this.#prefix + FRESH, undefined, { expectedSequence, header });
  }

  async #take(key: string, record: StoredLease): Promise<number | undefined> {
    const first = await this.write(key, record, 0);
    if (first !== undefined) return first;
    const message = await this.#read(key);
    if (!isNone(message)) return undefined;
    return this.write(key, record, message?.sequence ?? 0); // released, or ended just now
  }

  async #fitTimeToLive(): Promise<void> {
    await this.#keeper.check(); // others change it
    const { max_age: has } = this.#keeper.config;
    if (has === this.leaseMs * NANOS_A_MS) return;
    if (has < this.leaseMs * NANOS_A_MS) return this.#setTimeToLive(this.leaseMs);
    // mutant: lease-time-lowered drop
    if ((await this.#longestLeaseMs()) > this.leaseMs) return;
    await this.#setTimeToLive(this.leaseMs);
    const longestMs = await this.#longestLeaseMs(); // acquired while we lowered it
    if (longestMs > this.leaseMs) await this.#setTimeToLive(longestMs);
  }

  #setTimeToLive(leaseMs: number): Promise<void> {
    const maxAge = leaseMs * NANOS_A_MS;
    return this.#keeper.reconfigure({ max_age: maxAge, duplicate_window: duplicateWindow(maxAge) });
  }

  /** Maximum over all records, as one reader finds them. */
  async #longestLeaseMs(): Promise<number> {
    let longestMs = 0;
    const done = Promise.withResolvers<void>();
    const watch = new LeaseWatch({
      connection: this.#connection,
      keeper: this.#keeper,
      prefix: this.#prefix,
      leaseMs: this.leaseMs,
      isAbsent: async () => false,
      onChange: (_, stored) => {
        longestMs = Math.max(0, ...stored.map(({ leaseMs }) => leaseMs));
        done.resolve();
      },
    });
    const limit = new AbortController();
    try {
      await watch.open();
      const late = this.#connection.clock.sleep(this.leaseMs / 5, limit.signal).then(() => {
        throw new TransientError('the leases could not be read in time');
      });
      late.catch(() => undefined); // answered by the race
      await Promise.race([done.promise, late]);
    } finally {
      limit.abort();
      await watch.close();
    }
    return longestMs;
  }

  #loseAll(): void {
    for (const lease of this.#held) lease.lose();
    this.#held.clear();
  }
}

/** One acquisition's record in the bucket. */
class BucketLease implements LeaseStore {
  readonly #leases: NatsLeases;
  readonly #key: string;
  readonly #record: StoredLease;
  #sequence: number;

  constructor(leases: NatsLeases, key: string, record: StoredLease, sequence: number) {
    this.#leases = leases;
    this.#key = key;
    this.#record = record;
    this.#sequence = sequence;
  }

  async renew(): Promise<boolean> {
    return this.#replace(this.#record);
  }

  async release(): Promise<void> {
    await this.#replace(undefined);
  }

  /** False: the record is no longer ours. */
  async #replace(record: StoredLease | undefined): Promise<boolean> {
    for (;;) {
      // A renewal may be under way when the lease is given back: its answer moves `#sequence` while we wait.
      const expected = this.#sequence;
      const sequence = await this.#leases.write(this.#key, record, expected);
      if (sequence !== undefined) {
        this.#sequence = sequence;
        return true;
      }
      // Either another holder wrote, or we ourselves and the response was lost (BUS-NATS-LEASES-2).
      const own = await this.#leases.sequenceOf(this.#key, this.#record);
      if (own === undefined || own === expected) return false;
      this.#sequence = own;
    }
  }
}

function isNone(message: StoredMessage | undefined): boolean {
  return message === undefined || parseLease(message) === undefined;
}

/** At most two minutes, and never above the time to live. */
function duplicateWindow(maxAge: number): number {
  return Math.min(maxAge, 120_000_000_000);
}

/** A KV bucket of one revision a key, as the client libraries make it. */
function bucketConfig(bucket: string, leaseMs: number, replicas: number): StreamConfig {
  const maxAge = leaseMs * NANOS_A_MS;
  return {
    name: bucketStream(bucket),
    description: 'the lease holders',
    subjects: [entrySubject(bucket, '>')],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_msgs_per_subject: 1,
    max_msgs: -1,
    max_bytes: -1,
    max_msg_size: -1,
    max_consumers: -1,
    max_age: maxAge,
    duplicate_window: duplicateWindow(maxAge),
    num_replicas: replicas,
    allow_direct: true,
    allow_rollup_hdrs: true,
    deny_delete: true,
  };
}
