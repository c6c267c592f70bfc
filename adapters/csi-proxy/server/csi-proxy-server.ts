// The process that serves: a gRPC server for each version of each group, each on its own pipe, and one server of the group
// behind all its versions.
//
// Invariants:
//   S1. All pipes are served or none is.
//   S2. When one pipe fails, all are closed.
//   S3. Stopping begins no call, lets those finish that run, within a limit, and then closes the pipes. Closed before, a
//       named pipe would keep new clients waiting for as long as others are connected.

import type { Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { callLimitMs } from '../limits.ts';
import { pipePath } from '../pipes.ts';
import { Code, StatusError } from '../status.ts';
import { grpcCalls } from './calls.ts';
import { Gate } from './gate.ts';
import { type Listener, listen } from './listener.ts';
import type { Metrics } from './metrics.ts';
import type { RegisteredAPI } from './runtime.ts';
import { TimeLimits } from './time-limits.ts';

export interface ServerLimits {
  /** Longest request, in bytes. */
  readonly requestBytes: number;
  /** Calls of a group that run at a time, whichever version they came by. */
  readonly callsPerGroup: number;
  /** Calls of a group that wait for their turn; one more is refused. */
  readonly waitingPerGroup: number;
  /** Calls under way on one connection; a client keeps back what is more. */
  readonly callsPerConnection: number;
  readonly connectionsPerPipe: number;
}

export const SERVER_LIMITS: ServerLimits = {
  requestBytes: 4 * 2 ** 20,
  callsPerGroup: 64,
  waitingPerGroup: 1_024,
  callsPerConnection: 256,
  connectionsPerPipe: 1_024,
};

export interface CsiProxyServerDeps {
  /** The versions of each group; those of one share its turns. */
  readonly groups: readonly (readonly RegisteredAPI[])[];
  readonly pipePrefix?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** That of a group's calls; `log` unless told. */
  readonly logOf?: (group: string) => Logger;
  readonly metrics: Metrics;
  readonly limits?: ServerLimits;
  /** How long a call may take, by its name, in milliseconds. */
  readonly limitMs?: (rpc: string) => number;
}

export interface ServedPipe {
  readonly group: string;
  readonly version: string;
  readonly path: string;
}

interface Serving extends ServedPipe {
  readonly gate: Gate;
  readonly server: Server;
  readonly listener: Listener;
  readonly sockets: Set<Socket>;
}

export class CsiProxyServer {
  readonly #deps: CsiProxyServerDeps;
  readonly #limits: ServerLimits;
  readonly #timeLimits: TimeLimits;
  readonly #ended = Promise.withResolvers<void>();
  #serving: readonly Serving[] | undefined;
  #isStopping = false;

  constructor(deps: CsiProxyServerDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? SERVER_LIMITS;
    this.#timeLimits = new TimeLimits(deps.clock);
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

  /** @throws {TerminalError} names every pipe that cannot be served; then none is (S1) */
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

  #apis(): [RegisteredAPI, Gate][] {
    const { callsPerGroup, waitingPerGroup } = this.#limits;
    return this.#deps.groups.flatMap((versions) => {
      const gate = new Gate({ running: callsPerGroup, waiting: waitingPerGroup });
      return versions.map((api): [RegisteredAPI, Gate] => [api, gate]);
    });
  }

  async #open({ group, version, registrant }: RegisteredAPI, gate: Gate): Promise<Serving> {
    const { clock, logOf = () => this.#deps.log, metrics, pipePrefix, limitMs = callLimitMs } = this.#deps;
    const log = logOf(group);
    const timeLimits = this.#timeLimits;
    const { requestBytes, callsPerConnection, connectionsPerPipe } = this.#limits;
    const server = new Server({
      'grpc.max_receive_message_length': requestBytes,
      'grpc.max_concurrent_streams': callsPerConnection,
      'grpc.enable_channelz': 0,
    });
    const refusal = () => (this.#isStopping ? new StatusError(Code.Unavailable, 'the server is stopping') : undefined);
    registrant.register(grpcCalls({ group, version, server, clock, log, metrics, gate, refusal, limitMs, timeLimits }));
    // The sockets are this server's own, so that it can close them: gRPC only closes those it has heard from.
    const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
    const sockets = new Set<Socket>();
    const path = pipePath(group, version, pipePrefix);
    const listener = await listen({
      path,
      clock,
      connections: connectionsPerPipe,
      onConnection(socket) {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        injector.injectConnection(socket);
      },
      onFailure: (error) =>
        void this.#fail(new TerminalError(`${group} ${version}: ${error.message}`, { cause: error })),
    });
    return { group, version, path, gate, server, listener, sockets };
  }

  async #fail(error: TerminalError): Promise<void> {
    this.#ended.reject(error);
    await this.stop(0);
  }
}

/** Waits for what runs, then says good-bye on every connection and waits until each is closed. */
async function drain({ gate, listener, server, sockets }: Serving): Promise<void> {
  await gate.idle();
  listener.close();
  // gRPC's own answer may come before the last response is out.
  server.tryShutdown(() => undefined);
  await Promise.all([...sockets].map(closed));
}

async function cut({ listener, sockets }: Serving): Promise<void> {
  listener.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all([...sockets].map(closed));
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
