// Calls to an external system over HTTP: bounded by the deadline of the operation, counted, and with errors that say what to do.
import {
  AbsentError,
  ConflictError,
  Fault,
  TerminalError,
  TransientError,
  UnknownOutcomeError,
} from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { Json } from '../../../machines/object.ts';
import { retryAfterMs } from '../../text/retry-after.ts';
import type { ServePorts } from '../adapter.ts';

/**
 * A signal that is aborted at the deadline of an operation. Deadlines are whole milliseconds since the epoch.
 *
 * @returns `release` is called when the call has ended
 * @example
 * const { signal, release } = deadlineSignal(request, clock);
 * try {
 *   await fetch(url, { signal });
 * } finally {
 *   release();
 * }
 */
export function deadlineSignal(
  { deadlineAt }: Pick<OperationRequest, 'deadlineAt'>,
  clock: Pick<Clock, 'now' | 'setTimeout' | 'clearTimeout'>,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const leftMs = Math.floor(deadlineAt - clock.now());
  if (leftMs <= 0) controller.abort();
  const timer = leftMs > 0 ? clock.setTimeout(() => controller.abort(), leftMs) : undefined;
  return { signal: controller.signal, release: () => timer !== undefined && clock.clearTimeout(timer) };
}

/**
 * Error for an answer of an external system. Errors and when to throw them:
 *
 * | error | when | effect |
 * | --- | --- | --- |
 * | `AbsentError` | it does not exist (404) | `observe` and `remove` turn it into "gone" |
 * | `ConflictError` | another client was faster (409, 412) | read and decide again |
 * | `TerminalError` | the request is rejected (400, 422) | nothing is tried until the spec changes |
 * | `TransientError`, `fault: 'credentials'` | 401, 403 | retried; the Secret is named as the cause |
 * | `TransientError` | 429, 5xx | retried with backoff |
 * | `UnknownOutcomeError` | a request was sent and has no answer | it may have been done: looked up before it is sent again |
 *
 * @param message  for people; no secret
 */
export function errorOf(status: number, message: string, pauseMs?: number): Error {
  if (status === 404 || status === 410) return new AbsentError(message);
  if (status === 409 || status === 412) return new ConflictError(message);
  if (status === 401 || status === 403) return new TransientError(message, { fault: Fault.Credentials });
  if (status === 429 || status >= 500) return new TransientError(message, { retryAfterMs: pauseMs });
  return new TerminalError(message);
}

/** Dependencies of `jsonClient`: the ports of `serve`, and what it calls. */
export interface JsonClientDeps extends Pick<ServePorts, 'clock' | 'onCall' | 'version'> {
  /** Name of the system in metrics: `powerdns`. */
  readonly service: string;
  readonly fetch: typeof globalThis.fetch;
}

/** One call of `jsonClient`. */
export interface JsonCall {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** Request of the operation that makes the call. */
  readonly request: Pick<OperationRequest, 'deadlineAt' | 'traceparent'>;
}

/**
 * A client for JSON over HTTP.
 *
 * @returns what was answered; undefined: nothing
 * @throws as {@link errorOf}
 * @example const call = jsonClient({ ...ports, service: 'lamps', fetch }); await call({ method: 'GET', url, request })
 */
export function jsonClient({
  service,
  fetch,
  clock,
  onCall,
  version,
}: JsonClientDeps): (call: JsonCall) => Promise<Json | undefined> {
  return async ({ method, url, headers = {}, body, request }) => {
    const startedAt = clock.now();
    const { signal, release } = deadlineSignal(request, clock);
    const what = `${method} ${url.pathname}`;
    let status: number | undefined;
    let text: string;
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        signal,
        headers: {
          accept: 'application/json',
          'user-agent': `troupe/${version}`,
          traceparent: request.traceparent,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      text = await response.text();
      status = response.status;
    } catch (error) {
      const message = `${service} did not answer ${what}`;
      const isSent = method !== 'GET' && !isRefused(error);
      if (isSent) throw new UnknownOutcomeError(message, { cause: error, fault: Fault.Unreachable });
      throw new TransientError(message, { cause: error, fault: Fault.Unreachable });
    } finally {
      release();
      onCall({
        service,
        method,
        path: url.pathname,
        durationMs: clock.now() - startedAt,
        traceparent: request.traceparent,
        status,
      });
    }
    const answer = parsed(text);
    if (response.ok) return answer;
    const pause = retryAfterMs(response.headers.get('retry-after') ?? undefined, clock.now());
    throw errorOf(status, `${service} refuses ${what} with ${status}${reasonIn(answer)}`, pause);
  };
}

/** Nothing listens there, so nothing was sent. */
function isRefused(error: unknown): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || (cause instanceof Error && isRefused(cause));
}

function parsed(text: string): Json | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Names of the error message in the JSON of most systems. */
function reasonIn(answer: Json | undefined): string {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) return '';
  const { error, message, detail } = answer as Readonly<Record<string, Json>>;
  const said = [error, message, detail].find((each) => typeof each === 'string');
  return said === undefined ? '' : `: ${said}`;
}
