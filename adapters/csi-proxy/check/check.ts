// The whole check: two API trees and the release history, wherever they are.
import { TerminalError } from '../../../bus/errors.ts';
import type { Position } from '../protos/mod.ts';
import { compareTrees, Policy } from './compare.ts';
import { parseDay } from './dates.ts';
import { type Finding, type RuleId, Severity } from './finding.ts';
import { History, parseHistory } from './history.ts';
import { parseRecorded, type Replay, replayRecorded } from './recorded.ts';
import { readSource, type SourceDeps } from './source.ts';
import { type ApiTree, apiTree, type TreeFiles, versionOf } from './tree.ts';

export interface CheckInput extends SourceDeps {
  readonly base: string;
  readonly current: string;
  readonly policy: Policy;
  /** The date of the release that is being prepared, from `parseDate`. */
  readonly today: string;
}

export interface CheckDeps {
  /** Servers of now, to make the recorded calls of the base of. */
  readonly replay: Replay;
  /** Reasons why the generated code of the current tree is not up to date; undefined: unknown. */
  readonly stale: (() => Promise<readonly Stale[]>) | undefined;
}

export interface Stale {
  /** Without a line, the file as a whole. */
  readonly at: Position | { readonly file: string };
  /** Why nothing can be generated; undefined: the file is not as the generator would write it. */
  readonly problem?: string;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** Rules that nothing was held against, and why. */
  readonly notChecked: readonly { readonly rules: readonly RuleId[]; readonly reason: string }[];
}

/**
 * @throws {TerminalError} a tree, the history or a recording cannot be read
 */
export async function checkTrees(input: CheckInput, { replay, stale }: CheckDeps): Promise<Checked> {
  const baseFiles = await readSource(input.base, input);
  const currentFiles = await readSource(input.current, input);
  const [base, current] = [apiTree(baseFiles, { empty: 'allowed' }), apiTree(currentFiles)];
  const history = await readHistory(currentFiles, input);
  const notChecked: Checked['notChecked'][number][] = [];
  const replayed = await replayAll(baseFiles, { base, current, replay });
  for (const reason of replayed.notReplayed) notChecked.push({ rules: ['C31', 'C32'], reason });
  if (stale === undefined) notChecked.push({ rules: ['C33'], reason: 'generated code was not looked at' });
  return {
    findings: [
      ...compareTrees({ base, current, history, policy: input.policy, today: input.today }),
      ...replayed.findings,
      ...(stale === undefined ? [] : staleFindings(await stale(), currentFiles.name)),
    ],
    notChecked,
  };
}

/** The history is that of the current tree: a release is entered when it is published. */
export async function readHistory({ name, files }: TreeFiles, deps: SourceDeps): Promise<History> {
  const text = files.get('releases.json');
  if (text === undefined) return new History([]);
  const releases = [];
  for (const entry of parseHistory(text, `${name}/releases.json`)) {
    releases.push({ ...entry, tree: apiTree(await readSource(entry.api, deps)) });
  }
  return new History(releases);
}

async function replayAll(
  { name, files }: TreeFiles,
  { base, current, replay }: { base: ApiTree; current: ApiTree; replay: Replay },
): Promise<{ readonly findings: readonly Finding[]; readonly notReplayed: readonly string[] }> {
  const findings: Finding[] = [];
  const notReplayed: string[] = [];
  if (![...files.keys()].some((path) => path.endsWith('/recorded.json')))
    notReplayed.push(`'${name}' has no recorded calls`);
  for (const { group, version, proto } of base.versions) {
    const file = `${group}/${version}/recorded.json`;
    const text = files.get(file);
    const currentProto = versionOf(current, group, version);
    if (text === undefined || currentProto === undefined) continue;
    const calls = parseRecorded(text, `${name}/${file}`);
    const server = await replay(group, version);
    if (server === undefined) {
      notReplayed.push(`there is no server of ${group}/${version} to make the recorded calls of`);
      continue;
    }
    try {
      findings.push(...(await replayRecorded(calls, { group, version, base: proto, current: currentProto, server })));
    } finally {
      await server.close();
    }
  }
  return { findings, notReplayed };
}

function staleFindings(stale: readonly Stale[], tree: string): readonly Finding[] {
  return stale.map(({ at, problem }) => ({
    rule: 'C33',
    severity: Severity.Break,
    group: '',
    version: '',
    element: '',
    text:
      problem === undefined ? `it is not what the generator makes of '${tree}'` : `nothing is generated: ${problem}`,
    at: { line: 1, column: 1, ...at },
  }));
}

/** @throws {TerminalError} `name` is no policy */
export function parsePolicy(name: string): Policy {
  const policy = Object.values(Policy).find((one) => one === name);
  if (policy === undefined) throw new TerminalError(`--policy must be compatible or immutable; got '${name}'`);
  return policy;
}

/** @throws {TerminalError} `text` is no day of the calendar */
export function parseDate(text: string): string {
  try {
    return parseDay(text);
  } catch (error) {
    throw new TerminalError(`--date: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
