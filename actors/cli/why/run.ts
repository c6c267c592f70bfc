// `troupe why` with what the command line says.
import { openBusOfCluster } from '../bus-reader.ts';
import { type CommandCall, oneNamespace } from '../command.ts';
import { why } from './why.ts';

export function run(call: CommandCall): Promise<number> {
  const { config, clock, folder, own, env } = call;
  return why({
    ...call,
    adapters: call.configured(),
    namespace: oneNamespace(call, "'why' looks into one namespace"),
    isEverywhere: own['all-namespaces'] ?? false,
    output: own.output,
    openBus: () => openBusOfCluster(config, clock, folder),
    shards: config.shards,
    home: env['HOME'],
  });
}
