// Protocol of long calls between two processes: the caller, and the server that runs them. Each has a name, under which
// the other reaches it; every message is answered, or sent again.
//
// Invariants:
//   BUS-LONG-CALL-PROTOCOL-1. A handler begins only after its caller said, asked by the server, that it still wants it: what never began is known
//       to its caller as that.
//   BUS-LONG-CALL-PROTOCOL-2. The server always counts from its request for confirmation, the caller from its response.
//       So a running call is canceled before its caller reports its outcome as unknown, however long a message takes,
//       and no clock is compared with another.
//   BUS-LONG-CALL-PROTOCOL-3. One question confirms all that a caller holds at a server, and names what it has given up: it costs by the pair.
//   BUS-LONG-CALL-PROTOCOL-4. Of the progress only the newest is kept, and one message of it is under way at a time. No older one is heard after a
//       newer, none after the answer.
import type { LongCallHandle, LongCallOptions } from './bus.ts';
import type { ErrorData } from './errors.ts';
import type { Json, JsonObject } from './json.ts';
import type { Clock } from './time.ts';

export type { LongCallHandle, LongCallOptions };

/** The way to other processes, by their names. */
export interface LongCallTransport {
  readonly clock: Clock;
  /** Maximum validity of a confirmation, in milliseconds. */
  readonly leaseMs: number;
  /** A name that no other process has. */
  newName(): string;
  /** Answers whatever is asked of `name` from now on. Returns the way to stop. */
  listen(name: string, answer: (asked: JsonObject) => JsonObject): () => void;
  /**
   * @throws {TransientError} no process has that name, or responds in time; or the bus is unreachable
   * @throws {TerminalError} it is too large to be sent
   */
  ask(name: string, asked: JsonObject, timeoutMs: number): Promise<JsonObject>;
}

/** Header of a long call: its caller, and the id of the request. */
export interface Opening {
  readonly caller: string;
  readonly id: string;
}

export interface ProgressData {
  /** Grows with each. */
  readonly step: number;
  readonly value: JsonObject;
}

export type AnswerData = { readonly result: JsonObject } | { readonly error: ErrorData };

/** Message from a server to a caller. */
export type SaidToCaller =
  | { readonly say: 'begin'; readonly id: string }
  | { readonly say: 'alive' }
  | { readonly say: 'progress'; readonly id: string; readonly progress: ProgressData }
  | { readonly say: 'answer'; readonly id: string; readonly answer: AnswerData; readonly progress?: ProgressData };
export type ToCaller = SaidToCaller & { readonly from: string };

/** Message from a caller to a server. */
export interface ToServer {
  readonly say: 'abort';
  readonly from: string;
  readonly id: string;
}

/** The answer to `begin` and `alive`. */
export interface Confirmation {
  /** Time for which all long calls of the caller may continue there, in milliseconds. Undefined: it has none. */
  readonly validMs: number | undefined;
  /** Ids of long calls that must stop all the same. */
  readonly aborted: readonly string[];
}

/** A confirmation is asked for again after this part of the time that the last one holds. */
export const ALIVE = 3;
/** Part of the lease after which a message without a response is sent again. */
export const RETRIES = 20;
/** An answer is waited for for this part of the lease. */
export const ANSWERS = 5;

/** The message as it is sent. */
export function messageOf(message: ToCaller | ToServer): JsonObject {
  return message as unknown as JsonObject;
}

/** The inverse; undefined for what this release does not know. */
export function parseMessage(message: JsonObject): ToCaller | ToServer | undefined {
  const { say, from, id, progress, answer } = message;
  if (typeof from !== 'string' || (say !== 'alive' && typeof id !== 'string')) return undefined;
  if (progress !== undefined && !isProgress(progress)) return undefined;
  const isWhole =
    say === 'begin' ||
    say === 'alive' ||
    say === 'abort' ||
    (say === 'progress' && progress !== undefined) ||
    (say === 'answer' && isObject(answer) && (isObject(answer['result']) || isError(answer['error'])));
  return isWhole ? (message as unknown as ToCaller | ToServer) : undefined;
}

export function confirmationData({ validMs, aborted }: Confirmation): JsonObject {
  return validMs === undefined ? {} : { validMs, ...(aborted.length > 0 && { aborted: [...aborted] }) };
}

export function parseConfirmation({ validMs, aborted }: JsonObject): Confirmation {
  const ids = Array.isArray(aborted) ? aborted.filter((id) => typeof id === 'string') : [];
  return { validMs: typeof validMs === 'number' ? validMs : undefined, aborted: ids };
}

/** A name that no other process has. */
export function newName(clock: Clock): string {
  const part = (): string => Math.floor(clock.random() * 2 ** 32).toString(36);
  return `${part()}-${part()}`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isProgress(value: Json): boolean {
  return isObject(value) && typeof value['step'] === 'number' && isObject(value['value']);
}

function isError(value: Json | undefined): boolean {
  return isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}
