// `troupe trace` with what the command line says.
import { openBusReader } from '../bus-reader.ts';
import { type CommandCall, oneNamespace } from '../command.ts';
import { trace } from './trace.ts';

export function run(call: CommandCall): Promise<number> {
  const { config, clock, folder, own, env } = call;
  return trace({
    ...call,
    adapters: call.configured(),
    openBus: () => openBusReader(config, clock, folder),
    namespace: oneNamespace(call, "'trace' looks into one namespace"),
    generation: own.generation,
    isExported: own.otlp ?? false,
    output: own.output,
    home: env['HOME'],
    notes: call.err,
  });
}
