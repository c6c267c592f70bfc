// A machine as the page draws it: its states as a tree, each with the arrows that leave it.
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { eventLabel } from './page/text.ts';
import type { ChartArrow, ChartNode } from './wire.ts';

export function chartNodeOf({ root }: Pick<AnyStateMachine, 'root'>): ChartNode {
  return nodeOf(root);
}

/** All that leads out of a state itself: on events, after effects and delays, and at once. */
export function transitionsOf({ transitions, always }: AnyStateNode): readonly AnyTransitionDefinition[] {
  return [...transitions.values(), always ?? []].flat();
}

function nodeOf(node: AnyStateNode): ChartNode {
  const initial: readonly AnyStateNode[] = node.type === 'compound' ? (node.initial?.target ?? []) : [];
  return {
    path: pathOf(node),
    name: node.key,
    type: node.type,
    description: node.description ?? '',
    tags: [...node.tags],
    initial: initial[0] === undefined ? '' : pathOf(initial[0]),
    states: Object.values<AnyStateNode>(node.states).map(nodeOf),
    transitions: transitionsOf(node).flatMap((transition) => arrowsOf(node, transition)),
  };
}

function arrowsOf(from: AnyStateNode, { eventType, target, guard }: AnyTransitionDefinition): readonly ChartArrow[] {
  const targets: readonly AnyStateNode[] = target ?? [from];
  return targets.map((to) => ({ event: eventLabel(eventType), guard: guardText(guard), target: pathOf(to) }));
}

/** A guard of guards is a function that holds them. */
function guardText(guard: unknown): string {
  if (guard === undefined) return '';
  if (typeof guard === 'string') return guard;
  const { type, name, guards } = guard as { readonly type?: string; readonly name?: string; readonly guards?: unknown };
  if (typeof guard !== 'function') return type ?? '';
  if (!Array.isArray(guards)) return name ?? '';
  const parts = guards.map(guardText);
  return name === 'not' ? `not ${parts[0] ?? ''}` : parts.join(` ${name} `);
}

function pathOf({ path }: AnyStateNode): string {
  return path.join('.');
}
