// A machine as a Mermaid state diagram.
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { transitionsOf } from '../../visualizer/chart-nodes.ts';
import { eventLabel } from '../../visualizer/page/text.ts';

/** `stateDiagram-v2`: states in states, regions side by side, and one arrow for all events that lead from one state to another. */
export function mermaidOf({ root }: Pick<AnyStateMachine, 'root'>): string {
  const arrows = [...allBelow(root)].flatMap(arrowsOf);
  return `${['stateDiagram-v2', ...inside(root, '  '), ...arrows].join('\n')}\n`;
}

function* allBelow(node: AnyStateNode): Generator<AnyStateNode> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* allBelow(child);
  }
}

function childrenOf(node: AnyStateNode): readonly AnyStateNode[] {
  return Object.values(node.states);
}

/** Content of a state's box. */
function inside(node: AnyStateNode, indent: string): readonly string[] {
  const boxes = childrenOf(node).map((child) => boxOf(child, indent));
  if (node.type === 'parallel') return boxes.flatMap((box, index) => (index === 0 ? box : [`${indent}--`, ...box]));
  const initial: readonly AnyStateNode[] = node.initial.target;
  return [...initial.map((first) => `${indent}[*] --> ${nameOf(first)}`), ...boxes.flat()];
}

function boxOf(node: AnyStateNode, indent: string): readonly string[] {
  const head = `${indent}state "${node.key}" as ${nameOf(node)}`;
  if (childrenOf(node).length > 0) return [`${head} {`, ...inside(node, `${indent}  `), `${indent}}`];
  return node.type === 'final' ? [head, `${indent}${nameOf(node)} --> [*]`] : [head];
}

function arrowsOf(node: AnyStateNode): readonly string[] {
  const labels = new Map<string, Set<string>>();
  for (const { eventType, target } of transitionsOf(node)) {
    for (const to of target ?? []) {
      const known = labels.get(nameOf(to)) ?? new Set();
      labels.set(nameOf(to), known.add(eventLabel(eventType)));
    }
  }
  return [...labels].map(([to, events]) => {
    const said = [...events].filter((text) => text !== '').join(', ');
    return `  ${nameOf(node)} --> ${to}${said === '' ? '' : ` : ${said}`}`;
  });
}

function nameOf({ path }: AnyStateNode): string {
  return path.join('_');
}
