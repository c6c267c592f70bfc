// A simulated Ironic on the wire, with one machine and its node, for raw requests or a client.
import type { Response } from 'undici';
import * as assert from 'uvu/assert';
import { ANYWHERE } from '../../adapters/http/egress-policy.ts';
import { transportOver } from '../../adapters/http/transport.ts';
import { type IronicClient, ironicClient } from '../../adapters/ironic/client/client.ts';
import type { IronicPorts } from '../../adapters/ironic/serving.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../adapters/simulated/ironic/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import type { JsonObject, KubeObject } from '../../machines/object.ts';
import type { KnownDependencies, OperationRequest } from '../../machines/request.ts';
import { type SimulatedClock, simulatedClock } from './clock.ts';
import { Wire } from './wire.ts';

export const IRONIC_ORIGIN = 'http://ironic.test';
export const TRACEPARENT = `00-${'0123456789abcdef'.repeat(2)}-${'1'.repeat(16)}-01`;

/** @param path  with its version: `/v1/nodes` */
export type IronicAsk = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

export async function simulatedIronic({
  wire,
  ...options
}: Omit<SimulatorOptions, 'port'> & { readonly wire: Wire }): Promise<{
  readonly ironic: Simulator;
  readonly ask: IronicAsk;
}> {
  const ironic = await startSimulator({ port: 'none', publicOrigin: IRONIC_ORIGIN, ...options });
  wire.serve(IRONIC_ORIGIN, ironic.handle);
  const ask: IronicAsk = (method, path, body, headers = {}) =>
    wire.fetch(new URL(path, IRONIC_ORIGIN), {
      method,
      headers: { 'X-OpenStack-Ironic-API-Version': '1.95', 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { ironic, ask };
}

/** Of the only machine. */
const BMC = { redfish_address: 'http://bmc.test:8000', redfish_system_id: '/redfish/v1/Systems/1' };
const MAC = '52:54:00:00:01:01';
const LONG_MS = 20_000;
const LOOK_MS = 2_000;

export interface NodeWorld {
  readonly clock: SimulatedClock;
  readonly wire: Wire;
  readonly ironic: Simulator;
  readonly client: IronicClient;
  /** UUID of the node. */
  readonly node: string;
  readonly ports: Pick<IronicPorts, 'ironic' | 'readSecret' | 'clock' | 'foreign'>;
  /** By name, in base64. */
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  /** What an operation of an object is told, which refers to the host `h` unless told otherwise. */
  request(object: KubeObject, dependencies?: KnownDependencies): OperationRequest;
  /** Calls of a method and path so far: `POST /nodes/{id}/vmedia`. */
  calls(of: string): number;
  /** Asks the node for a transition, and returns when it is over. */
  provision(state: JsonObject & { readonly target: string }): Promise<void>;
}

export interface NodeWorldOptions extends Partial<Omit<SimulatorOptions, 'clock' | 'port'>> {
  /** The node is manageable and has a port; else it is just enrolled. */
  readonly isManaged?: boolean;
}

/** Runs a test with a simulated Ironic of its own. */
export async function withNode(
  run: (world: NodeWorld) => Promise<void>,
  { isManaged = false, ...options }: NodeWorldOptions = {},
): Promise<void> {
  const [clock, wire] = [simulatedClock(), new Wire()];
  const { ironic } = await simulatedIronic({
    clock,
    wire,
    machines: [{ name: 'bm1', address: BMC.redfish_address, systemId: BMC.redfish_system_id, macs: [MAC] }],
    image: (href) => (href.endsWith('.missing') ? 'missing' : {}),
    ...options,
  });
  const client = clientOver(wire, clock);
  const asking = () => ({ namespace: 'ns', deadlineAt: clock.now() + LONG_MS, traceparent: TRACEPARENT });
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  try {
    const info = { ...BMC, redfish_username: 'admin', redfish_password: 'secret' };
    const { uuid } = await client.createNode({ name: 'ns~h', driver: 'redfish', driver_info: info }, asking());
    const world: NodeWorld = {
      clock,
      wire,
      ironic,
      client,
      node: uuid,
      secrets,
      ports: {
        clock,
        ironic: client,
        foreign: ANYWHERE,
        async readSecret(namespace, name) {
          assert.is(namespace, 'ns');
          const data = secrets.get(name);
          return data && { uid: `uid of ${name}`, resourceVersion: '7', data };
        },
      },
      request: (object, dependencies = hostOf(uuid)) => ({
        object,
        dependencies,
        deadlineAt: clock.now() + LONG_MS,
        traceparent: TRACEPARENT,
      }),
      calls: (of) => ironic.calls()[of] ?? 0,
      async provision(state) {
        await client.setProvisionState(uuid, state, asking());
        for (let looks = 0; looks < 100; looks += 1) {
          await clock.sleep(LOOK_MS);
          const node = await client.node(uuid, asking());
          if (node?.reservation === null && !/(?:ing|wait)$/.test(node.provision_state ?? '')) return;
        }
        throw new Error('the node comes to no rest');
      },
    };
    if (isManaged) {
      await world.provision({ target: 'manage' });
      // Without it nobody would know whose ramdisk calls.
      await client.createPort({ node_uuid: uuid, address: MAC, pxe_enabled: true }, asking());
    }
    ironic.resetCounts();
    await run(world);
  } finally {
    await client.close();
    await ironic.close();
    clock.stop();
  }
}

function clientOver(wire: Wire, clock: Clock): IronicClient {
  const trust = { ca: undefined, verify: 'verified' } as const;
  return ironicClient({
    clock,
    log: { info: () => undefined, warn: () => undefined },
    version: '0',
    connection: async () => ({ endpoint: IRONIC_ORIGIN, trust, credentials: undefined }),
    transport: () => transportOver(wire, clock),
    timeoutMs: LONG_MS,
    cacheTtlMs: LONG_MS,
    callsInFlight: 4,
  });
}

/** The host that objects refer to. */
export function hostOf(node: string, attributes: JsonObject = {}): KnownDependencies {
  return { 'BareMetalHost/h': { id: node, ready: true, attributes } };
}

/** An object of the host `h`. */
export function objectOf(kind: string, spec: JsonObject, rest: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind,
    metadata: { name: 'h', namespace: 'ns', uid: 'uid-1', resourceVersion: '1', generation: 1 },
    spec,
    ...rest,
  };
}
