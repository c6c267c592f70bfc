// A simulated Ironic on loopback with one machine, its node, and a client of it: time passes when a test says so.
import { systemClock } from '../../../../actors/clock.ts';
import { type IronicClient, ironicClient } from '../../../../adapters/ironic/client/client.ts';
import type { Asking } from '../../../../adapters/ironic/client/session.ts';
import { type Simulator, startSimulator } from '../../../../adapters/ironic/simulator/mod.ts';
import type { Clock } from '../../../../bus/time.ts';
import type { KnownDependencies, OperationRequest } from '../../../../machines/kind.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

export interface Simulated {
  readonly simulator: Simulator;
  readonly client: IronicClient;
  /** Of the simulated Ironic: goes ahead of the real one. */
  readonly clock: Clock;
  /** The real one. */
  readonly runtimeClock: Clock;
  /** UUID of the node, which is manageable. */
  readonly node: string;
  pass(ms: number): void;
  /** Asks the node for a transition, and lets time pass until it is over. */
  provision(state: JsonObject & { readonly target: string }): Promise<void>;
}

const ADDRESS = 'http://bmc.test:8000';
const SYSTEM = '/redfish/v1/Systems/1';
const MAC = '52:54:00:00:01:01';
const TRACEPARENT = `00-${'0123456789abcdef'.repeat(2)}-${'1'.repeat(16)}-01`;
const LONG_MS = 120_000;
const STEP_MS = 2_000;

export function asking(): Asking {
  return { namespace: 'ns', deadlineAt: Number.POSITIVE_INFINITY, traceparent: TRACEPARENT };
}

export async function withSimulated(run: (scene: Simulated) => Promise<void>): Promise<void> {
  const real = systemClock({ seed: 7 });
  let aheadMs = 0;
  const clock: Clock = { ...real, now: () => real.now() + aheadMs };
  const machines = [{ name: 'bm1', address: ADDRESS, systemId: SYSTEM, macs: [MAC] }];
  const simulator = await startSimulator({ clock, machines });
  const trust = { ca: undefined, verify: 'verified' } as const;
  const client = ironicClient({
    clock: real,
    log: { info: () => undefined, warn: () => undefined },
    version: '1.2.3',
    connection: async () => ({ endpoint: simulator.endpoint.replace(/\/v1\/$/, ''), trust, credentials: undefined }),
    timeoutMs: 5_000,
    cacheTtlMs: 5_000,
    callsInFlight: 16,
  });
  const until = { ...asking(), deadlineAt: real.now() + LONG_MS };
  const pass = (ms: number): void => {
    aheadMs += ms;
  };
  try {
    const info = { redfish_address: ADDRESS, redfish_system_id: SYSTEM };
    const keys = { redfish_username: 'admin', redfish_password: 'secret' };
    const made = await client.createNode({ driver: 'redfish', name: 'host', driver_info: { ...info, ...keys } }, until);
    const provision: Simulated['provision'] = async (state) => {
      await client.setProvisionState(made.uuid, state, until);
      for (let looks = 0; looks < 100; looks += 1) {
        pass(STEP_MS);
        const node = await client.node(made.uuid, until);
        if (node?.reservation === null && !/(?:ing|wait)$/.test(node.provision_state ?? '')) return;
      }
      throw new Error('the node comes to no rest');
    };
    await provision({ target: 'manage' });
    // Without it nobody would know whose ramdisk calls.
    await client.createPort({ node_uuid: made.uuid, address: MAC, pxe_enabled: true }, until);
    await run({ simulator, client, clock, runtimeClock: real, node: made.uuid, pass, provision });
  } finally {
    await client.close();
    await simulator.close();
  }
}

/** What an operation of an object is told. */
export function request(
  object: Pick<KubeObject, 'kind' | 'spec' | 'status'>,
  dependencies: KnownDependencies,
): OperationRequest {
  const metadata = { name: 'host', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 };
  const whole = { apiVersion: 'metal3.io/v1alpha1', ...object, metadata };
  return { object: whole, dependencies, deadlineAt: systemClock().now() + LONG_MS, traceparent: TRACEPARENT };
}

/** The host of these objects. */
export function hostOf(node: string, attributes: JsonObject = {}): KnownDependencies {
  return { 'BareMetalHost/host': { id: node, ready: true, attributes } };
}
