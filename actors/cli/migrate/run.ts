// `troupe migrate` with what the command line says.
import { wholeNumber } from '../../../adapters/api/settings.ts';
import type { CommandCall } from '../command.ts';
import { migrate } from './migrate.ts';

export function run(call: CommandCall): Promise<number> {
  const { config, own, err, env } = call;
  const rate = { name: '--per-second', value: own['per-second'] };
  return migrate({
    ...call,
    // A pod's namespaces are not meant.
    namespaces: own.namespace === undefined ? undefined : config.namespaces,
    perSecond: wholeNumber(rate, { fallback: 50, least: 1, unit: 'objects' }),
    isDry: own['dry-run'] ?? false,
    signal: call.stopSignal(),
    notes: err,
    isTerminal: err.isTTY && env['TERM'] !== 'dumb',
  });
}
