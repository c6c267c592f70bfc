// Used part of JetStream's API, as requests and responses. Payloads are JSON on one line.

import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Publication } from './bus.ts';
import type { Connection } from './connection.ts';
import { TransientError } from './errors.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import { type HeaderLine, sentHeaders } from './message-headers.ts';
import { apiSubject, Operation } from './nats-names.ts';
import { requestWithRetry } from './request-retry.ts';

/** JetStream's error codes, `err_code` of an answer; see server/errors.json of nats-server. */
export const ApiCode = {
  NotEnabledForAccount: 10039,
  SequenceNotFound: 10043,
  MessageDeleteFailed: 10057,
  StreamNameInUse: 10058,
  StreamNotFound: 10059,
  SubjectsOverlap: 10065,
  WrongLastSequence: 10071,
  NotEnabled: 10076,
  /** The same where the server does not say which sequence it has. */
  WrongLastSequenceConstant: 10164,
} as const;

/** JetStream refused a request. */
export class ApiError extends TransientError {
  override name = 'ApiError';
  readonly apiCode: number;
  constructor(operation: string, apiCode: number, description: string) {
    super(`nats refused ${operation}: ${description} (${apiCode})`);
    this.apiCode = apiCode;
  }
}

/** The configuration of a stream, as far as it is ours. Times in nanoseconds, as in the API. */
export interface StreamConfig {
  readonly name: string;
  readonly description: string;
  readonly subjects: readonly string[];
  readonly storage: 'file' | 'memory';
  readonly retention: 'limits';
  readonly discard: 'old' | 'new';
  readonly max_msgs_per_subject: number;
  readonly max_age: number;
  readonly duplicate_window: number;
  readonly num_replicas: number;
  readonly allow_direct: boolean;
  readonly [key: string]: unknown;
}

export interface StreamInfo {
  /** Constant for the existence of the stream, across restarts of the server. */
  readonly created: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly config: StreamConfig;
}

/** A message as the stream has it. */
export interface StoredMessage {
  readonly subject: string;
  readonly sequence: number;
  readonly payload: string;
  /** `KV-Operation`: DEL or PURGE of an entry that was deleted. */
  readonly deleted: boolean;
  readonly headers: MsgHdrs;
  /** On the clock of the server: milliseconds since the epoch. */
  readonly storedAt: number;
}

const DECODER = new TextDecoder();

/** One request to JetStream's API that changes something. @throws {ApiError} it refused. @throws {TransientError} */
export async function api(
  connection: Connection,
  operation: string,
  request: object = {},
  timeoutMs?: number,
): Promise<Record<string, unknown>> {
  const options = timeoutMs === undefined ? {} : { timeoutMs };
  const message = await connection.request(apiSubject(operation), JSON.stringify(request), options);
  return answered(operation, message.data);
}

/** The same for what changes nothing: asked again if it is left unanswered. @throws {ApiError} @throws {TransientError} */
export async function query(
  connection: Connection,
  operation: string,
  request: object = {},
  timeoutMs?: number,
): Promise<Record<string, unknown>> {
  const message = await requestWithRetry(connection, apiSubject(operation), JSON.stringify(request), timeoutMs);
  return answered(operation, message.data);
}

function answered(operation: string, data: Uint8Array): Record<string, unknown> {
  const answer: Record<string, unknown> | undefined = parseJsonObject(DECODER.decode(data));
  if (answer === undefined) throw new TransientError(`nats answered ${operation} with something else than JSON`);
  const error = answer['error'] as { err_code?: number; code?: number; description?: string } | undefined;
  if (error !== undefined) {
    throw new ApiError(operation, error.err_code ?? error.code ?? 0, error.description ?? 'no reason given');
  }
  return answer;
}

export function isApiError(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof ApiError && codes.includes(error.apiCode);
}

/**
 * Stores a message if the subject's last one is the expected one (0: there is none; undefined: whatever it is).
 *
 * @throws {NoResponderError} there is no stream for the subject
 */
