// Every deprecated member of a tree, and when it may go.
import { allElements } from '../protos/mod.ts';
import type { Permitted } from './finding.ts';
import { Severity } from './finding.ts';
import { type History, isMarked } from './history.ts';
import { RemovalPolicy } from './removal.ts';
import type { ApiTree } from './tree.ts';

export interface DeprecatedMember {
  readonly group: string;
  readonly version: string;
  /** Empty for the version itself. */
  readonly element: string;
  /** The release that announced it, unless none has yet. */
  readonly since: string | undefined;
  /** It may be missing from the release that is being prepared. */
  readonly mayGo: boolean;
  /** Missing where it may go. */
  readonly permitted: Permitted | undefined;
}

export function deprecatedMembers(
  { versions }: ApiTree,
  { history, today }: { history: History; today: string },
): readonly DeprecatedMember[] {
  const removals = new RemovalPolicy(history, today);
  return versions.flatMap(({ group, version, proto }) => {
    const elements = allElements(proto).filter(({ deprecated }) => deprecated);
    const paths = [...(isMarked(proto, '') ? [''] : []), ...elements.map(({ path }) => path)];
    return paths.map((element) => {
      const member = { group, version, element };
      const { severity, permitted } = removals.judge(member, { isMarkedInBase: true });
      const since = history.announcementOf(member)?.release.name;
      return { ...member, since, mayGo: severity !== Severity.Break, permitted };
    });
  });
}

export function statusText(members: readonly DeprecatedMember[]): string {
  if (members.length === 0) return 'nothing is deprecated\n';
  const lines = members.map(({ group, version, element, since, mayGo, permitted }) => {
    const name = element === '' ? `${group}/${version}` : `${group}/${version} ${element}`;
    const when = mayGo ? 'may go' : `may go with release number ${permitted?.release}, not before ${permitted?.date}`;
    return `${name}: ${since === undefined ? 'not announced by any release' : `deprecated since ${since}`}; ${when}`;
  });
  return `${lines.join('\n')}\n`;
}
