// Processing of every call, in any group: concurrency limit, timeout, status, metrics and logs.
//
// Invariants:
//   CSI-CALLS-1. Nothing that a handler throws, or that a client sends, ends the process.
//   CSI-CALLS-2. A slot is always released when the work ends, not when its caller disconnects: the host continues, and
//       uses it.
//   CSI-CALLS-3. A call without a waiting caller is never started.
//   CSI-CALLS-4. No secret of a request is ever logged or returned to the caller, which may log it.
import type { Logger } from 'pino';
import type { Clock } from '../../../bus/time.ts';
import { isRead } from '../base/limits.ts';
import { Code, StatusError } from '../base/status.ts';
import type { MessageType, Method } from '../codec/mod.ts';
import { subjectOf, withoutSecrets } from './audit.ts';
import type { CallLimiter } from './call-limiter.ts';
import type { WireStatus } from './http2/unary-call.ts';
import type { UnaryCall, UnaryServer } from './http2/unary-server.ts';
import type { Metrics } from './metrics.ts';
import type { CallContext, GrpcServer } from './runtime.ts';
import type { TimeLimits } from './time-limits.ts';

/** A message travels in a header, percent-encoded, and clients refuse long headers. In UTF-16 units. */
const LONGEST_MESSAGE = 2_000;

export interface CallsDeps {
  readonly group: string;
  readonly version: string;
  /** Server that receives the calls. */
  readonly server: UnaryServer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly gate: CallLimiter;
  /** Why no call is begun any more; undefined: they are. */
  refusal(): StatusError | undefined;
  readonly timeLimits: TimeLimits;
  limitMs(rpc: string): number;
}

/** Takes the calls of one version of one group. Messages are decoded and encoded here, so that a failure is counted like any other. */
export function grpcCalls(deps: CallsDeps): GrpcServer {
  return {
    handle(method, handler) {
      deps.server.handle(method.path, unary(deps, method, handler));
    },
  };
}

function unary<Request extends object, Response extends object>(
  deps: CallsDeps,
  method: Method<Request, Response>,
  handler: (context: CallContext, request: Request) => Promise<Response>,
): (call: UnaryCall) => void {
  const { clock, gate } = deps;
  const record = recorder(deps, method);
  const limitMs = deps.limitMs(method.name);
  return (call) => {
    const refusal = deps.refusal();
    if (refusal !== undefined) return call.answer(wireStatus(refusal));
    let request: Request;
    try {
      request = method.request.decode(call.request);
    } catch (error) {
      const why = `the request is no ${method.request.name}: ${messageOf(error)}`;
      return call.answer(wireStatus(new StatusError(Code.Internal, why)));
    }
    const startedAt = clock.now();
    const context = new Context(call, record.log);
    record.started();
    let open = true;
    const end = (outcome: StatusError | Uint8Array): void => {
      if (!open) return;
      open = false;
      letBe();
      letDeadlineBe();
      const error = outcome instanceof StatusError ? outcome : undefined;
      record.ended(request, error, clock.now() - startedAt);
      call.answer(outcome instanceof StatusError ? onTheWire(outcome, method.request, request) : outcome);
    };
    const work = async (): Promise<void> => {
      try {
        const stopped = deps.refusal();
        if (stopped !== undefined) throw stopped;
        end(method.response.encode(await handler(context, request)));
      } catch (error) {
        if (!(error instanceof StatusError)) record.unexpected(request, error);
        end(error instanceof StatusError ? error : new StatusError(Code.Unknown, messageOf(error)));
      } finally {
        gate.leave();
      }
    };
    const giveUp = (code: Code, why: string): void => {
      leaveLine?.();
      end(new StatusError(code, why));
      context.abort();
    };
    const letBe = deps.timeLimits.start(limitMs, () => {
      giveUp(Code.DeadlineExceeded, `${method.name} took longer than ${limitMs} ms; its work may still be done`);
    });
    const letDeadlineBe = atDeadline(clock, startedAt, call.deadlineAt, limitMs, () => {
      giveUp(Code.DeadlineExceeded, 'the caller waits no more');
    });
    const leaveLine = gate.enter(() => void work());
    if (leaveLine === undefined) {
      return giveUp(Code.ResourceExhausted, `too many calls of group ${deps.group} are queued; try again later`);
    }
    call.onGone = () => {
      const late = (call.deadlineAt ?? Number.POSITIVE_INFINITY) <= clock.now();
      giveUp(late ? Code.DeadlineExceeded : Code.Cancelled, 'the caller waits no more');
    };
  };
}

/** A caller's own deadline needs a timer only if it comes before the limit. @returns how to let it be */
function atDeadline(
  clock: Clock,
  startedAt: number,
  deadlineAt: number | undefined,
  limitMs: number,
  late: () => void,
): () => void {
  if (deadlineAt === undefined || deadlineAt >= startedAt + limitMs) return () => undefined;
  const timer = clock.setTimeout(late, deadlineAt - startedAt);
  return () => clock.clearTimeout(timer);
}

/** Metrics and logs of a call. */
function recorder<Request extends object>(
  { group, version, log: parent, metrics }: CallsDeps,
  { name: rpc, path, request: type, isDeprecated }: Method<Request, object>,
) {
  const log = parent.child({ group, version, rpc });
  const figures = metrics.method(path.slice(1, path.lastIndexOf('/')), rpc);
  const level = isRead(rpc) ? 'debug' : 'info';
  let isFirst = true;
  return {
    log,
    started(): void {
      figures.started();
      if (!isDeprecated) return;
      metrics.deprecated(group, version, rpc);
      if (isFirst) log.warn('deprecated call');
      isFirst = false;
    },
    ended(request: Request, error: StatusError | undefined, durationMs: number): void {
      figures.ended(error?.code ?? Code.Ok, durationMs);
      if (!log.isLevelEnabled(level)) return;
      const fields = { subject: subjectOf(request), code: error?.code ?? Code.Ok, durationMs: Math.round(durationMs) };
      if (error === undefined) log[level](fields, 'call done');
      else log[level]({ ...fields, reason: withoutSecrets(error.message, type, request) }, 'call failed');
    },
    unexpected(request: Request, error: unknown): void {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error({ reason: withoutSecrets(text, type, request) }, 'call failed with an internal error');
    },
  };
}

/** Most calls ask for none of it, so it is made when they do. */
class Context implements CallContext {
  readonly log: Logger;
  readonly deadlineAt: number | undefined;
  #abort: AbortController | undefined;
  #isOver = false;

  constructor({ deadlineAt }: UnaryCall, log: Logger) {
    this.deadlineAt = deadlineAt;
    this.log = log;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isOver) this.#abort.abort();
    return this.#abort.signal;
  }

  abort(): void {
    this.#isOver = true;
    this.#abort?.abort();
  }
}

/** A lone surrogate cannot be percent-encoded, which would throw uncaught (CSI-CALLS-1). */
function wireStatus({ code, message }: StatusError): WireStatus {
  return { code, details: message.slice(0, LONGEST_MESSAGE).toWellFormed() };
}

/** For a parsed request: Windows may repeat its arguments (CSI-CALLS-4). */
function onTheWire<Request extends object>(
  { code, message }: StatusError,
  type: MessageType<Request>,
  request: Request,
): WireStatus {
  return wireStatus(new StatusError(code, withoutSecrets(message, type, request)));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
