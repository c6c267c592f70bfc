// A connection to a pipe, through gRPC. It is opened anew by itself when the server comes back.
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../../bus/time.ts';
import { asBuffer, asIs, grpcTarget } from '../grpc.ts';
import { callLimitMs } from '../limits.ts';
import { probePipe } from '../pipes.ts';
import { Code, StatusError } from '../status.ts';
import type { CallOptions, Connection } from './connection.ts';

/** Between two tries to open a pipe again, in milliseconds: a server that restarts is back at once. */
const FIRST_BACKOFF_MS = 20;
const LONGEST_BACKOFF_MS = 500;
/** A server's own time limit comes first, and says more. In milliseconds. */
const MARGIN_MS = 5_000;

export interface ConnectionDeps {
  readonly clock: Clock;
  /** How long a call may take unless told, by its name, in milliseconds. */
  readonly timeoutMs?: (rpc: string) => number;
}

/**
 * @throws {AbsentError} nobody serves there
 * @throws {TransientError} the pipe cannot be opened
 */
export async function openConnection(path: string, deps: ConnectionDeps): Promise<Connection> {
  await probePipe(path, deps);
  return connection(path, deps);
}

function connection(
  path: string,
  { clock, timeoutMs = (rpc) => callLimitMs(rpc) + MARGIN_MS }: ConnectionDeps,
): Connection {
  const client = new Client(grpcTarget(path), credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': FIRST_BACKOFF_MS,
    'grpc.max_reconnect_backoff_ms': LONGEST_BACKOFF_MS,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    // A call is sent once: whether to send it again is for those to say who know what it did.
    'grpc.enable_retries': 0,
  });
  let isClosed = false;
  const send = (path: string, request: Buffer, rpc: string, options: CallOptions): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const { signal } = options;
      const deadline = clock.now() + (options.timeoutMs ?? timeoutMs(rpc));
      const cancel = (): void => call.cancel();
      const call = client.makeUnaryRequest(
        path,
        asIs,
        asIs,
        request,
        new Metadata(),
        { deadline },
        (error, response) => {
          signal?.removeEventListener('abort', cancel);
          if (error !== null) reject(statusOf(error));
          else if (response === undefined) reject(new StatusError(Code.Internal, `no answer to ${rpc}`));
          else resolve(response);
        },
      );
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  return {
    async call(method, request, options = {}) {
      if (isClosed) throw new StatusError(Code.Unavailable, 'the connection is closed');
      const bytes = await send(method.path, asBuffer(method.request.encode(request)), method.name, options);
      const response = method.response.decode(bytes);
      // Old versions have a field for it; the reference never sets it, others may.
      const failure = 'error' in response ? response.error : undefined;
      if (typeof failure === 'string' && failure !== '') throw new StatusError(Code.Unknown, failure);
      return response;
    },
    close() {
      isClosed = true;
      client.close();
    },
  };
}

function statusOf({ code, details, message }: ServiceError): StatusError {
  const known = Object.values(Code).find((each) => each === code) ?? Code.Unknown;
  return new StatusError(known, details || message);
}
