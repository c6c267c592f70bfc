// An Ironic on loopback for tests, benchmarks and for trying things out, with the machines behind it, in memory. Its
// states, times, texts and codes are those that Ironic 39 was seen to have with Redfish machines.
//
// What it does not do: allocations, chassis, port groups, traits, runbooks, deploy templates, volumes, consoles, rescue,
// holds, child nodes, protected and retired nodes, boot devices, boot modes, indicators, lookups, heartbeats and
// inspection callbacks (its agents are within); roles; more than one conductor, and limits of how much one does at a
// time; steps other than those of steps.ts, priorities of steps, what validates their arguments; RAID that changes the
// disks that an inspection finds; checksums that are read from an address. Schema errors have the first line of the
// real one's text; the order in which several faults of one request are found may differ. Drivers beside `fake-hardware`
// and `redfish` are made after their documentation, not after the real ones. Unless it is given
// a file nothing outlives it; what was under way when it ended has failed then.
import type { RequestListener } from 'node:http';
import { TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { type IronicOptions, type SimulatedIronic, simulatedIronic } from './ironic.ts';
import { KeptFile, readKept } from './kept-file.ts';
import { IronicServer, type ServedCall } from './server.ts';

export interface SimulatorOptions extends Omit<IronicOptions, 'kept'> {
  /** Keeps Ironic, its machines and its port in this file; a later start continues with them. Due work waits for a request. */
  readonly file?: string;
  readonly clock: Clock;
  /** On 127.0.0.1; 0, the default, for any that is free. `none`: requests come by `handle` alone. */
  readonly port?: number | 'none';
  /** Address for clients, when a proxy stands before it: `http://127.0.0.1:8080`. */
  readonly publicOrigin?: string;
  /** Told of every request after it was done and before it is answered; not of those that a fault answers. Must not throw. */
  readonly onServed?: (call: ServedCall) => void;
  /** Time that every request takes, in milliseconds; 0 by default. */
  readonly latencyMs?: number;
}

export interface Simulator extends Omit<SimulatedIronic, 'handle' | 'newUuid' | 'kept'> {
  /** Ironic's URL, with its version and a slash: `http://127.0.0.1:6385/v1/`. */
  readonly endpoint: string;
  /** Address that it listens on, without a proxy; 0: nowhere. */
  readonly port: number;
  /** Answers a request, however it came. */
  readonly handle: RequestListener;
  setLatency(latencyMs: number): void;
  /** Number of requests so far, by e.g. `GET /nodes/{id}`. */
  calls(): Readonly<Record<string, number>>;
  /** Most requests that were served at the same time. */
  mostInFlight(): number;
  /** Requests whose callers disconnected before the answer, or whose connections a fault has cut. */
  abandoned(): number;
  /** Starts these counts afresh. */
  resetCounts(): void;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a simulated Ironic.
 *
 * @returns once the port is open
 * @throws {TerminalError} the file is damaged, or its port is taken
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, file: path, publicOrigin, onServed } = options;
  let { latencyMs = 0 } = options;
  const origin = (): string => publicOrigin ?? `http://127.0.0.1:${server.port}`;
  const kept = path === undefined ? undefined : await readKept(path);
  const ironic = simulatedIronic({ ...options, ...(kept !== undefined && { kept }) }, origin);
  let file: KeptFile | undefined;
  const settled = async (): Promise<void> => file?.settled();
  const server = new IronicServer({ clock, ironic, latencyMs: () => latencyMs, onServed, settled });
  const port = kept?.port ?? options.port ?? 0;
  if (port !== 'none')
    await server.listen(port).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || kept === undefined) throw error;
      const what = `the simulated Ironic of '${path}' is at port ${kept.port}, and cannot be served there`;
      const remedy = `end what listens there ('lsof -i :${kept.port}' names it), or begin a new folder with --data`;
      throw new TerminalError(`${what} (${message}): ${remedy}`, { cause: error });
    });
  try {
    if (path !== undefined) file = new KeptFile({ path, port: server.port, kept: () => ironic.kept() });
    await settled();
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    ...ironic,
    endpoint: `${origin()}/v1/`,
    port: server.port,
    handle: server.handle,
    setLatency(newLatencyMs) {
      latencyMs = newLatencyMs;
    },
    calls: () => server.calls,
    mostInFlight: () => server.mostInFlight,
    abandoned: () => server.abandoned,
    resetCounts: () => server.resetCounts(),
    async close() {
      await server.close();
      await settled();
    },
  };
}
