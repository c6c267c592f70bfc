// Plan of a run: everything is read and decided here, and nothing is changed.
import { existsSync, readFileSync } from 'node:fs';
import { readGroup, typeName, type VersionApi } from './api.ts';
import { planConversions, type VersionConversions } from './conversions.ts';
import { discover, type FoundGroup } from './discover.ts';
import { clientFile } from './emit/client-file.ts';
import { conversionFile } from './emit/conversion-file.ts';
import { allGroupsFile, allServicesFile, type ListedGroup } from './emit/list-files.ts';
import { messagesFile } from './emit/messages-file.ts';
import { conversionScaffold, serverScaffold, typesScaffold } from './emit/scaffold-files.ts';
import { apiGroupFile, typesFile, versionServerFile } from './emit/server-files.ts';
import { Direction, readHandWritten } from './hand-written.ts';
import { type InternalTypes, readInternalTypes } from './internal-types.ts';
import {
  allGroupsPath,
  allServicesPath,
  type Bases,
  GENERATED_HEADER,
  type GroupPaths,
  groupPaths,
  isGenerated,
  type VersionPaths,
  versionPaths,
} from './layout.ts';
import { type Leftovers, leftovers } from './leftovers.ts';
import { missingMethods } from './missing-methods.ts';
import { missingTypes } from './missing-types.ts';
import { type Problem, sortedProblems } from './problem.ts';

export interface PlannedFile {
  readonly path: string;
  readonly text: string;
  /** Written once, and a person's from then on. */
  readonly isScaffold: boolean;
}

export interface PlannedGroup {
  readonly name: string;
  /** The oldest first. */
  readonly versions: readonly { readonly name: string; readonly rpcs: number }[];
}

export interface Plan extends Leftovers {
  /** Nothing is to be written when there are any. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly groups: readonly PlannedGroup[];
  readonly files: readonly PlannedFile[];
  /** `disk/v1 MkdirRequest.mode`: internal fields of requests that a version leaves at their defaults. */
  readonly defaulted: readonly string[];
  /** The same of responses: what a version cannot tell. */
  readonly dropped: readonly string[];
}

export interface PlanInput {
  readonly bases: Bases;
  /** Folders to look for groups in; absolute. */
  readonly inputs: readonly string[];
  /** Base of the markers' base directories. */
  readonly root: string;
  /** A path for people. */
  readonly shown: (path: string) => string;
}

