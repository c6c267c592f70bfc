// A cloud on loopback for tests and for trying things out: Keystone v3 and Neutron v2.0 over HTTP, in memory.
//
// What it does not do: policies and roles (whoever has a scoped token may do everything, and a token without scope is
// refused by Keystone only), any service but these two, subnet pools, address scopes, floating IPs, trunks, address
// groups, quality of service, RBAC, prefixes without room for a gateway; no agent wires a port: whatever has a host is
// ACTIVE, as is an interface of a router; routers have no routes or flavors of their own, and those that are
// distributed or highly available differ only in what their interfaces are called; Keystone's complaints about a body
// end after their first line, and where the real one of this release breaks off without an answer (a project is renamed
// to a name that is taken) this one says 409; the order in which several faults of one body are found may differ, and
// by how much a revision grows. Nothing outlives it.
import { type CloudOptions, type SimulatedCloud, simulatedCloud } from './cloud.ts';
import { type ServedCall, SimulatorServer } from './server.ts';

export interface SimulatorOptions extends CloudOptions {
  /** On 127.0.0.1; 0, the default, for any that is free. */
  port?: number;
  /** Where clients find it, when something stands before it: `http://127.0.0.1:8080`. */
  publicOrigin?: string;
  /** Told of every request after it was done and before it is answered; not of those that a fault answers. Must not throw. */
  onServed?: (call: ServedCall) => void;
  /** Time that every request takes, in milliseconds; 0 by default. */
  latencyMs?: number;
}

export interface Simulator extends Omit<SimulatedCloud, 'authUrl' | 'newUuid' | 'parse' | 'answer'> {
  /** Keystone's URL, with its version. */
  readonly authUrl: string;
  /** Where it listens, whatever stands before it. */
  readonly port: number;
  setLatency(latencyMs: number): void;
  /** Number of requests so far, by e.g. `network GET /networks/{id}`. */
  calls(): Readonly<Record<string, number>>;
  /** Most requests that were served at the same time. */
  mostInFlight(): number;
  /** Starts `calls` and `mostInFlight` afresh. */
  resetCounts(): void;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a simulated cloud. There are the domain `Default` (id `default`), the projects `admin` and `service`, and the
 * user `admin` with password `secret`.
 *
 * @returns once the port is open
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, port = 0, publicOrigin, onServed } = options;
  let { latencyMs = 0 } = options;
  const cloud = simulatedCloud(options, () => publicOrigin ?? `http://127.0.0.1:${server.port}`);
  const server = new SimulatorServer({ clock, cloud, latencyMs: () => latencyMs, onServed });
  await server.listen(port);
  return {
    ...cloud,
    authUrl: cloud.authUrl(),
    port: server.port,
    setLatency(newLatencyMs) {
      latencyMs = newLatencyMs;
    },
    calls: () => server.calls,
    mostInFlight: () => server.mostInFlight,
    resetCounts: () => server.resetCounts(),
    close: () => server.close(),
  };
}
