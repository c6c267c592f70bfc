// A machine as a Mermaid state diagram.
import type { AnyStateMachine, AnyStateNode } from 'xstate';

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

/** What stands in the box of a state. */
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
  for (const { eventType, target } of [...node.transitions.values(), node.always ?? []].flat()) {
    for (const to of target ?? []) {
      const known = labels.get(nameOf(to)) ?? new Set();
      labels.set(nameOf(to), known.add(eventText(eventType)));
    }
  }
  return [...labels].map(([to, events]) => {
    const said = [...events].filter((text) => text !== '').join(', ');
    return `  ${nameOf(node)} --> ${to}${said === '' ? '' : ` : ${said}`}`;
  });
}

/** An event as people call it; one that XState makes says of which effect or delay it tells. Empty: it goes without one. */
export function eventText(type: string): string {
  const [, what, name] = /^xstate\.(done\.actor|error\.actor|done\.state|after)\.([^.]+)/.exec(type) ?? [];
  if (what === undefined) return type;
  return (
    { 'done.actor': `${name} done`, 'error.actor': `${name} failed`, 'done.state': 'done', after: `after ${name}` }[
      what
    ] ?? type
  );
}

function nameOf({ path }: AnyStateNode): string {
  return path.join('_');
}
