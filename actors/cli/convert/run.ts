// `troupe convert` with what the command line says.
import { readFile, writeFile } from 'node:fs/promises';
import type { CommandCall } from '../command.ts';
import { convert } from './convert.ts';

export function run({ adapters, names, own, out, err }: CommandCall): Promise<number> {
  const { to: version, write: isInPlace = false } = own;
  return convert({ adapters, names, version, isInPlace, readFile, writeFile, input: process.stdin, out, notes: err });
}