export async function publishMessage(
  connection: Connection,
  subject: string,
  payload: JsonObject | undefined,
  options: {
    expectedSequence?: number | undefined;
    header?: readonly HeaderLine[];
    timeoutMs?: number;
  } = {},
): Promise<Publication> {
  const { expectedSequence, header = [], timeoutMs } = options;
  const expected: readonly HeaderLine[] =
    expectedSequence === undefined ? [] : [['Nats-Expected-Last-Subject-Sequence', String(expectedSequence)]];
  const message = await connection.request(subject, payload === undefined ? '' : JSON.stringify(payload), {
    headers: sentHeaders([...expected, ...header]),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  try {
    return { kind: 'stored', sequence: Number(answered(`the publication on '${subject}'`, message.data)['seq']) };
  } catch (error) {
    if (isApiError(error, ApiCode.WrongLastSequence, ApiCode.WrongLastSequenceConstant)) return { kind: 'stale' };
    throw error;
  }
}

/**
 * One message: a subject's last, or that of a sequence. undefined: there is none.
 *
 * @param replicas  of the stream. With several, any of them answers a direct read, perhaps late: then the leader is asked
 */
export async function readMessage(
  connection: Connection,
  { name, num_replicas: replicas }: Pick<StreamConfig, 'name' | 'num_replicas'>,
  which: { readonly last_by_subj: string } | { readonly seq: number },
  timeoutMs?: number,
): Promise<StoredMessage | undefined> {
  if (replicas > 1) return readAtLeader(connection, name, which, timeoutMs);
  const message = await requestWithRetry(
    connection,
    apiSubject(Operation.readDirectly(name)),
    JSON.stringify(which),
    timeoutMs,
  );
  if (message.headers?.code === 404) return undefined;
  if (message.headers === undefined || message.headers.code >= 400) {
    throw new ApiError(`a read of '${name}'`, message.headers?.code ?? 0, message.headers?.description ?? '');
  }
  return {
    subject: message.headers.get('Nats-Subject'),
    sequence: Number(message.headers.get('Nats-Sequence')),
    payload: DECODER.decode(message.data),
    deleted: isDeletion(message.headers),
    headers: message.headers,
    storedAt: Date.parse(message.headers.get('Nats-Time-Stamp')),
  };
}

async function readAtLeader(
  connection: Connection,
  stream: string,
  which: object,
  timeoutMs?: number,
): Promise<StoredMessage | undefined> {
  try {
    const answer = await query(connection, Operation.readMessage(stream), which, timeoutMs);
    const { subject, seq, data = '', hdrs = '', time } = answer['message'] as Record<string, string | number>;
    const header = parsedHeaders(Buffer.from(String(hdrs), 'base64').toString());
    return {
      subject: String(subject),
      sequence: Number(seq),
      payload: Buffer.from(String(data), 'base64').toString(),
      deleted: isDeletion(header),
      headers: header,
      storedAt: Date.parse(String(time)),
    };
  } catch (error) {
    if (error instanceof ApiError && error.message.includes('no message found')) return undefined;
    throw error;
  }
}

/** Headers as a stream keeps them: a line `NATS/1.0`, then one a line. */
function parsedHeaders(text: string): MsgHdrs {
  const parsed = headers();
  for (const line of text.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon > 0) parsed.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return parsed;
}

/** Whether an entry of a KV bucket says that it was deleted. */
export function isDeletion(header: MsgHdrs | undefined): boolean {
  return ['DEL', 'PURGE'].includes(header?.get('KV-Operation') ?? '');
}

/** Deletes one message by its sequence, without overwriting it on disk first. Succeeds if it is deleted already. */
export async function deleteMessage(connection: Connection, stream: string, sequence: number): Promise<void> {
  try {
    await api(connection, Operation.deleteMessage(stream), { seq: sequence, no_erase: true });
  } catch (error) {
    if (!isApiError(error, ApiCode.SequenceNotFound, ApiCode.MessageDeleteFailed)) throw error;
  }
}

/** undefined: there is no such stream. */
export async function streamInfo(connection: Connection, stream: string): Promise<StreamInfo | undefined> {
  try {
    return toStreamInfo(await query(connection, Operation.streamInfo(stream)));
  } catch (error) {
    if (isApiError(error, ApiCode.StreamNotFound)) return undefined;
    throw error;
  }
}

/** Makes the stream; one of the same configuration that is there already counts. `isNew`: this call made it. */
export async function createStream(
  connection: Connection,
  config: StreamConfig,
): Promise<{ info: StreamInfo; isNew: boolean }> {
  const answer = await api(connection, Operation.createStream(config.name), config);
  return { info: toStreamInfo(answer), isNew: answer['did_create'] === true };
}

export async function updateStream(connection: Connection, config: StreamConfig): Promise<StreamInfo> {
  return toStreamInfo(await api(connection, Operation.updateStream(config.name), config));
}

/** Succeeds if it is deleted already. */
export async function deleteStream(connection: Connection, stream: string): Promise<void> {
  try {
    await api(connection, Operation.deleteStream(stream));
  } catch (error) {
    if (!isApiError(error, ApiCode.StreamNotFound)) throw error;
  }
}

function toStreamInfo(answer: Record<string, unknown>): StreamInfo {
  const state = answer['state'] as { first_seq: number; last_seq: number };
  return {
    created: String(answer['created']),
    firstSequence: state.first_seq,
    lastSequence: state.last_seq,
    config: answer['config'] as StreamConfig,
  };
}
