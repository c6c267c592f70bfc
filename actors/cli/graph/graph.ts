// `troupe graph`: who refers to whom in a namespace, in the languages of those who draw graphs.

import type { Standing } from '../../inquiry/findings.ts';
import { Reading } from '../../inquiry/reading.ts';
import { addressesIn, labelIn, type Survey, surveyOf } from '../../inquiry/survey.ts';
import { openCluster } from '../cluster.ts';
import { asText, outputOf, type Question } from '../question.ts';
import { dotOf } from './dot.ts';
import { mermaidGraphOf } from './mermaid-graph.ts';

export interface Graph {
  readonly namespace: string;
  readonly nodes: readonly GraphNode[];
  /** From whoever refers to what is referred to. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly neededFor: string }[];
}

export interface GraphNode {
  /** `<Kind>/<name>`, or `<Kind>/<namespace>/<name>` where that is another one; no two nodes have the same. */
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly standing: Standing;
  /** For how long it has been so, in milliseconds. */
  readonly sinceMs?: number;
}

/** @throws {TerminalError} there is no such output @throws as `KubeClient.call` */
export async function answer(question: Question): Promise<number> {
  const output = outputOf(question.output, ['dot', 'mermaid', 'json', 'yaml']);
  const cluster = openCluster(question);
  try {
    const { objects, client, registry } = cluster;
    const namespace = question.namespace ?? client.namespace;
    const deps = { reading: new Reading({ objects, client }), registry, now: question.clock.now() };
    const graph = graphOf(await surveyOf(deps, await addressesIn(deps, namespace)), namespace);
    if (output === 'dot') question.out.write(dotOf(graph));
    else if (output === 'mermaid') question.out.write(mermaidGraphOf(graph));
    else question.out.write(await asText(output, graph));
    return 0;
  } finally {
    await cluster.close();
  }
}

export function graphOf(survey: Survey, namespace: string): Graph {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const each of survey.values()) {
    const label = labelIn(namespace, each);
    const own = taken.has(label) ? `${label} (${each.address.plural}, ${each.address.realm})` : label;
    taken.add(own);
    ids.set(each.key, own);
  }
  const id = (key: string): string => ids.get(key) ?? key;
  return {
    namespace,
    nodes: [...survey.values()].map(({ key, address, finding: { kind, name, standing, sinceMs } }) => {
      return {
        id: id(key),
        kind,
        namespace: address.namespace,
        name,
        standing,
        ...(sinceMs !== undefined && { sinceMs }),
      };
    }),
    edges: [...survey.values()].flatMap(({ key, references }) =>
      references.map(({ key: to, neededFor }) => ({ from: id(key), to: id(to), neededFor })),
    ),
  };
}
