// The mailbox of one process on the in-memory broker.
//
// Invariants: BUS-1 to BUS-4 of bus.ts.

import type { Address } from './address.ts';
import type {
  Epoch,
  Mailbox,
  MailboxFilter,
  MailboxHandlers,
  MailboxMessage,
  MailboxSubscription,
  Publication,
  TimestampedMessage,
  Tracing,
} from './bus.ts';
import { TransientError } from './errors.ts';
import type { JsonObject } from './json.ts';
import { Listeners } from './listeners.ts';
import type { MailChange, MemoryStream, StoredMessages } from './memory-broker.ts';
import type { MemoryLink } from './memory-link.ts';
import { addressKey, type MailboxSubject } from './subjects.ts';
import { validTraceparent } from './trace-context.ts';

/** Values handed over in one go; what else happens comes in between. */
const BATCH = 16;

export class MemoryMailbox implements Mailbox {
  readonly shards: number;
  readonly #stream: MemoryStream;
  readonly #link: MemoryLink;
  readonly #epochs = new Listeners<Epoch>();
  readonly #subscriptions = new Set<MemorySubscription>();
  readonly #stop: () => void;
  #epoch: Epoch;
  #seen: number;
  #checking = false;

  constructor(stream: MemoryStream, link: MemoryLink) {
    this.shards = stream.shards;
    this.#stream = stream;
    this.#link = link;
    this.#epoch = epochOf(stream);
    this.#seen = 0;
    this.#stop = stream.changes.add((change) => this.#heard(change));
  }

  epoch(): Epoch {
    return this.#epoch;
  }

  watchEpoch(onEpoch: (epoch: Epoch) => void): () => void {
    return this.#epochs.add(onEpoch);
  }

