// Machines behind a simulated Ironic, and the stage on which hosts play. Its time goes faster than that of people: what takes
// Ironic and its machines minutes is a matter of seconds.
import { systemClock } from '../../../actors/clock.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../adapters/ironic/simulator/mod.ts';
import type { Clock } from '../../../bus/mod.ts';
import { openStage, type Stage } from './stage.ts';

export { NAMESPACE, type Raw } from './stage.ts';

const DEADLINE_MS = 60_000;
/** So much faster than that of people. */
const SPEED = 20;

export interface World extends Stage {
  readonly ironic: Simulator;
}

/** A clock that goes faster. */
export function fastClock(clock: Clock, speed: number): Clock {
  const startedAt = clock.now();
  return {
    ...clock,
    now: () => startedAt + (clock.now() - startedAt) * speed,
    setTimeout: (run, delayMs) => clock.setTimeout(run, delayMs / speed),
    sleep: (delayMs, signal) => clock.sleep(delayMs / speed, signal),
  };
}

export interface WorldOptions extends Partial<Omit<SimulatorOptions, 'clock'>> {
  /** Variables of the environment beside the endpoint of Ironic. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openWorld({ env = {}, ...options }: WorldOptions = {}): Promise<World> {
  const clock = fastClock(systemClock(), SPEED);
  const ironic = await startSimulator({ clock, ...options });
  const stage = await openStage({ clock, endpoint: ironic.endpoint, deadlineMs: DEADLINE_MS, env });
  const { close } = stage;
  return Object.assign(stage, {
    ironic,
    async close() {
      await close();
      await ironic.close();
    },
  });
}

const SYSTEM = '/redfish/v1/Systems/1';

/** A machine for the simulated Ironic, and the address of its BMC as a host says it. */
export function machine(number: number): {
  readonly options: NonNullable<SimulatorOptions['machines']>[number];
  readonly mac: string;
  readonly address: string;
} {
  const mac = `52:54:00:00:00:0${number}`;
  return {
    options: {
      name: `bm${number}`,
      address: `http://10.0.0.${number}:8000`,
      systemId: SYSTEM,
      password: PASSWORD,
      macs: [mac],
    },
    mac,
    address: `redfish-virtualmedia+http://10.0.0.${number}:8000${SYSTEM}`,
  };
}

/** The password of all BMCs. */
export const PASSWORD = 'Wp7-unlike-anything';

/** The Secret of a BMC. */
export const BMC_SECRET = { type: 'Opaque', stringData: { username: 'admin', password: PASSWORD } };
