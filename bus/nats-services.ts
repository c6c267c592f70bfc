// Requests and answers as NATS micro services, so that `nats micro ls` shows who offers what.
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { Endpoint, LongCallOptions, Service, Services, Tracing } from './bus.ts';
import type { Connection } from './connection.ts';
import { NoResponderError } from './connection-errors.ts';
import {
  ErrorCode,
  type ErrorData,
  fromErrorData,
  TerminalError,
  TransientError,
  toAnswerData,
  toErrorData,
  UnknownOutcomeError,
} from './errors.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import { type LongCallTransport, newName, type Opening } from './long-call-protocol.ts';
import { LongCalls } from './long-calls.ts';
import { type HeaderLine, HOLD_HEADER, sentHeaders, TRACEPARENT_HEADER } from './message-headers.ts';
import { MicroService, type ServiceIdentity } from './nats-micro-service.ts';
import { endpointSubject, longCallSubject, type UserName, userTokens } from './subjects.ts';
import type { Clock } from './time.ts';
import { validTraceparent } from './trace-context.ts';

/** The HTTP status nearest to each code: what `nats micro` and other clients of the services API read. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  [ErrorCode.Transient]: 503,
  [ErrorCode.Terminal]: 400,
  [ErrorCode.Absent]: 404,
  [ErrorCode.Conflict]: 409,
};

const STOP_TIMEOUT_MS = 1_000;
/** Headers of the services API: a response with them is an error. */
const ERROR_HEADER = 'Nats-Service-Error';
const ERROR_CODE_HEADER = 'Nats-Service-Error-Code';

export interface NatsServicesOptions {
  readonly root: string;
  /** Whom this process is known as. */
  readonly user: UserName;
  /** Maximum duration of long calls without a confirmation. */
  readonly leaseMs: number;
}

/** The services part, and the way to take all services off before the connection closes. */
export function natsServices(connection: Connection, options: NatsServicesOptions): Services & Service {
  const { root } = options;
  const closings = new Set<() => Promise<void>>();
  const holds = new LongCalls(holdWire(connection, options));
  return {
    async close() {
      await Promise.all([...closings].map((close) => close()));
      holds.close();
    },

    async serve(name: string, version: string, description: string, endpoints: readonly Endpoint[]): Promise<Service> {
      if (!connection.up) throw connection.away();
      const own = {};
      const service = await offered(connection, { name, version, description }, (added) => {
        for (const endpoint of endpoints) {
          // A name has fewer characters than a subject.
          const shown = endpoint.subject.replaceAll(/[^-\w]/g, '-');
          const answering = (message: Msg) => answer(endpoint, message, holds, own);
          added.addEndpoint(shown, endpointSubject(endpoint.subject, root), answering);
        }
      });
      const close = async (): Promise<void> => {
        closings.delete(close);
        // Told to the server first: what it still sends to a closed connection would wait for its deadline. While the
        // connection is down, the server receives this after the reconnect: otherwise the client would subscribe the service again,
        // and requests to it would get no answer.
        const stopped = withinLimit(service.stop(), connection.clock);
        if (connection.up) await stopped;
        await withinLimit(holds.end(own), connection.clock);
      };
      closings.add(close);
      return { close };
    },

    async request(
      subject: string,
      request: JsonObject,
      deadlineAt: number,
      { traceparent }: Tracing = {},
    ): Promise<JsonObject> {
      const timeoutMs = deadlineAt - connection.clock.now();
      if (timeoutMs <= 0) throw new TransientError(`no time was left to ask '${subject}'`);
      if (!connection.up) throw connection.away();
      let message: Msg;
      try {
        message = await connection.request(endpointSubject(subject, root), JSON.stringify(request), {
          timeoutMs,
          ...traced(traceparent),
        });
      } catch (error) {
        if (error instanceof NoResponderError)
          throw new TransientError(`no process serves '${subject}'`, { cause: error });
        // Timeout or broken connection: it is unknown whether it was received.
        if (error instanceof TransientError) throw new UnknownOutcomeError(error.message, { cause: error });
        throw error;
      }
      return answerIn(message, subject);
    },

    callLong(subject: string, request: JsonObject, options: LongCallOptions, { traceparent }: Tracing = {}) {
      return holds.hold(subject, options, async (opening, timeoutMs) => {
        if (!connection.up) throw connection.away();
        let message: Msg;
        try {
          const sent = { timeoutMs, ...traced(traceparent, opening) };
          message = await connection.request(endpointSubject(subject, root), JSON.stringify(request), sent);
        } catch (error) {
          if (!(error instanceof NoResponderError)) throw error;
          throw new TransientError(`no process serves '${subject}'`, { cause: error });
        }
        answerIn(message, subject);
      });
    },
  };
}

