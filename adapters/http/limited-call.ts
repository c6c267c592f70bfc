// Calls to an external system, through its circuit breaker and its concurrency limiter.
//
// Invariants:
//   HTTP-LIMITED-CALL-1. Nothing is sent without a slot, nor while the circuit breaker of the service is open.
//   HTTP-LIMITED-CALL-2. Every request is always recorded after its end, whatever its outcome.
//   HTTP-LIMITED-CALL-3. A pause that one response requests never makes a call wait beyond its deadline.
import { TransientError, toErrorData } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';
import { parseTraceparent } from '../../bus/trace-context.ts';
import type { CallRecord } from '../api/adapter.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface CallingDeps {
  readonly clock: Clock;
  readonly gate: ConcurrencyLimiter;
  readonly transport: Transport;
  readonly onCall: ((record: CallRecord) => void) | undefined;
}

/** A call, and for whom it is made. */
export interface Calling {
  /** For people and records. */
  readonly service: string;
  /** Without its query, for records. */
  readonly path: string;
  readonly request: Omit<TransportRequest, 'onHeard'>;
  /** Longest time between sending and the end of the answer, in milliseconds; until the deadline unless stated. */
  readonly timeoutMs?: number;
  /** Circuit breaker of the service. */
  readonly outage: CircuitBreaker;
  readonly namespace: string;
  /** Trace context of the object that the call is made for; empty if there is none. */
  readonly traceparent: string;
  /** `first`: other calls wait for this one. */
  readonly turn?: 'first';
}

/** Longest that one answer makes the calls of a namespace to its system wait, in milliseconds. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Waits for the call's turn and sends it.
 *
 * @throws as `Transport.exchange`; {TransientError} no slot was free, or the service does not answer anybody
 */
export async function callLimited(deps: CallingDeps, calling: Calling): Promise<TransportResponse> {
  const { request, outage, namespace, traceparent, turn } = calling;
  outage.check();
  const entry = await deps.gate.enter({
    namespace,
    object: objectOf(traceparent),
    kind: request.method,
    deadlineAt: request.deadlineAt,
    ...(turn !== undefined && { turn }),
  });
  if (request.stream !== undefined) {
    // A stream has no time limit: slots are for short calls, and a failure may be that of the stream's source.
    entry.leave('outcomeUnknown');
    return exchange(deps, calling, () => undefined);
  }
  let isHeard = false;
  const onHeard = (): void => {
    isHeard = true;
  };
  try {
    // It may have gone while the call waited.
    const trial = outage.begin(request.deadlineAt);
    return await exchange(deps, calling, onHeard).then(
      (answer) => {
        onHeard();
        trial.answered();
        return answer;
      },
      (error: unknown) => {
        if (isHeard) trial.answered();
        else trial.failed(toErrorData(error).message);
        throw error;
      },
    );
  } finally {
    entry.leave(isHeard ? 'answered' : 'outcomeUnknown');
  }
}

async function exchange(
  { clock, gate, transport, onCall }: CallingDeps,
  { service, path, request, timeoutMs = Number.POSITIVE_INFINITY, outage, namespace, traceparent }: Calling,
  onHeard: () => void,
): Promise<TransportResponse> {
  const { method } = request;
  const startedAt = clock.now();
  const deadlineAt = Math.min(request.deadlineAt, startedAt + timeoutMs);
  /** The service alone: what it says holds for no other one. */
  const leaveAlone = (retryAfterMs = 0): void => {
    if (retryAfterMs > 0) outage.rest(retryAfterMs, service);
  };
  let status: number | undefined;
  let requestId: string | undefined;
  try {
    const answer = await transport.exchange({ ...request, deadlineAt, onHeard });
    ({ status, requestId } = answer);
    const { retryAfterMs = 0 } = answer;
    // A 429 slows down only the namespace that received it.
    // mutant: pause-as-long-as-told ().1 -> $1
    if (status === 429 && retryAfterMs > 0) gate.pause(Math.min(retryAfterMs, LONGEST_PAUSE_MS), namespace);
    if (status === 503) leaveAlone(retryAfterMs);
    return answer;
  } catch (error) {
    // A gateway says it in words of its own.
    if (error instanceof TransientError) leaveAlone(error.retryAfterMs);
    throw error;
  } finally {
    const named = requestId !== undefined && { requestId };
    onCall?.({ service, method, path, status, durationMs: clock.now() - startedAt, traceparent, ...named });
  }
}

/** A trace is one object's, and its id begins with a generation of 8 digits. */
function objectOf(traceparent: string): string {
  return parseTraceparent(traceparent)?.traceId.slice(8) ?? '';
}

/** Headers that carry a trace, its id as `X-OpenStack-Request-ID: req-<uuid>` too. What is malformed is left out. */
export function tracing(traceparent: string): Readonly<Record<string, string>> {
  const hex = parseTraceparent(traceparent)?.traceId;
  if (hex === undefined) return {};
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { traceparent, 'x-openstack-request-id': `req-${uuid}` };
}
