// Two API trees, the base and the current one: C00 to C02, C28 to C30, and what the versions of both have changed.

import { compareVersionNames, parseVersionName, Stability } from '../base/version-name.ts';
import { allElements, type ProtoFile } from '../protos/mod.ts';
import { compareVersion } from './compare-version.ts';
import type { Finding } from './finding.ts';
import { Severity } from './finding.ts';
import { type History, isMarked, type Member } from './history.ts';
import { differences } from './immutable.ts';
import { RemovalPolicy } from './removal.ts';
import { Findings, paired } from './scope.ts';
import { type ApiTree, type ApiVersion, versionOf, versionsOf } from './tree.ts';

/** `immutable`: a version of the base may not change at all. */
export const Policy = { Compatible: 'compatible', Immutable: 'immutable' } as const;
export type Policy = (typeof Policy)[keyof typeof Policy];

export interface Comparison {
  readonly base: ApiTree;
  readonly current: ApiTree;
  readonly history: History;
  readonly policy: Policy;
  /** The date of the release that is being prepared, `YYYY-MM-DD`. */
  readonly today: string;
}

/** @returns sorted by group, version, place */
export function compareTrees(comparison: Comparison): readonly Finding[] {
  const { base, current, history, policy, today } = comparison;
  const removals = new RemovalPolicy(history, today);
  const { both, gone, fresh } = paired(base.versions, current.versions, ({ group, version }) => `${group}/${version}`);
  const judge = (member: Member, proto: ProtoFile): ReturnType<RemovalPolicy['judge']> =>
    removals.judge(member, { isMarkedInBase: isMarked(proto, '') || isMarked(proto, member.element) });
  const removed = gone.flatMap(({ group, version, proto }) => {
    const findings = new Findings({ group, version });
    const rule = versionsOf(current, group).length === 0 ? 'C02' : 'C01';
    const at = proto.package?.at ?? proto.syntax.at;
    findings.addRemoval(rule, { path: '', at }, judge({ group, version, element: '' }, proto));
    return findings.all;
  });
  const changed = both.flatMap(([{ group, version, proto }, { proto: now }]) => {
    const earlier = history.releases.flatMap(({ tree }) => versionOf(tree, group, version) ?? []);
    const scope = {
      group,
      version,
      base: proto,
      current: now,
      earlier,
      judge: (element: string) => judge({ group, version, element }, proto),
    };
    const found = [...versionMarks(scope, current), ...compareVersion(scope)];
    return policy === Policy.Immutable ? differences(scope, found) : found;
  });
  const added = fresh.flatMap((version) => newVersion(version, comparison));
  return [...removed, ...changed, ...added].sort(
    (a, b) =>
      (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) ||
      compareVersionNames(a.version, b.version) ||
      a.at.line - b.at.line ||
      a.at.column - b.at.column,
  );
}

/** C25 and C26 of the version itself. */
function versionMarks(
  { group, version, base, current }: { group: string; version: string; base: ProtoFile; current: ProtoFile },
  tree: ApiTree,
): readonly Finding[] {
  const findings = new Findings({ group, version });
  const at = current.package?.at ?? current.syntax.at;
  const element = { path: '', at };
  const isNow = isMarked(current, '');
  if (isMarked(base, '') && !isNow)
    findings.add('C26', Severity.Info, element, 'the version is no longer marked deprecated');
  if (isNow && !isMarked(base, '')) {
    const left = versionsOf(tree, group).filter(({ proto }) => !isMarked(proto, ''));
    const onlyLess = left.length > 0 && left.every((other) => isLessStable(other.version, version));
    const names = left.map((other) => other.version).join(', ');
    if (onlyLess)
      findings.add(
        'C25',
        Severity.Warn,
        element,
        `the version is marked deprecated, though only less stable ones are left: ${names}`,
      );
    else findings.add('C25', Severity.Info, element, 'the version is marked deprecated');
  }
  return findings.all;
}

const STABILITIES: readonly Stability[] = [Stability.Alpha, Stability.Beta, Stability.Stable];

function isLessStable(a: string, b: string): boolean {
  const rank = (name: string): number => STABILITIES.indexOf(parseVersionName(name).stability);
  return rank(a) < rank(b);
}

/** C28 to C30, and members that are deprecated from the start. */
function newVersion({ group, version, proto }: ApiVersion, { base, current }: Comparison): readonly Finding[] {
  const findings = new Findings({ group, version });
  const element = { path: '', at: proto.package?.at ?? proto.syntax.at };
  const { major, stability } = parseVersionName(version);
  const ofMajor = (tree: ApiTree): readonly ApiVersion[] =>
    versionsOf(tree, group).filter((other) => parseVersionName(other.version).major === major);
  if (
    stability !== Stability.Stable &&
    ofMajor(base).some((other) => parseVersionName(other.version).stability === Stability.Stable)
  ) {
    findings.add(
      'C28',
      Severity.Break,
      element,
      `'v${major}' is stable already: what is new belongs in 'v${major + 1}alpha1'`,
    );
  }
  const known = [...ofMajor(base), ...ofMajor(current).filter((other) => other.version !== version)];
  if (stability !== Stability.Alpha && !known.some((other) => compareVersionNames(other.version, version) < 0)) {
    const what = versionsOf(base, group).length === 0 ? `group '${group}'` : `major number ${major}`;
    findings.add('C29', Severity.Warn, element, `the first version of ${what} is no alpha`);
  }
  if (
    stability === Stability.Stable &&
    !known.some((other) => parseVersionName(other.version).stability === Stability.Beta)
  ) {
    findings.add('C30', Severity.Warn, element, `'${version}' is stable, and there was no beta of it`);
  }
  for (const member of allElements(proto)) {
    if (member.deprecated)
      findings.add('C25', Severity.Warn, member, 'deprecated from the start: a new version leaves it out');
  }
  return findings.all;
}
