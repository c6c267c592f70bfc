// A machine in memory, a csi-proxy on it, and its client.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, StatusError } from '../../adapters/csi-proxy/base/status.ts';
import { memoryMachine } from '../../adapters/csi-proxy/hosts/memory/memory-host.ts';
import { Groups } from '../../adapters/windows/client/groups.ts';
import { pipeSettings } from '../../adapters/windows/client/settings.ts';
import { pipeStorage } from '../../adapters/windows/client/storage.ts';
import type { Storage } from '../../adapters/windows/operations/storage.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { type SimulatedClock, simulatedClock } from './clock.ts';
import { type Machine, watched } from './windows-machine.ts';
import { type Served, serveFolder } from './windows-pipes.ts';

export const GIB = 2n ** 30n;

export interface PipedMachine {
  readonly clock: SimulatedClock;
  readonly machine: Machine;
  readonly storage: Storage;
  readonly groups: Groups;
  /** csi-proxy ends, and another one begins. */
  again(only: Served): Promise<void>;
  end(): Promise<void>;
}

export async function onPipedMachine(
  { only = {}, spec = {} }: { readonly only?: Served; readonly spec?: JsonObject },
  run: (piped: PipedMachine) => Promise<void>,
): Promise<void> {
  const clock = simulatedClock();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-pipes-'));
  const machine = watched(await memoryMachine({ clock, unknownShares: 'absent' }), 'one');
  const serve = (served: Served): Promise<() => Promise<void>> =>
    serveFolder(`${folder}/`, { host: machine.host, clock, only: served });
  let stop = await serve(only);
  const end = async (): Promise<void> => {
    await stop();
    stop = async () => undefined;
  };
  const again = async (served: Served): Promise<void> => {
    await end();
    stop = await serve(served);
  };
  const groups = new Groups({ clock, settings: pipeSettings({ endpoint: folder, ...spec }) });
  try {
    await run({ clock, machine, groups, storage: pipeStorage(groups), again, end });
  } finally {
    groups.close();
    await stop();
    await rm(folder, { recursive: true });
  }
}

/** What it failed with. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: unknown; message: string; reason?: unknown }> {
  try {
    await work;
  } catch (error) {
    return error as { code: unknown; message: string };
  }
  throw new Error('it did not fail');
}

/** The change is made, and said to have failed. */
export function saysFailed(machine: Machine, call: string): void {
  machine.after.set(call, async () => {
    throw new StatusError(Code.Unknown, 'WMI: something happened');
  });
}

export const withDisk = ({ disks }: Machine, given = {}): Promise<number> =>
  disks.attachSeen(
    disks.make({ sizeBytes: 8n * GIB, page83: 'naa.1', serialNumber: 'S-1', state: 'offline', ...given }),
  );
