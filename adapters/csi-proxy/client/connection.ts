// Interface between generated clients and the connection under them.
import type { Method } from '../codec/message.ts';

export interface CallOptions {
  /**
   * Timeout in milliseconds, after which the call ends with `DEADLINE_EXCEEDED`; the default of the connection if
   * unset.
   */
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
