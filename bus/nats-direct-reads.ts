// Direct reads of a stream, without a consumer: they leave no state on the server, and cannot write.
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { TransientError } from './errors.ts';
import { isDeletion, type StreamInfo } from './nats-api.ts';
import { apiSubject, Operation } from './nats-names.ts';
import { requestWithRetry } from './request-retry.ts';
import { parseTimestamp } from './timestamps.ts';

/** Messages asked for in one go. */
const BATCH = 500;
/** Timeout of a batch. */
const BATCH_MS = 5_000;
/** Number of tries for a subject without a last message. */
const TURNS = 3;
/** Statuses that end a batch: that was all of it, or there is none. */
const Status = { EndOfBatch: 204, None: 404 } as const;

/** A message as it was kept. */
export interface KeptMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Whether an entry of a bucket says that it was deleted. */
  readonly deleted: boolean;
  readonly sequence: number;
  /** On the clock of the server: milliseconds since the epoch, to the microsecond. */
  readonly keptAt: number;
}

/** Selection of messages of a stream. */
export interface Kept {
  /** As the stream is when it is asked. */
  readonly info: Pick<StreamInfo, 'config' | 'firstSequence' | 'lastSequence'>;
  /** A subject, perhaps with wildcards. */
  readonly filter: string;
  /** Those that were kept from then on, on the clock of the server: milliseconds since the epoch. */
  readonly since?: number | undefined;
}

/**
 * Messages of the stream, oldest first, up to its last message at the request. A replica of a stream may be slightly
 * behind.
 *
 * @throws {TransientError} the connection broke, or no answer came in time
 */
export async function* keptMessages(
  connection: Connection,
  { info, filter, since }: Kept,
): AsyncGenerator<KeptMessage, void, undefined> {
  const { config, firstSequence, lastSequence } = info;
  const inBatches = connection.isAtLeast(2, 11);
  const next = inBatches ? nextBatch : nextMessage;
  const first = { seq: Math.max(1, firstSequence) };
  let from: Start | undefined = first;
  if (since !== undefined) from = inBatches ? startTime(since) : await found(connection, info, filter, since);
  while (from !== undefined) {
    const batch: readonly KeptMessage[] = await next(connection, config.name, { ...from, next_by_subj: filter });
    for (const message of batch) {
      if (message.sequence > lastSequence) return;
      yield message;
    }
    const end = batch.at(-1)?.sequence;
    from = end === undefined || end >= lastSequence ? undefined : { seq: end + 1 };
  }
}

/**
 * The last message of each subject, the oldest first. What was deleted meanwhile is left out; what was replaced is not.
 *
 * @param subjects  without wildcards
 * @throws as `keptMessages`
 */
export async function lastMessages(
  connection: Connection,
  stream: string,
  subjects: Iterable<string>,
): Promise<readonly KeptMessage[]> {
  const found = new Map<string, KeptMessage>();
  let wanted = [...subjects];
  // A server chooses the messages and then reads them: one that is replaced in between is left out of its answer.
  for (let turn = 0; wanted.length > 0 && turn < TURNS; turn += 1) {
    for (const message of await lastOf(connection, stream, wanted)) found.set(message.subject, message);
    wanted = wanted.filter((subject) => !found.has(subject));
  }
  return [...found.values()].sort((one, other) => one.sequence - other.sequence);
}

async function lastOf(
  connection: Connection,
  stream: string,
  subjects: readonly string[],
): Promise<readonly KeptMessage[]> {
  const found: KeptMessage[] = [];
  for (let from = 0; from < subjects.length; from += BATCH) {
    const batch = subjects.slice(from, from + BATCH);
    if (connection.isAtLeast(2, 11)) found.push(...(await nextBatch(connection, stream, { multi_last: batch })));
    else {
      const each = batch.map((subject) => nextMessage(connection, stream, { last_by_subj: subject }));
      found.push(...(await Promise.all(each)).flat());
    }
  }
  return found;
}

type Start = { readonly seq: number } | { readonly start_time: string };
type Request =
  | (Start & { readonly next_by_subj: string })
  | { readonly multi_last: readonly string[] }
  | { readonly last_by_subj: string };

function startTime(since: number): Start {
  return { start_time: new Date(Math.max(0, since)).toISOString() };
}

/** Servers before 2.11 know no time to start at: the first message from then on is looked for by halves. */
async function found(
  connection: Connection,
  { config, firstSequence, lastSequence }: Kept['info'],
  filter: string,
  since: number,
): Promise<Start | undefined> {
  let [low, high] = [Math.max(1, firstSequence), lastSequence + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [message] = await nextMessage(connection, config.name, { seq: middle, next_by_subj: filter });
    if (message === undefined || message.keptAt >= since) high = middle;
    else low = message.sequence + 1;
  }
  return low > lastSequence ? undefined : { seq: low };
}

/** The next message, or none. */
async function nextMessage(connection: Connection, stream: string, request: Request): Promise<readonly KeptMessage[]> {
  const { data, headers } = await requestWithRetry(
    connection,
    apiSubject(Operation.readDirectly(stream)),
    JSON.stringify(request),
  );
  if (headers?.code === Status.None) return [];
  const message = keptMessage(data, headers);
  if (message === undefined) throw unreadable(stream, headers?.description);
  return [message];
}

/** The next messages, or none if there are no more. They are answers to one request, on a subject of their own. */
async function nextBatch(connection: Connection, stream: string, request: Request): Promise<readonly KeptMessage[]> {
  const { clock } = connection;
  const messages: KeptMessage[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const reply = connection.newInbox();
  const subscription = connection.listen(reply, ({ data, headers }) => {
    if (headers?.code === Status.EndOfBatch || headers?.code === Status.None) return resolve();
    const message = keptMessage(data, headers);
    if (message === undefined) reject(unreadable(stream, headers?.description));
    else messages.push(message);
  });
  const late = (): void => reject(unreadable(stream, `no answer within ${BATCH_MS} ms`));
  const timer = clock.setTimeout(late, BATCH_MS);
  const stop = connection.connectivity.add(() => reject(connection.away()));
  try {
    const asked = JSON.stringify({ ...request, batch: BATCH });
    if (!connection.send(apiSubject(Operation.readDirectly(stream)), asked, { reply })) throw connection.away();
    await promise;
    return messages;
  } finally {
    stop();
    clock.clearTimeout(timer);
    subscription.unsubscribe();
  }
}

/** Undefined: it is no message of a stream. */
function keptMessage(data: Uint8Array, headers: MsgHdrs | undefined): KeptMessage | undefined {
  const subject = headers?.get('Nats-Subject') ?? '';
  if (headers === undefined || subject === '') return undefined;
  return {
    subject,
    data,
    deleted: isDeletion(headers),
    sequence: Number(headers.get('Nats-Sequence')),
    keptAt: parseTimestamp(headers.get('Nats-Time-Stamp')),
  };
}

function unreadable(stream: string, why: string | undefined): TransientError {
  return new TransientError(`stream '${stream}' cannot be read on: ${why || 'it answered with something else'}`);
}
