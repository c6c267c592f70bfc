// `troupe completion` with what the command line says.
import { type CommandCall, print } from '../command.ts';
import { completionScript } from './completion.ts';

export function run({ names, out }: CommandCall): number {
  return print(out, completionScript(names));
}
