// The mailbox on JetStream: one stream that keeps one message a subject.
//
// Invariants: BUS-1 to BUS-4 and BUS-7 of bus.ts. `Nats-Msg-Id` is never set: after a deletion the same id would be swallowed.

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
import type { Connection } from './connection.ts';
import { NoResponderError } from './connection-errors.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import {
  MAIL_FORMAT,
  type MailHeaders,
  mailHeaders,
  readMailHeaders,
  refuseNewer,
  unreadableFormat,
} from './message-headers.ts';
import { deleteMessage, publishMessage, readMessage, type StreamConfig } from './nats-api.ts';
import { listSubjects, pagesOf } from './nats-listing.ts';
import { type Delivery, StreamReader } from './nats-reader.ts';
import { Replay } from './nats-replay.ts';
import { changed, StreamKeeper } from './nats-stream.ts';
import {
  epochSubject,
  type MailboxSubject,
  mailboxSubject,
  mailWildcard,
  objectFilter,
  parseMailboxSubject,
  senderFilters,
  shardFilter,
  shardOfMail,
  topicFilter,
} from './subjects.ts';

/** Listing this many shards one by one costs less than listing all subjects. */
const FEW_SHARDS = 8;
/** Values that are read for each one that people are shown of an actor's. */
const LOOKED_AT = 5;
const READS_AT_ONCE = 32;

export interface NatsMailboxOptions {
  readonly connection: Connection;
  /** Connection for incoming messages. */
  readonly deliveries: Connection;
  readonly stream: string;
  readonly root: string;
  readonly shards: number;
  readonly replicas: number;
  readonly onWarning: (message: string) => void;
}

export class NatsMailbox implements Mailbox {
  readonly shards: number;
  readonly #connection: Connection;
  readonly #deliveries: Connection;
  readonly #root: string;
  readonly #keeper: StreamKeeper;
  readonly #subscriptions = new Set<MailboxSubscription>();
  readonly #onWarning: (message: string) => void;
  /** Formats of ignored messages. */
  readonly #unreadable = new Set<number>();

