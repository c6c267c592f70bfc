// Interface of the bus. Two implementations fulfill this contract: NATS (`nats-bus.ts`) and one in memory
// (`memory-bus.ts`); `test/bus/bus.suite.ts` defines what both must do.
//
// Invariants:
//   BUS-1. Mail is last values: a reader gets the newest of each subject, perhaps twice, never an older one after a newer.
//   BUS-2. A publication that names an expected sequence is stored only if that is the subject's last one.
//   BUS-3. `replayed` always comes after every value that was stored before the subscription began was delivered, or is
//       deleted.
//   BUS-4. The loss of the mailbox is always noticed before any value of the new stream is delivered: the epoch changes
//       first.
//   BUS-5. A lease has at most one holder at a time; a holder that cannot renew it always knows before the lease can
//       end.
//   BUS-6. A long call is always canceled on the server before the caller reports its outcome as unknown, and before
//       the deadline that the caller last confirmed.
//   BUS-7. Whatever is stored is handed over: what is no JSON object, as an empty one, so that its reader can take it away.
import type { Address } from './address.ts';
import type { JsonObject } from './json.ts';
import type { MailboxSubject } from './subjects.ts';

/** A last value in the mailbox stream. */
export interface MailboxMessage {
  readonly subject: MailboxSubject;
  /** Sequence in the stream; of two values of one subject the newer has the greater. */
  readonly sequence: number;
  readonly payload: JsonObject;
  /** W3C Trace Context of the change that caused it; undefined if it is unknown, or was malformed. */
  readonly traceparent?: string;
  /**
   * Time of its storage, by the clock of the store: milliseconds since the epoch. Set on messages of a subscription, if
   * the store reports it.
   */
  readonly storedAt?: number;
}

/** A last value as it lies in the mailbox, for people. */
export interface TimestampedMessage extends MailboxMessage {
  /** When it was stored, on the clock of the bus: milliseconds since the epoch. */
  readonly storedAt: number;
}

/** Metadata of a message beside its payload. */
export interface Tracing {
  /** W3C Trace Context of the change that causes it. What is malformed is left out. */
  readonly traceparent?: string | undefined;
}

/** Result of a publication by compare-and-swap. */
export type Publication =
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Another writer was faster: read the subject with `last`, and decide again. */
  | { readonly kind: 'stale' };

export interface MailboxHandlers {
  /** A value, during the replay or live. Called in the order of the stream, never concurrently. */
  onMail(mail: MailboxMessage): void;
  /** Called for a value of another format than this process knows: it stays as it is, and is not delivered. */
  onUnreadable?(subject: MailboxSubject): void;
  /** Every value stored before the subscription began has been handed over (BUS-3). Called once. */
  onReplayed(): void;
}

export interface MailboxSubscription {
  /** No handler is called once this resolves. */
  close(): Promise<void>;
}

/**
 * Filter of a subscription: all messages of some shards, or one topic of all shards (the watch role reads `object`).
 */
export type MailboxFilter = { readonly shards: readonly number[] } | { readonly topic: MailboxSubject['topic'] };

/**
 * The identity of the mailbox stream. It changes when the stream was wiped, re-created or rolled back; whatever was
 * read under another epoch must be forgotten.
 */
export interface Epoch {
  readonly id: string;
  /**
   * `seeded` says when the watch had published every object for the first time under this epoch, in the API server's time
   * (milliseconds since the epoch); undefined until then. Claims tables of objects created before are incomplete.
   */
  readonly seededAt: number | undefined;
  /**
   * Time since which a process was always there to notice a rollback (`forgetSeeded`), in milliseconds since the epoch;
   * undefined: since the epoch began. What was stored before may be older than what was there.
   */
  readonly witnessedFrom: number | undefined;
}

