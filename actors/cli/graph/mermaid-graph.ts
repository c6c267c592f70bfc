// A graph as a Mermaid flowchart. Pure.
import { plain } from '../../base/printable.ts';
import { FILLS } from './fills.ts';
import type { Graph } from './nodes.ts';

/** Characters without special meaning in Mermaid, Markdown and HTML. */
const HARMLESS = /[^A-Za-z0-9 ./-]/gu;

/** Nodes are named by index, so that names need no escaping for Mermaid. */
export function mermaidGraphOf({ nodes, edges }: Graph): string {
  const places = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const used = new Set(nodes.map(({ standing }) => standing));
  const lines = [
    'flowchart LR',
    ...[...used].map((standing) => `  classDef ${standing} fill:${FILLS[standing]},stroke:#666,color:#111`),
    ...nodes.map(({ id, standing }) => `  ${places.get(id)}["${escaped(id)}<br>${standing}"]:::${standing}`),
    ...edges.map(({ from, to }) => `  ${places.get(from)} --> ${places.get(to)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Mermaid's way to write a character by its number. */
function escaped(text: string): string {
  return plain(text).replaceAll(HARMLESS, (character) => `#${character.codePointAt(0)};`);
}
