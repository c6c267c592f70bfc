// Reader of a stream of last values, from its first message and then live, through an ephemeral consumer that is
// created again whenever it is lost.
//
// Invariants:
//   BUS-NATS-READER-1. Messages are always delivered in the order of the stream, each once; a new consumer continues
//       after the last.
//   BUS-NATS-READER-2. Nothing is handed over before `verify` said, after the consumer was made, that the stream is the one it was.
//   BUS-NATS-READER-3. Deliveries of a consumer that was given up are dropped, whenever they come.
//
// The stream keeps one message per subject, so "all from the first" equals "the last of each". The former is requested:
// a consumer `last_per_subject` whose filter matches nothing at its creation is 100 times slower on nats-server 2.9 for
// the rest of its existence, and `all` is not (measured: 10,700 and 85 microseconds per message among 100,000
// subjects).
import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { TransientError } from './errors.ts';
import { api } from './nats-api.ts';
import { ACKNOWLEDGEMENT, apiSubject, Operation } from './nats-names.ts';
import type { Timer } from './time.ts';

/** Interval of the server's heartbeats without messages. */
const HEARTBEAT_MS = 500;
/** Interval of checks; after two without a heartbeat the consumer is lost. */
const LOOK_MS = 1_000;
/** Time after which the server deletes a consumer without a listener. */
const INACTIVE_MS = 10_000;
const RETRY_MS = 250;
const NANOS_A_MS = 1_000_000;

export interface Delivery {
  readonly subject: string;
  readonly sequence: number;
  /** On the clock of the server, milliseconds since the epoch. */
  readonly storedAt: number;
  readonly message: Msg;
}

export interface ReaderOptions {
  /** Connection for deliveries. */
  readonly connection: Connection;
  /**
   * Connection for creating and deleting consumers. A consumer may send megabytes before nats-server confirms its
   * creation: on the delivery connection that response would wait behind them, too long on a slow line.
   */
  readonly control: Connection;
  readonly stream: string;
  /** One, or several where the server knows how (2.10). */
  readonly filters: readonly string[];
  /**
   * Whether the stream is still the same (BUS-NATS-READER-2). False ends the reader. @throws {TransientError} it cannot
   * be determined
   */
  readonly verify: () => Promise<boolean>;
  readonly onDelivery: (delivery: Delivery) => void;
}

/** One consumer and its result. */
interface Attempt {
  readonly subscription: Subscription;
  /** Deliveries that wait for `verify`; undefined: hand over at once. */
  held: Msg[] | undefined;
  consumer: string | undefined;
  lastDelivery: number;
  heard: boolean;
}

