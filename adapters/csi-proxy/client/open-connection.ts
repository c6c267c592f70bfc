// A gRPC connection to a pipe. It reconnects automatically when the server comes back.
import { Client, connectivityState, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../../bus/time.ts';
import { asBuffer, asIs, grpcTarget } from '../base/grpc.ts';
import { callLimitMs } from '../base/limits.ts';
import { probePipe } from '../base/pipes.ts';
import { Code, StatusError } from '../base/status.ts';
import type { CallOptions, Connection } from './connection.ts';
import { PipeSockets } from './pipe-sockets.ts';

/** Between two tries to open a pipe again, in milliseconds: a server that restarts is back at once. */
const FIRST_BACKOFF_MS = 20;
const LONGEST_BACKOFF_MS = 500;
/** Difference between the deadline sent to the server and ours, in milliseconds: ours must expire first. */
const TOLD_LATER_MS = 5_000;
/** A server's own time limit comes first, and says more. In milliseconds. */
const MARGIN_MS = 5_000;
/** A server answers a new connection at once, or it has lost it. In milliseconds. */
const HANDSHAKE_MS = 2_000;
/** For how long a call is tried on new connections while the server spoils them, in milliseconds. */
const HANDSHAKES_MS = 20_000;
/** Error text of gRPC about a call that waited for a connection, and got none. */
const NEVER_SENT = /^No connection established\b/;
/** Error text about a missing server: there is nothing to wait for. */
const NOBODY_THERE = /\b(?:ENOENT|ECONNREFUSED)\b/;

export interface ConnectionDeps {
  readonly clock: Clock;
  /** Default timeout of a call by its name, in milliseconds. */
  readonly timeoutMs?: (rpc: string) => number;
  /** Timeout of a server's response to a new connection, in milliseconds. */
  readonly handshakeMs?: number;
}

/**
 * @throws {AbsentError} no process serves there
 * @throws {TransientError} the pipe cannot be opened
 */
export async function openConnection(path: string, deps: ConnectionDeps): Promise<Connection> {
  await probePipe(path, deps);
  return connection(path, deps);
}

function connection(
  path: string,
  { clock, timeoutMs = (rpc) => callLimitMs(rpc) + MARGIN_MS, handshakeMs = HANDSHAKE_MS }: ConnectionDeps,
): Connection {
  const sockets = new PipeSockets({ clock, handshakeMs });
  const client = new Client(grpcTarget(path), sockets, {
    'grpc.initial_reconnect_backoff_ms': FIRST_BACKOFF_MS,
    'grpc.max_reconnect_backoff_ms': LONGEST_BACKOFF_MS,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    // Whether to send a call again is for those to say who know what it did.
    'grpc.enable_retries': 0,
  });
  let isClosed = false;
  let underWay = 0;
  const sendOnce = (
    path: string,
    request: Buffer,
    rpc: string,
    { signal, deadline }: { signal: AbortSignal | undefined; deadline: number },
  ): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      let isLate = false;
      const cancel = (): void => call.cancel();
      const leftMs = Math.max(0, deadline - clock.now());
      // gRPC's own deadline is a time of the wall clock, which may be set while the call runs: it tells the server, no more.
      const late = clock.setTimeout(() => {
        isLate = true;
        cancel();
      }, leftMs);
      const call = client.makeUnaryRequest(
        path,
        asIs,
        asIs,
        request,
        new Metadata(),
        { deadline: Date.now() + leftMs + TOLD_LATER_MS },
        (error, response) => {
          clock.clearTimeout(late);
          signal?.removeEventListener('abort', cancel);
          if (isLate) reject(new StatusError(Code.DeadlineExceeded, `${rpc} was not answered by its deadline`));
          else if (error !== null) reject(statusOf(error));
          else if (response === undefined) reject(new StatusError(Code.Internal, `no answer to ${rpc}`));
          else resolve(response);
        },
      );
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  /**
   * A call is sent once. It was not sent if gRPC says so, or if the server has answered on none of the connections that
   * were opened meanwhile: a lost one may be reported when the next one exists already.
   */
  const send = async (path: string, request: Buffer, rpc: string, options: CallOptions): Promise<Buffer> => {
    const { signal } = options;
    const startedAt = clock.now();
    const deadline = startedAt + (options.timeoutMs ?? timeoutMs(rpc));
    const { taken } = sockets;
    for (;;) {
      const { shaken } = sockets;
      const isConnected = client.getChannel().getConnectivityState(false) === connectivityState.READY;
      try {
        return await sendOnce(path, request, rpc, { signal, deadline });
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        const isWaiting = !isConnected && sockets.shaken === shaken;
        const isUnsent = sockets.taken > taken && (isWaiting || NEVER_SENT.test(error.message));
        const isOver = isClosed || clock.now() >= Math.min(deadline, startedAt + HANDSHAKES_MS);
        const isLost = error.code === Code.Unavailable && !NOBODY_THERE.test(error.message);
        if (!isUnsent || isOver || !isLost) throw error;
        await clock.sleep(FIRST_BACKOFF_MS, signal);
      }
    }
  };
  const release = (): void => {
    if (isClosed && underWay === 0) sockets.close();
  };
  return {
    async call(method, request, options = {}) {
      if (isClosed) throw new StatusError(Code.Unavailable, 'the connection is closed');
      const body = asBuffer(method.request.encode(request));
      underWay += 1;
      const bytes = await send(method.path, body, method.name, options).finally(() => {
        underWay -= 1;
        release();
      });
      const response = method.response.decode(bytes);
      // Old versions have a field for it; the reference never sets it, others may.
      const failure = 'error' in response ? response.error : undefined;
      if (typeof failure === 'string' && failure !== '') throw new StatusError(Code.Unknown, failure);
      return response;
    },
    close() {
      isClosed = true;
      client.close();
      release();
    },
  };
}

function statusOf({ code, details, message }: ServiceError): StatusError {
  const known = Object.values(Code).find((each) => each === code) ?? Code.Unknown;
  return new StatusError(known, details || message);
}