interface GroupPlan {
  readonly files: readonly PlannedFile[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly defaulted: readonly string[];
  readonly dropped: readonly string[];
  readonly listed: ListedGroup;
}

export function plan(input: PlanInput): Plan {
  const { bases, shown } = input;
  const { groups, problems, isComplete } = discover(input);
  const plans = groups.map((group) => planGroup(group, shown));
  const listed = plans.map(({ listed }) => listed);
  const files = plans.flatMap((one) => one.files);
  if (isComplete) {
    files.push(
      generated(allGroupsPath(bases), allGroupsFile(listed, allGroupsPath(bases))),
      generated(allServicesPath(bases), allServicesFile(listed, allServicesPath(bases))),
    );
  }
  const allProblems = [...problems, ...plans.flatMap((one) => one.problems), ...overwritten(files, shown)];
  return {
    ...leftovers({ groups, bases, isComplete, written: new Set(files.map(({ path }) => path)) }),
    problems: sortedProblems(allProblems),
    warnings: sortedProblems(plans.flatMap((one) => one.warnings)),
    groups: listed.map(({ name, versions }) => ({
      name,
      versions: versions.map(({ api }) => ({ name: api.version, rpcs: api.service.rpcs.length })),
    })),
    files,
    defaulted: plans.flatMap((one) => one.defaulted),
    dropped: plans.flatMap((one) => one.dropped),
  };
}

/** Hand-written files with the name of a generated file. */
function overwritten(files: readonly PlannedFile[], shown: (path: string) => string): readonly Problem[] {
  return files
    .filter(({ path, isScaffold }) => !isScaffold && existsSync(path) && !isGenerated(readFileSync(path, 'utf8')))
    .map(({ path }) => ({
      at: { file: shown(path) },
      message: `written by hand, for its first line is not '${GENERATED_HEADER}': it is not overwritten; move it away`,
    }));
}

function generated(path: string, text: string): PlannedFile {
  return { path, text, isScaffold: false };
}

interface PlannedVersion {
  readonly api: VersionApi;
  readonly paths: VersionPaths;
  readonly converted: VersionConversions;
}

function planGroup(found: FoundGroup, shown: (path: string) => string): GroupPlan {
  const paths = groupPaths(found.bases, found.name);
  const { versions: apis, problems, warnings } = readGroup(found, shown);
  const files: PlannedFile[] = [];
  /** The text of a hand-written file, or of one that is written now. */
  const handWrittenText = (path: string, scaffold: () => string): string => {
    if (existsSync(path)) return readFileSync(path, 'utf8');
    const text = scaffold();
    files.push({ path, text, isScaffold: true });
    return text;
  };
  const folderOf = new Map(found.versions.map(({ name, folder }) => [name, folder]));
  const withPaths = apis.map((api) => ({
    api,
    paths: versionPaths(paths, api.version, folderOf.get(api.version) ?? found.folder),
  }));
  const listed = { name: found.name, paths, versions: withPaths };
  const none = { files: [], warnings, defaulted: [], dropped: [], listed };
  const [only, ...others] = apis;
  if (problems.length > 0 || only === undefined) return { ...none, problems };
  const typesFileName = shown(paths.types);
  if (!existsSync(paths.types) && others.length > 0) {
    const message = `group '${found.name}' has several versions, and no internal types: they must be written by hand`;
    return { ...none, problems: [{ at: { file: typesFileName }, message }] };
  }
  const internal = readInternalTypes(
    handWrittenText(paths.types, () => typesScaffold(only, paths)),
    typesFileName,
  );
  if (internal.problems.length > 0) return { ...none, problems: internal.problems };
  const planned = withPaths.map((one) => {
    const handWritten = readHandWritten({
      text: handWrittenText(one.paths.conversion, () => conversionScaffold(one.api)),
      path: one.paths.conversion,
      file: shown(one.paths.conversion),
      messages: [...one.api.messages.keys()].map(typeName),
      modules: { pb: one.paths.messages, internal: paths.types },
    });
    const converted = planConversions({ api: one.api, internal, handWritten });
    return { ...one, converted, problems: [...handWritten.problems, ...converted.problems] };
  });
  const serverText = handWrittenText(paths.serverClass, () => serverScaffold(found.name, apis, paths));
  files.push(...groupFiles(found.name, planned, { internal, paths }));
  const inGroup = (notes: (converted: VersionConversions) => readonly string[]): readonly string[] =>
    planned.flatMap(({ converted }) => notes(converted).map((note) => `${found.name}/${note}`));
  return {
    files,
    problems: [...planned.flatMap((one) => one.problems), ...missingTypes(planned, internal, paths.types)],
    warnings: [
      ...warnings,
      ...planned.flatMap(({ converted }) => converted.warnings),
      ...missingMethods(apis, serverText, shown(paths.serverClass)),
    ],
    defaulted: inGroup(({ defaulted }) => defaulted),
    dropped: inGroup(({ dropped }) => dropped),
    listed,
  };
}

function groupFiles(
  name: string,
  versions: readonly PlannedVersion[],
  { internal, paths }: { internal: InternalTypes; paths: GroupPaths },
): readonly PlannedFile[] {
  const apis = versions.map(({ api }) => api);
  const needed = versions.flatMap(({ converted }) =>
    converted.conversions.filter(({ direction }) => direction === Direction.In).map(({ message }) => message),
  );
  const types = typesFile({ versions: apis, internal, needed: [...new Set(needed)], group: paths });
  return [
    generated(paths.typesGenerated, types),
    generated(paths.apiGroup, apiGroupFile(name, versions, paths)),
    ...versions.flatMap(({ api, paths: version, converted: { conversions } }) => [
      generated(version.messages, messagesFile(api, version.messages)),
      generated(version.conversionGenerated, conversionFile({ api, conversions, group: paths, paths: version })),
      generated(version.server, versionServerFile({ api, conversions, group: paths, paths: version })),
      generated(version.client, clientFile(api, version)),
    ]),
  ];
}
