// A graph in Graphviz's language. Pure.
import { plain } from '../plain.ts';
import { FILLS } from './fills.ts';
import type { Graph } from './graph.ts';

/** Nodes are told by their position, so that no name has to be one of Graphviz's. */
export function dotOf({ namespace, nodes, edges }: Graph): string {
  const places = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = [
    `digraph ${quoted(namespace)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    ...nodes.map(({ id, standing }) => {
      const label = quoted(`${id}\n${standing}`);
      return `  ${places.get(id)} [label=${label}, fillcolor="${FILLS[standing]}", tooltip=${quoted(standing)}];`;
    }),
    ...edges.map(({ from, to }) => `  ${places.get(from)} -> ${places.get(to)};`),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/** Graphviz reads character entities and escapes in what is quoted. */
function quoted(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => plain(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'));
  return `"${lines.join('\\n')}"`;
}
