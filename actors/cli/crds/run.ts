// `troupe crds` with what the command line says.
import { definedContracts } from '../../process/adapters.ts';
import type { CommandCall } from '../command.ts';
import { applyCrds, printCrds } from './crds.ts';

export async function run({ adapters, env, options, own, config, clock, names, out }: CommandCall): Promise<number> {
  const contracts = (await Promise.all(adapters.map((adapter) => definedContracts(adapter, env, options)))).flat();
  return await (own.apply ? applyCrds : printCrds)({ config, clock, contracts, names, out });
}
