// The print shop's HTTP API, as the operations ask it.
import {
  AbsentError,
  type CallRecord,
  type Clock,
  ConflictError,
  type JsonObject,
  TerminalError,
  TransientError,
} from 'troupe/adapter';

export interface ShopDeps {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly onCall: (record: CallRecord) => void;
}

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly signal?: AbortSignal;
  /** Of the request of the operation. */
  readonly deadlineAt?: number;
  readonly traceparent: string;
}

export interface Shop {
  /** @throws {AbsentError} 404; {ConflictError} 409; {TerminalError} other 4xx; {TransientError} whatever may pass */
  ask(asked: Asked): Promise<Response>;
}

export function printShop({ url, fetch, clock, onCall }: ShopDeps): Shop {
  return {
    async ask({ method, path, body, signal, deadlineAt, traceparent }) {
      const begunAt = clock.now();
      const deadline = new AbortController();
      const timer =
        deadlineAt === undefined ? undefined : clock.setTimeout(() => deadline.abort(), deadlineAt - clock.now());
      let status: number | undefined;
      try {
        const response = await fetch(new URL(path, url), {
          method,
          signal: signal ?? deadline.signal,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        status = response.status;
        if (response.ok) return response;
        throw refusal(status, ((await response.json()) as { message: string }).message);
      } catch (error) {
        // No answer: what was asked for may be done all the same, so nothing is said of when it lands.
        if (status === undefined) throw new Error(`the print shop did not answer ${method} ${path}`, { cause: error });
        throw error;
      } finally {
        if (timer !== undefined) clock.clearTimeout(timer);
        const durationMs = clock.now() - begunAt;
        onCall({ service: 'print-shop', method, path: path.split('?')[0] ?? path, status, durationMs, traceparent });
      }
    },
  };
}

function refusal(status: number, message: string): Error {
  if (status === 404) return new AbsentError(message);
  if (status === 409) return new ConflictError(message);
  return status < 500 ? new TerminalError(message) : new TransientError(message);
}
