// API trees out of a few lines.
import { compareTrees, Policy } from '../../../../adapters/csi-proxy/check/compare.ts';
import type { Finding } from '../../../../adapters/csi-proxy/check/finding.ts';
import { History } from '../../../../adapters/csi-proxy/check/history.ts';
import { type ApiTree, apiTree } from '../../../../adapters/csi-proxy/check/tree.ts';

/** What each version of group `g` says behind its package; a head of its own replaces the usual one. */
export type Versions = Readonly<Record<string, string>>;

export function tree(versions: Versions, name = 'api'): ApiTree {
  const files = Object.entries(versions).map(([key, body]) => {
    const [group, version] = key.includes('/') ? key.split('/') : ['g', key];
    const text = body.startsWith('syntax') ? body : `syntax = "proto3";\npackage ${version};\n${body}`;
    return [`${group}/${version}/api.proto`, text] as const;
  });
  return apiTree({ name, files: new Map(files) });
}

export interface TreeOptions {
  readonly releases?: readonly { readonly name: string; readonly date: string; readonly versions: Versions }[];
  readonly policy?: Policy;
  readonly today?: string;
}

export function history(releases: NonNullable<TreeOptions['releases']>): History {
  return new History(
    releases.map(({ name, date, versions }) => ({
      name,
      date,
      api: `${name}:api`,
      tree: tree(versions, `${name}:api`),
    })),
  );
}

export function compared(
  base: Versions,
  current: Versions,
  { releases = [], policy = Policy.Compatible, today = '2026-06-15' }: TreeOptions = {},
): readonly Finding[] {
  return compareTrees({ base: tree(base), current: tree(current), history: history(releases), policy, today });
}

/** `C12 break M.a`, sorted. */
export function brief(findings: readonly Finding[]): readonly string[] {
  return findings
    .map(({ rule, severity, version, element }) => `${rule} ${severity} ${element === '' ? version : element}`)
    .sort();
}
