// The simulated cloud as a part of a benchmark.
import { systemClock } from '../../../actors/clock.ts';
import { startSimulator } from '../../../adapters/openstack/simulator/mod.ts';
import type { Part } from './mod.ts';

/** @param options.latencyMs  time that every call takes, in milliseconds */
export async function serveCloud({ latencyMs }: { readonly latencyMs: number }): Promise<Part> {
  const simulator = await startSimulator({ clock: systemClock(), latencyMs });
  return {
    info: { cloudsYaml: simulator.cloudsYaml('openstack') },
    counts: () => ({ ...simulator.calls(), mostInFlight: simulator.mostInFlight() }),
    reset: () => simulator.resetCounts(),
    close: () => simulator.close(),
  };
}
