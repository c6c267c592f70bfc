// One run of the generator, from folders to a report for people.
import { relative, resolve, sep } from 'node:path';
import { apply, type Changes, changesOf, Orphans } from './apply.ts';
import type { Bases } from './layout.ts';
import { type Plan, plan } from './plan.ts';
import { type Problem, problemText } from './problem.ts';

export interface RunOptions {
  readonly bases: Bases;
  /** Folders to look for groups in; `<api>` unless given. */
  readonly inputs?: readonly string[];
  /** Base of relative paths; shown paths are relative to it too. */
  readonly root: string;
  readonly orphans?: Orphans;
  /** Nothing is written; what would be makes the run fail. */
  readonly isCheck?: boolean;
  /** The report has problems, warnings and the totals only. */
  readonly isQuiet?: boolean;
}

export interface RunResult {
  readonly ok: boolean;
  /** Lines for people. */
  readonly report: string;
  /** Reasons why nothing was changed, including hand-written files of removed parts. */
  readonly problems: readonly Problem[];
  /** Changes made, or with `isCheck` to be made; empty if there are problems. */
  readonly changes: Changes;
}

const NO_CHANGES: Changes = { written: [], scaffolded: [], removed: [], kept: [] };

export function run({
  bases,
  inputs = [bases.api],
  root,
  orphans = Orphans.Fail,
  isCheck = false,
  isQuiet = false,
}: RunOptions): RunResult {
  const shown = (path: string): string => relative(root, path).split(sep).join('/') || '.';
  const planned = plan({ bases, inputs: inputs.map((input) => resolve(root, input)), root, shown });
  const warnings = planned.warnings.map((warning) => `warning: ${problemText(warning)}`);
  const left = orphans === Orphans.Fail ? planned.orphans : [];
  const problems = [
    ...planned.problems,
    ...left.map((path) => ({
      at: { file: shown(path) },
      message:
        'written by hand for a version or group that was removed: --orphans delete removes it, --orphans keep leaves it',
    })),
  ];
  if (problems.length > 0) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    return {
      ok: false,
      report: lines([...problems.map(problemText), ...warnings, `${count}, and nothing was changed`]),
      problems,
      changes: NO_CHANGES,
    };
  }
  const changes = changesOf(planned, orphans);
  const isUpToDate = [changes.written, changes.scaffolded, changes.removed].every(({ length }) => length === 0);
  if (!isCheck) apply(planned, changes, bases);
  const report = [
    ...(isQuiet || (isCheck && isUpToDate) ? [] : reportOf(planned, { changes, shown, isCheck, orphans })),
    ...warnings,
    isCheck
      ? isUpToDate
        ? 'generated files are up to date'
        : "out of date: run 'troupe csi-proxy gen'"
      : summary(planned, changes),
  ];
  return { ok: !isCheck || isUpToDate, report: lines(report), problems, changes };
}

interface ReportDeps {
  readonly changes: Changes;
  readonly shown: (path: string) => string;
  readonly isCheck: boolean;
  readonly orphans: Orphans;
}

function reportOf(planned: Plan, { changes, shown, isCheck, orphans }: ReportDeps): readonly string[] {
  const section = (title: string, entries: readonly string[]): readonly string[] =>
    entries.length === 0 ? [] : [`${title}:`, ...entries.map((entry) => `  ${entry}`)];
  const files = (title: string, paths: readonly string[]): readonly string[] => section(title, paths.map(shown));
  const would = isCheck ? 'would be ' : '';
  return [
    ...planned.groups.map(
      ({ name, versions }) => `${name}: ${versions.map(({ name, rpcs }) => `${name} (RPCs: ${rpcs})`).join(', ')}`,
    ),
    ...files(`${would}written`, changes.written),
    ...files(`${would}scaffolded, to start from`, changes.scaffolded),
    ...files(`${would}removed`, changes.removed),
    ...(orphans === Orphans.Keep ? files('left of removed versions and groups', planned.orphans) : []),
    ...section('internal fields of requests that a version leaves at their defaults', planned.defaulted),
    ...section('internal fields of responses that a version cannot tell', planned.dropped),
  ];
}

function summary({ groups }: Plan, { written, scaffolded, removed, kept }: Changes): string {
  const versions = groups.flatMap((group) => group.versions);
  const rpcs = versions.reduce((sum, version) => sum + version.rpcs, 0);
  return (
    `generated: groups ${groups.length}, versions ${versions.length}, RPCs ${rpcs}; files written ${written.length}, ` +
    `kept ${kept.length}, removed ${removed.length}, scaffolded ${scaffolded.length}`
  );
}

function lines(of: readonly string[]): string {
  return of.map((line) => `${line}\n`).join('');
}
