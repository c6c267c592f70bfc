// `troupe run`: the roles of a pod.
import { run as runRoles } from '../../process/run.ts';
import type { CommandCall } from '../command.ts';

export async function run({ config, configured, clock, log, gateway, stopSignal }: CommandCall): Promise<number> {
  const models = await gateway(undefined);
  return await runRoles({ config, adapters: configured(), clock, log, signal: stopSignal(), gateway: models });
}
