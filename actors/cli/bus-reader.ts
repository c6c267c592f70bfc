// The bus for people: past events, live events, and the holders of leases. It publishes nothing there and leaves nothing, so the
// user `observer` is enough.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Bus, type BusUser, type Clock, natsBus, TerminalError } from '../../bus/mod.ts';
import type { Config } from '../base/config.ts';
import { natsOptions } from '../process/run.ts';

export interface BusReader extends Pick<Bus, 'description' | 'close'> {
  readonly trace: Pick<Bus['trace'], 'subscribe' | 'history'>;
  readonly leases: Pick<Bus['leases'], 'list'>;
}

/** As `troupe bus credentials` names who listens and says nothing. */
export const OBSERVER: BusUser = { name: 'observer', roles: [{ does: 'observe' }] };

/**
 * @param folder  of `troupe dev`, whose bus is read where none is named
 * @throws {TerminalError} no bus is named, and none runs for that folder
 * @throws {TroupeError} it cannot be reached
 */
export async function openBusReader(config: Config, clock: Clock, folder = '.troupe'): Promise<BusReader> {
  const url = config.natsUrl ?? (await busUrlOf(folder));
  return natsBus(natsOptions(config, OBSERVER, url, clock, () => undefined));
}

/**
 * The bus of the cluster that is asked about: one that is named, or that of the `troupe dev` whose kubeconfig is used.
 *
 * @returns undefined: there is none, or it is unknown which
 * @throws {TroupeError} it cannot be reached
 */
export async function openBusOfCluster(config: Config, clock: Clock, folder: string): Promise<BusReader | undefined> {
  if (config.natsUrl !== undefined) return openBusReader(config, clock, folder);
  if (config.kubeconfig === undefined || resolve(config.kubeconfig) !== resolve(folder, 'kubeconfig')) return undefined;
  try {
    await busUrlOf(folder);
  } catch (error) {
    if (error instanceof TerminalError) return undefined; // it is in the memory of that process
    throw error;
  }
  return openBusReader(config, clock, folder);
}

export async function busUrlOf(folder: string): Promise<string> {
  const file = join(folder, 'nats-url');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const message = `there is no bus to look at: NATS_URL is not set, and '${file}', where 'troupe dev' names its own, cannot be read`;
    throw new TerminalError(message, { cause: error });
  }
}
