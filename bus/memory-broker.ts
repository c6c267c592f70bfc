// State that the connections of one in-memory bus share: the mailbox stream, the leases, the services and the trace.
//
// Not imitated: limits on sizes, consumers and subjects; permissions; the cost of anything.

import type { EventQuery, LeaseRecord, Publication, ReceivedEvent, Tracing } from './bus.ts';
import { TransientError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { recordOf } from './lease-record.ts';
import { Listeners } from './listeners.ts';
import type { Opening } from './long-call-protocol.ts';
import { addressKey, eventSubject, type MailboxSubject, mailboxSubject, shardOfMail } from './subjects.ts';
import type { Clock, Timer } from './time.ts';

export interface StoredMessages {
  /** The whole subject, which is the key. */
  readonly key: string;
  readonly shard: number;
  readonly subject: MailboxSubject;
  readonly sequence: number;
  readonly payload: JsonObject;
  readonly traceparent?: string;
  readonly storedAt: number;
}

/** The mailbox stream as it was at one instant, to roll back to. */
export interface MailSnapshot {
  readonly values: readonly StoredMessages[];
  readonly lastSequence: number;
  readonly epochId: string;
  readonly seededAt: number | undefined;
  readonly witnessedFrom: number | undefined;
}

export type MailChange =
  | { readonly kind: 'stored'; readonly mail: StoredMessages }
  | { readonly kind: 'removed'; readonly mail: StoredMessages }
  /** The stream, its marker or its last sequence is not what it was. */
  | { readonly kind: 'identity' };

/** The mailbox stream. Values stand in the order of their sequences. */
export class MemoryStream {
  readonly shards: number;
  readonly changes = new Listeners<MailChange>();
  readonly #clock: Pick<Clock, 'now'>;
  #values = new Map<string, StoredMessages>();
  #bySequence = new Map<number, string>();
  #lastSequence = 0;
  #epochs = 1;
  #epochId = 'memory-1';
  #seededAt: number | undefined;
  #witnessedFrom: number | undefined;

  constructor(clock: Pick<Clock, 'now'>, shards: number) {
    this.#clock = clock;
    this.shards = shards;
  }

  get epochId(): string {
    return this.#epochId;
  }

  get seededAt(): number | undefined {
    return this.#seededAt;
  }

  get witnessedFrom(): number | undefined {
    return this.#witnessedFrom;
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  values(): Iterable<StoredMessages> {
    return this.#values.values();
  }

  last(subject: MailboxSubject): StoredMessages | undefined {
    return this.#values.get(mailboxSubject(subject, this.shards));
  }

  store(
    subject: MailboxSubject,
    payload: JsonObject,
    expectedSequence: number | undefined,
    { traceparent }: Tracing = {},
  ): Publication {
    const key = mailboxSubject(subject, this.shards);
    const previous = this.#values.get(key);
    if (expectedSequence !== undefined && expectedSequence !== (previous?.sequence ?? 0)) return { kind: 'stale' };
    this.#lastSequence += 1;
    const shard = shardOfMail(subject, this.shards);
    const traced = traceparent === undefined ? {} : { traceparent };
    const storedAt = this.#clock.now();
    const mail = { key, shard, subject, sequence: this.#lastSequence, payload, storedAt, ...traced };
    if (previous !== undefined) this.#bySequence.delete(previous.sequence);
    this.#values.delete(key); // so that it moves to the end
    this.#values.set(key, mail);
    this.#bySequence.set(mail.sequence, key);
    this.changes.report({ kind: 'stored', mail });
    return { kind: 'stored', sequence: mail.sequence };
  }

  remove(sequence: number): void {
    const key = this.#bySequence.get(sequence);
    const mail = key === undefined ? undefined : this.#values.get(key);
    if (mail === undefined) return;
    this.#bySequence.delete(sequence);
    this.#values.delete(mail.key);
    this.changes.report({ kind: 'removed', mail });
  }

  markSeeded(seededAt: number): void {
    if (this.#seededAt !== undefined) return;
    this.#seededAt = seededAt;
    this.changes.report({ kind: 'identity' });
  }

  forgetSeeded(now: number): void {
    this.#seededAt = undefined;
    this.#witnessedFrom = now;
    this.changes.report({ kind: 'identity' });
  }

  /** All mail is lost; the stream is a new one. */
  wipe(): void {
    this.#values.clear();
    this.#bySequence.clear();
    this.#lastSequence = 0;
    this.#seededAt = undefined;
    this.#witnessedFrom = undefined;
    this.#epochs += 1;
    this.#epochId = `memory-${this.#epochs}`;
    this.changes.report({ kind: 'identity' });
  }

  snapshot(): MailSnapshot {
    const { epochId, seededAt, witnessedFrom, lastSequence } = this;
    return { values: [...this.#values.values()], lastSequence, epochId, seededAt, witnessedFrom };
  }

  /** The stream is what it was: overwritten values are back, later ones are lost, sequences are given again. */
  rollBack({ values, lastSequence, epochId, seededAt, witnessedFrom }: MailSnapshot): void {
    this.#values = new Map(values.map((mail) => [mail.key, mail]));
    this.#bySequence = new Map(values.map((mail) => [mail.sequence, mail.key]));
    this.#lastSequence = lastSequence;
    this.#epochId = epochId;
    this.#seededAt = seededAt;
    this.#witnessedFrom = witnessedFrom;
    this.changes.report({ kind: 'identity' });
  }
}

interface StoredLease extends LeaseRecord {
  readonly token: string;
  readonly endsAt: number;
}

/** The leases of all connections. They end by the broker's clock. */
export class MemoryLeaseTable {
  readonly leaseMs: number;
  readonly changes = new Listeners<readonly LeaseRecord[]>();
  /** Tells of every wipe. */
  readonly losses = new Listeners<undefined>();
  readonly #clock: Clock;
  readonly #leases = new Map<string, StoredLease>();
  #freshUntil = Number.NEGATIVE_INFINITY;
  #expiry: Timer | undefined;
  #tokens = 0;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.leaseMs = leaseMs;
  }

  records(): readonly LeaseRecord[] {
    return [...this.#leases.values()].map(recordOf);
  }

  /** Tells one acquisition from all others. */
  token(): string {
    this.#tokens += 1;
    return `token-${this.#tokens}`;
  }

  /** False when another has it. @throws {TransientError} the leases were lost less than a lease time ago */
  acquire(record: LeaseRecord, token: string): boolean {
    const { name } = record;
    this.#expire();
    const now = this.#clock.now();
    if (now < this.#freshUntil) {
      const retryAfterMs = this.#freshUntil - now;
      throw new TransientError('the leases were lost: earlier holders may still act', { retryAfterMs });
    }
    if (this.#leases.has(name)) return false;
    this.#leases.set(name, { ...record, token, endsAt: now + this.leaseMs });
    this.#reported();
    return true;
  }

  renew(name: string, token: string): boolean {
    this.#expire();
    const lease = this.#leases.get(name);
    if (lease?.token !== token) return false;
    this.#leases.set(name, { ...lease, endsAt: this.#clock.now() + this.leaseMs });
    return true;
  }

  release(name: string, token: string): void {
    if (this.#leases.get(name)?.token !== token) return;
    this.#leases.delete(name);
    this.#reported();
  }

  /** All leases are lost. None can be acquired before a lease time has passed: a holder may not know of it. */
  wipe(): void {
    this.#leases.clear();
    this.#freshUntil = this.#clock.now() + this.leaseMs;
    this.losses.report(undefined);
    this.#reported();
  }

  #expire(): void {
    const now = this.#clock.now();
    const ended = [...this.#leases.values()].filter(({ endsAt }) => endsAt <= now);
    for (const { name } of ended) this.#leases.delete(name);
    if (ended.length > 0) this.#reported();
  }

  #reported(): void {
    this.changes.report(this.records());
    this.#watchExpiry();
  }

  #watchExpiry(): void {
    if (this.#expiry !== undefined) this.#clock.clearTimeout(this.#expiry);
    this.#expiry = undefined;
    const soonest = Math.min(...[...this.#leases.values()].map(({ endsAt }) => endsAt));
    if (!Number.isFinite(soonest)) return;
    const look = (): void => {
      this.#expire();
      this.#watchExpiry();
    };
    this.#expiry = this.#clock.setTimeout(look, Math.max(0, soonest - this.#clock.now()));
  }
}

/** Server of a subject. */
export interface MemoryEndpoint {
  /** Whether its process is reached. */
  reachable(): boolean;
  /** @param opening  of a request that is held: resolves when it has begun */
  handle(request: JsonObject, tracing: Tracing, opening?: Opening): Promise<JsonObject>;
}

/** Endpoints by subject; requests are distributed round-robin. */
export class MemoryServiceTable {
  readonly #endpoints = new Map<string, MemoryEndpoint[]>();

  add(subject: string, endpoint: MemoryEndpoint): () => void {
    this.#endpoints.set(subject, [...(this.#endpoints.get(subject) ?? []), endpoint]);
    return () => {
      const rest = (this.#endpoints.get(subject) ?? []).filter((other) => other !== endpoint);
      this.#endpoints.set(subject, rest);
    };
  }

  next(subject: string): MemoryEndpoint | undefined {
    const endpoints = this.#endpoints.get(subject) ?? [];
    const found = endpoints.find((endpoint) => endpoint.reachable());
    if (found === undefined) return undefined;
    this.#endpoints.set(subject, [...endpoints.filter((other) => other !== found), found]);
    return found;
  }
}

/** The latest events of all connections. */
export class MemoryEvents {
  readonly heard = new Listeners<ReceivedEvent>();
  readonly #limit: number;
  #kept: ReceivedEvent[] = [];

  /** @param limit  how many are kept at least */
  constructor(limit: number) {
    this.#limit = limit;
  }

  report(event: ReceivedEvent): void {
    this.#kept.push(event);
    if (this.#kept.length > 2 * this.#limit) this.#kept = this.#kept.slice(-this.#limit);
    this.heard.report(event);
  }

  /** Those that are kept now, oldest first. */
  kept({ actor, type, since, only }: EventQuery): readonly ReceivedEvent[] {
    const key = actor && addressKey(actor);
    const from = only === 'last' || since === undefined ? Number.NEGATIVE_INFINITY : since;
    const found = this.#kept.filter(
      (event) =>
        event.at >= from &&
        (type === undefined || event.type === type) &&
        (key === undefined || addressKey(event.actor) === key),
    );
    if (only !== 'last') return found;
    const last = new Map(found.map((event) => [eventSubject(event), event]));
    return found.filter((event) => last.get(eventSubject(event)) === event);
  }
}

/** Everything the connections share. */
export interface MemoryStores {
  readonly clock: Clock;
  readonly stream: MemoryStream;
  readonly leases: MemoryLeaseTable;
  readonly services: MemoryServiceTable;
  readonly events: MemoryEvents;
}
