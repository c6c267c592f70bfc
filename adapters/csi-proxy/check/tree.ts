// The API tree of a release: `<group>/<version>/api.proto`, and what was recorded beside it.
import { TerminalError } from '../../../bus/errors.ts';
import { compareVersionNames, isVersionName } from '../base/version-name.ts';
import { ProtoError, type ProtoFile, readProto } from '../protos/mod.ts';

/** The files of a tree, by their paths below it with `/` between. */
export interface TreeFiles {
  /** Name of the tree for people and editors: a directory, or `revision:path`. */
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
}

export interface ApiVersion {
  readonly group: string;
  readonly version: string;
  readonly proto: ProtoFile;
}

export interface ApiTree {
  readonly name: string;
  /** Sorted by group, then oldest version first. */
  readonly versions: readonly ApiVersion[];
}

/** Whether a file of a tree is relevant here. */
export function isOfTree(path: string): boolean {
  return path === 'releases.json' || path.endsWith('/api.proto') || path.endsWith('/recorded.json');
}

/**
 * @param options.empty  what a tree without a version is: `allowed` before the first release, else likely a misspelt folder
 * @throws {TerminalError} an `api.proto` is in no version's folder, or wrong; all are named, with their places
 */
export function apiTree(
  { name, files }: TreeFiles,
  { empty = 'refused' }: { readonly empty?: 'refused' | 'allowed' } = {},
): ApiTree {
  const versions: ApiVersion[] = [];
  const problems: string[] = [];
  for (const [path, text] of files) {
    if (!path.endsWith('/api.proto')) continue;
    const [group = '', version = '', ...rest] = path.split('/');
    if (rest.length !== 1 || !isVersionName(version)) {
      problems.push(`${name}/${path}: expected <group>/<version>/api.proto, with a version such as v1alpha1`);
      continue;
    }
    try {
      versions.push({ group, version, proto: readProto(text, `${name}/${path}`) });
    } catch (error) {
      if (!(error instanceof ProtoError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new TerminalError(problems.sort().join('\n'));
  if (versions.length === 0 && empty === 'refused')
    throw new TerminalError(`'${name}' has no <group>/<version>/api.proto`);
  versions.sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : compareVersionNames(a.version, b.version)));
  return { name, versions };
}

export function versionOf({ versions }: ApiTree, group: string, version: string): ProtoFile | undefined {
  return versions.find((one) => one.group === group && one.version === version)?.proto;
}

export function versionsOf({ versions }: ApiTree, group: string): readonly ApiVersion[] {
  return versions.filter((one) => one.group === group);
}
