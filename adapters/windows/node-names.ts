// The object that represents a Kubernetes node, among those that name it.
//
// Invariants:
//   WIN-NODE-NAMES-1. A node always belongs to the object that took its name first, as its actor has recorded it. No object
//       gets a name by being older, or by a foreign write to its status. An edit that its actor has not seen may have given
//       the name up: an object that took it meanwhile keeps it.
import type { KubeObject } from '../../machines/object.ts';
import { isCurrent } from './conditions.ts';
import { wordOf } from './values.ts';

/** Earlier ones come first. */
export function ageOf({ metadata: { creationTimestamp = '', uid } }: KubeObject): string {
  return `${creationTimestamp} ${uid}`;
}

/**
 * Time since which an object represents its Kubernetes node; undefined: it has not taken the name, or its actor did not
 * write the record.
 */
export function takenAtOf({ spec, recorded = {} }: KubeObject): string | undefined {
  return recorded['nodeName'] === spec?.['nodeName'] ? wordOf(recorded['nodeTakenAt']) : undefined;
}

/** The one of the objects that name one Kubernetes node which represents it (WIN-NODE-NAMES-1). */
export function holderOf(nodes: readonly KubeObject[], nodeName: string): KubeObject | undefined {
  const [first] = nodes
    .filter(({ spec }) => spec?.['nodeName'] === nodeName)
    .sort((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
  return first;
}

/** A name is never taken before the object was created. */
function rankOf(node: KubeObject): string {
  // mutant: node-of-the-elder ?? -> ''
  const takenAt = takenAtOf(node) ?? LAST;
  const { creationTimestamp = '' } = node.metadata;
  // mutant: name-given-up-unseen || -> true
  const order = takenAt === LAST || isCurrent(node) ? '' : UNSEEN;
  return `${order}${takenAt > creationTimestamp ? takenAt : creationTimestamp} ${ageOf(node)}`;
}

/** After all times. */
const LAST = '~';

/** After all times of objects whose actors have seen their last edit, and before LAST. */
const UNSEEN = '=';
