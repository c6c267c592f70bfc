// Check of the directory of `troupe dev` before anything is written there. Its creator (it may come with a checkout of
// another user) could redirect a write to any file of the user by a symbolic link in it.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalError } from '../../bus/mod.ts';

/**
 * @param folder  which exists
 * @throws {TerminalError} it is a symbolic link, or has one in it
 */
export async function refuseLinks(folder: string): Promise<void> {
  // mutant: link-written-through if -> false
  if ((await lstat(folder)).isSymbolicLink()) throw linked(folder, 'name the folder that it leads to with --data');
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    throw linked(
      join(entry.parentPath, entry.name),
      'see where it leads and who made it, and name another folder with --data or remove it',
    );
  }
}

function linked(path: string, todo: string): TerminalError {
  return new TerminalError(`'${path}' is a symbolic link, which nothing is written through: ${todo}`);
}
