// `troupe doctor` with what the command line says.
import { configure, definedContracts } from '../../process/adapters.ts';
import type { CommandCall } from '../command.ts';
import { doctor } from './doctor.ts';

export async function run(call: CommandCall): Promise<number> {
  const { adapters, env, options, own } = call;
  const defined = adapters.map(async (adapter) => ({
    ...adapter,
    ...configure(adapter, env, options),
    contracts: await definedContracts(adapter, env, options),
  }));
  return await doctor({
    ...call,
    adapters: await Promise.all(defined),
    output: own.output,
    home: env['HOME'],
    nodeVersion: process.versions.node,
  });
}