export interface Mailbox {
  /** Number of shards of this deployment; `Address` to shard is `shardOf` in subjects.ts. */
  readonly shards: number;
  /** The current epoch, as last checked. */
  epoch(): Epoch;
  /** Calls `onEpoch` whenever something of the epoch changes. Returns the way to stop. */
  watchEpoch(onEpoch: (epoch: Epoch) => void): () => void;
  /** Stores `seededAt` of the current epoch, once; a second call changes nothing until `forgetSeeded`. */
  markSeeded(seededAt: number): Promise<void>;
  /**
   * Clears `seededAt` of the current epoch, and sets `witnessedFrom` to `now`. For a process that cannot know how far the
   * stream had come before it: no earlier process was there to notice a rollback.
   *
   * @throws {TransientError} the bus is away, or did not answer in time
   */
  forgetSeeded(now: number): Promise<void>;
  /**
   * Ends the epoch of that id, if it is the current one: all mail is deleted, and another begins.
   *
   * @throws {TransientError} the bus is away, or did not answer in time
   */
  startAnew(epochId: string): Promise<void>;
  /**
   * @param expectedSequence  of the subject's last value; 0 when there must be none; undefined: whatever is there
   * @throws {TransientError} the bus is away, or did not answer in time
   */
  publish(
    subject: MailboxSubject,
    payload: JsonObject,
    expectedSequence: number | undefined,
    tracing?: Tracing,
  ): Promise<Publication>;
  /**
   * The last value of a subject, or undefined.
   *
   * @throws {TransientError} also for a newer format: a process that cannot read a value must not replace it
   */
  last(subject: MailboxSubject): Promise<MailboxMessage | undefined>;
  /**
   * Last values to and from an actor, the oldest first: the newest `limit` of those that are looked at, `limit` of a kind of
   * subject at least. For people: nothing says that they are of the current epoch, and none of another format is among them.
   *
   * @throws {TransientError}
   */
  readMessagesOf(actor: Address, limit: number): Promise<readonly TimestampedMessage[]>;
  /** Deletes one value by its sequence; "not there" means it was overwritten or deleted already, and is fine. @throws {TransientError} */
  remove(sequence: number): Promise<void>;
  /**
   * Starts reading. Survives reconnects; after a change of epoch it ends silently and must be opened again. @throws
   * {TransientError}
   */
  subscribe(filter: MailboxFilter, handlers: MailboxHandlers): Promise<MailboxSubscription>;
}

/** A lease that this process holds. */
export interface Lease {
  readonly name: string;
  /**
   * When it ends unless renewed, on the clock of this process: milliseconds since the epoch. Moves with each renewal, and
   * back while that clock is slowed: a deadline that is derived from it counts on `SLOWEST_PACE`.
   */
  endsAt(): number;
  /** Resolves when the lease is lost: it ended, or has another holder. Never rejects. */
  readonly lost: Promise<void>;
  /**
   * Renews it now, whatever the clock of this process says: that of a machine that was suspended may lag behind. One that is found to be
   * another's, or to have ended, is lost.
   *
   * @throws {TransientError} the bus is away
   */
  confirm(): Promise<boolean>;
  /** Gives it up at once, so that another may take it. Idempotent, never rejects. */
  release(): Promise<void>;
}

export interface LeaseRecord {
  readonly name: string;
  readonly holder: string;
  /** Note of the holder, for readers of the leases. Another version, or any client, may have written it. */
  readonly note?: JsonObject;
}

export interface Leases {
  /** Time to live of a lease without renewal, in milliseconds. It is renewed every fifth of it. */
  readonly leaseMs: number;
  /**
   * Takes the lease if it has no holder. The holder renews it automatically until `release`.
   * @param note  stays with it as long as it is held
   * @returns undefined when another holder has it
   * @throws {TransientError}
   */
  acquire(name: string, holder: string, note?: JsonObject): Promise<Lease | undefined>;
  /**
   * Follows all leases: calls `onChange` with all current ones at the start and after each acquisition, release or
   * expiry (expiry on servers that send no event for it: by the clock of this process). Renewals are not changes.
   */
  watch(onChange: (leases: readonly LeaseRecord[]) => void): Promise<{ close(): Promise<void> }>;
  /** Current holders of leases, for people: concurrent changes may be missing. @throws {TransientError} */
  list(): Promise<readonly LeaseRecord[]>;
}

/** One endpoint of a service: `subject` tokens under `troupe.`, e.g. `openstack.subnets.create`. */
export interface Endpoint {
  readonly subject: string;
  /**
   * The request as it is handled. An exception is the response: no work has started, and the caller was not contacted.
   */
  admit?(request: JsonObject, bound: 'deadline' | 'caller'): Promise<JsonObject>;
  /** @param held  handle of a long call */
  handle(request: JsonObject, tracing: Tracing, held?: LongCallHandle): Promise<JsonObject>;
}

/** Handle of a long call for the operation that runs it. */
export interface LongCallHandle {
  /** Aborted when the caller cancels the call, or may have crashed (BUS-6). */
  readonly signal: AbortSignal;
  /** Time until which it may continue, by the clock of this process: `signal` may be late. */
  validUntil(): number;
  /** Progress report; the caller receives the newest. Never throws, never waits. */
  progress(progress: JsonObject): void;
}

