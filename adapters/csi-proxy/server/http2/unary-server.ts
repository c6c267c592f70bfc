// gRPC for one pipe, as far as csi-proxy uses it: unary calls, without TLS. It uses Node's HTTP/2 directly, because it
// has to limit what a client may use before its request is complete (connections, streams, bytes).
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../../bus/time.ts';
import { Code, StatusError } from '../../base/status.ts';
import type { TimeLimits } from '../time-limits.ts';
import { Closing, type Guard, type Guest, type Load, Refusal } from './guard.ts';
import { openHttp2 } from './opening.ts';
import { RequestBody } from './request-body.ts';
import { httpRefusal, refuseStream, sendFailure, sendResponse, timeoutMs, type WireStatus } from './unary-call.ts';

export interface UnaryLimits {
  readonly requestBytes: number;
  readonly callsPerConnection: number;
  /** From the first byte to the client's settings, in milliseconds. */
  readonly handshakeMs: number;
  /** Without a call, in milliseconds. */
  readonly idleMs: number;
  /** From the headers of a call to the end of its request, and from the answer to the end of the stream, in milliseconds. */
  readonly requestMs: number;
}

export interface UnaryCall {
  readonly request: Buffer;
  /** When the caller stops waiting. */
  readonly deadlineAt: number | undefined;
  /** Called once if the caller disconnects before the response; set by the handler of the call. */
  onGone: (() => void) | undefined;
  answer(outcome: WireStatus | Uint8Array): void;
}

export interface UnaryServerDeps {
  /** Name of the pipe, for the guard. */
  readonly pipe: string;
  readonly clock: Clock;
  readonly timeLimits: TimeLimits;
  readonly guard: Guard;
  readonly limits: UnaryLimits;
  onClosing(why: Closing, error: Error | undefined): void;
  onRefusal(why: Refusal): void;
  /** The client's authority is none; it is served. */
  onMended(): void;
}

interface Connection extends Guest {
  readonly socket: Socket;
  session: ServerHttp2Session | undefined;
  calls: number;
  letBe: () => void;
}

/** Last of all possible stream ids: streams after a good-bye with it are accepted. */
const LAST_STREAM_ID = 2 ** 31 - 1;

const REFUSALS: Readonly<Record<Refusal, readonly [Code, string]>> = {
  slow: [Code.DeadlineExceeded, 'the request did not come to its end in time'],
  unfinished: [Code.ResourceExhausted, 'too many requests that do not come to their end'],
  bytes: [Code.ResourceExhausted, 'too much is held of requests that are not answered yet; try again later'],
};

const ignore = (): void => undefined;

export class UnaryServer {
  readonly #deps: UnaryServerDeps;
  readonly #handlers = new Map<string, (call: UnaryCall) => void>();
  readonly #connections = new Set<Connection>();
  #isDraining = false;

  constructor(deps: UnaryServerDeps) {
    this.#deps = deps;
  }

  /** @param path  of the method, such as `/v1.Disk/Rescan` */
  handle(path: string, handler: (call: UnaryCall) => void): void {
    this.#handlers.set(path, handler);
  }

  accept(socket: Socket): void {
    const { pipe, clock, guard, timeLimits, limits, onClosing } = this.#deps;
    const connection: Connection = {
      pipe,
      socket,
      session: undefined,
      calls: 0,
      heldBytes: 0,
      letBe: ignore,
      close: (why) => {
        onClosing(why, undefined);
        if (why === Closing.Idle) this.#sayGoodBye(connection);
        else this.#close(connection);
      },
    };
    socket.on('error', ignore); // 'close' follows
    if (this.#isDraining || !guard.enter(connection)) {
      if (!this.#isDraining) onClosing(Closing.Full, undefined);
      socket.destroy();
      return;
    }
    this.#connections.add(connection);
    socket.once('close', () => {
      connection.letBe();
      guard.leave(connection);
      this.#connections.delete(connection);
    });
    connection.letBe = timeLimits.start(limits.handshakeMs, () => connection.close(Closing.Handshake));
    openHttp2({
      socket,
      clock,
      maxConcurrentStreams: limits.callsPerConnection,
      onSettings: () => this.#silent(connection),
      onOpen: (stream) => this.#open(connection, stream),
      onMended: this.#deps.onMended,
      onRefused: (error) => onClosing(Closing.Protocol, error),
    });
  }

  /** Says good-bye on every connection: calls end that run, and what is silent is closed. Resolves when all are. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const connection of this.#connections) this.#close(connection);
    await this.#allClosed();
  }

  async cut(): Promise<void> {
    this.#isDraining = true;
    for (const { socket } of this.#connections) socket.destroy();
    await this.#allClosed();
  }

  async #allClosed(): Promise<void> {
    await Promise.all([...this.#connections].map(({ socket }) => closed(socket)));
  }

  #close({ session, socket }: Connection): void {
    // Without a session it was never announced.
    if (session === undefined || session.destroyed) socket.destroy();
    else session.close();
  }

  /** A call that is on its way is still accepted, so a client that starts one just now does not see it fail. */
  #sayGoodBye(connection: Connection): void {
    const { timeLimits, limits } = this.#deps;
    connection.session?.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM_ID);
    connection.letBe = timeLimits.start(limits.requestMs, () => this.#close(connection));
  }

