// Requests that wait for their answers: one inbox, one table and one timer for all of a connection.
//
// The client library's own requests make several promises, a timer and an error with its stack each.
//
// Invariants:
//   BUS-REQUESTS-1. A request ends once: by its answer, by its time limit, by a refusal of the server, or when the
//       connection breaks. An answer that comes later is dropped.
//   BUS-REQUESTS-2. A request that ended before it left is never sent.
import type { Msg, MsgHdrs, NatsConnection, PermissionViolationError, Subscription } from '@nats-io/transport-node';
import { NoResponderError, requestError } from './connection-errors.ts';
import { TransientError } from './errors.ts';
import type { Clock, Timer } from './time.ts';

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly headers?: MsgHdrs;
  /** Where the answer is to come, if not to the inbox of all. */
  readonly reply?: string;
}

export interface RequestsDeps {
  readonly nats: NatsConnection;
  readonly clock: Clock;
  /** A subject that nobody else reads. */
  newInbox(): string;
  /** Runs `send` at the end of this turn of the event loop. */
  inOneGo(send: () => void): void;
}

interface Waiting {
  readonly subject: string;
  readonly timeoutMs: number;
  readonly dueAt: number;
  readonly settled: PromiseWithResolvers<Msg>;
  /** To an inbox of its own. */
  readonly subscription: Subscription | undefined;
}

/** Status of the server's own answer when a subject has no listener. */
const NO_RESPONDERS = 503;

export class Requests {
  readonly #deps: RequestsDeps;
  /** By the subject of their answers. */
  readonly #waiting = new Map<string, Waiting>();
  #inbox: string | undefined;
  #asked = 0;
  #timer: Timer | undefined;
  /** When the timer fires, in milliseconds since the epoch. */
  #firesAt = Number.POSITIVE_INFINITY;

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  /**
   * @throws {NoResponderError} the subject has no listener
   * @throws {TransientError} no answer in time, or the server does not let us
   * @throws {TerminalError} the payload is larger than the server takes
   */
  ask(subject: string, payload: Uint8Array | string, options: RequestOptions): Promise<Msg> {
    const { nats, clock } = this.#deps;
    const timeoutMs = Math.max(1, Math.ceil(options.timeoutMs));
    const subscription = options.reply === undefined ? undefined : this.#listen(options.reply);
    const reply = options.reply ?? this.#nextReply();
    const settled = Promise.withResolvers<Msg>();
    const dueAt = clock.now() + timeoutMs;
    this.#waiting.set(reply, { subject, timeoutMs, dueAt, settled, subscription });
    if (dueAt < this.#firesAt) this.#arm(dueAt);
    this.#deps.inOneGo(() => {
      // mutant: connection-sends-broken-off drop
      if (!this.#waiting.has(reply)) return; // BUS-REQUESTS-2
      try {
        nats.publish(subject, payload, { reply, ...(options.headers !== undefined && { headers: options.headers }) });
      } catch (error) {
        this.#reject(reply, requestError(error, subject));
      }
    });
    return settled.promise;
  }

  /** The server does not let us publish something, perhaps a request. Which of several of one subject it was, it does not say. */
  refuse(error: PermissionViolationError): void {
    if (error.operation !== 'publish') return;
    for (const [reply, { subject }] of this.#waiting) {
      if (subject !== error.subject) continue;
      // mutant: refused-request-waits drop
      this.#reject(reply, requestError(error, subject));
      return;
    }
  }

  /** Ends all of them. */
  breakOff(error: () => Error): void {
    for (const reply of [...this.#waiting.keys()]) this.#reject(reply, error());
  }

  /** No timer is armed when this returns. */
  close(): void {
    if (this.#timer !== undefined) this.#deps.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
  }

  #nextReply(): string {
    if (this.#inbox === undefined) {
      this.#inbox = this.#deps.newInbox();
      this.#listen(`${this.#inbox}.*`);
    }
    this.#asked += 1;
    return `${this.#inbox}.${this.#asked.toString(36)}`;
  }

  #listen(subject: string): Subscription {
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) this.#answer(message);
      else this.#refuseAnswers(subject, error);
    };
    return this.#deps.nats.subscribe(subject, { callback });
  }

  #answer(message: Msg): void {
    const waiting = this.#take(message.subject);
    if (waiting === undefined) return;
    const { subject, settled } = waiting;
    const isUnheard = message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
    if (isUnheard) settled.reject(new NoResponderError(`nobody answers '${subject}'`));
    else settled.resolve(message);
  }

  /** The server does not let us hear the answers on `subject`. */
  #refuseAnswers(subject: string, error: Error): void {
    const isOfAll = subject === `${this.#inbox}.*`;
    if (isOfAll) this.#inbox = undefined; // permissions may change: the next request tries again
    for (const [reply, waiting] of [...this.#waiting])
      if (isOfAll ? waiting.subscription === undefined : reply === subject)
        this.#reject(reply, requestError(error, waiting.subject));
  }

  #reject(reply: string, error: Error): void {
    this.#take(reply)?.settled.reject(error);
  }

  #take(reply: string): Waiting | undefined {
    const waiting = this.#waiting.get(reply);
    this.#waiting.delete(reply);
    waiting?.subscription?.unsubscribe();
    return waiting;
  }

  #arm(dueAt: number): void {
    const { clock } = this.#deps;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#firesAt = dueAt;
    this.#timer = clock.setTimeout(() => this.#expire(), dueAt - clock.now());
  }

  #expire(): void {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = this.#deps.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [reply, { subject, timeoutMs, dueAt }] of [...this.#waiting]) {
      if (dueAt > now) next = Math.min(next, dueAt);
      else this.#reject(reply, new TransientError(`no answer to '${subject}' within ${timeoutMs} ms`));
    }
    // mutant: requests-never-expire drop
    if (next < Number.POSITIVE_INFINITY) this.#arm(next);
  }
}
