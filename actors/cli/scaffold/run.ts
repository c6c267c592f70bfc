// `troupe scaffold` with what the command line says.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import type { CommandCall } from '../command.ts';
import { scaffold } from './scaffold.ts';
import { scaffoldAdapter } from './scaffold-adapter.ts';

export function run({ names, adapters, out }: CommandCall): Promise<number> {
  const files = { mkdir, readFile, writeFile, out };
  return names[0] === 'adapter'
    ? scaffoldAdapter(names.slice(1), { ...files, folder: process.cwd(), readdir })
    : scaffold(names, { ...files, adapters });
}
