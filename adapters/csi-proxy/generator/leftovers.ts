// Leftovers of earlier runs and removed versions.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isVersionName } from '../base/version-name.ts';
import type { FoundGroup } from './discover.ts';
import { type Bases, groupPaths, isGenerated } from './layout.ts';
import { compareText } from './problem.ts';

export interface Leftovers {
  /** Generated files that this run does not produce. */
  readonly stale: readonly string[];
  /** Hand-written files of removed versions and groups. */
  readonly orphans: readonly string[];
}

export interface LeftoversInput {
  readonly groups: readonly FoundGroup[];
  readonly bases: Bases;
  /** All groups are known; else only the folders of the known ones are looked through. */
  readonly isComplete: boolean;
  /** Paths of the files of this run. */
  readonly written: ReadonlySet<string>;
}

export function leftovers({ groups, bases, isComplete, written }: LeftoversInput): Leftovers {
  const ofGroups = groups.flatMap(({ name, folder, bases }) => {
    const { server, client } = groupPaths(bases, name);
    return [server, client, folder];
  });
  const folders = new Set(isComplete ? [...ofGroups, bases.api, bases.server, bases.client] : ofGroups);
  const files = [...new Set([...folders].flatMap(filesBelow))].sort(compareText);
  return {
    stale: files.filter(
      (path) => path.endsWith('_generated.ts') && !written.has(path) && isGenerated(readFileSync(path, 'utf8')),
    ),
    orphans: files.filter((path) => isOrphan(path, groups, isComplete ? bases.server : undefined)),
  };
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** @param server  where a folder of no group was one's, if all groups are known */
function isOrphan(path: string, groups: readonly FoundGroup[], server: string | undefined): boolean {
  const group = groupFolderOf(path);
  if (group === undefined) return false;
  const known = groups.find(({ name, bases }) => groupPaths(bases, name).server === group);
  if (known === undefined) return server !== undefined && dirname(group) === server && wasGroup(group);
  const version = basename(dirname(path));
  return basename(path) === 'conversion.ts' && !known.versions.some(({ name }) => name === version);
}

/** The server folder of the group that a hand-written file would belong to, by its path alone. */
function groupFolderOf(path: string): string | undefined {
  const folder = dirname(path);
  switch (basename(path)) {
    case 'server.ts':
      return folder;
    case 'types.ts':
      return basename(folder) === 'internal' ? dirname(folder) : undefined;
    case 'conversion.ts': {
      const internal = dirname(folder);
      return isVersionName(basename(folder)) && basename(internal) === 'internal' ? dirname(internal) : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether a folder looks like a group's: other folders may have a `server.ts`, too. */
function wasGroup(folder: string): boolean {
  return existsSync(join(folder, 'internal'));
}
