// `troupe machines` with what the command line says.
import type { CommandCall } from '../command.ts';
import { machines } from './machines.ts';

export function run({ configured, names, own: { output }, out }: CommandCall): Promise<number> {
  return machines({ adapters: configured(), names, output, out });
}
