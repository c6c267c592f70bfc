// `troupe graph`: the references in a namespace, for Graphviz, for Mermaid or as JSON.

import { ClusterReader } from '../../diagnosis/cluster-reader.ts';
import { addressesIn, scanNamespace } from '../../diagnosis/namespace-scan.ts';
import { openCluster, refuseAbsentNamespace } from '../cluster.ts';
import { asText, type CommandContext, outputOf } from '../command-context.ts';
import { dotOf } from './dot.ts';
import { mermaidGraphOf } from './mermaid-graph.ts';
import { graphOf } from './nodes.ts';

/** @throws {TerminalError} there is no such output @throws as `KubeClient.call` */
export async function answer(question: CommandContext): Promise<number> {
  const output = outputOf(question.output, ['dot', 'mermaid', 'json', 'yaml']);
  const cluster = openCluster(question);
  try {
    const { objects, client, registry } = cluster;
    const isEverywhere = question.reported['all-namespaces'] === true;
    const namespace = isEverywhere ? undefined : (question.namespace ?? client.namespace);
    const deps = { reading: new ClusterReader({ objects, client, registry }), registry, now: question.clock.now() };
    const addresses = await addressesIn(deps, namespace);
    if (addresses.length === 0 && !isEverywhere) await refuseAbsentNamespace(client, question.namespace);
    const graph = graphOf(await scanNamespace(deps, addresses), namespace);
    if (output === 'dot') question.out.write(dotOf(graph));
    else if (output === 'mermaid') question.out.write(mermaidGraphOf(graph));
    else question.out.write(await asText(output, graph));
    return 0;
  } finally {
    await cluster.close();
  }
}