  #open(connection: Connection, stream: Duplex): void {
    const { callsPerConnection } = this.#deps.limits;
    const session = performServerHandshake(stream, {
      settings: { maxConcurrentStreams: callsPerConnection },
      // The guard counts the memory of clients; a session's own limit would reject streams without a message.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    connection.session = session;
    session.on('error', ignore); // 'close' follows
    session.once('close', () => connection.socket.destroy());
    session.on('stream', (stream, headers) => this.#stream(connection, stream, headers));
  }

  #silent(connection: Connection): void {
    const { guard, timeLimits, limits } = this.#deps;
    connection.letBe();
    guard.silent(connection);
    connection.letBe = timeLimits.start(limits.idleMs, () => connection.close(Closing.Idle));
  }

  #busy(connection: Connection, stream: ServerHttp2Stream): void {
    connection.calls += 1;
    if (connection.calls === 1) {
      connection.letBe();
      connection.letBe = ignore;
      this.#deps.guard.busy(connection);
    }
    stream.once('close', () => {
      connection.calls -= 1;
      if (connection.calls === 0 && !connection.socket.destroyed) this.#silent(connection);
    });
  }

  #stream(connection: Connection, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', ignore); // 'close' follows
    this.#busy(connection, stream);
    const httpStatus = httpRefusal(headers);
    if (httpStatus !== undefined) {
      refuseStream(stream, httpStatus);
      return;
    }
    const handler = this.#handlers.get(headers[':path'] ?? '');
    const timeout = timeoutMs(headers);
    if (handler === undefined) {
      const details = `The server does not implement the method ${headers[':path']}`.toWellFormed();
      this.#turnAway(stream, { code: Code.Unimplemented, details });
    } else if (Number.isNaN(timeout)) {
      this.#turnAway(stream, { code: Code.Internal, details: 'the header grpc-timeout is none' });
    } else {
      const deadlineAt = timeout === undefined ? undefined : this.#deps.clock.now() + timeout;
      this.#receive(connection, stream, headers['grpc-encoding'], (request, answered) =>
        call(stream, request, deadlineAt, handler, answered),
      );
    }
  }

  /**
   * Answers before the request has come to its end. What still comes is read and forgotten until the client has heard, and stops:
   * a reset at once may be all that it sees of the answer. One that does not stop is cut off.
   */
  #turnAway(stream: ServerHttp2Stream, status: WireStatus): void {
    const { timeLimits, limits } = this.#deps;
    stream.resume();
    sendFailure(stream, status);
    stream.once(
      'close',
      timeLimits.start(limits.requestMs, () => stream.close(constants.NGHTTP2_NO_ERROR)),
    );
  }

  /** Collects the request, and hands it over when it is whole; `run` says when it is answered. */
  #receive(
    guest: Connection,
    stream: ServerHttp2Stream,
    encoding: string | string[] | undefined,
    run: (request: Buffer, answered: () => void) => void,
  ): void {
    const { guard, timeLimits, limits, onRefusal } = this.#deps;
    const body = new RequestBody(limits.requestBytes);
    let isOver = false;
    const over = (): void => {
      isOver = true;
      letBe();
      guard.drop(load);
    };
    const fail = ({ code, message }: StatusError): void => {
      if (isOver) return;
      over();
      this.#turnAway(stream, { code, details: message.toWellFormed() });
    };
    const refuse = (why: Refusal): void => {
      if (isOver) return;
      onRefusal(why);
      fail(new StatusError(...REFUSALS[why]));
    };
    const load: Load = { guest, bytes: 0, refuse };
    const attempt = (step: () => void): void => {
      if (isOver) return;
      try {
        step();
      } catch (error) {
        fail(error instanceof StatusError ? error : new StatusError(Code.Internal, String(error)));
      }
    };
    let letBe = timeLimits.start(limits.requestMs, () => refuse(Refusal.Slow));
    guard.begin(load);
    stream.on('data', (piece: Buffer) =>
      attempt(() => {
        if (!guard.hold(load, piece.length)) return refuse(Refusal.Bytes);
        body.push(piece);
      }),
    );
    stream.once('end', () =>
      attempt(() => {
        guard.finish(load);
        letBe();
        body.read(String(encoding), (message) => {
          if (isOver) return;
          if (message instanceof StatusError) return fail(message);
          run(message, () => {
            // A client that does not take its answer holds its stream.
            letBe = timeLimits.start(limits.requestMs, () => stream.close(constants.NGHTTP2_CANCEL));
          });
        });
      }),
    );
    stream.once('close', over);
  }
}

function call(
  stream: ServerHttp2Stream,
  request: Buffer,
  deadlineAt: number | undefined,
  handler: (call: UnaryCall) => void,
  answered: () => void,
): void {
  let isAnswered = false;
  const unary: UnaryCall = {
    request,
    deadlineAt,
    onGone: undefined,
    answer(outcome) {
      if (isAnswered) return;
      isAnswered = true;
      answered();
      if (outcome instanceof Uint8Array) sendResponse(stream, outcome);
      else sendFailure(stream, outcome);
    },
  };
  stream.once('close', () => {
    if (!isAnswered) unary.onGone?.();
  });
  handler(unary);
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}