  async markSeeded(seededAt: number): Promise<void> {
    await this.#link.call(() => {
      this.#refuseOtherEpoch();
      this.#stream.markSeeded(seededAt);
    });
    this.check();
  }

  async forgetSeeded(now: number): Promise<void> {
    await this.#link.call(() => {
      this.#refuseOtherEpoch();
      this.#stream.forgetSeeded(now);
    });
    this.check();
  }

  async startAnew(epochId: string): Promise<void> {
    await this.#link.send(() => {
      if (this.#stream.epochId === epochId) this.#stream.wipe();
    });
    this.check();
  }

  async publish(
    subject: MailboxSubject,
    payload: JsonObject,
    expectedSequence: number | undefined,
    tracing: Tracing = {},
  ): Promise<Publication> {
    const sent: JsonObject = JSON.parse(JSON.stringify(payload));
    const traceparent = validTraceparent(tracing.traceparent);
    const epochId = this.#epoch.id;
    const publication = await this.#link.send(() => {
      this.#refuseOtherEpoch(epochId);
      return this.#stream.store(subject, sent, expectedSequence, { traceparent });
    });
    if (this.#epoch.id !== epochId) throw changed();
    if (publication.kind === 'stored') this.saw(publication.sequence);
    return publication;
  }

  last(subject: MailboxSubject): Promise<MailboxMessage | undefined> {
    return this.#link.call(() => {
      this.#refuseOtherEpoch();
      const mail = this.#stream.last(subject);
      return mail && handedOver(mail);
    });
  }

  readMessagesOf(actor: Address, limit: number): Promise<readonly TimestampedMessage[]> {
    const key = addressKey(actor);
    const isOf = ({ subject }: StoredMessages): boolean =>
      'to' in subject && (addressKey(subject.to) === key || ('from' in subject && addressKey(subject.from) === key));
    return this.#link.call(() =>
      [...this.#stream.values()]
        .filter(isOf)
        .slice(-limit)
        .map((mail) => ({ ...handedOver(mail), storedAt: mail.storedAt })),
    );
  }

  remove(sequence: number): Promise<void> {
    const epochId = this.#epoch.id;
    return this.#link.send(() => {
      this.#refuseOtherEpoch(epochId);
      this.#stream.remove(sequence);
    });
  }

  subscribe(filter: MailboxFilter, handlers: MailboxHandlers): Promise<MailboxSubscription> {
    return this.#link.call(() => {
      this.#refuseOtherEpoch();
      const leave = (): boolean => this.#subscriptions.delete(subscription);
      const subscription = new MemorySubscription(this, this.#link, filter, handlers, leave);
      this.#subscriptions.add(subscription);
      subscription.start(this.#stream.values());
      return subscription;
    });
  }

  /** The highest sequence that this process knows of. */
  get seen(): number {
    return this.#seen;
  }

  /** Remembers the highest sequence, by which a rolled-back stream is known. */
  saw(sequence: number): void {
    this.#seen = Math.max(this.#seen, sequence);
  }

  /** Whether the stream is the one that this process has read. If not, the epoch changes (BUS-4). */
  check(): boolean {
    if (this.#link.state !== 'up') return false;
    if (this.#stream.epochId === this.#epoch.id && this.#stream.lastSequence < this.#seen) this.#stream.wipe();
    const { id, seededAt, witnessedFrom } = epochOf(this.#stream);
    const same = id === this.#epoch.id;
    if (same && seededAt === this.#epoch.seededAt && witnessedFrom === this.#epoch.witnessedFrom) return true;
    this.#epoch = { id, seededAt, witnessedFrom };
    if (!same) {
      this.#seen = 0;
      for (const subscription of this.#subscriptions) subscription.end();
      this.#subscriptions.clear();
    }
    this.#epochs.report(this.#epoch);
    return same;
  }

  /** Goes on where the line was cut. */
  healed(): void {
    this.check();
    for (const subscription of this.#subscriptions) subscription.schedule();
  }

  close(): void {
    this.#stop();
    this.#epochs.clear();
    for (const subscription of this.#subscriptions) subscription.end();
    this.#subscriptions.clear();
  }

  #heard(change: MailChange): void {
    if (change.kind !== 'identity') {
      for (const subscription of this.#subscriptions) subscription.heard(change);
    } else if (!this.#checking) {
      this.#checking = true;
      this.#link.later(() => {
        this.#checking = false;
        this.check();
      });
    }
  }

  #refuseOtherEpoch(epochId: string = this.#epoch.id): void {
    const isSame = this.#link.state === 'closed' ? this.#stream.epochId === epochId : this.check();
    if (!isSame || this.#epoch.id !== epochId) throw changed();
  }
}

/** A reader. It holds the newest value of each subject that it has not handed over yet, in the order of the stream. */
class MemorySubscription implements MailboxSubscription {
  readonly #mailbox: MemoryMailbox;
  readonly #link: MemoryLink;
  readonly #filter: (mail: StoredMessages) => boolean;
  readonly #handlers: MailboxHandlers;
  readonly #leave: () => void;
  readonly #pending = new Map<string, StoredMessages>();
  /** Keys to hand over before the replay is complete; undefined once it is. */
  #replay: Set<string> | undefined = new Set();
  #scheduled = false;
  #ended = false;

  constructor(
    mailbox: MemoryMailbox,
    link: MemoryLink,
    filter: MailboxFilter,
    handlers: MailboxHandlers,
    leave: () => void,
  ) {
    this.#mailbox = mailbox;
    this.#link = link;
    this.#filter = matcher(filter);
    this.#handlers = handlers;
    this.#leave = leave;
  }

  start(values: Iterable<StoredMessages>): void {
    for (const mail of values) {
      if (!this.#filter(mail)) continue;
      this.#pending.set(mail.key, mail);
      this.#replay?.add(mail.key);
    }
    this.schedule();
  }

  heard({ kind, mail }: Exclude<MailChange, { kind: 'identity' }>): void {
    if (!this.#filter(mail)) return;
    if (kind === 'stored') {
      this.#pending.delete(mail.key); // so that it moves to the end
      this.#pending.set(mail.key, mail);
    } else {
      if (this.#pending.get(mail.key)?.sequence === mail.sequence) this.#pending.delete(mail.key);
      this.#replay?.delete(mail.key);
    }
    this.schedule();
  }

  schedule(): void {
    if (this.#scheduled || this.#ended) return;
    this.#scheduled = true;
    this.#link.later(() => {
      this.#scheduled = false;
      if (!this.#ended && this.#link.state === 'up' && this.#mailbox.check()) this.#deliver();
    });
  }

  end(): void {
    this.#ended = true;
    this.#pending.clear();
  }

  async close(): Promise<void> {
    this.end();
    this.#leave();
  }

  #deliver(): void {
    let delivered = 0;
    for (const [key, mail] of this.#pending) {
      if (delivered === BATCH) break;
      delivered += 1;
      this.#pending.delete(key);
      this.#replay?.delete(key);
      this.#mailbox.saw(mail.sequence);
      this.#handlers.onMail(handedOver(mail));
      if (this.#ended) return;
    }
    if (this.#replay?.size === 0) {
      this.#replay = undefined;
      this.#handlers.onReplayed();
    }
    if (this.#pending.size > 0) this.schedule();
  }
}

function matcher(filter: MailboxFilter): (mail: StoredMessages) => boolean {
  if ('topic' in filter) return ({ subject }) => subject.topic === filter.topic;
  const shards = new Set(filter.shards);
  return ({ shard }) => shards.has(shard);
}

function handedOver({ subject, sequence, payload, traceparent }: StoredMessages): MailboxMessage {
  return { subject, sequence, payload, ...(traceparent !== undefined && { traceparent }) };
}

function changed(): TransientError {
  return new TransientError('the mailbox was lost meanwhile: another epoch has begun');
}

function epochOf({ epochId, seededAt, witnessedFrom }: MemoryStream): Epoch {
  return { id: epochId, seededAt, witnessedFrom };
}
