// The files that list all groups: for the server, and for clients that find a call by its name.
import { methodName, serviceName, type VersionApi } from '../api.ts';
import { GENERATED_HEADER, type GroupPaths, RUNTIME, specifier, type VersionPaths } from '../layout.ts';
import { importText, sortedImports } from './text.ts';

export interface ListedGroup {
  readonly name: string;
  readonly paths: GroupPaths;
  /** The oldest first. */
  readonly versions: readonly { readonly api: VersionApi; readonly paths: VersionPaths }[];
}

/** `all_groups_generated.ts`: by name. */
export function allGroupsFile(groups: readonly ListedGroup[], path: string): string {
  const imports = groups.flatMap(({ name, paths }) => [
    `import * as ${groupModule(name)} from '${specifier(path, paths.apiGroup)}';\n`,
    `import { Server as ${serviceName(name)}Server } from '${specifier(path, paths.serverClass)}';\n`,
  ]);
  const lines = groups.map(
    ({ name }) =>
      `  apiGroup(${groupModule(name)}.groupName, ${serviceName(name)}Server, ${groupModule(name)}.versionedAPIs),\n`,
  );
  return [
    `${GENERATED_HEADER}\n`,
    sortedImports([...imports, importText(['type ApiGroup', 'apiGroup'], specifier(path, RUNTIME.server))]),
    `\nexport const allGroups: readonly ApiGroup[] = [\n${lines.join('')}];\n`,
  ].join('');
}

/** `all_services_generated.ts`: by group and version. */
export function allServicesFile(groups: readonly ListedGroup[], path: string): string {
  const imports = groups.flatMap(({ name, versions }) =>
    versions.map(
      ({ api, paths }) =>
        `import { ${api.service.name} as ${name}_${api.version} } from '${specifier(path, paths.messages)}';\n`,
    ),
  );
  const lines = groups.flatMap(({ name, versions }) => [
    `  ${name}: {\n`,
    ...versions.map(({ api: { version } }) => `    ${version}: ${name}_${version},\n`),
    '  },\n',
  ]);
  return [
    `${GENERATED_HEADER}\n`,
    sortedImports([...imports, importText(['type Service'], specifier(path, RUNTIME.codec))]),
    '\n/** The calls of each version of each group, the versions from the oldest to the newest. */\n',
    `export const allServices: Readonly<Record<string, Readonly<Record<string, Service>>>> = {\n${lines.join('')}};\n`,
  ].join('');
}

/** A name that is no word of the language, whatever the group is called. */
function groupModule(group: string): string {
  return `${methodName(serviceName(group))}Group`;
}