/** Names begin with the user's, so that others may not listen to them; answers come to where the questions do. */
function holdWire(connection: Connection, { root, user, leaseMs }: NatsServicesOptions): LongCallTransport {
  let asked = 0;
  return {
    clock: connection.clock,
    leaseMs,
    newName: () => `${userTokens(user)}.${newName(connection.clock)}`,
    listen(name, answer) {
      const subscription = connection.listen(longCallSubject(name, root), (message) => {
        const question = parseJsonObject(message.string());
        // A message in another format.
        if (question === undefined) return;
        if (message.reply !== undefined) connection.send(message.reply, JSON.stringify(answer(question)));
      });
      return () => subscription.unsubscribe();
    },
    async ask(name, question, timeoutMs) {
      asked += 1;
      const reply = `${longCallSubject(String(question['from']), root)}.${asked}`;
      const message = await connection.request(longCallSubject(name, root), JSON.stringify(question), {
        timeoutMs,
        reply,
      });
      const answer = parseJsonObject(message.string());
      if (answer === undefined) throw new TransientError(`'${name}' answered with something else than a JSON object`);
      return answer;
    },
  };
}

/** Resolves when later requests will find it. @throws {TransientError} the connection broke meanwhile */
async function offered(
  connection: Connection,
  identity: ServiceIdentity,
  addEndpoints: (service: MicroService) => void,
): Promise<MicroService> {
  let added: MicroService | undefined;
  try {
    added = new MicroService(connection, identity);
    addEndpoints(added);
    await connection.nats.flush();
    // The server has said by now what it does not let us hear.
    // mutant: stopped-service-offered drop
    if (added.isStopped) throw new TransientError('nats does not let us serve it');
    return added;
  } catch (error) {
    // Or it would be there twice after the next attempt.
    if (added !== undefined) await withinLimit(added.stop(), connection.clock);
    const { message } = toErrorData(error);
    throw new TransientError(`service '${identity.name}' could not be offered: ${message}`, { cause: error });
  }
}

/** Waits for the promise, but not for ever: the connection may break. */
async function withinLimit(promise: Promise<unknown>, clock: Clock): Promise<void> {
  const limit = new AbortController();
  const settled = promise.then(
    () => limit.abort(),
    () => limit.abort(), // closed meanwhile, which is what was wanted
  );
  await Promise.race([settled, clock.sleep(STOP_TIMEOUT_MS, limit.signal)]);
}

/** @returns why it was refused */
async function answer(
  endpoint: Endpoint,
  message: Msg,
  holds: LongCalls,
  service: object,
): Promise<string | undefined> {
  try {
    const asked = parsed(message);
    const traceparent = validTraceparent(message.headers?.get(TRACEPARENT_HEADER));
    const tracing = traceparent === undefined ? {} : { traceparent };
    const opening = openingIn(message.headers);
    const bound = opening === undefined ? 'deadline' : 'caller';
    const request = (await endpoint.admit?.(asked, bound)) ?? asked;
    if (opening !== undefined) {
      await holds.open(opening, service, (held) => endpoint.handle(request, tracing, held));
      message.respond('{}');
      return undefined;
    }
    message.respond(JSON.stringify(await endpoint.handle(request, tracing)));
    return undefined;
  } catch (error) {
    const data = toAnswerData(error);
    // It is lost if the connection is down or the response too large; the caller runs into its deadline.
    refuse(message, data);
    return data.message;
  }
}

/** The headers of a request. @param opening  of one that is held */
function traced(traceparent: string | undefined, opening?: Opening): { headers?: MsgHdrs } {
  const valid = validTraceparent(traceparent);
  if (valid === undefined && opening === undefined) return {};
  const lines: HeaderLine[] = [];
  if (valid !== undefined) lines.push([TRACEPARENT_HEADER, valid]);
  if (opening !== undefined) lines.push([HOLD_HEADER, `${opening.caller} ${opening.id}`]);
  return { headers: sentHeaders(lines) };
}

function openingIn(header: MsgHdrs | undefined): Opening | undefined {
  const [caller, id] = header?.get(HOLD_HEADER).split(' ') ?? [];
  return caller === undefined || caller === '' || id === undefined ? undefined : { caller, id };
}

function refuse(message: Msg, data: ErrorData): void {
  const reason = data.message.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 500); // a header is one line
  const header = sentHeaders([
    [ERROR_CODE_HEADER, `${STATUS[data.code]}`],
    [ERROR_HEADER, reason],
  ]);
  try {
    message.respond(JSON.stringify(data), { headers: header });
  } catch {
    // The connection is closed: no response is possible.
  }
}

function parsed(message: Msg): JsonObject {
  const request = parseJsonObject(message.string());
  if (request === undefined) throw new TerminalError('the request is no JSON object');
  return request;
}

function answerIn(message: Msg, subject: string): JsonObject {
  const answer = parseJsonObject(message.string());
  if (message.headers?.has(ERROR_CODE_HEADER) !== true) {
    if (answer === undefined)
      throw new UnknownOutcomeError(`'${subject}' answered with something else than a JSON object`);
    return answer;
  }
  // A foreign error response has its reason in a header.
  const data: Partial<ErrorData> = answer ?? {};
  const known = Object.values(ErrorCode).find((code) => code === data.code);
  if (known === undefined) {
    throw new TransientError(`'${subject}' failed: ${message.headers.get(ERROR_HEADER)}`);
  }
  throw fromErrorData({ ...data, code: known, message: String(data.message) });
}
