// The first proto of a new group, and the copy from which a new version starts; then all is generated.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { hint } from '../../text/nearest.ts';
import { isVersionName, parseVersionName, Stability } from '../base/version-name.ts';
import { ProtoError, type ProtoFile, readProto } from '../protos/mod.ts';
import { serviceName } from './api.ts';
import { removeEmpty } from './apply.ts';
import { GROUP_NAME, settledBases } from './discover.ts';
import { groupPaths, versionPaths } from './layout.ts';
import { type RunOptions, type RunResult, run } from './run.ts';

type StartOptions = Pick<RunOptions, 'bases' | 'root'>;

const FIRST_VERSION = 'v1alpha1';

/**
 * A group with one call, to be completed.
 *
 * @param name  lower snake case
 * @throws {RangeError} no such name can be, or the group exists
 */
export function newGroup(name: string, options: StartOptions): RunResult {
  if (!GROUP_NAME.test(name)) {
    throw new RangeError(`the name of a group is lower snake case, such as new_group; got '${name}'`);
  }
  const folder = join(options.bases.api, name);
  if (existsSync(folder)) throw new RangeError(`'${relative(options.root, folder)}' is there already`);
  return startedWith([{ path: join(folder, FIRST_VERSION, 'api.proto'), text: firstProto(name) }], options);
}

function firstProto(group: string): string {
  return `syntax = "proto3";

package ${FIRST_VERSION};

// What group ${group} is about.
service ${serviceName(group)} {
  // What the call does, seen by the caller.
  rpc Example(ExampleRequest) returns (ExampleResponse);
}

message ExampleRequest {
  // What it means, and its unit.
  string name = 1;
}

message ExampleResponse {
  // What it means, and its unit.
  string answer = 1;
}
`;
}

/**
 * A version that is what another is, hand-written conversions included.
 *
 * @throws {RangeError} there is no such version to start from, the new one exists, or it is below a stable one (C28)
 */
export function newVersion(group: string, from: string, to: string, options: StartOptions): RunResult {
  const folder = join(options.bases.api, group);
  const shown = (path: string): string => relative(options.root, path);
  if (!isVersionName(to)) throw new RangeError(`invalid version name: "${to}"`);
  const paths = groupPaths(settledBases(folder, options), group);
  const [old, fresh] = [versionPaths(paths, from, join(folder, from)), versionPaths(paths, to, join(folder, to))];
  if (!isVersionName(from) || !existsSync(old.proto)) {
    const meant = existsSync(folder)
      ? hint(from, foldersIn(folder).filter(isVersionName))
      : hint(group, foldersIn(options.bases.api));
    throw new RangeError(`there is no '${shown(old.proto)}'${meant}`);
  }
  const { major, stability } = parseVersionName(to);
  const stable = `v${major}`;
  if (stability !== Stability.Stable && foldersIn(folder).includes(stable)) {
    const why = `'${stable}' of it is stable already, so nobody could release '${to}' (C28)`;
    throw new RangeError(`group '${group}': ${why}; what is new belongs in 'v${major + 1}alpha1'`);
  }
  for (const path of [fresh.proto, fresh.conversion]) {
    if (existsSync(path)) throw new RangeError(`'${shown(path)}' is there already`);
  }
  const files = [{ path: fresh.proto, text: protoOf(to, readFileSync(old.proto, 'utf8'), shown(old.proto)) }];
  if (existsSync(old.conversion)) {
    const text = readFileSync(old.conversion, 'utf8');
    files.push({ path: fresh.conversion, text: text.replaceAll(new RegExp(`\\b${from}\\b`, 'g'), to) });
  }
  return startedWith(files, options);
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** The proto with another package. That of a deprecated version is not deprecated. */
function protoOf(version: string, text: string, file: string): string {
  const { package: declared } = readOrRange(text, file);
  if (declared === undefined) throw new RangeError(`${file}: there is no package`);
  const lines = text.split('\n');
  const line = declared.at.line - 1;
  const before = lines[line] ?? '';
  lines[line] =
    before.slice(0, declared.at.column - 1) + version + before.slice(declared.at.column - 1 + declared.name.length);
  let first = line;
  if (declared.deprecated) while (lines[first - 1]?.trim().startsWith('//')) first -= 1;
  return lines.toSpliced(first, line - first).join('\n');
}

function readOrRange(text: string, file: string): ProtoFile {
  try {
    return readProto(text, file);
  } catch (error) {
    throw error instanceof ProtoError ? new RangeError(error.message, { cause: error }) : error;
  }
}

/** Writes, and generates; where that fails, takes away again what was written. */
function startedWith(files: readonly { path: string; text: string }[], options: StartOptions): RunResult {
  let result: RunResult | undefined;
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
    }
    result = run(options);
  } finally {
    if (result?.ok !== true) {
      for (const { path } of files) {
        rmSync(path, { force: true });
        removeEmpty(dirname(path), Object.values(options.bases));
      }
    }
  }
  const written = files.map(({ path }) => `  ${relative(options.root, path)}\n`).join('');
  return result.ok ? { ...result, report: `started:\n${written}${result.report}` } : result;
}
