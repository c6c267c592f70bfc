// Event history: a stream stores every event by its subject, without delaying its publisher. It is for people and
// pages, and no function depends on it: a process whose events cannot be kept logs one warning and continues.
import type { EventLimits, EventQuery } from './bus.ts';
import type { Connection } from './connection.ts';
import { AbsentError, TroupeError } from './errors.ts';
import { ApiCode, createStream, isApiError, type StreamConfig, streamInfo, updateStream } from './nats-api.ts';
import { type KeptMessage, keptMessages, lastMessages } from './nats-direct-reads.ts';
import { listSubjects, pagesOf } from './nats-listing.ts';
import { eventFilter, eventWildcard } from './subjects.ts';

const NANOS_A_MS = 1_000_000;

export interface EventStreamOptions {
  readonly connection: Connection;
  readonly stream: string;
  readonly root: string;
  readonly replicas: number;
  readonly limits: EventLimits;
  readonly onWarning: (message: string) => void;
}

/** Keeps the stream as it is wanted: now, and whenever the connection comes back, perhaps to an empty server. */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #stop: () => void;
  #warned: string | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#stop = options.connection.connectivity.add(({ kind }) => {
      if (kind === 'connected') void this.open();
    });
  }

  /** Makes the stream, or brings its limits to those wanted. Never rejects: one warning a reason. */
  async open(): Promise<void> {
    const { stream, onWarning } = this.#options;
    try {
      await this.#reconcile();
      this.#warned = undefined;
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      if (this.#warned === error.message) return;
      this.#warned = error.message;
      onWarning(`events are not kept in stream '${stream}': ${error.message}`);
    }
  }

  close(): void {
    this.#stop();
  }

  async #reconcile(): Promise<void> {
    const { connection, stream, root, replicas, limits } = this.#options;
    const wanted = eventConfig(stream, root, replicas, limits);
    const found = await streamInfo(connection, stream);
    if (found !== undefined) return this.#fit(found.config, wanted);
    try {
      await createStream(connection, wanted);
    } catch (error) {
      // Made by another process just now, perhaps with other limits.
      const now = isApiError(error, ApiCode.SubjectsOverlap, ApiCode.StreamNameInUse)
        ? await streamInfo(connection, stream)
        : undefined;
      if (now === undefined) throw error;
      await this.#fit(now.config, wanted);
    }
  }

  /** Settings that are not ours, such as compression or a republication, stay as they are. */
  async #fit(has: StreamConfig, { subjects, max_age, max_bytes, num_replicas }: StreamConfig): Promise<void> {
    const needed = { subjects, max_age, max_bytes, num_replicas };
    const fits = Object.entries(needed).every(([key, value]) => JSON.stringify(has[key]) === JSON.stringify(value));
    if (fits) return;
    await updateStream(this.#options.connection, { ...has, ...needed, duplicate_window: windowWithin(max_age) });
  }
}

/**
 * The events that the stream holds when it is asked, oldest first.
 *
 * @throws {AbsentError} no events are kept
 * @throws {TransientError} the connection broke, or no answer came in time
 */
export async function* keptEvents(
  connection: Connection,
  stream: string,
  root: string,
  { actor, type, since, only }: EventQuery,
): AsyncGenerator<KeptMessage, void, undefined> {
  const info = await streamInfo(connection, stream);
  if (info === undefined) throw new AbsentError(`no events are kept: there is no stream '${stream}'`);
  const isAll = actor === undefined && type === undefined;
  const filter = isAll ? eventWildcard(root) : eventFilter({ actor, type }, root);
  if (only === undefined) return yield* keptMessages(connection, { info, filter, since });
  yield* await lastMessages(connection, stream, await listSubjects(pagesOf(connection, stream, filter)));
}

function eventConfig(name: string, root: string, replicas: number, limits: EventLimits): StreamConfig {
  const maxAge = Math.round(limits.maxAgeMs) * NANOS_A_MS;
  return {
    name,
    description: 'what happened: transitions, calls, one CloudEvent a message',
    subjects: [eventWildcard(root)],
    storage: 'file',
    retention: 'limits',
    discard: 'old',
    max_msgs_per_subject: -1,
    max_msgs: -1,
    max_bytes: limits.maxBytes,
    max_msg_size: -1,
    max_consumers: -1,
    max_age: maxAge,
    duplicate_window: windowWithin(maxAge),
    num_replicas: replicas,
    allow_direct: true,
  };
}

/** nats-server refuses a window of duplicates that is longer than messages live; two minutes are its default. */
function windowWithin(maxAge: number): number {
  return Math.min(maxAge, 120_000_000_000);
}
