// `troupe demo` with what the command line says.
import { Ink } from '../colors.ts';
import type { CommandCall } from '../command.ts';
import { demo } from './demo.ts';

export function run(call: CommandCall): Promise<number> {
  const { env, out } = call;
  return demo({
    ...call,
    fetch: globalThis.fetch,
    signal: call.stopSignal(),
    keep: call.own.keep ?? false,
    cloudsFile: env['OS_CLIENT_CONFIG_FILE'],
    cloudName: env['OS_CLOUD'],
    terminal: out.isTTY && env['TERM'] !== 'dumb',
    ink: env['NO_COLOR'] ? Ink.Plain : Ink.Color,
  });
}
