// What the suites of the kinds have in common.
import * as assert from 'uvu/assert';
import { Code, StatusError } from '../../../adapters/csi-proxy/base/status.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { GIB, type World } from '../../world/windows.ts';

/** Adds a test that has a world of its own. */
export type Check = (title: string, run: (world: World) => Promise<void>) => void;

export const PAGE83 = 'naa.600a0b80001';

/** A raw disk of the first machine. @returns its number there */
export async function withDisk(world: World, given: JsonObject = {}, node = 'one'): Promise<number> {
  const { disks } = world.machine(node);
  return disks.attachSeen(
    disks.make({ sizeBytes: 8n * GIB, page83: PAGE83, serialNumber: 'S-1', state: 'offline', ...given }),
  );
}

export const isRefused = async (promise: Promise<unknown>, message: RegExp): Promise<void> => {
  try {
    await promise;
  } catch (error) {
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable('it was not refused');
};

/** The next call of that name fails. */
export function failsOnce(world: World, call: string, message = 'the device is not ready'): void {
  let left = 1;
  world.machine().before.set(call, async () => {
    if (left-- > 0) throw new StatusError(Code.Unknown, message);
  });
}
