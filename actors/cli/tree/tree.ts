// `troupe tree`: the objects of a namespace by their references, each with how it stands and for how long.
import { type Address, addressKey, TerminalError } from '../../../bus/mod.ts';
import { duration, type Finding } from '../../inquiry/findings.ts';
import type { InquiryDeps } from '../../inquiry/inquiry.ts';
import { Reading } from '../../inquiry/reading.ts';
import { addressesIn, surveyOf } from '../../inquiry/survey.ts';
import { type Cluster, objectNamed, openCluster } from '../cluster.ts';
import type { Ink } from '../demo/view.ts';
import { drawn } from '../drawn-tree.ts';
import { inked, plain } from '../plain.ts';
import { asText, outputOf, type Question } from '../question.ts';
import { detailOf } from '../why/text.ts';
import { type Direction, forestOf, type Tree, treeFrom } from './forest.ts';

/** Which trees are asked for. */
export interface Wanted {
  readonly namespace: string;
  /** Undefined: all of the namespace. */
  readonly root: Address | undefined;
  readonly direction: Direction;
}

/** @throws {TerminalError} what is asked makes no sense @throws as `KubeClient.call` */
export async function answer(question: Question): Promise<number> {
  const { clock, names, namespace, told, out, ink } = question;
  const output = outputOf(question.output, ['text', 'json', 'yaml']);
  const isWatching = told['watch'] === true;
  if (isWatching && output !== 'text') throw new TerminalError("'tree --watch' goes without --output");
  const direction: Direction = told['dependants'] === true ? 'dependants' : 'needs';
  if (direction === 'dependants' && names.length === 0) {
    throw new TerminalError("'tree --dependants' takes one object, such as 'network/app'");
  }
  const cluster = openCluster(question);
  try {
    const wanted = wantedOf(cluster, names, namespace, direction);
    if (isWatching) {
      const { watchTree } = await import('./watch.ts');
      return await watchTree(question, cluster, wanted);
    }
    const { client, objects, registry } = cluster;
    const deps = { reading: new Reading({ objects, client }), registry, now: clock.now() };
    const trees = await treesOf(deps, wanted);
    if (output === 'text') {
      out.write(treesText(trees, wanted.namespace, ink));
    } else {
      const below = wanted.root === undefined ? 'dependants' : direction;
      out.write(await asText(output, { namespace: wanted.namespace, roots: trees.map((tree) => dataOf(tree, below)) }));
    }
    return 0;
  } finally {
    await cluster.close();
  }
}

function wantedOf(
  { registry, client }: Pick<Cluster, 'registry' | 'client'>,
  names: readonly string[],
  given: string | undefined,
  direction: Direction,
): Wanted {
  const namespace = given ?? client.namespace;
  if (names.length === 0) return { namespace, root: undefined, direction };
  const address = objectNamed('tree', registry.resources, names);
  const isOfCluster = registry.resource(address)?.scope === 'Cluster';
  return { namespace, root: { ...address, namespace: isOfCluster ? '' : namespace }, direction };
}

/** @throws as `Objects.get` and `Objects.list` */
export async function treesOf(
  deps: Omit<InquiryDeps, 'repeats'>,
  { namespace, root, direction }: Wanted,
): Promise<readonly Tree[]> {
  // Who needs an object is known when all are.
  const all = root === undefined || direction === 'dependants' ? await addressesIn(deps, namespace) : [];
  const survey = await surveyOf(deps, root === undefined ? all : [root, ...all]);
  if (root === undefined) return forestOf(survey, namespace);
  const tree = treeFrom(survey, addressKey(root), namespace, direction);
  return tree === undefined ? [] : [tree];
}

export function treesText(trees: readonly Tree[], namespace: string, ink: Ink): string {
  return `${treesLines(trees, namespace, ink).join('\n')}\n`;
}

/** One line an object. */
export function treesLines(trees: readonly Tree[], namespace: string, ink: Ink): readonly string[] {
  if (trees.length === 0) return [`namespace ${namespace} holds none of the objects that troupe cares for`];
  return drawn(trees).map(({ indent, each }) => `${indent}${lineOf(each, ink)}`);
}

function lineOf({ label, finding, repeated }: Tree, ink: Ink): string {
  const state = standingText(finding, ink);
  return repeated ? `${plain(label)}  ${state}, see above` : `${plain(label)}  ${state}${detailText(finding)}`;
}

/** How it stands, and for how long. */
export function standingText({ standing, sinceMs }: Finding, ink: Ink): string {
  return `${inked(standing, standing, ink)}${sinceMs === undefined ? '' : ` for ${duration(sinceMs)}`}`;
}

/** What it says itself, after a colon. */
export function detailText(finding: Finding): string {
  const detail = plain(detailOf(finding));
  return detail === '' ? '' : `: ${detail}`;
}

interface TreeData {
  readonly kind: string;
  readonly name: string;
  readonly standing: string;
  readonly sinceMs?: number;
  /** What it needs, or who needs it, is told where it comes up first. */
  readonly repeated?: true;
  readonly needs?: readonly TreeData[];
  readonly dependants?: readonly TreeData[];
}

function dataOf({ finding, repeated, below }: Tree, direction: Direction): TreeData {
  const { kind, name, standing, sinceMs } = finding;
  const since = sinceMs !== undefined && { sinceMs };
  if (repeated) return { kind, name, standing, ...since, repeated: true };
  return { kind, name, standing, ...since, [direction]: below.map((each) => dataOf(each, direction)) };
}

/** Of an object whose line is told by itself. */
export function changeText(tree: Tree): string {
  return `${plain(tree.label)}  ${tree.finding.standing}${detailText(tree.finding)}`;
}
