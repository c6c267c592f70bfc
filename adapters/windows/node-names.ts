// Who stands for a Kubernetes node, of objects that name it.
//
// Invariants:
//   WIN-NODE-NAMES-1. A node is that of the object that took its name first, as its actor has recorded it. Nobody gets a name by being older, or by what
//       somebody else writes into its status.
import type { KubeObject } from '../../machines/object.ts';
import { wordOf } from './values.ts';

/** Earlier ones come first. */
export function ageOf({ metadata: { creationTimestamp = '', uid } }: KubeObject): string {
  return `${creationTimestamp} ${uid}`;
}

/** Since when an object stands for its Kubernetes node; undefined: it has not taken the name, or what says so is not its actor's word. */
export function takenAtOf({ spec, recorded = {} }: KubeObject): string | undefined {
  return recorded['nodeName'] === spec?.['nodeName'] ? wordOf(recorded['nodeTakenAt']) : undefined;
}

/** Of those that name one Kubernetes node, the one that stands for it (WIN-NODE-NAMES-1). */
export function holderOf(nodes: readonly KubeObject[], nodeName: string): KubeObject | undefined {
  const [first] = nodes
    .filter(({ spec }) => spec?.['nodeName'] === nodeName)
    .sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
  return first;
}

/** Nobody has taken a name before he was made. */
function rankOf(node: KubeObject): string {
  // mutant: node-of-the-elder ?? -> ''
  const takenAt = takenAtOf(node) ?? LAST;
  const { creationTimestamp = '' } = node.metadata;
  return `${takenAt > creationTimestamp ? takenAt : creationTimestamp} ${ageOf(node)}`;
}

/** After all times. */
const LAST = '~';
