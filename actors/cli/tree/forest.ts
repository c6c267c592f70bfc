// Objects as trees by their references. Pure.
//
// Invariants:
//   CLI-FOREST-1. Every object is drawn with what is below it once; where it comes up again it is marked, and ends the branch.
//   CLI-FOREST-2. Every object that has a lifecycle here is in the forest, those that refer to each other in a circle too.
import { type Finding, labelOf, Standing } from '../../diagnosis/findings.ts';
import { labelIn, type ScannedObject, type Survey } from '../../diagnosis/namespace-scan.ts';

export interface Tree {
  /** As `ScannedObject.key`. */
  readonly key: string;
  readonly label: string;
  readonly finding: Finding;
  /** It is drawn elsewhere with what is below it. */
  readonly repeated: boolean;
  readonly below: readonly Tree[];
}

/** Direction of the tree: dependencies, or dependents. */
export type Direction = 'needs' | 'dependents';

/** From objects without dependencies up to those without dependents. */
export function forestOf(survey: Survey, namespace: string): readonly Tree[] {
  const grow = grower(survey, namespace, 'dependents');
  const inOrder = [...survey.values()].filter(isShown).sort((one, other) => byLabel(one, other));
  const isRoot = ({ references }: ScannedObject): boolean =>
    !references.some(({ key }) => {
      const target = survey.get(key);
      return target !== undefined && isShown(target);
    });
  const roots = inOrder.filter(isRoot).map(grow.from);
  // A circle has no root above it.
  const others = inOrder.flatMap((each) => (grow.has(each.key) ? [] : [grow.from(each)]));
  return [...roots, ...others];
}

/** One object, with its dependencies or dependents. */
export function treeFrom(survey: Survey, key: string, namespace: string, direction: Direction): Tree | undefined {
  const root = survey.get(key);
  return root && grower(survey, namespace, direction).from(root);
}

/** An object without a lifecycle that is fine, such as the credentials that all refer to, is no parent in the tree. */
function isShown({ lives, finding }: ScannedObject): boolean {
  return lives || finding.standing !== Standing.Available;
}

function grower(
  survey: Survey,
  namespace: string,
  direction: Direction,
): { from(root: ScannedObject): Tree; has(key: string): boolean } {
  const next = direction === 'needs' ? neededBy(survey) : dependentsOf(survey);
  const grown = new Set<string>();
  const from = (each: ScannedObject): Tree => {
    const label = labelIn(namespace, each);
    const { key, finding } = each;
    if (grown.has(key)) return { key, label, finding, repeated: true, below: [] };
    grown.add(key);
    return { key, label, finding, repeated: false, below: next(each).map(from) };
  };
  return { from, has: (key) => grown.has(key) };
}

function neededBy(survey: Survey): (each: ScannedObject) => readonly ScannedObject[] {
  return ({ references }) => references.flatMap(({ key }) => survey.get(key) ?? []).sort(byLabel);
}

function dependentsOf(survey: Survey): (each: ScannedObject) => readonly ScannedObject[] {
  const dependents = new Map<string, ScannedObject[]>();
  for (const each of survey.values()) {
    for (const { key } of each.references) {
      const known = dependents.get(key);
      if (known === undefined) dependents.set(key, [each]);
      else known.push(each);
    }
  }
  return ({ key }) => (dependents.get(key) ?? []).sort(byLabel);
}

function byLabel(one: ScannedObject, other: ScannedObject): number {
  const [left, right] = [labelOf(one.finding), labelOf(other.finding)];
  return left < right ? -1 : left > right ? 1 : 0;
}
