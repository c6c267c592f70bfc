// The process that serves: a gRPC server for each version of each group, each on its own pipe, and one server of the group
// behind all its versions.
//
// Invariants:
//   CSI-CSI-PROXY-SERVER-1. All pipes are served or none is.
//   CSI-CSI-PROXY-SERVER-2. When one pipe fails, all are closed.
//   CSI-CSI-PROXY-SERVER-3. Stopping begins no call, lets those finish that run, within a limit, and then closes the pipes. Closed before, a
//       named pipe would keep new clients waiting for as long as others are connected.
import type { Logger } from 'pino';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { callLimitMs } from '../base/limits.ts';
import { pipePath } from '../base/pipes.ts';
import { Code, StatusError } from '../base/status.ts';
import { CallLimiter } from './call-limiter.ts';
import { grpcCalls } from './calls.ts';
import { Guard, type GuardLimits } from './http2/guard.ts';
import { type UnaryLimits, UnaryServer } from './http2/unary-server.ts';
import { type Listener, listen } from './listener.ts';
import type { Metrics } from './metrics.ts';
import type { RegisteredAPI } from './runtime.ts';
import { TimeLimits } from './time-limits.ts';

export interface ServerLimits extends GuardLimits, UnaryLimits {
  /** Calls of a group that run at a time, whichever version they came by. */
  readonly callsPerGroup: number;
  /** Maximum number of waiting calls of a group; further ones are rejected. */
  readonly waitingPerGroup: number;
}

export const SERVER_LIMITS: ServerLimits = {
  requestBytes: 4 * 2 ** 20,
  callsPerGroup: 64,
  waitingPerGroup: 1_024,
  callsPerConnection: 256,
  connectionsPerPipe: 1_024,
  connections: 4_096,
  handshakeMs: 10_000,
  idleMs: 300_000,
  requestMs: 10_000,
  unfinishedRequests: 1_024,
  heldBytes: 64 * 2 ** 20,
  heldBytesPerConnection: 16 * 2 ** 20,
};

export interface CsiProxyServerDeps {
  /** Versions of each group; those of one share its concurrency limit. */
  readonly groups: readonly (readonly RegisteredAPI[])[];
  readonly pipePrefix?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** That of a group's calls; `log` unless told. */
  readonly logOf?: (group: string) => Logger;
  readonly metrics: Metrics;
  readonly limits?: ServerLimits;
  /** Timeout of a call by its name, in milliseconds. */
  readonly limitMs?: (rpc: string) => number;
}

export interface ServedPipe {
  readonly group: string;
  readonly version: string;
  readonly path: string;
}

interface Serving extends ServedPipe {
  readonly gate: CallLimiter;
  readonly server: UnaryServer;
  readonly listener: Listener;
}

export class CsiProxyServer {
  readonly #deps: CsiProxyServerDeps;
  readonly #limits: ServerLimits;
  readonly #timeLimits: TimeLimits;
  readonly #guard: Guard;
  readonly #ended = Promise.withResolvers<void>();
  #serving: readonly Serving[] | undefined;
  #isStopping = false;

  constructor(deps: CsiProxyServerDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? SERVER_LIMITS;
    this.#timeLimits = new TimeLimits(deps.clock);
    this.#guard = new Guard(this.#limits);
    deps.metrics.watch(this.#guard);
  }

  /** Whether calls are taken. */
  get isServing(): boolean {
    return this.#serving !== undefined && !this.#isStopping;
  }

  get pipes(): readonly ServedPipe[] {
    return (this.#serving ?? []).map(({ group, version, path }) => ({ group, version, path }));
  }

  /** Resolves when the server has stopped. @throws {TerminalError} a pipe failed */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** @throws {TerminalError} names every pipe that cannot be served; then none is (CSI-CSI-PROXY-SERVER-1) */
  async start(): Promise<void> {
    if (this.#serving !== undefined) throw new TerminalError('server already started');
    this.#serving = [];
    const opened = await Promise.allSettled(this.#apis().map(([api, gate]) => this.#open(api, gate)));
    this.#serving = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failures = opened.flatMap((result) => (result.status === 'rejected' ? [String(result.reason?.message)] : []));
    if (failures.length === 0) return;
    await this.stop(0);
    throw new TerminalError(failures.join('; '));
  }

  /** Resolves when nothing is open any more. What still runs after `drainMs` loses its caller. */
  async stop(drainMs: number): Promise<void> {
    if (this.#serving === undefined) throw new TerminalError('server not started yet');
    this.#isStopping = true;
    const drained = new AbortController();
    void Promise.all(this.#serving.map(drain)).then(() => drained.abort());
    await this.#deps.clock.sleep(drainMs, drained.signal);
    await Promise.all(this.#serving.map(cut));
    this.#timeLimits.close();
    this.#ended.resolve();
  }

  #apis(): [RegisteredAPI, CallLimiter][] {
    const { callsPerGroup, waitingPerGroup } = this.#limits;
    return this.#deps.groups.flatMap((versions) => {
      const gate = new CallLimiter({ running: callsPerGroup, waiting: waitingPerGroup });
      return versions.map((api): [RegisteredAPI, CallLimiter] => [api, gate]);
    });
  }

  async #open({ group, version, registrant }: RegisteredAPI, gate: CallLimiter): Promise<Serving> {
    const { clock, logOf = () => this.#deps.log, metrics, pipePrefix, limitMs = callLimitMs } = this.#deps;
    const log = logOf(group);
    const timeLimits = this.#timeLimits;
    const path = pipePath(group, version, pipePrefix);
    const figures = metrics.pipe(group, version);
    const pipeLog = log.child({ group, version });
    let mended = 0;
    const server = new UnaryServer({
      pipe: path,
      clock,
      timeLimits,
      guard: this.#guard,
      limits: this.#limits,
      onClosing(why, error) {
        figures.closed(why);
        pipeLog[error === undefined ? 'debug' : 'warn']({ why, reason: error?.message }, 'connection closed');
      },
      onRefusal(why) {
        figures.refused(why);
        pipeLog.debug({ why }, 'request refused');
      },
      onMended() {
        figures.mended();
        if (++mended === 1) pipeLog.info('a client sends an authority that is none, as old versions of gRPC do');
      },
    });
    const refusal = () => (this.#isStopping ? new StatusError(Code.Unavailable, 'the server is stopping') : undefined);
    registrant.register(grpcCalls({ group, version, server, clock, log, metrics, gate, refusal, limitMs, timeLimits }));
    const listener = await listen({
      path,
      clock,
      onConnection: (socket) => server.accept(socket),
      onFailure: (error) =>
        void this.#fail(new TerminalError(`${group} ${version}: ${error.message}`, { cause: error })),
    });
    return { group, version, path, gate, server, listener };
  }

  async #fail(error: TerminalError): Promise<void> {
    this.#ended.reject(error);
    await this.stop(0);
  }
}

/** Waits for what runs, then says good-bye on every connection and waits until each is closed. */
async function drain({ gate, listener, server }: Serving): Promise<void> {
  await gate.idle();
  listener.close();
  await server.drain();
}

async function cut({ listener, server }: Serving): Promise<void> {
  listener.close();
  await server.cut();
}
