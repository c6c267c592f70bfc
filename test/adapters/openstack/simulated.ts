// A simulated cloud and sessions with it, for the tests of both.
import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import type { CredentialsSecret } from '../../../adapters/openstack/clouds-yaml.ts';
import type { Answer, Call, Session } from '../../../adapters/openstack/session.ts';
import { type OwnedSessions, openStackSessions, type SessionsDeps } from '../../../adapters/openstack/sessions.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../adapters/openstack/simulator/mod.ts';
import type { Clock } from '../../../bus/time.ts';

/** The system's clock, which `advance` sets ahead. Timers keep running at their own pace. */
export interface ShiftedClock extends Clock {
  advance(byMs: number): void;
}

export function shiftedClock(): ShiftedClock {
  const clock = systemClock({ seed: 7 });
  let shiftMs = 0;
  return {
    ...clock,
    now: () => clock.now() + shiftMs,
    advance(byMs) {
      shiftMs += byMs;
    },
  };
}

export function secretOf(cloudsYaml: string, ca?: string): CredentialsSecret {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'clouds.yaml': base64(cloudsYaml), ...(ca === undefined ? {} : { cacert: base64(ca) }) };
  // Another content is another version.
  const resourceVersion = String(
    Number.parseInt(createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 12), 16),
  );
  return { uid: 'uid', resourceVersion, data };
}

export interface Simulated {
  readonly clock: ShiftedClock;
  readonly simulator: Simulator;
  readonly sessions: OwnedSessions;
  /** Secrets by name; the one named `cloud` is there from the start, and so is cloud `test` in it. */
  readonly secrets: Map<string, CredentialsSecret>;
  /** How often a secret was read. */
  reads(): number;
  open(secretName?: string, version?: string): Promise<Session>;
  /** A call with 10 s to go. */
  call(request: string, more?: Partial<Call>): Call;
}

export interface SimulatedOptions {
  readonly simulator?: Partial<SimulatorOptions>;
  readonly sessions?: Partial<SessionsDeps>;
}

/** Runs a test with a simulated cloud of its own, and closes what it opened. */
export async function withCloud(
  run: (cloud: Simulated) => Promise<void>,
  options: SimulatedOptions = {},
): Promise<void> {
  const clock = shiftedClock();
  const simulator = await startSimulator({ clock, ...options.simulator });
  const secrets = new Map([['cloud', secretOf(simulator.cloudsYaml('test'))]]);
  let reads = 0;
  const sessions = openStackSessions({
    clock,
    version: '1.2.3',
    async readSecret(_namespace, name) {
      reads++;
      return secrets.get(name);
    },
    ...options.sessions,
  });
  try {
    await run({
      clock,
      simulator,
      sessions,
      secrets,
      reads: () => reads,
      open: (secretName = 'cloud', version = '1') =>
        sessions.open('ns', { secretName, cloudName: 'test' }, version, clock.now() + 10_000),
      call(request, more) {
        const [method = '', path = ''] = request.split(' ');
        const service = /^\/(networks|subnets|ports|quotas)/.test(path) ? 'network' : 'identity';
        return {
          service,
          method: method as 'GET',
          path,
          deadlineAt: clock.now() + 10_000,
          traceparent: `00-${'a'.repeat(32)}-${'a'.repeat(16)}-01`,
          ...more,
        };
      },
    });
  } finally {
    await sessions.close();
    await simulator.close();
  }
}

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<Answer | Session | readonly unknown[]>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, Error);
    return error as Error;
  }
  return assert.unreachable('nothing was thrown') as never;
}