export interface LongCallOptions {
  /** Gives it up. What became of it is waited for, but not for longer than the time that it was given. */
  readonly signal: AbortSignal;
  /** Never hears an older one after a newer, nor one after the answer; some not at all. */
  onProgress(progress: JsonObject): void;
  /** It begins before that or never: milliseconds since the epoch, on the clock of this process. */
  readonly beginBy: number;
  /** Time until which it may continue, as `Lease.endsAt`; read again while the call runs. */
  validUntil(): number;
}

export interface Service {
  close(): Promise<void>;
}

export interface Services {
  /** Offers a NATS micro service. A handler that throws answers with `ErrorData`. `name` has no dots. */
  serve(name: string, version: string, description: string, endpoints: readonly Endpoint[]): Promise<Service>;
  /**
   * @param deadlineAt  milliseconds since the epoch
   * @throws {TroupeError} the handler's error; {UnknownOutcomeError} it was sent, and no response came in time;
   *   {TransientError} no server received it
   */
  request(subject: string, request: JsonObject, deadlineAt: number, tracing?: Tracing): Promise<JsonObject>;
  /**
   * Long call: a request without a deadline. Either side notices the failure of the other; a short disconnection does
   * no harm.
   *
   * @throws {TroupeError} the handler's error; {UnknownOutcomeError} it was started, and its outcome is unknown;
   *   {TransientError} it was not started, and will not be
   */
  callLong(subject: string, request: JsonObject, options: LongCallOptions, tracing?: Tracing): Promise<JsonObject>;
}

/** A CloudEvents 1.0 event in structured mode, as `nats sub 'troupe.event.>'` shows it. */
export interface TraceEvent {
  readonly actor: Address;
  /** Type of the event, lower case with dots: `transition`, `call`, `claim` ...; the last token of the subject. */
  readonly type: string;
  /** Joins the events of one cause: W3C Trace Context, as the extension for distributed tracing of CloudEvents has it. */
  readonly traceparent?: string;
  readonly data: JsonObject;
}

/** An event as it was heard or kept. */
export interface ReceivedEvent extends TraceEvent {
  /** Id of the CloudEvent, unique with its `source`; undefined if it was not on a wire. */
  readonly id?: string;
  readonly source?: string;
  /** When it was emitted, on the clock of its process: milliseconds since the epoch, to the microsecond. */
  readonly at: number;
  /** Time of its storage, by the clock of the bus; undefined if it was received live, or that is unknown. */
  readonly keptAt?: number;
}

/** Query for kept events. */
export interface EventQuery {
  /** Events of this actor only. */
  readonly actor?: Address | undefined;
  /** Events of this type only. */
  readonly type?: string | undefined;
  /** Those that were kept from then on, on the clock of the bus: milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** The last event only for each actor and type; `since` is ignored then. */
  readonly only?: 'last' | undefined;
}

/** Limits of the history: the oldest events are dropped first. */
export interface EventLimits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

export interface Trace {
  /** Never throws and never waits: an event that cannot be sent is lost. */
  emit(event: TraceEvent): void;
  /** Listens to the events of all processes. For tests and the command line. */
  subscribe(onEvent: (event: ReceivedEvent) => void): Promise<{ close(): Promise<void> }>;
  /**
   * The events that are kept when it is asked, oldest first. An event is kept a moment after it was emitted.
   *
   * @throws {AbsentError} no events are kept
   * @throws {TransientError} the bus is away, or did not answer in time
   */
  history(query?: EventQuery): AsyncIterable<ReceivedEvent>;
}

/** Connection report of the bus; the listener logs one line per change. */
export type Connectivity = { readonly kind: 'connected' | 'disconnected'; readonly detail: string };

export interface Bus {
  readonly mailbox: Mailbox;
  readonly leases: Leases;
  readonly services: Services;
  readonly trace: Trace;
  /** Whether several processes may share it: nats-server 2.11 or later. */
  readonly sharable: boolean;
  /** One line that says what it is: `nats-server 2.12.3 at nats://127.0.0.1:4222`, `in memory`. */
  readonly description: string;
  onConnectivity(listener: (change: Connectivity) => void): () => void;
  /** Ends the connection. Leases that their owners have not released are renewed no more, and expire (P10). */
  close(): Promise<void>;
}

export type { ErrorData } from './errors.ts';
export type { Json, JsonObject } from './json.ts';
