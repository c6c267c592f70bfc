// The bus for people: what happened, what happens, and who holds what. It says nothing there and leaves nothing, so the
// user `observer` is enough.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bus, type BusUser, type Clock, natsBus, TerminalError } from '../../bus/mod.ts';
import type { Config } from '../process/config.ts';
import { natsOptions } from '../process/run.ts';

export interface BusReader extends Pick<Bus, 'description' | 'close'> {
  readonly trace: Pick<Bus['trace'], 'subscribe' | 'history'>;
  readonly leases: Pick<Bus['leases'], 'list'>;
}

/** As `troupe bus credentials` names who listens and says nothing. */
const OBSERVER: BusUser = { name: 'observer', roles: [{ does: 'observe' }] };

/**
 * @param folder  of `troupe dev`, whose bus is read where none is named
 * @throws {TerminalError} no bus is named, and none runs for that folder
 * @throws {TroupeError} it cannot be reached
 */
export async function openBusReader(config: Config, clock: Clock, folder = '.troupe'): Promise<BusReader> {
  const url = config.natsUrl ?? (await urlOf(folder));
  return natsBus(natsOptions(config, OBSERVER, url, clock, () => undefined));
}

async function urlOf(folder: string): Promise<string> {
  const file = join(folder, 'nats-url');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const message = `there is no bus to look at: NATS_URL is not set, and '${file}', where 'troupe dev' names its own, cannot be read`;
    throw new TerminalError(message, { cause: error });
  }
}
