// A service by the services API of NATS (ADR-32 of NATS): the processes that offer it share the requests to its endpoints, and
// each of them tells `nats micro` that it is there, what it offers and what it has done.
import { type Msg, nuid, type Subscription } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { type DiscoveryVerb, discovery } from './nats-names.ts';

/** Of NATS, for services that name no other: who shares requests. */
const QUEUE = 'q';
const NANOS_PER_MS = 1_000_000;

export interface ServiceIdentity {
  readonly name: string;
  /** Semantic. */
  readonly version: string;
  readonly description: string;
}

/** Answers a message. @returns why it was refused, if it was. Never throws */
export type MessageHandler = (message: Msg) => Promise<string | undefined>;

interface EndpointStats {
  readonly name: string;
  readonly subject: string;
  readonly queue_group: string;
  num_requests: number;
  num_errors: number;
  last_error: string;
  /** In nanoseconds, as the average. */
  processing_time: number;
  average_processing_time: number;
}

export class MicroService {
  readonly #connection: Connection;
  readonly #identity: ServiceIdentity;
  readonly #id = nuid.next();
  readonly #endpoints: EndpointStats[] = [];
  readonly #subscriptions: Subscription[] = [];
  #stopping: Promise<unknown> | undefined;

  constructor(connection: Connection, identity: ServiceIdentity) {
    this.#connection = connection;
    this.#identity = identity;
    const { description } = identity;
    const started = new Date(connection.clock.now()).toISOString();
    const offered = () => this.#endpoints.map(({ name, subject, queue_group }) => ({ name, subject, queue_group }));
    this.#answer('PING', () => ({}));
    this.#answer('INFO', () => ({ description, endpoints: offered() }));
    this.#answer('STATS', () => ({ started, endpoints: this.#endpoints }));
  }

  /** It was stopped, or the server does not let us hear a part of it, or the connection is closed. */
  get isStopped(): boolean {
    return this.#stopping !== undefined;
  }

  addEndpoint(name: string, subject: string, handle: MessageHandler): void {
    const stats: EndpointStats = {
      name,
      subject,
      queue_group: QUEUE,
      num_requests: 0,
      num_errors: 0,
      last_error: '',
      processing_time: 0,
      average_processing_time: 0,
    };
    this.#endpoints.push(stats);
    this.#listen(subject, { queue: QUEUE }, (message) => void this.#counted(stats, handle(message)));
  }

  /** Resolves when the server sends nothing any more, and what it has sent was heard. */
  async stop(): Promise<void> {
    // A closed subscription has no result.
    this.#stopping ??= Promise.allSettled(this.#subscriptions.map((subscription) => subscription.drain()));
    await this.#stopping;
  }

  #answer(verb: DiscoveryVerb, tell: () => object): void {
    const { name, version } = this.#identity;
    const head = { type: `io.nats.micro.v1.${verb.toLowerCase()}_response`, name, id: this.#id, version };
    for (const subject of discovery(verb, name, this.#id)) {
      this.#listen(subject, {}, (message) => message.respond(JSON.stringify({ ...head, ...tell() })));
    }
  }

  #listen(subject: string, options: { queue?: string }, onMessage: (message: Msg) => void): void {
    const callback = (error: Error | null, message: Msg): void => {
      // A part of a service is none.
      if (error === null) onMessage(message);
      else void this.stop();
    };
    const subscription = this.#connection.nats.subscribe(subject, { ...options, callback });
    this.#subscriptions.push(subscription);
    void subscription.closed.then(() => this.stop());
  }

  async #counted(stats: EndpointStats, handled: Promise<string | undefined>): Promise<void> {
    const { clock } = this.#connection;
    const startedAt = clock.now();
    stats.num_requests += 1;
    const refused = await handled;
    if (refused !== undefined) {
      stats.num_errors += 1;
      stats.last_error = refused;
    }
    stats.processing_time += Math.round((clock.now() - startedAt) * NANOS_PER_MS);
    stats.average_processing_time = Math.round(stats.processing_time / stats.num_requests);
  }
}
