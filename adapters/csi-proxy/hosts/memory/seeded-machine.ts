// A machine in memory as data say that it begins, with what is to go wrong on it.
import { readFile } from 'node:fs/promises';
import { TerminalError } from '../../../../bus/errors.ts';
import type { Clock } from '../../../../bus/time.ts';
import type { DetachableFiles } from '../files.ts';
import { withFaults } from './faults.ts';
import { type MemoryMachine, memoryMachine } from './memory-host.ts';
import { parseSeed, plant } from './seed.ts';

/**
 * @param data  as a file has them; undefined: a machine with drive C alone
 * @param deps.files  in memory by default
 * @throws {TerminalError} says where in the data the mistake is
 */
export async function seededMachine(
  data: unknown,
  { clock, files }: { readonly clock: Clock; readonly files?: DetachableFiles },
): Promise<MemoryMachine> {
  const seed = parseSeed(data);
  const given = files === undefined ? {} : { files };
  const machine = await memoryMachine({ clock, unknownShares: seed.unknownShares, ...given });
  await plant(machine, seed);
  return { ...machine, host: withFaults(machine.host, seed.faults, clock) };
}

/**
 * Content of a file, in YAML or JSON. @param name of the option that names the file. @throws {TerminalError} it cannot
 * be read
 */
export async function readSeedFile(name: string, path: string): Promise<unknown> {
  // Loaded for those who have such a file: a server has no other use for it.
  const { parse } = await import('yaml');
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new TerminalError(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
