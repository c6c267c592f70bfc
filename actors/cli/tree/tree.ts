// `troupe tree`: the objects of a namespace by their references, each with its state and the time since.
import { TerminalError } from '../../../bus/mod.ts';
import { ClusterReader } from '../../diagnosis/cluster-reader.ts';
import { type Cluster, objectNamed, openCluster, refuseAbsentNamespace } from '../cluster.ts';
import { asText, type CommandContext, outputOf } from '../command-context.ts';
import type { Direction, Tree } from './forest.ts';
import { treesOf, treesText, type Wanted } from './trees.ts';

/** @throws {TerminalError} what is asked makes no sense @throws as `KubeClient.call` */
export async function answer(question: CommandContext): Promise<number> {
  const { clock, names, namespace, reported, out, ink } = question;
  const output = outputOf(question.output, ['text', 'json', 'yaml']);
  const isWatching = reported['watch'] === true;
  if (isWatching && output !== 'text') throw new TerminalError("'tree --watch' goes without --output");
  const isEverywhere = reported['all-namespaces'] === true;
  if (isEverywhere && (isWatching || names.length > 0))
    throw new TerminalError("'tree --all-namespaces' goes without an object and without --watch; -n names a namespace");
  const direction: Direction = reported['dependents'] === true ? 'dependents' : 'needs';
  if (direction === 'dependents' && names.length === 0) {
    throw new TerminalError("'tree --dependents' takes one object, such as 'network/app'");
  }
  const cluster = openCluster(question);
  try {
    const wanted = wantedOf(
      { ...cluster, adapters: question.adapters },
      names,
      isEverywhere ? '' : namespace,
      direction,
    );
    if (isWatching) {
      const { watchTree } = await import('./watch.ts');
      return await watchTree(question, cluster, wanted);
    }
    const { client, objects, registry } = cluster;
    const deps = { reading: new ClusterReader({ objects, client, registry }), registry, now: clock.now() };
    const trees = await treesOf(deps, wanted);
    if (trees.length === 0 && !isEverywhere) await refuseAbsentNamespace(client, namespace);
    if (output === 'text') {
      out.write(treesText(trees, wanted.namespace, ink));
    } else {
      const below = wanted.root === undefined ? 'dependents' : direction;
      out.write(await asText(output, { namespace: wanted.namespace, roots: trees.map((tree) => dataOf(tree, below)) }));
    }
    return 0;
  } finally {
    await cluster.close();
  }
}

function wantedOf(
  { registry, client, adapters }: Pick<Cluster, 'registry' | 'client'> & Pick<CommandContext, 'adapters'>,
  names: readonly string[],
  given: string | undefined,
  direction: Direction,
): Wanted {
  const namespace = given ?? client.namespace;
  if (names.length === 0) return { namespace, root: undefined, direction };
  const address = objectNamed('tree', { resources: registry.resources, adapters }, names);
  const isOfCluster = registry.resource(address)?.scope === 'Cluster';
  return { namespace, root: { ...address, namespace: isOfCluster ? '' : namespace }, direction };
}

interface TreeData {
  readonly kind: string;
  readonly name: string;
  readonly standing: string;
  readonly sinceMs?: number;
  /** Its dependencies or dependents are printed where it occurs first. */
  readonly repeated?: true;
  readonly needs?: readonly TreeData[];
  readonly dependents?: readonly TreeData[];
}

function dataOf({ finding, repeated, below }: Tree, direction: Direction): TreeData {
  const { kind, name, standing, sinceMs } = finding;
  const since = sinceMs !== undefined && { sinceMs };
  if (repeated) return { kind, name, standing, ...since, repeated: true };
  return { kind, name, standing, ...since, [direction]: below.map((each) => dataOf(each, direction)) };
}
