// Requests and answers as NATS micro services, so that `nats micro ls` shows who offers what.

import {
  headers,
  type Msg,
  type MsgHdrs,
  type NatsError,
  type Service as NatsService,
  type ServiceConfig,
  type ServiceMsg,
} from 'nats';
import type { Endpoint, Service, Services, Tracing } from './bus.ts';
import { type Connection, NoResponderError } from './connection.ts';
import {
  ErrorCode,
  type ErrorData,
  fromErrorData,
  TerminalError,
  TransientError,
  toErrorData,
  UnansweredError,
} from './errors.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import { TRACEPARENT_HEADER } from './mail-headers.ts';
import { endpointSubject } from './subjects.ts';
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
const ENCODER = new TextEncoder();

/** The services part, and the way to take all services off before the connection closes. */
export function natsServices(connection: Connection, root: string): Services & Service {
  const closings = new Set<() => Promise<void>>();
  return {
    async close() {
      await Promise.all([...closings].map((close) => close()));
    },

    async serve(name: string, version: string, description: string, endpoints: readonly Endpoint[]): Promise<Service> {
      if (!connection.up) throw connection.away();
      const service = await offered(connection, { name, version, description }, (added) => {
        for (const endpoint of endpoints) {
          // A name has fewer characters than a subject.
          added.addEndpoint(endpoint.subject.replaceAll(/[^-\w]/g, '-'), {
            subject: endpointSubject(endpoint.subject, root),
            handler: (error: NatsError | null, message: ServiceMsg) => {
              if (error === null) void answer(endpoint, message);
            },
          });
        }
      });
      const close = async (): Promise<void> => {
        closings.delete(close);
        // Told to the server first: what it still sends to a closed connection would wait for its deadline.
        if (connection.up) await withinLimit(service.stop(), connection.clock);
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
          throw new TransientError(`nobody answers '${subject}'`, { cause: error });
        // Too late, or the connection broke: nobody knows whether it was heard.
        if (error instanceof TransientError) throw new UnansweredError(error.message, { cause: error });
        throw error;
      }
      return answerIn(message, subject);
    },
  };
}

/** Resolves when whoever asks from now on finds it. @throws {TransientError} the connection broke meanwhile */
async function offered(
  connection: Connection,
  config: ServiceConfig,
  addEndpoints: (service: NatsService) => void,
): Promise<NatsService> {
  let added: NatsService | undefined;
  try {
    added = await connection.nats.services.add(config);
    addEndpoints(added);
    await connection.nats.flush();
    return added;
  } catch (error) {
    // Or it would be there twice after the next attempt.
    if (added !== undefined) await withinLimit(added.stop(), connection.clock);
    const { message } = toErrorData(error);
    throw new TransientError(`service '${config.name}' could not be offered: ${message}`, { cause: error });
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

async function answer(endpoint: Endpoint, message: ServiceMsg): Promise<void> {
  try {
    const request = parsed(message);
    const traceparent = validTraceparent(message.headers?.get(TRACEPARENT_HEADER));
    const response = await endpoint.handle(request, traceparent === undefined ? {} : { traceparent });
    message.respond(ENCODER.encode(JSON.stringify(response)));
  } catch (error) {
    const data = toErrorData(error);
    // Nobody hears it when the connection is gone or the answer too large for it; the caller's deadline tells.
    refuse(message, data);
  }
}

function traced(traceparent: string | undefined): { headers?: MsgHdrs } {
  const valid = validTraceparent(traceparent);
  if (valid === undefined) return {};
  const header = headers();
  header.set(TRACEPARENT_HEADER, valid);
  return { headers: header };
}

function refuse(message: ServiceMsg, data: ErrorData): void {
  const description = data.message.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 500); // a header is one line
  try {
    message.respondError(STATUS[data.code], description, ENCODER.encode(JSON.stringify(data)));
  } catch {
    // The connection is closed: there is nobody to tell.
  }
}

function parsed(message: ServiceMsg): JsonObject {
  const request = parseJsonObject(message.string());
  if (request === undefined) throw new TerminalError('the request is no JSON object');
  return request;
}

function answerIn(message: Msg, subject: string): JsonObject {
  const answer = parseJsonObject(message.string());
  if (message.headers?.has('Nats-Service-Error-Code') !== true) {
    if (answer === undefined) throw new UnansweredError(`'${subject}' answered with something else than a JSON object`);
    return answer;
  }
  // What refused may not speak our words: its header says why.
  const data: Partial<ErrorData> = answer ?? {};
  const known = Object.values(ErrorCode).find((code) => code === data.code);
  if (known === undefined) {
    throw new TransientError(`'${subject}' failed: ${message.headers.get('Nats-Service-Error')}`);
  }
  throw fromErrorData({ ...data, code: known, message: String(data.message) });
}