export class StreamReader {
  readonly #options: ReaderOptions;
  #attempt: Attempt | undefined;
  #lastSequence = 0;
  #closed = false;
  #opening = false;
  #silentLooks = 0;
  #timer: Timer | undefined;
  readonly #stop: () => void;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#stop = options.connection.connectivity.add(({ kind }) => {
      this.#giveUp();
      if (kind === 'connected') this.#reopen();
    });
  }

  /** Also when the stream is not the one it was. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Makes the first consumer. @throws {TransientError} */
  async open(): Promise<void> {
    this.#opening = true;
    try {
      await this.#open();
    } catch (error) {
      this.close();
      throw error;
    }
    this.#opening = false;
    this.#look();
  }

  /** No message is handed over once this returns. */
  close(): void {
    this.#closed = true;
    this.#stop();
    if (this.#timer !== undefined) this.#options.connection.clock.clearTimeout(this.#timer);
    this.#giveUp();
  }

  async #open(): Promise<void> {
    const { connection, control, stream, filters, verify } = this.#options;
    const inbox = connection.newInbox();
    const attempt: Attempt = {
      subscription: connection.listen(inbox, (message) => this.#heard(attempt, message)),
      // mutant: reader-unverified : -> undefined
      held: [],
      consumer: undefined,
      lastDelivery: 0,
      heard: true,
    };
    this.#attempt = attempt;
    // mutant: reader-begins-anew ?:.1 -> true
    const start =
      this.#lastSequence === 0
        ? { deliver_policy: 'all' }
        : { deliver_policy: 'by_start_sequence', opt_start_seq: this.#lastSequence + 1 };
    const [only] = filters;
    const answer = await api(control, Operation.createConsumer(stream), {
      stream_name: stream,
      config: {
        ...start,
        ...(filters.length === 1 ? { filter_subject: only } : { filter_subjects: filters }),
        deliver_subject: inbox,
        ack_policy: 'none',
        max_deliver: 1,
        replay_policy: 'instant',
        flow_control: true,
        idle_heartbeat: HEARTBEAT_MS * NANOS_A_MS,
        inactive_threshold: INACTIVE_MS * NANOS_A_MS,
        mem_storage: true,
        num_replicas: 1,
      },
    });
    attempt.consumer = String(answer['name']);
    if (!(await verify())) {
      this.close();
      return;
    }
    if (this.#attempt !== attempt) throw new TransientError('the connection broke while the consumer was made');
    const held = attempt.held ?? [];
    attempt.held = undefined;
    this.#silentLooks = 0;
    for (const message of held) this.#heard(attempt, message);
  }

  #giveUp(): void {
    const attempt = this.#attempt;
    this.#attempt = undefined;
    if (attempt === undefined) return;
    attempt.subscription.unsubscribe();
    const { control, stream } = this.#options;
    if (attempt.consumer !== undefined) {
      // Only a courtesy: the server would delete it too, later.
      control.send(apiSubject(Operation.deleteConsumer(stream, attempt.consumer)), '');
    }
  }

  #reopen(): void {
    if (this.#closed || this.#opening || !this.#options.connection.up) return;
    this.#giveUp();
    this.#opening = true;
    void this.#tryToOpen();
  }

  async #tryToOpen(): Promise<void> {
    const { clock } = this.#options.connection;
    try {
      await this.#open();
      this.#opening = false;
    } catch (error) {
      this.#giveUp();
      if (!(error instanceof TransientError)) throw error;
      await clock.sleep(RETRY_MS);
      this.#opening = false;
      this.#reopen(); // if the connection is away, its return calls this again
    }
  }

  /** Without periodic heartbeats the consumer is lost: deleted, or its stream is. */
  #look(): void {
    if (this.#closed) return;
    const attempt = this.#attempt;
    this.#silentLooks = this.#opening || attempt?.heard === true ? 0 : this.#silentLooks + 1;
    if (attempt !== undefined) attempt.heard = false;
    // mutant: reader-silence drop
    if (this.#silentLooks >= 2) this.#reopen();
    this.#timer = this.#options.connection.clock.setTimeout(() => this.#look(), LOOK_MS);
  }

  #heard(attempt: Attempt, message: Msg): void {
    // mutant: reader-hears-given-up if -> $2
    if (attempt !== this.#attempt || this.#closed) return;
    attempt.heard = true;
    if (attempt.held !== undefined) {
      attempt.held.push(message);
      return;
    }
    const numbers = numbersOf(message);
    if (numbers === undefined) {
      this.#control(attempt, message);
      return;
    }
    const [sequence, delivery, storedAt] = numbers;
    // mutant: reader-misses-lost if -> $1 < $2
    if (delivery !== attempt.lastDelivery + 1) {
      this.#reopen(); // one was lost on the way
      return;
    }
    attempt.lastDelivery = delivery;
    this.#lastSequence = sequence;
    this.#options.onDelivery({ subject: message.subject, sequence, storedAt, message });
  }

  /** A heartbeat, a request to say how far we are, or the end of the consumer. */
  #control(attempt: Attempt, message: Msg): void {
    const header = message.headers;
    if (header?.code !== 100) {
      this.#reopen();
      return;
    }
    if (message.reply !== undefined && message.reply !== '') message.respond();
    const stalled = header.get('Nats-Consumer-Stalled');
    if (stalled !== '') this.#options.connection.send(stalled, '');
    const delivered = header.get('Nats-Last-Consumer');
    if (delivered !== '' && Number(delivered) !== attempt.lastDelivery) this.#reopen();
  }
}

/**
 * Sequence in the stream and of the delivery, and when it was stored, from the reply subject `$JS.ACK...`, which has 9 tokens or
 * at least 11.
 * Undefined: it is no delivery. Its headers, which the stream keeps of each publication, are not even looked at.
 */
function numbersOf({ reply = '' }: Msg): [sequence: number, delivery: number, storedAt: number] | undefined {
  if (!reply.startsWith(ACKNOWLEDGEMENT)) return undefined;
  const tokens = reply.split('.');
  const base = tokens.length === 9 ? 5 : 7;
  return [Number(tokens[base]), Number(tokens[base + 1]), Number(tokens[base + 2]) / NANOS_A_MS];
}
