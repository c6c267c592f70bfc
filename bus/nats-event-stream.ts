// What happened, kept: a stream takes every event by its subject, so that nobody who tells waits for it. It is for people
// and pages, and nothing depends on it: a process whose events cannot be kept says so once and goes on.
import type { EventLimits, EventQuery } from './bus.ts';
import type { Connection } from './connection.ts';
import { AbsentError, TransientError, TroupeError } from './errors.ts';
import { ApiCode, api, createStream, isApiError, type StreamConfig, streamInfo, updateStream } from './nats-api.ts';
import { ACKNOWLEDGEMENT, apiSubject, Operation } from './nats-names.ts';
import { eventFilter, eventWildcard } from './subjects.ts';

const NANOS_A_MS = 1_000_000;
/** Events asked for in one go. */
const BATCH = 500;
/** How long a batch may take. */
const BATCH_MS = 5_000;
/** A reader that is not heard of for so long is deleted by the server. */
const INACTIVE_MS = 60_000;
/** Statuses of a request for more messages than there are: none, or fewer. */
const NO_MORE: ReadonlySet<number> = new Set([404, 408]);

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

  /** What is not ours to say, such as compression or a republication, stays as somebody has set it. */
  async #fit(has: StreamConfig, { subjects, max_age, max_bytes, num_replicas }: StreamConfig): Promise<void> {
    const needed = { subjects, max_age, max_bytes, num_replicas };
    const fits = Object.entries(needed).every(([key, value]) => JSON.stringify(has[key]) === JSON.stringify(value));
    if (fits) return;
    await updateStream(this.#options.connection, { ...has, ...needed, duplicate_window: windowWithin(max_age) });
  }
}

/** A message as it was kept. */
export interface KeptMessage {
  readonly subject: string;
  readonly data: Uint8Array;
}

/**
 * What the stream holds when it is asked, oldest first.
 *
 * @throws {AbsentError} no events are kept
 * @throws {TransientError} the connection broke, or no answer came in time
 */
export async function* keptMessages(
  connection: Connection,
  stream: string,
  root: string,
  { actor, type, since, only }: EventQuery,
): AsyncGenerator<KeptMessage, void, undefined> {
  const isAll = actor === undefined && type === undefined;
  const { name, pending } = await makeReader(connection, stream, {
    ...beginning(since, only),
    filter_subject: isAll ? eventWildcard(root) : eventFilter({ actor, type }, root),
  });
  try {
    let left = pending;
    while (left > 0) {
      const batch = await nextBatch(
        connection,
        apiSubject(Operation.nextMessages(stream, name)),
        Math.min(left, BATCH),
      );
      yield* batch;
      left = batch.length === 0 ? 0 : left - batch.length; // what is missing has grown too old meanwhile
    }
  } finally {
    connection.send(apiSubject(Operation.deleteConsumer(stream, name)), ''); // a courtesy: it would end by itself
  }
}

/** Where a reader begins, in the words of a consumer. */
function beginning(since: EventQuery['since'], only: EventQuery['only']): object {
  if (only === 'last') return { deliver_policy: 'last_per_subject' };
  if (since === undefined) return { deliver_policy: 'all' };
  return { deliver_policy: 'by_start_time', opt_start_time: new Date(Math.max(0, since)).toISOString() };
}

async function makeReader(
  connection: Connection,
  stream: string,
  which: object,
): Promise<{ name: string; pending: number }> {
  const config = {
    ...which,
    ack_policy: 'none',
    replay_policy: 'instant',
    inactive_threshold: INACTIVE_MS * NANOS_A_MS,
    mem_storage: true,
    num_replicas: 1,
  };
  try {
    const answer = await api(connection, Operation.createConsumer(stream), { stream_name: stream, config });
    return { name: String(answer['name']), pending: Number(answer['num_pending']) };
  } catch (error) {
    if (!isApiError(error, ApiCode.StreamNotFound)) throw error;
    throw new AbsentError(`no events are kept: there is no stream '${stream}'`, { cause: error });
  }
}

/** So many messages, or fewer if there are no more. They are answers to one request, on a subject of their own. */
async function nextBatch(connection: Connection, subject: string, count: number): Promise<readonly KeptMessage[]> {
  const { clock } = connection;
  const messages: KeptMessage[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const reply = connection.newInbox();
  const subscription = connection.listen(
    reply,
    ({ subject: of, data, headers: status, reply: acknowledgement = '' }) => {
      if (acknowledgement.startsWith(ACKNOWLEDGEMENT)) {
        messages.push({ subject: of, data });
        if (messages.length === count) resolve();
      } else if (status !== undefined && NO_MORE.has(status.code)) resolve();
      // The reader was deleted, or its stream: what was read so far is not all.
      else reject(new TransientError(`the kept events cannot be read on: ${status?.description || status?.code}`));
    },
  );
  const late = (): void => reject(new TransientError('the kept events were not answered in time'));
  const timer = clock.setTimeout(late, BATCH_MS);
  const stop = connection.connectivity.add(() => reject(connection.away()));
  try {
    if (!connection.send(subject, JSON.stringify({ batch: count, no_wait: true }), { reply })) throw connection.away();
    await promise;
    return messages;
  } finally {
    stop();
    clock.clearTimeout(timer);
    subscription.unsubscribe();
  }
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
