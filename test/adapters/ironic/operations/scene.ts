// An Ironic on the wire with one node that is managed, and what operations work with.
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/clock.ts';
import { ironicClient } from '../../../../adapters/ironic/client/client.ts';
import type { IronicPorts } from '../../../../adapters/ironic/serving.ts';
import { type Simulator, startSimulator } from '../../../../adapters/ironic/simulator/mod.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';
import type { OperationRequest } from '../../../../machines/request.ts';

export interface Scene {
  readonly ironic: Simulator;
  /** UUID of the node. */
  readonly node: string;
  readonly ports: Pick<IronicPorts, 'ironic' | 'readSecret' | 'clock'>;
  /** By name, in base64. */
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  /** For an object of the host `h`, which has the node. */
  request(object: KubeObject): OperationRequest;
  /** Calls of a method and path so far: `POST /nodes/{id}/vmedia`. */
  calls(of: string): number;
}

const ADDRESS = 'http://bmc.test:8000';
const SYSTEM = '/redfish/v1/Systems/1';
/** Longer than any call takes on a busy machine. */
const CALL_MS = 20_000;

export async function withScene(run: (scene: Scene) => Promise<void>, maxMinor?: number): Promise<void> {
  const clock = systemClock();
  const ironic = await startSimulator({
    clock,
    machines: [{ name: 'bm1', address: ADDRESS, systemId: SYSTEM, macs: ['52:54:00:00:01:01'] }],
    image: (href) => (href.endsWith('.missing') ? 'missing' : {}),
    ...(maxMinor !== undefined && { maxMinor }),
  });
  const client = ironicClient({
    clock,
    log: { info: () => undefined, warn: () => undefined },
    version: '0',
    connection: async () => ({
      endpoint: ironic.endpoint.replace(/\/v1\/$/, ''),
      trust: { ca: undefined, verify: 'verified' },
      credentials: undefined,
    }),
    timeoutMs: CALL_MS,
    cacheTtlMs: CALL_MS,
    callsInFlight: 4,
    proxy: undefined,
    onCall: () => undefined,
  });
  const asking = { namespace: 'ns', deadlineAt: clock.now() + CALL_MS, traceparent: '' };
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  try {
    const { uuid } = await client.createNode(
      {
        name: 'ns~h',
        driver: 'redfish',
        driver_info: {
          redfish_address: ADDRESS,
          redfish_system_id: SYSTEM,
          redfish_username: 'admin',
          redfish_password: 'secret',
        },
      },
      asking,
    );
    ironic.resetCounts();
    await run({
      ironic,
      node: uuid,
      secrets,
      ports: {
        clock,
        ironic: client,
        async readSecret(namespace, name) {
          assert.is(namespace, 'ns');
          const data = secrets.get(name);
          return data && { uid: `uid of ${name}`, resourceVersion: '7', data };
        },
      },
      request: (object) => ({
        object,
        dependencies: { 'BareMetalHost/h': { id: uuid, ready: true } },
        deadlineAt: clock.now() + CALL_MS,
        traceparent: '',
      }),
      calls: (of) => ironic.calls()[of] ?? 0,
    });
  } finally {
    await client.close();
    await ironic.close();
  }
}

export function objectOf(kind: string, spec: JsonObject, rest: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind,
    metadata: { name: 'h', namespace: 'ns', uid: 'uid-1', resourceVersion: '1', generation: 1 },
    spec,
    ...rest,
  };
}

export async function rejection(run: Promise<unknown>): Promise<Error> {
  try {
    await run;
  } catch (error) {
    return error as Error;
  }
  return assert.unreachable('it did not fail') as never;
}
