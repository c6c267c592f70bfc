// Discovery of groups and versions: every subdirectory of `<api>`, and every other input directory with a marker file.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { hint } from '../../text/nearest.ts';
import { compareVersionNames, isVersionName } from '../base/version-name.ts';
import type { Bases } from './layout.ts';
import { compareText, type Problem } from './problem.ts';

export interface FoundVersion {
  readonly name: string;
  readonly folder: string;
}

export interface FoundGroup {
  /** Lower snake case. */
  readonly name: string;
  readonly folder: string;
  readonly bases: Bases;
  /** The oldest first. */
  readonly versions: readonly FoundVersion[];
}

export interface Discovery {
  /** Groups by name. */
  readonly groups: readonly FoundGroup[];
  readonly problems: readonly Problem[];
  /** `<api>` is among the inputs, or below one: what was not found does not exist. */
  readonly isComplete: boolean;
}

/** The marker stands in it, as a comment: `// +csi-proxy-gen`. */
const MARKER_FILE = 'doc.ts';
const MARKER = /^\s*(?:\/\/|\/?\*+)\s*\+csi-proxy-gen(?:=(?<setting>.*?))?\s*(?:\*\/)?\s*$/;
export const GROUP_NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

type Settings = Partial<Record<'groupName' | 'serverBasePkg' | 'clientBasePkg', string>>;
const SETTINGS = ['groupName', 'serverBasePkg', 'clientBasePkg'] as const satisfies readonly (keyof Settings)[];

export interface DiscoverInput {
  readonly bases: Bases;
  /** Absolute paths. */
  readonly inputs: readonly string[];
  /** Base of the markers' base directories. */
  readonly root: string;
  /** A path for people. */
  readonly shown: (path: string) => string;
}

/** Goes through the inputs, parents before children. Folders whose name starts with a dot, and packages, are left out. */
export function discover({ bases, inputs, root, shown }: DiscoverInput): Discovery {
  const groups = new Map<string, FoundGroup>();
  const problems: Problem[] = [];
  const visited = new Set<string>();
  const problem = (path: string, message: string): void => {
    problems.push({ at: { file: shown(path) }, message });
  };
  const settingsOf = (folder: string): Settings | undefined => {
    const file = join(folder, MARKER_FILE);
    return existsSync(file) ? readMarker(file, { folder: shown(folder), file: shown(file), problems }) : undefined;
  };

  function visit(folder: string): void {
    if (visited.has(folder)) return;
    visited.add(folder);
    const settings = settingsOf(folder);
    if (settings !== undefined || dirname(folder) === bases.api) addGroup(folder, settings ?? {});
    else for (const name of subfolders(folder)) visit(join(folder, name));
  }

  function addGroup(folder: string, settings: Settings): void {
    const name = settings.groupName ?? basename(folder);
    if (!GROUP_NAME.test(name)) {
      problem(folder, `the name of a group is lower snake case, such as new_group; got '${name}'`);
      return;
    }
    const namesake = groups.get(name);
    if (namesake !== undefined) {
      problem(folder, `group '${name}' is in '${shown(namesake.folder)}' already`);
      return;
    }
    const versions = subfolders(folder).flatMap((version) => versionIn(folder, version));
    if (versions.length === 0) problem(folder, `API group "${name}" doesn't have any version`);
    versions.sort((a, b) => compareVersionNames(a.name, b.name));
    groups.set(name, { name, folder, versions, bases: basesBy(settings, { bases, root }) });
  }

  function versionIn(group: string, name: string): FoundVersion[] {
    const folder = join(group, name);
    visited.add(folder);
    if (!isVersionName(name)) {
      problem(
        folder,
        `unexpected directory: a group has versions such as v1alpha1 in it; invalid version name: "${name}"`,
      );
      return [];
    }
    for (const nested of subfolders(folder)) {
      problem(join(folder, nested), 'unexpected directory: a version has none in it');
    }
    return existsSync(join(folder, 'api.proto')) ? [{ name, folder }] : [];
  }

  for (const input of inputs) {
    const group = [dirname(input), dirname(dirname(input))].find(
      (folder) => dirname(folder) === bases.api || existsSync(join(folder, MARKER_FILE)),
    );
    if (!existsSync(input)) problem(input, 'there is no such directory');
    else if (group !== undefined) problem(input, `it is a part of the group in '${shown(group)}': generate that`);
    else visit(input);
  }
  return {
    groups: [...groups.values()].sort((a, b) => compareText(a.name, b.name)),
    problems,
    isComplete: visited.has(bases.api),
  };
}

function basesBy(settings: Settings, { bases, root }: Pick<DiscoverInput, 'bases' | 'root'>): Bases {
  const base = (setting: string | undefined, otherwise: string): string =>
    setting === undefined ? otherwise : resolve(root, setting.replace(/\/+$/, ''));
  return {
    api: bases.api,
    server: base(settings.serverBasePkg, bases.server),
    client: base(settings.clientBasePkg, bases.client),
  };
}

/** The base folders of the group in a folder, with what its marker says; what is wrong with that is left to a run. */
export function settledBases(folder: string, given: Pick<DiscoverInput, 'bases' | 'root'>): Bases {
  const file = join(folder, MARKER_FILE);
  const settings = existsSync(file) ? readMarker(file, { folder, file, problems: [] }) : undefined;
  return basesBy(settings ?? {}, given);
}

function subfolders(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => name)
    .sort(compareText);
}

interface MarkerDeps {
  readonly folder: string;
  readonly file: string;
  readonly problems: Problem[];
}

/** The settings of a marker file; undefined when it marks nothing. */
function readMarker(path: string, { folder, file, problems }: MarkerDeps): Settings | undefined {
  let settings: Settings | undefined;
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    const found = MARKER.exec(line);
    if (found === null) continue;
    settings ??= {};
    const setting = found.groups?.['setting'];
    if (setting === undefined) continue;
    const at = { file, line: index + 1, column: 1 + line.indexOf('+') };
    const [, name = '', value = ''] = /^([^:]*):(.+)$/.exec(setting) ?? [];
    const known = SETTINGS.find((known) => known === name);
    if (value === '') {
      problems.push({ at, message: `Malformed comment tag for package '${folder}': '${setting}' is not name:value` });
    } else if (known === undefined) {
      problems.push({
        at,
        message: `Unknown comment tag '${name}' for package '${folder}'; known: ${SETTINGS.join(', ')}${hint(name, SETTINGS)}`,
      });
    } else settings[known] = value;
  }
  return settings;
}
