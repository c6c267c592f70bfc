// `troupe dev` with what the command line says.
import type { CommandCall } from '../command.ts';
import { SMALL_MODEL } from '../small-model.ts';
import { dev } from './dev.ts';

export async function run(call: CommandCall): Promise<number> {
  const signal = call.stopSignal();
  const gateway = await call.gateway('development');
  const isSmallModel = call.models === SMALL_MODEL;
  try {
    return await dev({ ...call, signal, gateway, isSmallModel, isVerbose: call.own.verbose ?? false });
  } finally {
    call.reminder.close();
  }
}
