// The simulated cloud as a part of a benchmark.
import { systemClock } from '../../../actors/base/clock.ts';
import { startSimulator } from '../../../adapters/simulated/openstack/mod.ts';
import type { Part } from './mod.ts';

/** Times in milliseconds: that of every call, and how long servers and volumes are built and removed. */
export interface CloudPace {
  readonly latencyMs: number;
  readonly serverWorkMs?: number;
  readonly volumeWorkMs?: number;
}

export async function serveCloud(pace: CloudPace): Promise<Part> {
  const simulator = await startSimulator({ clock: systemClock(), ...pace });
  return {
    info: { cloudsYaml: simulator.cloudsYaml('openstack') },
    counts: () => ({ ...simulator.calls(), mostInFlight: simulator.mostInFlight() }),
    reset: () => simulator.resetCounts(),
    close: () => simulator.close(),
  };
}
