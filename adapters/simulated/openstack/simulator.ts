// A cloud on loopback for tests and for trying things out: Keystone v3, Neutron v2.0, Nova v2.1, Cinder v3, Manila v2.0 and
// Glance v2 over HTTP, in memory.
//
// What it does not do: policies (roles are kept and assigned, and never required: a bearer of a scoped token
// may do everything, and a token without scope is refused by Keystone only), implied roles, members of groups, regions,
// any service but these six, subnet pools, address groups, quality of service, RBAC, prefixes without room for a
// gateway; no agent wires a port: whatever has a host is ACTIVE, as is an interface of a router; routers have no routes
// or flavors of their own, and those that are distributed or highly available differ only in what their interfaces are
// called; Keystone's complaints about a body end after their first line, and where the real one of this release breaks
// off without an answer (a project is renamed to a name that is taken) this one says 409; the order in which several
// faults of one body are found may differ, and by how much a revision grows. Unless it is given a file nothing outlives
// it, and tokens never do. Of Cinder there are volumes and types, whose extra specs are ignored: images come by
// `drift` alone, and there are no snapshots of volumes and no extension; of Manila there are share networks, which
// nothing uses. Of Nova there is one microversion and one zone, two hosts of any size, which honor hints of groups and
// of other servers alone, and of the actions on a server those that stop and start it; a server is plugged into ports
// that are named, never into a network; keys are taken, never made.
import type { RequestListener } from 'node:http';
import { TerminalError } from '../../../bus/errors.ts';
import type { JsonObject } from '../../../bus/json.ts';
import { type CloudOptions, type SimulatedCloud, simulatedCloud } from './cloud.ts';
import type { Reply } from './exchange.ts';
import { KeptStore } from './kept-store.ts';
import { type ServedCall, SimulatorServer } from './server.ts';

export interface SimulatorOptions extends Omit<CloudOptions, 'store'> {
  /** Keeps the cloud, and its port, in this file; a later start continues with both. What `drift` changes waits for a request. */
  file?: string;
  /** An external network with a subnet that a new cloud has from the start, as an operator makes it. */
  externalNetwork?: string;
  /** On 127.0.0.1; 0, the default, for any that is free. `none`: requests come by `handle` alone. */
  port?: number | 'none';
  /** Address for clients, when a proxy stands before it: `http://127.0.0.1:8080`. */
  publicOrigin?: string;
  /** Told of every request after it was done and before it is answered; not of those that a fault answers. Must not throw. */
  onServed?: (call: ServedCall) => void;
  /** Time that every request takes, in milliseconds; 0 by default. */
  latencyMs?: number;
}

export interface Simulator extends Omit<SimulatedCloud, 'authUrl' | 'newUuid' | 'parse' | 'answer' | 'receive'> {
  /** Keystone's URL, with its version. */
  readonly authUrl: string;
  /** Address that it listens on, without a proxy; 0: nowhere. */
  readonly port: number;
  /** Answers a request, however it came. */
  readonly handle: RequestListener;
  setLatency(latencyMs: number): void;
  /** Number of requests so far, by e.g. `network GET /networks/{id}`. */
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
 * Starts a simulated cloud. There are the domain `Default` (id `default`), the projects `admin` and `service`, and the
 * user `admin` with password `secret`.
 *
 * @returns once the port is open
 * @throws {TerminalError} the file is damaged, or the cloud's port is taken
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, file, externalNetwork, publicOrigin, onServed } = options;
  let { latencyMs = 0 } = options;
  const kept = file === undefined ? undefined : await KeptStore.open(file, clock);
  const given = kept === undefined ? options : { ...options, store: kept.store };
  const cloud = simulatedCloud(given, () => publicOrigin ?? `http://127.0.0.1:${server.port}`);
  const settled = async (): Promise<void> => kept?.settled();
  const server = new SimulatorServer({ clock, cloud, latencyMs: () => latencyMs, onServed, settled });
  const port = kept?.port ?? options.port ?? 0;
  if (port !== 'none')
    await server.listen(port).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || kept?.port === undefined) throw error;
      const what = `the simulated cloud of '${file}' is at port ${kept.port}, where Secrets look for it, and cannot be served there`;
      const remedy = `end what listens there ('lsof -i :${kept.port}' names it), or begin a new folder with --data`;
      throw new TerminalError(`${what} (${message}): ${remedy}`, { cause: error });
    });
  try {
    if (externalNetwork !== undefined && kept?.port === undefined) addExternalNetwork(cloud, externalNetwork);
    await kept?.begin(server.port);
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    ...cloud,
    authUrl: cloud.authUrl(),
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
      await kept?.close();
    },
  };
}

/** Addresses of documentation (RFC 5737). */
const EXTERNAL_CIDR = '198.51.100.0/24';

/** Keyed by the requests that an operator would send. */
function addExternalNetwork(cloud: SimulatedCloud, name: string): void {
  const ask = (url: string, headers: Readonly<Record<string, string>>, body: JsonObject): Reply => {
    const request = cloud.parse('POST', url, headers, JSON.stringify(body));
    const reply = request && cloud.answer(request);
    if (reply?.status !== 201) throw new Error(`the simulated cloud answered ${reply?.status} to ${url}`);
    return reply;
  };
  const user = { name: 'admin', password: 'secret', domain: { id: 'default' } };
  const auth = { identity: { methods: ['password'], password: { user } }, scope: { project: { id: cloud.projectId } } };
  const { headers } = ask('/identity/v3/auth/tokens', {}, { auth });
  const token = headers?.['X-Subject-Token'] ?? '';
  const { body } = ask(
    '/network/v2.0/networks',
    { 'x-auth-token': token },
    { network: { name, 'router:external': true } },
  );
  const { id } = (body as { network: { id: string } }).network;
  const subnet = { name, network_id: id, ip_version: 4, cidr: EXTERNAL_CIDR, enable_dhcp: false };
  ask('/network/v2.0/subnets', { 'x-auth-token': token }, { subnet });
}
