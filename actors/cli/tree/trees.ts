// Selection of trees, and their lines.
import { type Address, addressKey } from '../../../bus/mod.ts';
import { plain } from '../../base/printable.ts';
import type { DiagnosisDeps } from '../../diagnosis/diagnosis.ts';
import { duration, type Finding } from '../../diagnosis/findings.ts';
import { addressesIn, scanNamespace } from '../../diagnosis/namespace-scan.ts';
import type { Ink } from '../colors.ts';
import { colored } from '../terminal-text.ts';
import { drawn } from '../tree-text.ts';
import { detailOf } from '../why/text.ts';
import { type Direction, forestOf, type Tree, treeFrom } from './forest.ts';

/** Wanted trees. */
export interface Wanted {
  /** Empty: all of them, and what is in none. */
  readonly namespace: string;
  /** Undefined: all of the namespace. */
  readonly root: Address | undefined;
  readonly direction: Direction;
}

/** @throws as `Objects.get` and `Objects.list` */
export async function treesOf(
  deps: Omit<DiagnosisDeps, 'repeats'>,
  { namespace, root, direction }: Wanted,
): Promise<readonly Tree[]> {
  // Dependents of an object are known only after reading all objects.
  const all = root === undefined || direction === 'dependents' ? await addressesIn(deps, namespace || undefined) : [];
  const survey = await scanNamespace(deps, root === undefined ? all : [root, ...all]);
  if (root === undefined) return forestOf(survey, namespace);
  const tree = treeFrom(survey, addressKey(root), namespace, direction);
  return tree === undefined ? [] : [tree];
}

export function treesText(trees: readonly Tree[], namespace: string, ink: Ink): string {
  return `${treesLines(trees, namespace, ink).join('\n')}\n`;
}

/** One line per object. */
export function treesLines(trees: readonly Tree[], namespace: string, ink: Ink): readonly string[] {
  if (trees.length === 0)
    return [
      `${namespace === '' ? 'no namespace holds any' : `namespace ${namespace} holds none`} of the objects that troupe manages`,
    ];
  return drawn(trees).map(({ indent, each }) => `${indent}${lineOf(each, ink)}`);
}

function lineOf({ label, finding, repeated }: Tree, ink: Ink): string {
  const state = standingText(finding, ink);
  return repeated ? `${plain(label)}  ${state}, see above` : `${plain(label)}  ${state}${detailText(finding)}`;
}

/** State with its duration. */
function standingText({ standing, sinceMs }: Finding, ink: Ink): string {
  return `${colored(standing, standing, ink)}${sinceMs === undefined ? '' : ` for ${duration(sinceMs)}`}`;
}

/** Message of the object, after a colon. */
function detailText(finding: Finding): string {
  const detail = plain(detailOf(finding));
  return detail === '' ? '' : `: ${detail}`;
}

/** Text of an object whose line is printed alone. */
export function changeText(tree: Tree): string {
  return `${plain(tree.label)}  ${tree.finding.standing}${detailText(tree.finding)}`;
}