  constructor({ connection, deliveries, stream, root, shards, replicas, onWarning }: NatsMailboxOptions) {
    this.#onWarning = onWarning;
    this.shards = shards;
    this.#connection = connection;
    this.#deliveries = deliveries;
    this.#root = root;
    this.#keeper = new StreamKeeper({
      connection,
      config: mailConfig(stream, root, replicas),
      marker: epochSubject(root),
      shards,
      onCreated: async () => undefined,
    });
    this.#keeper.changes.add(() => void this.#endAll());
  }

  /** @throws {TransientError} @throws {TerminalError} the stream was made for another number of shards */
  open(): Promise<void> {
    return this.#keeper.open();
  }

  async close(): Promise<void> {
    await this.#endAll();
    this.#keeper.close();
  }

  epoch(): Epoch {
    return this.#keeper.epoch;
  }

  watchEpoch(onEpoch: (epoch: Epoch) => void): () => void {
    return this.#keeper.news.add(onEpoch);
  }

  markSeeded(seededAt: number): Promise<void> {
    return this.#keeper.markSeeded(seededAt);
  }

  forgetSeeded(now: number): Promise<void> {
    return this.#keeper.forgetSeeded(now);
  }

  startAnew(epochId: string): Promise<void> {
    return this.#keeper.startAnew(epochId);
  }

  async publish(
    subject: MailboxSubject,
    payload: JsonObject,
    expectedSequence: number | undefined,
    { traceparent }: Tracing = {},
  ): Promise<Publication> {
    // mutant: published-before-looked drop
    if (!this.#keeper.ready) throw this.#connection.away();
    const { epoch, seen } = this.#keeper;
    const text = mailboxSubject(subject, this.shards, this.#root);
    let publication: Publication;
    try {
      publication = await publishMessage(this.#connection, text, payload, {
        expectedSequence,
        header: mailHeaders(traceparent),
      });
    } catch (error) {
      if (error instanceof NoResponderError) this.#keeper.notice(); // the stream is deleted
      throw error;
    }
    if (this.#keeper.epoch.id !== epoch.id) throw changed();
    if (publication.kind === 'stale') return publication;
    // mutant: sequences-began-anew if -> false
    if (publication.sequence <= seen) {
      // Sequences only grow: this is another stream than the one this process knows.
      this.#keeper.notice();
      throw changed();
    }
    this.#keeper.saw(publication.sequence, text);
    return publication;
  }

  async last(subject: MailboxSubject): Promise<MailboxMessage | undefined> {
    const epoch = await this.#currentEpoch();
    const text = mailboxSubject(subject, this.shards, this.#root);
    const message = await readMessage(this.#connection, this.#keeper.config, { last_by_subj: text });
    // mutant: value-of-another-stream drop
    await this.#confirm(epoch); // no value of another stream is handed over (BUS-4)
    if (message === undefined) return undefined;
    this.#keeper.saw(message.sequence, text);
    const said = readMailHeaders(message.headers);
    // mutant: newer-format-read drop
    refuseNewer(said);
    const { sequence } = message;
    return { subject, sequence, payload: payloadOf(message.payload), ...traced(said) };
  }

  async readMessagesOf(actor: Address, limit: number): Promise<readonly TimestampedMessage[]> {
    const { name } = this.#keeper.config;
    const filters = [objectFilter(actor, this.shards, this.#root), ...senderFilters(actor, this.#root)];
    const lists = await Promise.all(filters.map((filter) => listSubjects(pagesOf(this.#connection, name, filter))));
    // Only who has read a value knows how old it is: of a hub's thousands some are never looked at.
    const subjects = [...new Set(lists.flatMap((list) => [...list].slice(0, LOOKED_AT * limit)))];
    const found: TimestampedMessage[] = [];
    const waiting = subjects.values();
    const readOn = async (): Promise<void> => {
      for (const text of waiting) {
        const mail = await this.#kept(name, text);
        if (mail !== undefined) found.push(mail);
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
    return found.sort((one, other) => one.sequence - other.sequence).slice(-limit);
  }

  async remove(sequence: number): Promise<void> {
    const epoch = await this.#currentEpoch();
    // mutant: removal-in-another-stream drop
    await this.#confirm(epoch); // in another stream the sequence belongs to another message
    await deleteMessage(this.#connection, this.#keeper.config.name, sequence);
  }

  async subscribe(filter: MailboxFilter, handlers: MailboxHandlers): Promise<MailboxSubscription> {
    const epoch = await this.#currentEpoch();
    const filters = this.#filtersOf(filter);
    const replay = new Replay({
      clock: this.#connection.clock,
      list: () => this.#listed(filter),
      onComplete: () => handlers.onReplayed(),
    });
    const reader = new StreamReader({
      connection: this.#deliveries,
      control: this.#connection,
      stream: this.#keeper.config.name,
      filters,
      verify: async () => (await this.#keeper.check()) && this.#keeper.epoch.id === epoch,
      onDelivery: (delivery) => this.#deliver(delivery, filter, handlers, replay),
    });
    const close = async (): Promise<void> => {
      this.#subscriptions.delete(subscription);
      replay.stop();
      reader.close();
    };
    const subscription = { close };
    this.#subscriptions.add(subscription);
    try {
      await reader.open();
    } catch (error) {
      await close();
      throw error;
    }
    if (reader.closed) {
      await close();
      throw changed();
    }
    replay.start();
    return subscription;
  }

  /** Read from any replica of the stream. Undefined: it is deleted, or not ours. */
  async #kept(name: string, text: string): Promise<TimestampedMessage | undefined> {
    const message = await readMessage(this.#connection, { name, num_replicas: 1 }, { last_by_subj: text });
    const subject = parseMailboxSubject(text, this.shards, this.#root);
    if (message === undefined || subject === undefined) return undefined;
    const said = readMailHeaders(message.headers);
    if (said.format !== MAIL_FORMAT) return undefined;
    const { sequence, storedAt } = message;
    return { subject, sequence, storedAt, payload: payloadOf(message.payload), ...traced(said) };
  }

  #deliver(
    { subject: text, sequence, storedAt, message }: Delivery,
    filter: MailboxFilter,
    handlers: MailboxHandlers,
    replay: Replay,
  ): void {
    this.#keeper.saw(sequence, text);
    const subject = parseMailboxSubject(text, this.shards, this.#root);
    // Not ours: another number of shards, or an unknown text. It counts as delivered all the same.
    if (subject !== undefined && this.#isWanted(subject, filter)) {
      const said = readMailHeaders(message.headers);
      // mutant: older-format-read !== -> said.format > MAIL_FORMAT
      if (said.format !== MAIL_FORMAT) {
        this.#warnOf(said.format);
        handlers.onUnreadable?.(subject);
      } else handlers.onMail({ subject, sequence, storedAt, payload: payloadOf(message.string()), ...traced(said) });
    }
    replay.saw(text);
  }

  /** Once a format. */
  #warnOf(format: number): void {
    if (this.#unreadable.has(format)) return;
    this.#unreadable.add(format);
    this.#onWarning(unreadableFormat(format));
  }

  #isWanted(subject: MailboxSubject, filter: MailboxFilter): boolean {
    return 'topic' in filter
      ? subject.topic === filter.topic
      : filter.shards.includes(shardOfMail(subject, this.shards));
  }

  /** nats-server 2.9 knows one filter a consumer: there, several shards are picked out of all mail here. */
  #filtersOf(filter: MailboxFilter): readonly string[] {
    if ('topic' in filter) return [topicFilter(filter.topic, this.#root)];
    const several = filter.shards.length > 1 && !this.#connection.isAtLeast(2, 10);
    if (several || filter.shards.length >= this.shards) return [mailWildcard(this.#root)];
    return filter.shards.map((shard) => shardFilter(shard, this.#root));
  }

  async #listed(filter: MailboxFilter): Promise<ReadonlySet<string>> {
    const list = (text: string): Promise<Set<string>> =>
      listSubjects(pagesOf(this.#connection, this.#keeper.config.name, text));
    if ('topic' in filter) return list(topicFilter(filter.topic, this.#root));
    if (filter.shards.length <= FEW_SHARDS) {
      const lists = await Promise.all(filter.shards.map((shard) => list(shardFilter(shard, this.#root))));
      return new Set(lists.flatMap((subjects) => [...subjects]));
    }
    const all = await list(mailWildcard(this.#root));
    const prefixes = new Set(filter.shards.map((shard) => shardFilter(shard, this.#root).slice(0, -1)));
    const depth = shardFilter(0, this.#root).split('.').length - 1;
    return new Set([...all].filter((text) => prefixes.has(`${text.split('.', depth).join('.')}.`)));
  }

  /** The epoch in which an operation begins. @throws {TransientError} it cannot be determined now */
  async #currentEpoch(): Promise<string> {
    await this.#keeper.available();
    return this.#keeper.epoch.id;
  }

  /** @throws {TransientError} the epoch is another one now */
  async #confirm(epoch: string): Promise<void> {
    if (!(await this.#keeper.check()) || this.#keeper.epoch.id !== epoch) throw changed();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
  }
}

/** Other values than JSON objects count as empty (BUS-7). */
function payloadOf(text: string): JsonObject {
  // mutant: mail-no-json return -> JSON.parse($1.1)
  return parseJsonObject(text) ?? {};
}

function traced({ traceparent }: MailHeaders): Pick<MailboxMessage, 'traceparent'> {
  return traceparent === undefined ? {} : { traceparent };
}

function mailConfig(name: string, root: string, replicas: number): StreamConfig {
  return {
    name,
    description: 'mail between actors: the last value of each subject',
    subjects: [mailWildcard(root), epochSubject(root)],
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    max_msgs_per_subject: 1,
    max_msgs: -1,
    max_bytes: -1,
    max_msg_size: -1,
    max_consumers: -1,
    max_age: 0,
    duplicate_window: 120_000_000_000,
    num_replicas: replicas,
    allow_direct: true,
  };
}
