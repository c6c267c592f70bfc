// What generated clients and the connection under them agree on.
import type { Method } from '../codec/message.ts';

export interface CallOptions {
  /** Ends the call with `DEADLINE_EXCEEDED` after so many milliseconds; the default of the connection unless told. */
  readonly timeoutMs?: number;
  /** Ends the call with `CANCELLED`. */
  readonly signal?: AbortSignal;
}

/** A connection to the pipe of one version of one group. */
export interface Connection {
  /** @throws {StatusError} the call failed */
  call<Request extends object, Response extends object>(
    method: Method<Request, Response>,
    request: Partial<Request>,
    options: CallOptions | undefined,
  ): Promise<Response>;
  close(): void;
}
