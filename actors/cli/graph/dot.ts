// A graph in Graphviz's language. Pure.
import { plain } from '../../base/printable.ts';
import { FILLS } from './fills.ts';
import type { Graph } from './nodes.ts';

/** Nodes are named by index, so that names need no escaping for Graphviz. */
export function dotOf({ namespace = 'all namespaces', nodes, edges }: Graph): string {
  const places = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = [
    `digraph ${quoted(namespace)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    ...nodes.map(({ id, standing }) => {
      const label = quoted(id, standing);
      return `  ${places.get(id)} [label=${label}, fillcolor="${FILLS[standing]}", tooltip=${quoted(standing)}];`;
    }),
    ...edges.map(({ from, to }) => `  ${places.get(from)} -> ${places.get(to)};`),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/** Lines of text. Graphviz reads character entities and escapes in what is quoted. */
function quoted(...lines: readonly string[]): string {
  const escaped = lines.map((line) =>
    plain(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'),
  );
  return `"${escaped.join('\\n')}"`;
}
