// A simulated OpenStack cloud on the wire, and sessions with it.
import { createHash } from 'node:crypto';
import { systemClock } from '../../actors/base/clock.ts';
import { type Transport, transportOver } from '../../adapters/http/transport.ts';
import type { CredentialsSecret } from '../../adapters/openstack/client/clouds-yaml.ts';
import type { Call, Session } from '../../adapters/openstack/client/session.ts';
import { type OwnedSessions, openStackSessions, type SessionsDeps } from '../../adapters/openstack/client/sessions.ts';
import type { network } from '../../adapters/openstack/kinds/network.ts';
import type { subnet } from '../../adapters/openstack/kinds/subnet.ts';
import type { Sessions } from '../../adapters/openstack/mod.ts';
import type { ResourceOf } from '../../adapters/openstack/resource/table.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../adapters/simulated/openstack/mod.ts';
import type { Clock } from '../../bus/mod.ts';
import { type SimulatedClock, simulatedClock } from './clock.ts';
import { Wire } from './wire.ts';

export const CLOUD_ORIGIN = 'http://cloud.test';
const CALL_MS = 10_000;

/** A cloud, simulated or real, as a suite opens it. */
export interface Cloud {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly cloudName: string;
  /** Fields of `spec.resource` that only clouds with some extension take. */
  readonly extras: {
    readonly Network: Partial<ResourceOf<typeof network>>;
    readonly Subnet: Partial<ResourceOf<typeof subnet>>;
  };
  /** The id of an image that can be used, for as long as the cloud is open. */
  imageId(): Promise<string>;
  close(): Promise<void>;
}

type CloudClock = Clock & Pick<SimulatedClock, 'spend' | 'stop'>;

export interface SimulatedCloud extends Cloud {
  readonly clock: CloudClock;
  readonly wire: Wire;
  readonly simulator: Simulator;
  readonly sessions: OwnedSessions;
  /** Secrets by name: `cloud` and `credentials` are there from the start, with cloud `test`. */
  readonly secrets: Map<string, CredentialsSecret>;
  /** How often a secret was read. */
  reads(): number;
  open(secretName?: string, version?: string): Promise<Session>;
  /** A call with 10 s to go. */
  call(request: string, more?: Partial<Call>): Call;
}

export interface SimulatedCloudOptions {
  readonly simulator?: Partial<SimulatorOptions>;
  /** Given the way to it. */
  readonly sessions?: Partial<SessionsDeps> | ((way: () => Transport) => Partial<SessionsDeps>);
  /** How it is reached: by the wire unless sockets are what is tested, which takes real time. */
  readonly by?: 'wire' | 'sockets';
}

export async function openCloud({
  simulator: ofSimulator,
  sessions: ofSessions,
  by = 'wire',
}: SimulatedCloudOptions = {}): Promise<SimulatedCloud> {
  const [clock, wire] = [by === 'wire' ? simulatedClock({ seed: 7 }) : realClock(), new Wire()];
  const place = by === 'wire' ? ({ port: 'none', publicOrigin: CLOUD_ORIGIN } as const) : {};
  const simulator = await startSimulator({ clock, ...place, ...ofSimulator });
  wire.serve(CLOUD_ORIGIN, simulator.handle);
  const own = secretOf(simulator.cloudsYaml('test'));
  const secrets = new Map(['cloud', 'credentials'].map((name) => [name, own]));
  const way = (): Transport => transportOver(wire, clock);
  let reads = 0;
  const sessions = openStackSessions({
    clock,
    version: '1.2.3',
    async readSecret(_namespace, name) {
      reads++;
      return secrets.get(name);
    },
    ...(by === 'wire' && { transport: way }),
    ...(typeof ofSessions === 'function' ? ofSessions(way) : ofSessions),
  });
  return {
    clock,
    wire,
    simulator,
    sessions,
    secrets,
    cloudName: 'test',
    extras: { Network: {}, Subnet: {} },
    imageId: async () => simulator.drift.add('images', { name: 'test', status: 'active' }),
    reads: () => reads,
    open: (secretName = 'cloud', version = '1') =>
      sessions.open('ns', { secretName, cloudName: 'test' }, version, clock.now() + CALL_MS),
    call(request, more) {
      const [method = '', path = ''] = request.split(' ');
      const service = /^\/(networks|subnets|ports|quotas)/.test(path) ? 'network' : 'identity';
      const traceparent = `00-${'a'.repeat(32)}-${'a'.repeat(16)}-01`;
      return { service, method: method as 'GET', path, deadlineAt: clock.now() + CALL_MS, traceparent, ...more };
    },
    async close() {
      await sessions.close();
      await simulator.close();
      clock.stop();
    },
  };
}

function realClock(): CloudClock {
  const spend = (): never => {
    throw new Error('real time passes by itself');
  };
  return { ...systemClock({ seed: 7 }), spend, stop: () => undefined };
}

/** Runs a test with a cloud of its own. */
export async function withCloud(
  run: (cloud: SimulatedCloud) => Promise<void>,
  options?: SimulatedCloudOptions,
): Promise<void> {
  const cloud = await openCloud(options);
  try {
    await run(cloud);
  } finally {
    await cloud.close();
  }
}

export function secretOf(cloudsYaml: string, ca?: string): CredentialsSecret {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'clouds.yaml': base64(cloudsYaml), ...(ca === undefined ? {} : { cacert: base64(ca) }) };
  // Another content is another version.
  const digest = createHash('sha256').update(JSON.stringify(data)).digest('hex');
  return { uid: 'uid', resourceVersion: String(Number.parseInt(digest.slice(0, 12), 16)), data };
}
